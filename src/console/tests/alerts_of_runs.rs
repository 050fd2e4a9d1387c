//! The alerts of runs: one for each approval, and what failed.

use super::{
    alerts::{alerts, holding, pass_s, well},
    runs_samples::{ASK, VOTE, plan, run, with_runs},
    test_console::TestConsole,
};
use crate::{
    console::{systems::runs::keys::RUN, ui::system::System},
    ids::ActionId,
    runs,
    runs::NodeRef,
    station::{
        alerts::Cause,
        runs::alerts::{AWAITING_APPROVAL, RUNS_FAILED},
    },
    tap::entry::{Link, alerts::Alert},
    time::Wall,
};

#[test]
fn a_question_of_a_run_is_heard_at_once_and_so_is_each_further_one() {
    let mut stage = with_runs(well(160, 50));
    let judged = stage.tick();
    let asks = |node: &str| {
        let run = run(VOTE);
        AWAITING_APPROVAL.of(&format!("{run}/{node}"))
    };
    assert_eq!(holding(&stage), [RUNS_FAILED.cause(), asks("give")]);
    assert_eq!(judged.raised.len(), 2);
    let asking = alerts(&stage).into_iter().find(|alert| *alert == asks("give")).unwrap();
    assert!(asking.text.contains("chat_vote a41f needs approval for node give"), "{}", asking.text);
    assert!(!asking.text.contains("viewer ann"), "it is told to everybody: {}", asking.text);
    assert!(
        stage.alerts.acknowledge(&[asking.id], stage.view.now).is_err(),
        "a question waiting for its answer"
    );
    assert_eq!(pass_s(&mut stage, 3).iter().map(|judged| judged.raised.len()).sum::<usize>(), 0);
    let (run, action) = (run(VOTE), ActionId(uuid::Uuid::from_u128(7)));
    let expires_at = Wall(stage.view.now.wall.0 + 300_000);
    let node = NodeRef { index: 6, id: "report".into() };
    stage.asked(VOTE, action, node, expires_at, "publish?");
    let raised = stage.tick().raised;
    let further = alerts(&stage).into_iter().find(|alert| *alert == asks("report")).unwrap();
    assert_eq!(raised, [further.id], "an alert of its own");
    for (action, alert, node) in [(action, further, "report"), (ASK, asking, "give")] {
        stage.runs(runs::Transition::Decided { run, action, verdict: runs::Verdict::Approved, by: None }, "");
        assert_eq!(stage.tick().resolved, [alert.id]);
        let ended = alerts(&stage).into_iter().find(|it| it.id == alert.id).unwrap();
        assert_eq!(*ended.text, format!("chat_vote, approval for node {node}: approved"));
    }
}

#[test]
fn approvals_of_two_runs_are_two_alerts_that_lead_to_their_own_runs() {
    let mut stage = with_runs(well(160, 50));
    let one = plan(&[("write", "agent:writer", None)], &[]);
    stage.submitted(0xbeef, "mend", &one);
    let expires_at = Wall(stage.view.now.wall.0 + 300_000);
    let node = NodeRef { index: 0, id: "write".into() };
    stage.asked(0xbeef, ActionId(uuid::Uuid::from_u128(8)), node, expires_at, "write?");
    stage.tick();
    let asking: Vec<_> = alerts(&stage).into_iter().filter(Alert::is_question).collect();
    let shown = stage.model.station_state.as_ref().unwrap();
    let system = System::of(Link::Runs).unwrap();
    let leads_to: Vec<_> = asking.iter().map(|alert| (system.alert_object)(alert, shown).1).collect();
    assert_eq!(leads_to.len(), 2);
    for number in [0xbeef, VOTE] {
        assert!(leads_to.contains(&Some(RUN.of(run(number)))), "{leads_to:?}");
    }
}

#[test]
fn of_many_approvals_the_oldest_have_alerts_of_their_own_and_the_others_share_one() {
    let mut stage = with_runs(well(160, 50));
    let expires_at = Wall(stage.view.now.wall.0 + 300_000);
    for n in 0..10_u32 {
        let node = NodeRef { index: 0, id: format!("n{n}").into() };
        stage.asked(VOTE, ActionId(uuid::Uuid::from_u128(100 + u128::from(n))), node, expires_at, "?");
    }
    stage.tick();
    let asking: Vec<_> = alerts(&stage).into_iter().filter(Alert::is_question).collect();
    assert_eq!(asking.len(), 9);
    let rest = asking.iter().find(|alert| **alert == AWAITING_APPROVAL.cause()).unwrap();
    assert!(rest.text.starts_with("3 more approvals pending"), "{}", rest.text);
}

#[test]
fn a_run_that_failed_is_told_of_for_a_minute() {
    let mut stage = with_runs(well(160, 50));
    stage.tick();
    let failed = alerts(&stage).into_iter().find(|alert| *alert == RUNS_FAILED.cause()).unwrap();
    assert!(failed.text.starts_with("mend ") && failed.text.ends_with(" failed"), "{}", failed.text);
    stage.char('a');
    let text = stage.text();
    assert!(text.contains("mend dead failed"), "{text}");
    pass_s(&mut stage, 61);
    let give = format!("{}/give", run(VOTE));
    assert_eq!(holding(&stage), [AWAITING_APPROVAL.of(&give)]);
}

#[test]
fn an_alert_that_names_one_of_several_runs_has_that_ones_time() {
    let mut stage = with_runs(well(160, 50));
    let since = |stage: &mut TestConsole, cause: &Cause| {
        stage.tick();
        let found = alerts(stage).into_iter().find(|alert| alert == cause).unwrap();
        (found.since.wall, found.text.to_string())
    };
    since(&mut stage, &RUNS_FAILED.cause());
    stage.pass(10_000);
    let later = stage.view.now.wall;
    let one = plan(&[("write", "agent:writer", None)], &[]);
    stage.submitted(0xbeef, "mend", &one);
    stage.ended(0xbeef, runs::RunState::Failed, "write failed");
    stage.pass(2_000);
    let (at, text) = since(&mut stage, &RUNS_FAILED.cause());
    assert!(text.contains("beef last"), "{text}");
    assert_eq!(at, later, "{text}");
    let action = ActionId(uuid::Uuid::from_u128(7));
    let node = NodeRef { index: 6, id: "report".into() };
    let (asked_at, expires_at) = (stage.view.now.wall, Wall(stage.view.now.wall.0 + 1_000));
    stage.asked(VOTE, action, node, expires_at, "publish?");
    let report = format!("{}/report", run(VOTE));
    let (at, text) = since(&mut stage, &AWAITING_APPROVAL.of(&report));
    assert!(text.contains("chat_vote a41f needs approval for node report"), "{text}");
    assert_eq!(at, asked_at, "{text}");
}

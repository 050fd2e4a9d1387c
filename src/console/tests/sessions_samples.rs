//! Sessions in every state, as the station and the store tell of them.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::{
    answers::answered,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        records::selection::{RecordKey, RowKeys as _},
        ui,
        ui::state::Focus,
    },
    macp::{Effect, Ending, Mode, Phase, SessionRef, SessionState, Transition as T},
    port::{LogKind, SessionDetail, SessionLogRow, SessionRow},
    schema::JsonText,
    time::{Now, Wall},
};

/// The session of this number.
pub(super) fn session(number: u64) -> SessionRef {
    SessionRef { number, id: format!("s-{number}").into() }
}

/// The decision that goes on.
pub(super) const RELEASE: u64 = 17;
/// The rounds that go on.
pub(super) const NAMES: u64 = 18;

pub(super) fn text(text: &str) -> Arc<str> {
    text.into()
}

impl TestConsole {
    /// A session begins.
    pub(super) fn opened(
        &mut self,
        number: u64,
        mode: Mode,
        (intent, participants): (&str, &[&str]),
        ttl_ms: u64,
    ) {
        let expires_at = Wall(Now::at_ms(self.ms).wall.0 + ttl_ms);
        let (by, allowed) = (text("lead"), participants.len() as u64);
        let opened = serde_json::json!({ "intent": intent, "participants": participants }).to_string();
        let (session, intent) = (session(number), text(intent));
        let listed = participants.iter().copied().map(text).collect();
        self.macp(
            T::Opened { session, mode, by, participants: allowed, expires_at, intent, listed },
            &opened,
        );
    }

    /// A session takes a message.
    pub(super) fn takes(&mut self, number: u64, by: &str, effect: Effect, words: &str) {
        self.pass(400);
        self.macp(T::Accepted { session: session(number), by: text(by), effect }, words);
    }

    /// A session ends.
    pub(super) fn closed(&mut self, number: u64, ending: Ending, words: &str) {
        self.macp(T::Ended { session: session(number), ending }, words);
    }

    pub(super) fn votes(&mut self, number: u64, by: &str, (of, vote): (&str, &str), why: &str) {
        self.takes(number, by, Effect::Voted { proposal: text(of), vote: text(vote) }, why);
    }
}

/// Sessions over a show: one that was resolved, one that expired, one that was cancelled; a decision and
/// rounds that go on.
pub(super) fn with_sessions(mut stage: TestConsole) -> TestConsole {
    stage.opened(14, Mode::Decision, ("which boss comes next", &["ann", "bob"]), 60_000);
    stage.takes(14, "ann", Effect::Proposed { proposal: text("boss") }, "the dragon");
    stage.votes(14, "bob", ("boss", "approve"), "");
    stage.takes(14, "ann", Effect::Committed, "summon the dragon");
    stage.closed(14, Ending::Resolved, r#"{"commitment_id":"c1","action":"summon the dragon"}"#);
    stage.opened(15, Mode::MultiRound, ("a name for the pet", &["ann", "bob"]), 2_000);
    stage.takes(15, "ann", Effect::Contributed { round: 1 }, "Pixel");
    stage.pass(2_500);
    stage.closed(15, Ending::TtlExpired, "");
    stage.opened(16, Mode::Decision, ("ban a word", &[]), 60_000);
    stage.closed(16, Ending::Cancelled, "not while live\u{1b}[2J");
    stage.opened(RELEASE, Mode::Decision, ("deploy tonight?", &["ann", "bob", "carol"]), 45_000);
    stage.takes(RELEASE, "ann", Effect::Proposed { proposal: text("p1") }, "Deploy to production");
    stage.takes(RELEASE, "bob", Effect::Proposed { proposal: text("p2") }, "Wait for Monday");
    let evaluated = |of, recommendation, confidence| Effect::Evaluated {
        proposal: text(of),
        recommendation: text(recommendation),
        confidence,
    };
    stage.takes(RELEASE, "bob", evaluated("p1", "APPROVE", 0.95), "implementation looks solid");
    stage.takes(RELEASE, "carol", evaluated("p2", "REVIEW", 0.5), "");
    stage.takes(
        RELEASE,
        "carol",
        Effect::Objected { proposal: text("p1"), severity: text("high") },
        "security review not completed",
    );
    stage.votes(RELEASE, "ann", ("p1", "approve"), "all tests pass");
    stage.votes(RELEASE, "bob", ("p1", "approve"), "looks good to me");
    stage.opened(NAMES, Mode::MultiRound, ("the colour of the overlay", &["ann", "bob", "carol"]), 8_000);
    stage.takes(NAMES, "ann", Effect::Contributed { round: 1 }, "teal");
    stage.takes(NAMES, "bob", Effect::Contributed { round: 2 }, "amber");
    stage.takes(NAMES, "bob", Effect::Contributed { round: 3 }, "teal");
    stage
}

/// Sessions as the store has them.
pub(super) fn stored() -> Vec<SessionRow> {
    let row = |number: u64, mode: Mode, ending: Option<Ending>, why: Option<&str>| SessionRow {
        number,
        session: format!("s-{number}"),
        mode,
        mode_name: mode.name().to_owned(),
        state: ending.map_or(SessionState::Open, Ending::state),
        ending,
        why: why.map(str::to_owned),
        phase: (mode == Mode::Decision).then_some(Phase::Voting),
        round: (mode == Mode::MultiRound).then_some(4),
        by: "lead".to_owned(),
        intent: "what to play".to_owned(),
        participants: 3,
        messages: 250,
        started_at_ms: Now::at_ms(number * 1_000).wall,
        expires_at_ms: Now::at_ms(number * 1_000 + 60_000).wall,
        ended_at_ms: ending.map(|_| Now::at_ms(number * 1_000 + 9_000).wall),
        trace_id: None,
    };
    vec![
        row(3, Mode::Decision, Some(Ending::Cancelled), Some("by the operator")),
        row(4, Mode::MultiRound, Some(Ending::Resolved), None),
        row(5, Mode::Decision, Some(Ending::TtlExpired), None),
    ]
}

/// One of them with what its mode keeps.
pub(super) fn detail(id: &str) -> Option<SessionDetail> {
    let row = stored().into_iter().find(|row| row.session == id)?;
    let progress = match row.mode {
        Mode::Decision => {
            r#"{"phase":"voting","proposals":{"p1":{"proposal_id":"p1","option":"chess","rationale":"","supporting_data":"","sender":"ann"}},
               "evaluations":[{"proposal_id":"p1","recommendation":"APPROVE","confidence":1.0,"reason":"fun","sender":"bob"}],"objections":[],
               "votes":{"bob":{"proposal_id":"p1","vote":"approve","reason":"","sender":"bob"},
                        "carol":{"proposal_id":"p9","vote":"reject","reason":"","sender":"carol"}}}"#
        }
        Mode::MultiRound => {
            r#"{"round":4,"participants":["ann","bob"],"contributions":{"ann":"go","bob":"go"},"convergence_type":"all_equal"}"#
        }
    };
    let resolution = r#"{"converged_value":"go","round":4,"final_values":{"ann":"go","bob":"go"}}"#;
    Some(SessionDetail {
        resolution: (row.ending == Some(Ending::Resolved)).then(|| JsonText::parse(resolution).unwrap()),
        row,
        mode_version: String::new(),
        configuration_version: String::new(),
        policy_version: String::new(),
        traceparent: None,
        listed: vec!["ann".to_owned(), "bob".to_owned()],
        progress: JsonText::parse(progress).unwrap(),
    })
}

/// A session's log, of 252 records.
pub(super) fn logged(after: u64, limit: u64) -> Vec<SessionLogRow> {
    let row = |number: u64| SessionLogRow {
        number,
        at_ms: Now::at_ms(number * 10).wall,
        kind: LogKind::Incoming,
        message_type: Some("Vote".to_owned()),
        message_id: Some(format!("m-{number}")),
        sender: Some("ann".to_owned()),
        timestamp_ms: None,
        payload: JsonText::parse(&format!(
            r#"{{"proposal_id":"p1","vote":"approve","reason":"for the {number}th time"}}"#
        ))
        .unwrap(),
    };
    (after + 1..=(after + limit).min(252)).map(row).collect()
}

/// The Sessions in the middle of a show, everything answered.
pub(super) fn sessions(columns: u16, rows: u16) -> TestConsole {
    let mut stage = with_sessions(show(columns, rows));
    let effects = stage.char('5');
    answered(&mut stage, effects);
    stage
}

pub(super) fn over(pane: PaneId) -> TestConsole {
    let mut stage = sessions(160, 50);
    stage.ui.focus = Focus::Pane(pane);
    stage
}

/// The same of the decision.
pub(super) fn decision(columns: u16, rows: u16) -> TestConsole {
    let mut stage = sessions(columns, rows);
    let effects = stage.key(KeyCode::Down);
    answered(&mut stage, effects);
    stage
}

pub(super) fn keys(stage: &TestConsole, pane: PaneId) -> Vec<RecordKey> {
    let rows = ui::rows(pane, &stage.ui, &stage.model);
    (0..rows.len()).filter_map(|row| rows.key(row)).collect()
}

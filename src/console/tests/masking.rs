//! A noisy night: whatever comes from viewers, peers and payloads has a mark, and no screen of a show that is
//! on air has one of them. What is added to the views, the layers or the places is looked at too.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;

use super::{
    every_action,
    pack_events::{listed, opened},
    plugins_samples,
    test_console::{TestConsole, dispatched, enqueued, row, show},
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        overlays::Output,
        settings::shell::{SubcommandEnd, SubcommandResult},
        ui::{
            effect::Effect,
            event::Event,
            history::History,
            layout::{COLUMNS_MIN, ROWS_MIN},
            state::Focus,
        },
    },
    ids::{InvocationId, RefundId},
    port::{EventRow, InvocationRow, Page, Query, RefundRow, StateKeyRow},
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::{FailedBy, Level, RefundStatus, RowState, Transition},
    time::Wall,
};

const LOGINS: [&str; 2] = ["LVIEWER", "LCHANNEL"];
const PAYLOADS: [&str; 21] = [
    "PREASON", "PARAMS", "PRESULT", "PREDEEM", "PLOGGED", "PSTATE", "PTYPED", "PFAULT", "PLEFTOUT", "PSCOPE",
    "PRINTED", "PGIVEN", "PRECALL", "PCHATTED", "PTITLED", "PVALUED", "PSLOTTED", "PNOTICED", "PLINED",
    "PACTED", "PBODIED",
];

/// As much of a mark as the narrowest column shows.
fn told(mark: &str) -> &str {
    &mark[..4]
}

fn source() -> Source {
    Source {
        kind: "channel_points".to_owned(),
        redemption: Some("PREDEEM".to_owned()),
        user: Some("LVIEWER".to_owned()),
    }
}

fn marked(id: u64, state: RowState) -> InvocationRow {
    InvocationRow {
        state,
        params: JsonText::parse("\"PARAMS\"").unwrap(),
        result: Some(JsonText::parse("\"PRESULT\"").unwrap()),
        reason: Some("PREASON".to_owned()),
        source: source(),
        ..row(id)
    }
}

/// What a station with marked texts everywhere answers.
fn answer(query: &Query) -> Option<Page> {
    Some(match query {
        Query::Invocations { state, .. } => Page::Invocations {
            rows: vec![marked(43, state.unwrap_or(RowState::Failed))],
            more: false,
            beyond: None,
        },
        Query::Invocation { id } => Page::Invocation(Some(Box::new(marked(id.0, RowState::Failed)))),
        Query::Refunds { .. } => {
            let (id, invocation_id) = (RefundId(1), InvocationId(41));
            let refund = RefundRow {
                damage: None,
                id,
                invocation_id,
                source: source(),
                status: RefundStatus::Manual,
                at_ms: Wall(0),
            };
            Page::Refunds { rows: vec![refund], more: false, beyond: None }
        }
        Query::State => {
            let value = JsonText::parse("\"PSTATE\"").unwrap();
            let (scope, at_ms) = (Some("PSCOPE".to_owned()), Some(Wall(0)));
            Page::State(vec![StateKeyRow {
                key: "lives".into(),
                value,
                scope,
                persist: true,
                writer: None,
                written_by: None,
                at_ms,
            }])
        }
        _ => return None,
    })
}

/// Answers what was asked, and what is asked because of that.
fn carry_out(stage: &mut TestConsole, effects: Vec<Effect>) {
    let mut open = effects;
    for _ in 0..20 {
        let Some(effect) = open.pop() else { return };
        if let Effect::Query { on_page, query } = effect
            && let Some(page) = answer(&query)
        {
            open.extend(stage.event(Event::QueryAnswered { on_page, page: Ok(page) }));
        }
    }
}

fn press(stage: &mut TestConsole, key: KeyCode) {
    let effects = stage.key(key);
    carry_out(stage, effects);
}

/// What the station, the bridge, the adapter and viewers say in the middle of a show.
fn make_noise(stage: &mut TestConsole) {
    let (id, queue, event) = (InvocationId(50), "default", "give_item".into());
    let failed = Transition::Failed {
        id,
        queue: queue.into(),
        event,
        from: RowState::Dispatched,
        cleared: true,
        by: FailedBy::Adapter,
    };
    let said = [
        (enqueued(50, queue), ""),
        (dispatched(50, queue), ""),
        (failed, "PREASON"),
        (Transition::PersistedLeftOut { key: "lives".into() }, "\"PLEFTOUT\" is no number"),
        (Transition::Logged { level: Level::Warn }, "PLOGGED"),
    ];
    for (transition, text) in said {
        let effects = stage.mpp(transition, text);
        carry_out(stage, effects);
    }
    plugins_samples::noise(stage);
    stage.pass(2_000);
    let effects = stage.event(Event::Tick);
    carry_out(stage, effects);
}

fn night() -> TestConsole {
    let mut stage = show(160, 50);
    make_noise(&mut stage);
    stage
}

/// Every pane of every view, zoomed and beside the others, and what opens from its rows.
fn panes() -> Vec<(String, TestConsole)> {
    let mut screens = Vec::new();
    for view in ViewId::ALL {
        for pane in view.panes() {
            for (zoomed, row, layers) in
                [(false, 0, 0), (true, 0, 0), (true, 0, 1), (true, 0, 2), (true, 1, 1), (true, 2, 1)]
            {
                let mut stage = night();
                stage.ui.show(view);
                stage.ui.focus = Focus::Pane(*pane);
                stage.ui.zoomed = zoomed.then_some(*pane);
                make_noise(&mut stage);
                for _ in 0..row {
                    press(&mut stage, KeyCode::Down);
                }
                for _ in 0..layers {
                    press(&mut stage, KeyCode::Enter);
                }
                screens
                    .push((format!("{view:?} {pane:?} zoomed {zoomed}, row {row}, {layers} layers"), stage));
            }
        }
    }
    screens
}

/// Every place there is.
fn places() -> Vec<(String, TestConsole)> {
    let place = |place: KeyScope| {
        let mut stage = every_action::at(place, night)?;
        make_noise(&mut stage);
        Some((place.name().to_owned(), stage))
    };
    KeyScope::all().filter_map(place).collect()
}

fn odd() -> Vec<EventRow> {
    let schema = serde_json::json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}, "b": {"type": "string"}}});
    vec![EventRow {
        event: "odd".into(),
        queue: "default".into(),
        title: None,
        schema: Some(JsonText::from_value(&schema)),
    }]
}

/// A form with this typed into a field that takes no such text, so that the field's fault is told too; then
/// another field is focused.
fn form(typed: &str) -> TestConsole {
    let mut stage = opened(night(), odd(), "odd");
    stage.write(typed);
    stage.key(KeyCode::Tab);
    stage
}

/// What the operator wrote, and what came of it.
fn written() -> Vec<(String, TestConsole)> {
    let mut screens: Vec<(String, TestConsole)> = Vec::new();
    let mut add = |name: &str, stage| screens.push((name.to_owned(), stage));
    add("a form", form("PTYPED"));
    add("a form with a fault", form("PFAULT"));
    let mut stage = form("PFAULT");
    stage.ctrl('s');
    add("a form that is not sent", stage);
    let mut stage = form("PTY");
    stage.ctrl('e');
    add("a form as JSON", stage);
    let mut stage = form("PTYPED");
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Esc);
    let mut stage = listed(stage, odd());
    stage.key(KeyCode::Enter);
    add("a form that was kept", stage);
    let mut stage = night();
    stage.ui.push(Output::running(1, ("ls invocations", " --user PGIVEN")));
    stage.event(Event::SubcommandEnded {
        number: 1,
        ran: SubcommandResult { output: "PRINTED".to_owned(), cut: false, end: SubcommandEnd::Exited(0) },
    });
    add("what a subcommand printed", stage);
    let mut stage = night();
    stage.ui.push(Output::elsewhere(
        ("serve", " PGIVEN"),
        "it needs a terminal",
        "rl-console serve PGIVEN".to_owned(),
    ));
    add("a subcommand that runs elsewhere", stage);
    let mut stage = night();
    stage.ui.history = History::new(["settle 1 done PRECALL".to_owned()], 1);
    stage.char(':');
    stage.key(KeyCode::Up);
    add("a line of the palette that was called back", stage);
    for (field, words) in
        [("user", "a filter with a login that was seen"), ("params", "a filter with a payload that was seen")]
    {
        for (end, keys) in [
            ("offered", &[KeyCode::Tab][..]),
            ("kept", &[KeyCode::Tab, KeyCode::Enter]),
            ("again", &AGAIN),
            ("recalled", &RECALLED),
        ] {
            let mut stage = history();
            stage.char('/');
            stage.write(&format!("{field}:"));
            for key in keys {
                stage.key(*key);
            }
            add(&format!("{words}, {end}"), stage);
        }
    }
    screens
}

/// Keeps what is offered, and opens the line over it again.
const AGAIN: [KeyCode; 3] = [KeyCode::Tab, KeyCode::Enter, KeyCode::Char('/')];
/// The same, and begins another line, into which the one before is called back.
const RECALLED: [KeyCode; 5] =
    [KeyCode::Tab, KeyCode::Enter, KeyCode::Char('/'), KeyCode::Backspace, KeyCode::Up];

/// The history of a night, all of it on the screen.
fn history() -> TestConsole {
    let mut stage = night();
    stage.ui.show(ViewId::Bridge);
    stage.ui.focus = Focus::Pane(PaneId::History);
    stage.ui.zoomed = Some(PaneId::History);
    make_noise(&mut stage);
    stage
}

#[test]
fn a_filter_shows_on_air_what_is_typed_and_no_more() {
    let mut stage = history();
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage.char('/');
    stage.write("state:failed zebra");
    assert!(stage.text().contains("/ state:failed zebra"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(!stage.text().contains("zebra"), "a word may be what a viewer wrote\n{}", stage.text());
    stage.char('/');
    assert!(!stage.text().contains("zebra"), "{}", stage.text());
    stage.ctrl('u');
    stage.write("state:failed queue:default");
    assert!(stage.text().contains("/ state:failed queue:default"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(
        stage.text().contains("/state:failed queue:default"),
        "what quotes nobody is shown\n{}",
        stage.text()
    );
    stage.char('/');
    stage.write(" user:LVIEWER ~");
    assert!(!stage.text().contains("LVIEWER"), "it goes on from what was kept\n{}", stage.text());
}

/// Stages are large, and many are made at once.
#[test]
fn what_comes_from_viewers_peers_and_payloads_is_masked_by_its_class_wherever_it_is_drawn() {
    let looked = std::thread::Builder::new().stack_size(16 << 20).spawn(look_everywhere).unwrap();
    looked.join().unwrap();
}

fn look_everywhere() {
    let mut seen = BTreeSet::new();
    for (name, mut stage) in panes().into_iter().chain(places()).chain(written()) {
        for (columns, rows) in [(160, 50), (COLUMNS_MIN, ROWS_MIN)] {
            stage.event(Event::Resize { columns, rows });
            stage.view.mask_policy = MaskPolicy::default();
            let open = stage.text();
            seen.extend(LOGINS.iter().chain(&PAYLOADS).filter(|mark| open.contains(told(mark))).copied());
            for (logins, payloads) in [(true, false), (false, true), (true, true)] {
                stage.view.mask_policy = MaskPolicy { logins, payloads };
                let text = stage.text();
                let is_told = |mark: &&&str| open.contains(told(mark));
                for (marks, is_hidden) in [(&LOGINS[..], logins), (&PAYLOADS[..], payloads)] {
                    for mark in marks.iter().filter(is_told) {
                        assert_eq!(
                            text.contains(told(mark)),
                            !is_hidden,
                            "{mark} on {name} at {columns}×{rows}:\n{text}"
                        );
                    }
                }
                assert!(
                    text.lines().next().is_some_and(|header| header.contains("ON AIR")),
                    "{name} at {columns}×{rows}:\n{text}"
                );
            }
        }
    }
    let missing: Vec<_> = LOGINS.iter().chain(&PAYLOADS).filter(|mark| !seen.contains(**mark)).collect();
    assert!(missing.is_empty(), "never drawn at all: {missing:?}");
}

#[test]
fn on_air_is_gone_on_and_off_by_a_key_in_every_place_where_nothing_is_typed() {
    let mut deaf = Vec::new();
    for place in KeyScope::all().filter(|place| !place.takes_text()) {
        let Some(mut stage) = every_action::at(place, night) else { continue };
        // A question takes keys once it was seen.
        stage.key(KeyCode::Null);
        stage.char('O');
        if !stage.view.mask_policy.is_on() || stage.ui.key_scope() != place {
            deaf.push(place.name());
        }
        stage.char('O');
        assert!(stage.view.mask_policy.is_on(), "it asks: {}", place.name());
        stage.key(KeyCode::Null);
        // It asks once.
        stage.char('O');
        stage.char('y');
        assert!(!stage.view.mask_policy.is_on(), "{}", place.name());
        assert_eq!(stage.ui.key_scope(), place);
    }
    assert!(deaf.is_empty(), "not from {deaf:?}");
}

#[test]
fn what_is_being_typed_is_seen_and_masked_again_when_it_is_left() {
    let mut stage = opened(night(), odd(), "odd");
    stage.act(Action::OnAir);
    stage.write("PTY");
    assert!(stage.text().contains("PTY"), "{}", stage.text());
    stage.key(KeyCode::Tab);
    assert!(!stage.text().contains("PTY"), "{}", stage.text());
    stage.key(KeyCode::BackTab);
    assert!(
        !stage.text().contains("PTY"),
        "what was there before is not shown by coming back\n{}",
        stage.text()
    );
    stage.ctrl('e');
    assert!(!stage.text().contains("PTY"), "{}", stage.text());
}

#[test]
fn a_show_goes_on_air_while_the_station_starts_too() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.char('O');
    let text = stage.text();
    assert!(
        text.contains("ON AIR") && text.contains("starting") && text.contains("on air: logins"),
        "{text}"
    );
    stage.char('O');
    assert!(stage.text().contains("Go off air?") && stage.text().contains("ON AIR"), "{}", stage.text());
    stage.char('y');
    let text = stage.text();
    assert!(!text.contains("ON AIR") && text.contains("off air"), "{text}");
}

//! Whatever comes from viewers, peers and payloads is drawn with its class, wherever it is drawn.

use crossterm::event::KeyCode;

use super::{
    offered::opened,
    stage::{Stage, dispatched, enqueued, row, show},
};
use crate::{
    console::{
        action::Effect,
        class::{Class, Veil},
        event::Event,
        pane_id::PaneId,
        theme::Role,
        ui::Focus,
        view::Canvas,
        view_id::ViewId,
    },
    ids::{InvocationId, RefundId},
    port::{EventRow, InvocationRow, Page, Query, RefundRow, StateKeyRow},
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::{FailedBy, Level, RefundStatus, RowState, Transition},
    time::Wall,
};

const LOGINS: [&str; 1] = ["LVIEWER"];
const PAYLOADS: [&str; 8] = ["PREASON", "PPARAMS", "PRESULT", "PREDEEM", "PLOGGED", "PSTATE", "PTYPED", "PFAULT"];

fn source() -> Source {
    Source { kind: "channel_points".to_owned(), redemption: Some("PREDEEM".to_owned()), user: Some("LVIEWER".to_owned()) }
}

fn marked(id: u64, state: RowState) -> InvocationRow {
    InvocationRow {
        state,
        params: JsonText::parse("\"PPARAMS\"").unwrap(),
        result: Some(JsonText::parse("\"PRESULT\"").unwrap()),
        reason: Some("PREASON".to_owned()),
        source: source(),
        ..row(id)
    }
}

/// What a station with marked texts everywhere answers.
fn answer(query: &Query) -> Option<Page> {
    Some(match query {
        Query::Invocations { state, .. } => Page::Invocations { rows: vec![marked(43, state.unwrap_or(RowState::Failed))], more: false },
        Query::Invocation { id } => Page::Invocation(Some(marked(id.0, RowState::Failed))),
        Query::Refunds { .. } => {
            let refund = RefundRow {
                id: RefundId(1),
                invocation_id: InvocationId(41),
                source: source(),
                status: RefundStatus::Manual,
                at_ms: Wall(0),
            };
            Page::Refunds { rows: vec![refund], more: false }
        }
        Query::State => {
            let value = JsonText::parse("\"PSTATE\"").unwrap();
            let at_ms = Some(Wall(0));
            Page::State(vec![StateKeyRow { key: "lives".into(), value, scope: None, persist: true, writer: None, written_by: None, at_ms }])
        }
        _ => return None,
    })
}

/// Answers what was asked, and what is asked because of that.
fn carry_out(stage: &mut Stage, effects: Vec<Effect>) {
    let mut open = effects;
    for _ in 0..20 {
        let Some(effect) = open.pop() else { return };
        if let Effect::Query { asked, query } = effect
            && let Some(page) = answer(&query)
        {
            open.extend(stage.event(Event::Queried { asked, page: Ok(page) }));
        }
    }
}

fn press(stage: &mut Stage, key: KeyCode) {
    let effects = stage.key(key);
    carry_out(stage, effects);
}

fn world() -> Stage {
    let mut stage = show(160, 50);
    let failed = Transition::Failed {
        id: InvocationId(50),
        queue: "default".into(),
        event: "give_item".into(),
        from: RowState::Dispatched,
        cleared: true,
        by: FailedBy::Adapter,
    };
    stage.mpp(enqueued(50, "default"), "");
    stage.mpp(dispatched(50, "default"), "");
    stage.mpp(failed, "PREASON");
    stage.mpp(Transition::Logged { level: Level::Warn }, "PLOGGED");
    stage
}

/// Every pane of every view, and what opens from its first row; the form, and what is wrong in it.
fn screens() -> Vec<(String, Stage)> {
    let mut screens = vec![("deck".to_owned(), world())];
    for view in ViewId::ALL {
        for pane in view.panes() {
            for keys in 0..3 {
                let mut stage = world();
                stage.ui.show(view);
                stage.ui.focus = Focus::Pane(*pane);
                stage.ui.zoomed = Some(*pane);
                stage.pass(2_000);
                let effects = stage.event(Event::Tick);
                carry_out(&mut stage, effects);
                for _ in 0..keys {
                    press(&mut stage, KeyCode::Enter);
                }
                screens.push((format!("{view:?} {pane:?} and {keys} layers"), stage));
            }
        }
    }
    for key in ['?', 'q', 'K', 'a'] {
        let mut stage = world();
        stage.char(key);
        screens.push((format!("after {key}"), stage));
    }
    screens.extend(["PTYPED", "PFAULT"].map(form));
    screens
}

/// A form with this typed into a field that takes no such text, so that the field's fault is told too.
fn form(typed: &str) -> (String, Stage) {
    let schema = serde_json::json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}, "b": {"type": "string"}}});
    let events = vec![EventRow { event: "odd".into(), queue: "default".into(), title: None, schema: Some(JsonText::from_value(&schema)) }];
    let mut stage = opened(world(), events, "odd");
    for character in typed.chars() {
        stage.char(character);
    }
    if typed == "PFAULT" {
        stage.key(KeyCode::Tab);
    }
    (format!("a form with {typed}"), stage)
}

#[test]
fn what_comes_from_viewers_peers_and_payloads_is_masked_by_its_class_wherever_it_is_drawn() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, mut stage) in screens() {
        let open = stage.text();
        seen.extend(LOGINS.iter().chain(&PAYLOADS).filter(|mark| open.contains(**mark)).copied());
        for veil in [Veil { logins: true, payloads: false }, Veil { logins: false, payloads: true }] {
            stage.view.veil = veil;
            let text = stage.text();
            let is_told = |mark: &&&str| open.contains(**mark);
            for (marks, hidden) in [(&LOGINS[..], veil.logins), (&PAYLOADS[..], veil.payloads)] {
                for mark in marks.iter().filter(is_told) {
                    assert_eq!(text.contains(mark), !hidden, "{mark} on {name} under {veil:?}:\n{text}");
                }
            }
        }
    }
    let all: Vec<&str> = LOGINS.into_iter().chain(PAYLOADS).collect();
    let missing: Vec<_> = all.iter().filter(|mark| !seen.contains(**mark)).collect();
    assert!(missing.is_empty(), "never drawn at all: {missing:?}");
}

#[test]
fn a_secret_is_never_drawn() {
    let mut stage = world();
    let view = &stage.view;
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 40, 1));
    let canvas = &mut Canvas { buffer: &mut buffer, view };
    assert_eq!(canvas.put_as(0, 0, 40, "hunter2", Role::Text, Class::Secret), 6);
    canvas.put_right(10, 0, 20, "hunter2 and much more", Role::Text, Class::Secret);
    let text: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    assert_eq!(text.trim_end(), "▒▒▒▒▒▒                  ▒▒▒▒▒▒", "it tells no length");
    stage.buffer();
}

#[test]
fn every_selected_row_is_in_reverse_video_to_its_ends() {
    use crate::console::theme::{Depth, Theme};
    for name in Theme::shipped_names() {
        for depth in [Depth::None, Depth::Ansi, Depth::Indexed, Depth::True] {
            let mut stage = world();
            stage.ui.focus = Focus::Pane(PaneId::Recent);
            stage.view.theme = Theme::shipped(name, depth).unwrap();
            let buffer = stage.buffer();
            let layout = stage.ui.layout(&stage.model);
            let (_, area) = layout.panes.iter().find(|(pane, _)| *pane == PaneId::Recent).unwrap();
            let line = (area.x + 1..area.right() - 1).map(|x| &buffer[(x, area.y + 2)]);
            assert!(line.clone().all(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED)), "{name} at {depth:?}");
            let looks: std::collections::BTreeSet<_> = line.map(|cell| format!("{:?} {:?}", cell.fg, cell.bg)).collect();
            assert_eq!(looks.len(), 1, "{name} at {depth:?}: one bar");
        }
    }
}

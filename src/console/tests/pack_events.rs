//! Events that a pack offers, and how a person gets to the form of one.

use crossterm::event::KeyCode;

use super::test_console::TestConsole;
use crate::{
    console::{
        systems::bridge::event_list::ManifestEvents,
        ui::{effect::Effect, event::Event},
    },
    mpp,
    mpp::manifest::Pack,
    port::{EventRow, Page, Query},
    schema::JsonText,
};

/// The sample pack's events.
pub(super) fn events() -> Vec<EventRow> {
    let row = |(name, event): (&crate::ids::EventName, &mpp::manifest::Event)| EventRow {
        event: name.clone(),
        queue: event.queue.clone(),
        title: event.title.as_deref().map(str::to_owned),
        schema: event.schema.as_ref().map(|schema| JsonText::from_value(schema.source())),
    };
    Pack::sample().events.iter().map(row).collect()
}

/// A list of these events, open.
pub(super) fn listed(mut stage: TestConsole, rows: Vec<EventRow>) -> TestConsole {
    let effects = stage.char('n');
    assert!(matches!(&effects[..], [Effect::Query { query: Query::Events, .. }]), "{effects:?}");
    stage.event(Event::QueryAnswered { on_page: Box::new(ManifestEvents), page: Ok(Page::Events(rows)) });
    stage
}

/// The form of one of these events, open.
pub(super) fn opened(stage: TestConsole, rows: Vec<EventRow>, event: &str) -> TestConsole {
    let at = rows.iter().position(|row| row.event.as_str() == event).unwrap();
    let mut stage = listed(stage, rows);
    for _ in 0..at {
        stage.key(KeyCode::Down);
    }
    stage.key(KeyCode::Enter);
    stage
}

pub(super) fn event(schema: &serde_json::Value) -> Vec<EventRow> {
    vec![EventRow {
        event: "odd".into(),
        queue: "default".into(),
        title: None,
        schema: Some(JsonText::from_value(schema)),
    }]
}

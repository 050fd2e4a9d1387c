//! Events that a pack offers, and how a person gets to the form of one.

use crossterm::event::KeyCode;

use super::stage::Stage;
use crate::{
    console::{
        action::{Asked, Effect},
        event::Event,
    },
    mpp::{self, manifest::Pack},
    port::{EventRow, Page},
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
pub(super) fn listed(mut stage: Stage, rows: Vec<EventRow>) -> Stage {
    let effects = stage.char('n');
    assert!(matches!(&effects[..], [Effect::Query { asked: Asked::Events, .. }]), "{effects:?}");
    stage.event(Event::Queried { asked: Asked::Events, page: Ok(Page::Events(rows)) });
    stage
}

/// The form of one of these events, open.
pub(super) fn opened(stage: Stage, rows: Vec<EventRow>, event: &str) -> Stage {
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

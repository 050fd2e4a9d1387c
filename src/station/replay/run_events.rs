//! The events of a run until a place of a recording.
//!
//! They are those that the run reported, also where the station did not store them
//! (`limits.runs.events_kept_max`). The `meta` of one is in the message by which it went over the bus, a
//! while after it was reported: it is null where that message is not in the recording, was cut, or came
//! later.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    ops::ControlFlow,
};

use super::{
    lists::ROWS_MAX,
    numbered::{NumberedPage, NumberedPaging},
    past::PastReader,
    shared::Shared,
    walk::{Place, each_entry_until},
};
use crate::{
    ids::TraceId,
    port::{Page, RunEventRow},
    rmp::{self, FrameKind, HEADER_BYTES, PREFIX_BYTES, broker::STATION},
    runs::{EventKind, Transition, payload::RunEvent},
    schema::JsonText,
    tap::{
        EntryRef,
        entry::{Frame, Head, Transition as Any, What, station::Level},
    },
    time::Wall,
};

/// The events behind a number.
pub(super) fn answer(shared: &Shared, past: &PastReader, run: TraceId, (after, limit): (u64, u64)) -> Page {
    let place = Place::of(&shared.stage());
    let bytes_max = shared.limits.port.answer_bytes_max;
    let mut events = Events::new(run, NumberedPaging { after, limit, bytes_max });
    each_entry_until(shared, past, place, &mut |entry| events.take(entry));
    let (rows, more) = events.page.finish();
    Page::RunEvents { rows, more }
}

/// An event whose message was not published yet.
#[derive(Debug)]
struct Unpublished {
    number: u64,
    at: Wall,
    digest: u64,
}

/// The page, and what was reported and not published yet: messages have no numbers, and come in the order of
/// the events.
struct Events {
    run: TraceId,
    topic: String,
    page: NumberedPage<RunEventRow>,
    /// At most [`ROWS_MAX`]; the oldest go first.
    unpublished: VecDeque<Unpublished>,
}

impl Events {
    fn new(run: TraceId, paging: NumberedPaging) -> Self {
        let topic = format!("rlp/runs/{run}/events");
        Self { run, topic, page: NumberedPage::new(paging), unpublished: VecDeque::new() }
    }

    fn take(&mut self, entry: EntryRef<'_>) -> ControlFlow<()> {
        match &entry.entry.what {
            What::Transition(Any::Runs(Transition::Event { run, number, kind, level, node }))
                if *run == self.run =>
            {
                let text = entry.text();
                let node = node.as_ref().map(|node| &*node.id);
                self.report(*number, entry.entry.at.wall, (*kind, *level, &*text, node));
            }
            What::Frame(frame) if entry.entry.trace == Some(self.run) => {
                if let Some(event) = self.published(frame, entry.bytes) {
                    self.publish(&event);
                }
            }
            _ => {}
        }
        // The messages of all events on the page are waited for.
        let last = self.page.rows().last().map_or(0, |row| row.number);
        let is_whole = self.unpublished.front().is_none_or(|first| first.number > last);
        if self.page.has_more() && is_whole { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn report(
        &mut self,
        number: u64,
        at: Wall,
        event @ (kind, level, text, _): (EventKind, Option<Level>, &str, Option<&str>),
    ) {
        // Once there is no more room, nothing that follows is on the page.
        let _ = self.page.take(number, text.len(), || RunEventRow {
            number,
            kind,
            level,
            message: text.to_owned(),
            meta: JsonText::null(),
            at_ms: at,
        });
        if self.unpublished.len() as u64 >= ROWS_MAX {
            self.unpublished.pop_front();
        }
        self.unpublished.push_back(Unpublished { number, at, digest: digest(event) });
    }

    /// The event that a frame publishes, if it does.
    fn published(&self, frame: &Frame, bytes: &[u8]) -> Option<RunEvent> {
        let Head::Rmp(rmp::Head { kind, topic, session, .. }) = &frame.head else { return None };
        let is_ours = *kind == Some(FrameKind::Publish) && *session == Some(STATION);
        let is_of_run = topic.as_ref().is_some_and(|topic| topic.as_str() == self.topic);
        // What was cut has less than all of it.
        let whole = PREFIX_BYTES + HEADER_BYTES..usize::try_from(frame.wire_bytes).ok()?;
        if is_ours && is_of_run { RunEvent::decode(bytes.get(whole)?).ok() } else { None }
    }

    /// Gives the event that was published its `meta`. Those before it were not, or that is not recorded.
    fn publish(&mut self, event: &RunEvent) {
        let RunEvent { kind, level, message, meta } = event;
        let of_event = digest((*kind, *level, message.as_str(), meta.node_id.as_deref()));
        let is_it = |it: &Unpublished| it.at.0 == meta.ts_ms && it.digest == of_event;
        let Some(index) = self.unpublished.iter().position(is_it) else { return };
        let number = self.unpublished[index].number;
        self.unpublished.drain(..=index);
        let rows = self.page.rows_mut();
        if let Ok(row) = rows.binary_search_by_key(&number, |row| row.number) {
            rows[row].meta = JsonText::from_value(&meta.json());
        }
    }
}

/// What tells an event from others of its moment.
fn digest((kind, level, text, node): (EventKind, Option<Level>, &str, Option<&str>)) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, level, text, node).hash(&mut hasher);
    hasher.finish()
}

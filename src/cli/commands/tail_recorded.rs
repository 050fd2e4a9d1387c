//! `tail --recording`: what was published until a place of a recording.

use std::ops::ControlFlow;

use serde::Deserialize;

use super::tail::Row;
use crate::{
    cli::{args::TailArgs, asked, context::Context, error::Error, report},
    dissect::rmp::body_text::{self, units},
    ids::TopicName,
    limits,
    rmp::{
        HEADER_BYTES, Header, PREFIX_BYTES, RawFrame, SchemaId, Verdict as RmpVerdict,
        topic::{Pattern, Topic},
    },
    station::ReplayPort,
    tap::{
        EntryRef,
        entry::{Direction, Head, Verdict, What, rmp::FrameKind},
    },
};

pub(super) fn run(context: &mut Context, args: &TailArgs) -> Result<(), Error> {
    let patterns = args
        .topics
        .iter()
        .map(|text| Pattern::parse(text).map_err(|fault| bad_topic(text, &fault.to_string())))
        .collect::<Result<Vec<_>, _>>()?;
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    let Some(recording) = &settings.asked else { return Ok(()) };
    let port = asked::open(recording, settings)?;
    // The last ones: how many there are is counted first.
    let mut passed_over = args.count.map_or(0, |count| counted(&port, &patterns).saturating_sub(count));
    let (mut told, mut is_found) = (Ok(()), false);
    let unread = port.each_entry(|entry| {
        let Some(topic) = published(entry) else { return ControlFlow::Continue(()) };
        for _ in patterns.iter().filter(|pattern| is_of(pattern, topic)) {
            is_found = true;
            if passed_over > 0 {
                passed_over -= 1;
                continue;
            }
            let row = row(topic, entry, args.decode, &settings.limits.rmp);
            told = out.row(&row, |row| row.line(&clock));
            if told.is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    told?;
    if !is_found && !out.is_json() {
        report::print_note("no messages match");
    }
    asked::print_unread(&port, unread);
    Ok(())
}

fn bad_topic(text: &str, why: &str) -> Error {
    Error::usage(format!("{text}: {why}"), "agent/* matches one more segment, rlp/** everything below")
}

/// How many messages there are of these topics. One that matches two of them counts twice.
fn counted(port: &ReplayPort, patterns: &[Pattern]) -> u64 {
    let mut count: u64 = 0;
    port.each_entry(|entry| {
        if let Some(topic) = published(entry) {
            count += patterns.iter().filter(|pattern| is_of(pattern, topic)).count() as u64;
        }
        ControlFlow::Continue(())
    });
    count
}

fn is_of(pattern: &Pattern, topic: &TopicName) -> bool {
    Topic::parse(topic.as_str()).is_ok_and(|topic| pattern.matches(&topic))
}

/// The topic of a message that the broker took.
fn published(entry: EntryRef<'_>) -> Option<&TopicName> {
    let What::Frame(frame) = &entry.entry.what else { return None };
    let (Head::Rmp(head), Direction::Inbound) = (&frame.head, frame.direction) else { return None };
    let is_taken = matches!(frame.verdict, Verdict::Rmp(RmpVerdict::Accepted | RmpVerdict::Published { .. }));
    head.topic.as_ref().filter(|_| is_taken && head.kind == Some(FrameKind::Publish))
}

/// Of a frame of which the tap kept a part, as far as that goes.
fn row(topic: &TopicName, entry: EntryRef<'_>, is_decoded: bool, limits: &limits::Rmp) -> Row {
    let unit = units(entry.bytes).pop().and_then(|unit| entry.bytes.get(unit)).unwrap_or_default();
    let body = body_text::message(entry.bytes).unwrap_or_default();
    let (header, bytes) = match RawFrame::split(unit).filter(|_| !body_text::is_json(unit)) {
        Some(raw) => (Header::from(&raw.header), PREFIX_BYTES.saturating_add(raw.frame_len as usize)),
        None => (json_header(unit, entry), PREFIX_BYTES + HEADER_BYTES + body.len()),
    };
    Row::new(topic.clone(), header, bytes, (&body, is_decoded), limits)
}

/// The header of a publication of the JSON dialect; what cannot be read of it is what the tap noted.
fn json_header(unit: &[u8], entry: EntryRef<'_>) -> Header {
    #[derive(Deserialize)]
    enum Unit {
        Publish { message: Message },
        Message { message: Message },
    }
    #[derive(Deserialize)]
    struct Message {
        header: Times,
    }
    #[derive(Default, Deserialize)]
    struct Times {
        created_at_ms: u64,
        ttl_ms: u64,
    }
    let read = unit.get(PREFIX_BYTES..).and_then(|json| serde_json::from_slice(json).ok());
    let times = read.map(|(Unit::Publish { message } | Unit::Message { message })| message.header);
    let Times { created_at_ms, ttl_ms } = times.unwrap_or_default();
    let head = match &entry.entry.what {
        What::Frame(frame) => match &frame.head {
            Head::Rmp(head) => Some(head),
            _ => None,
        },
        _ => None,
    };
    Header {
        schema_id: SchemaId(head.and_then(|head| head.schema_id).unwrap_or_default()),
        created_at_ms,
        ttl_ms,
        trace_id: entry.entry.trace.unwrap_or_else(|| crate::ids::TraceId(uuid::Uuid::nil())),
        msg_id: head.and_then(|head| head.msg_id).unwrap_or_default(),
    }
}

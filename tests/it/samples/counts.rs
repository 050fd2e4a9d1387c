//! What a recording has, counted by link, kind and verdict.

use std::{collections::BTreeMap, path::Path};

use rl_console::{
    recording::{RecordedItem, read},
    tap::{
        entry::{Direction, Entry, Frame, Head, Link, Transition, Verdict, What, macp, station},
        recorded::OwnedEntry,
    },
};

/// How many entries there are of each label.
pub(super) type Counts = BTreeMap<String, u64>;

/// What depends on time alone and is not counted, by the beginnings of labels, with the reason.
const OF_TIME: [(&str, &str); 19] = [
    ("mpp Listening", "it may listen before the recording begins or behind that"),
    ("mpp committed", "how much is durable at once follows the disk"),
    ("mpp in Heartbeat", "one every few seconds"),
    ("mpp out Heartbeat", "one every few seconds"),
    ("rmp in Ping", "one where nothing else is said for a while"),
    ("rmp out Pong", "the answer to that"),
    ("rmp in Publish 8:", "the events of a run are published as they have gathered"),
    ("rmp in Publish 131:", "lifecycle events are published as they have gathered"),
    ("rmp in Publish 3001:", "metrics are published once a second"),
    ("rmp QueueStats", "measured once a second, where it has changed"),
    ("rmp SessionStats", "measured once a second, where it has changed"),
    ("rmp DedupeStats", "measured once a second, where it has changed"),
    ("macp Ended Expired", "what nobody ends is ended by the clock"),
    ("plugin in ping", "one every 30 s"),
    ("plugin out ping", "one every 30 s"),
    ("plugin Pinged", "the answer to that"),
    ("plugin Sampled", "what a process uses is measured every few seconds"),
    ("station RecordingGrew", "written once a second"),
    ("station Alert", "an alert is raised and renewed by the clock"),
];

/// Every entry of a recording, in its order.
pub(super) fn entries(path: &Path) -> Vec<OwnedEntry> {
    let entry = |item| match item {
        RecordedItem::Entry(entry) => Some(entry),
        RecordedItem::Snapshot { .. } => None,
    };
    read(path).unwrap().filter_map(|item| entry(item.unwrap())).collect()
}

/// What the entries are, but for what depends on time alone.
pub(super) fn counts<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Counts {
    let mut counts = Counts::new();
    for entry in entries {
        let label = label(entry);
        if !OF_TIME.iter().any(|(begin, _)| label.starts_with(begin)) {
            *counts.entry(label).or_default() += 1;
        }
    }
    counts
}

/// The frames that were made at the workbench, and what answers them on connections of its own, by what was
/// marked before them.
pub(super) fn injected_by_mark(entries: &[OwnedEntry]) -> BTreeMap<String, Counts> {
    let mut parts: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    let mut mark = String::new();
    for OwnedEntry { entry, bytes } in entries {
        match &entry.what {
            What::Transition(Transition::Station(station::Transition::Marked { .. })) => {
                mark = String::from_utf8_lossy(bytes).into_owned();
            }
            What::Frame(Frame { origin: Some(_), .. }) => parts.entry(mark.clone()).or_default().push(entry),
            _ => {}
        }
    }
    parts.into_iter().map(|(mark, entries)| (mark, counts(entries))).collect()
}

/// Both are alike, or where they differ.
#[track_caller]
pub(super) fn assert_alike(what: &str, shipped: &Counts, made: &Counts) {
    let count = |of: &Counts, label: &str| of.get(label).copied().unwrap_or(0);
    let labels = shipped.keys().chain(made.keys().filter(|label| !shipped.contains_key(*label)));
    let differ: Vec<String> = labels
        .map(|label| (label, count(shipped, label), count(made, label)))
        .filter(|(_, shipped, made)| shipped != made)
        .map(|(label, shipped, made)| format!("  {label}: {shipped} shipped, {made} made anew"))
        .collect();
    assert!(
        differ.is_empty(),
        "{what}; `RL_CONSOLE_UPDATE=1 cargo test --locked samples` records it anew:\n{}",
        differ.join("\n")
    );
}

/// The link, the kind and the verdict of an entry.
fn label(entry: &Entry) -> String {
    let link = entry.link.name();
    match &entry.what {
        What::Frame(frame) => frame_label(link, frame),
        What::Intercepted(held) => format!("{link} intercepted {}", frame_label(link, &held.frame)),
        What::Passed(passed) => format!("{link} passed {}", first_word(&format!("{:?}", passed.how))),
        What::Transition(transition) => {
            let kind = format!("{transition:?}");
            // `Link(Kind { … })`.
            let kind = first_word(kind.split_once('(').map_or("", |(_, kind)| kind)).to_owned();
            match transition {
                Transition::Macp(macp::Transition::Ended { ending, .. }) => {
                    format!("{link} {kind} {}", first_word(&format!("{ending:?}")))
                }
                _ => format!("{link} {kind}"),
            }
        }
        What::Committed { .. } => format!("{link} committed"),
        What::Unsent { .. } => format!("{link} unsent"),
        What::Loss { .. } => format!("{link} loss"),
    }
}

fn frame_label(link: &str, frame: &Frame) -> String {
    let way = match frame.direction {
        Direction::Inbound => "in",
        Direction::Outbound => "out",
    };
    let kind = match &frame.head {
        Head::Mpp(head) => named(head.kind.as_ref()),
        Head::Rmp(head) => {
            let schema = head.schema_id.map_or_else(String::new, |id| format!(" {id}"));
            named(head.kind.as_ref()) + &schema
        }
        Head::Macp(head) => {
            let message = head.message_type.as_deref().unwrap_or_default();
            format!("{:?} {message} {}", head.rpc, head.answer.map_or_else(String::new, |it| shape(&it)))
        }
        Head::Plugin(head) => {
            let method = head.method.as_deref().unwrap_or("-");
            let code = head.code.map_or_else(String::new, |code| code.to_string());
            format!("{method}{} {code}", if head.is_answer { " answer" } else { "" })
        }
    };
    format!("{link} {way} {}: {}", kind.trim_end(), verdict(&frame.verdict))
}

fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Sent => "sent".to_owned(),
        Verdict::Mpp(it) => shape(it),
        Verdict::Rmp(it) => shape(it),
        Verdict::Macp(it) => shape(it),
        Verdict::Plugin(it) => shape(it),
    }
}

fn named(kind: Option<&impl std::fmt::Debug>) -> String {
    kind.map_or_else(|| "-".to_owned(), |kind| format!("{kind:?}"))
}

/// The names in a value, without its numbers and texts.
fn shape(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    let outside = text.split('"').step_by(2).collect::<String>();
    outside.chars().filter(|it| !it.is_ascii_digit()).collect()
}

fn first_word(text: &str) -> &str {
    text.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default()
}

#[test]
fn what_depends_on_time_alone_is_named_by_link() {
    for (begin, reason) in OF_TIME {
        let (link, kind) = begin.split_once(' ').unwrap();
        assert!(Link::from_name(link).is_some() && !kind.is_empty() && !reason.is_empty(), "{begin}");
    }
}

//! Details of the bus in words: drops, a topic, a session.

use super::entries;
use crate::{
    console::{
        draw::{class::Class, format},
        model::{
            EntryBuffer, Model, ReportLine,
            bus::{BYTES, DELIVERED, MESSAGES, drop_remedy},
            rate_text,
        },
        overlays::detail::detail,
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
        systems::bus::keys::{PEER, TOPIC},
    },
    dissect::{
        clause_with_text,
        rmp::{body_text, drop_word, rights, schema_name},
    },
    ids::{ConnectionId, Seq, TopicName, TraceId},
    rmp::{
        Culprit, DropGroup, DropReason, DropView, Snapshot, TopicView,
        topic::{Class as TopicClass, DROPS, DROPS_BODIES, METRICS},
    },
    tap::entry::{Frame, Head, What},
    time::Wall,
    words::counted,
};

/// Characters of a dropped message that are shown.
const BODY_CHARS_MAX: usize = 4_000;
/// Drops, topics and subscriptions that are named one by one.
const LISTED_MAX: usize = 8;

/// A dropped message, as the tap had it when it was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DroppedMessage {
    pub(super) seq: Seq,
    /// What it says, where it can be read.
    pub(super) text: Option<String>,
    pub(super) bytes: usize,
}

/// The kept entry by which a dropped message was published.
pub(super) fn find_message(kept: &EntryBuffer, drop: &DropView) -> Option<DroppedMessage> {
    let is_it = |frame: &Frame, entry: &crate::tap::entry::Entry| match &frame.head {
        Head::Rmp(head) => {
            head.msg_id == Some(drop.msg_id)
                && entry.trace == drop.trace
                && head.topic.as_ref() == Some(&drop.topic)
                && entry.at.mono <= drop.at.mono
        }
        _ => false,
    };
    let found = kept.iter().rev().map(|(_, found)| found).find(|found| match &found.entry.what {
        What::Frame(frame) => is_it(frame, found.entry),
        _ => false,
    })?;
    let body = body_text::message(found.bytes);
    let words = body
        .as_deref()
        .and_then(body_text::json_text)
        .map(|words| words.chars().take(BODY_CHARS_MAX).collect());
    Some(DroppedMessage { seq: found.entry.seq, text: words, bytes: body.map_or(0, |body| body.len()) })
}

/// A topic.
#[derive(Debug)]
pub(crate) struct TopicDetails(pub(crate) TopicName);

impl DetailsRecord for TopicDetails {
    fn key(&self) -> RecordKey {
        TOPIC.of(self.0.clone())
    }

    fn title(&self, _model: &Model) -> String {
        format!("Topic {}", self.0)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        topic_details(view, model, &self.0)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_topic(self.0.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

/// A session of the bus.
#[derive(Debug)]
pub(crate) struct PeerDetails(pub(crate) ConnectionId);

impl DetailsRecord for PeerDetails {
    fn key(&self) -> RecordKey {
        PEER.of(self.0)
    }

    fn title(&self, _model: &Model) -> String {
        format!("Session {}", self.0)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        session_details(view, model, self.0)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(self.0))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

fn client(name: Option<&str>, session: ConnectionId) -> String {
    let name = name.filter(|name| !name.is_empty());
    name.map_or_else(|| format!("session {session}"), |name| format!("{name}, session {session}"))
}

/// Why, whose, what to do, and the message itself.
pub(super) fn drop_details(
    view: &View,
    model: &Model,
    group: &DropGroup,
    message: Option<&DroppedMessage>,
) -> Vec<ReportLine> {
    let last = &group.last;
    let mut facts = vec![ReportLine::Reason(why(group)), detail("topic", last.topic.as_str())];
    facts.push(detail(
        "for",
        match last.to {
            Some((session, sub)) => {
                let sub_view = model.rmp().and_then(|rmp| rmp.peers.get(&session)?.subs.get(&sub));
                let pattern =
                    sub_view.map_or_else(|| "which has ended".to_owned(), |sub| format!("on {}", sub.topic));
                format!("{}, subscription {sub} {pattern}", client(last.to_client.as_deref(), session))
            }
            None => "no subscriber: dropped on arrival".to_owned(),
        },
    ));
    facts.push(detail(
        "from",
        last.from
            .map_or_else(|| "the station".to_owned(), |session| client(last.from_client.as_deref(), session)),
    ));
    let notices = counted(group.notices, "notice");
    let times = format!(
        "{} in {notices} from {} to {}",
        group.count,
        view.time_of_day(group.first_at),
        view.time_of_day(last.at)
    );
    facts.push(detail("messages", times));
    let trace = last.trace.map_or_else(|| "none".to_owned(), |trace| trace.to_string());
    facts.push(detail("last", format!("msg_id {}, {trace}", last.msg_id)));
    facts.push(detail("expires", expiry(view, last)));
    // What was judged as it came waited in no queue.
    let told = if last.reason == DropReason::TtlExpired && last.to.is_none() { 1 } else { usize::MAX };
    facts.extend(drop_remedy(last.reason).into_iter().take(told));
    if let Culprit::Subscriber(session, sub) = group.key.culprit {
        facts.extend(queue(model, session, sub).map(|words| detail("queue", words)));
    }
    for clause in clauses(last.reason) {
        facts.push(detail("clause", clause_with_text(clause)));
    }
    match message {
        Some(message) => {
            let words = message
                .text
                .clone()
                .unwrap_or_else(|| "no MsgPack envelope, or too large to decode here".to_owned());
            facts.push(detail(
                "published",
                format!("entry {}, {} of body", message.seq, format::bytes(message.bytes as u64)),
            ));
            facts.push(ReportLine::Detail("body", words, Class::Payload));
        }
        None => facts.push(detail(
            "body",
            "no longer kept by the tap; rlp/sys/drops/bodies carried it when it was dropped",
        )),
    }
    facts
}

fn why(group: &DropGroup) -> String {
    let whose = group.culprit_label();
    match (group.key.reason, group.key.culprit) {
        (DropReason::TtlExpired, Culprit::Subscriber(..)) => {
            format!("expired: its TTL ran out in the queue of {whose}")
        }
        (DropReason::TtlExpired, _) => {
            format!("expired: its TTL had run out when it arrived from {whose}")
        }
        (DropReason::Duplicate, _) => {
            format!("duplicate: {whose} sent a message again that the subscriber already had")
        }
        (DropReason::BackpressureTimeout, _) => {
            format!("overflow: the queue of {whose} was full, and publishers do not wait")
        }
    }
}

/// What a drop stands on.
const fn clauses(reason: DropReason) -> [&'static str; 2] {
    match reason {
        DropReason::TtlExpired => ["rmp-v0 §4", "ruling RMP 9"],
        DropReason::Duplicate => ["rmp-v0 §5", "ruling RMP 9"],
        DropReason::BackpressureTimeout => ["ruling RMP 8", "rmp-v0 §5"],
    }
}

fn expiry(view: &View, drop: &DropView) -> String {
    let wall = Wall(drop.expires_at_ms);
    let time = format::time_of_day_ms(wall, &view.zone);
    let (late, early) = (drop.at.wall.since(wall), wall.since(drop.at.wall));
    if late.is_zero() {
        format!("{time}, {} after it was dropped", format::age(early))
    } else {
        format!("{time}, {} before it was dropped", format::age(late))
    }
}

/// How a subscription's queue stands now.
fn queue(model: &Model, session: ConnectionId, sub: u64) -> Option<String> {
    let gauge = model.rmp()?.peers.get(&session)?.subs.get(&sub)?.gauge;
    let lost: u64 = gauge.dropped.iter().sum();
    let (messages, bytes) =
        (format::many(gauge.queued_messages, "message"), format::bytes(gauge.queued_bytes));
    Some(format!(
        "{messages} queued, {bytes}; {} delivered, {} dropped",
        format::count(gauge.delivered),
        format::count(lost)
    ))
}

/// A topic's figures, who listens, and what was dropped on it.
fn topic_details(view: &View, model: &Model, name: &TopicName) -> Vec<ReportLine> {
    let Some((rmp, topic)) = model.rmp().and_then(|rmp| Some((rmp, rmp.topics.get(name)?))) else {
        return vec![detail(
            "",
            "no longer listed: other topics were used since (limits.rmp.shown_topics_max)",
        )];
    };
    if let Some(untold) = rmp.untapped_topic(name) {
        let mut facts = vec![
            detail(
                "purpose",
                "the tap: everything that happens here, for consoles; its messages have no entries and are not counted",
            ),
            detail("last", format!("{} now", format::many(untold.subscribers.into(), "subscription"))),
            detail(
                "since start",
                format!("{} delivered to subscribers of this topic alone", format::count(untold.delivered)),
            ),
        ];
        facts.extend(dropped(topic));
        facts.extend(listeners(rmp, name));
        return facts;
    }
    let rate = |figure| model.bus.topics.get(name).map_or(0.0, |flow| flow.per_second(figure, view.now));
    let mut facts: Vec<_> =
        station_topic_purpose(name).map(|words| detail("purpose", words)).into_iter().collect();
    facts.extend([
        detail(
            "last",
            format!(
                "{}, {} now",
                view.time_of_day(topic.last_at),
                format::many(topic.subscribers.into(), "subscription")
            ),
        ),
        detail(
            "rate",
            format!(
                "{} messages/s in, {} B/s, {} messages/s out",
                rate_text(rate(MESSAGES)),
                rate_text(rate(BYTES)),
                rate_text(rate(DELIVERED))
            ),
        ),
        detail(
            "since start",
            format!(
                "{} accepted ({}), {} delivered",
                format::count(topic.published),
                format::bytes(topic.bytes),
                format::count(topic.delivered)
            ),
        ),
    ]);
    if TopicClass::of_text(name.as_str()).is_for_station() {
        facts.push(detail("read by", "the station itself, besides any subscribers"));
    }
    facts.extend(topic.schema_id.map(|id| detail("schema", format!("{} ({id})", schema_name(id)))));
    facts.extend(dropped(topic));
    facts.extend(listeners(rmp, name));
    facts
}

/// What did not reach its subscribers, and what to do about it.
fn dropped(topic: &TopicView) -> Vec<ReportLine> {
    let mut facts = Vec::new();
    for reason in DropReason::ALL.into_iter().filter(|reason| topic.dropped[reason.index()] > 0) {
        facts.push(ReportLine::Reason(format!(
            "{} {}",
            format::count(topic.dropped[reason.index()]),
            drop_word(reason).replace('_', " ")
        )));
        facts.extend(drop_remedy(reason));
    }
    facts
}

/// What a topic of the station's own is for.
fn station_topic_purpose(name: &TopicName) -> Option<&'static str> {
    Some(match name.as_str() {
        METRICS => "the station's metrics, as on the `--metrics` page",
        DROPS => "the station's drop notices, with reasons",
        DROPS_BODIES => "the bodies of dropped messages, for operators",
        _ => return None,
    })
}

/// The subscriptions whose pattern is the topic or may have it.
fn listeners(rmp: &Snapshot, name: &TopicName) -> Vec<ReportLine> {
    let all =
        rmp.peers.iter().flat_map(|(session, peer)| peer.subs.values().map(move |sub| (*session, peer, sub)));
    let mut matching = all.filter(|(.., sub)| matches(sub.topic.as_str(), name.as_str()));
    let mut facts: Vec<_> = matching
        .by_ref()
        .take(LISTED_MAX)
        .map(|(session, peer, sub)| {
            let name = peer.greeting.as_ref().map(|greeting| &*greeting.client);
            detail("subscribed", format!("{}, on {}", client(name, session), sub.topic))
        })
        .collect();
    let more = matching.count();
    if more > 0 {
        facts.push(detail("subscribed", format!("and {more} more")));
    }
    facts
}

/// Whether a pattern takes a topic (ruling RMP 5).
fn matches(pattern: &str, topic: &str) -> bool {
    match pattern.rsplit_once('/') {
        _ if pattern == topic || pattern == "**" => true,
        None if pattern == "*" => !topic.contains('/'),
        Some((above, "**")) => {
            topic.strip_prefix(above).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
        }
        Some((above, "*")) => topic
            .strip_prefix(above)
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
        _ => false,
    }
}

/// Who a session is, what it may do, what it listens to.
fn session_details(view: &View, model: &Model, session: ConnectionId) -> Vec<ReportLine> {
    let Some(peer) = model.rmp().and_then(|rmp| rmp.peers.get(&session)) else {
        return vec![detail("", "disconnected")];
    };
    let mut facts =
        vec![detail("process", peer.peer.as_str()), detail("since", view.time_of_day(peer.connected_at))];
    match &peer.greeting {
        Some(greeting) => {
            facts.push(detail(
                "client",
                if greeting.client.is_empty() { "(no name)".to_owned() } else { greeting.client.to_string() },
            ));
            facts.push(detail("kind", format!("{}: {}", greeting.kind.name(), rights(greeting.kind))));
            facts.push(detail("protocol", greeting.dialect.name()));
        }
        None => {
            facts.push(ReportLine::Reason("no Hello yet; closed after 10 s without one".to_owned()));
        }
    }
    facts.push(detail("published", format::count(peer.published)));
    if peer.refused > 0 {
        facts.push(ReportLine::Reason(format!(
            "{} refused; the Journal lists them by clause",
            format::many(peer.refused, "frame")
        )));
    }
    for (number, sub) in peer.subs.iter().take(LISTED_MAX) {
        facts.push(detail("subscribed", format!("{number}: {}", sub.topic)));
        facts.extend(queue(model, session, *number).map(|words| detail("", format!("            {words}"))));
    }
    if peer.subs.len() > LISTED_MAX {
        facts.push(detail("subscribed", format!("and {} more", peer.subs.len() - LISTED_MAX)));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_takes_one_segment_or_all_below_and_never_the_prefix_itself() {
        for (pattern, topic) in
            [("a/b", "a/b"), ("a/*", "a/b"), ("a/**", "a/b/c"), ("a/**", "a/b"), ("*", "a"), ("**", "a/b")]
        {
            assert!(matches(pattern, topic), "{pattern} {topic}");
        }
        for (pattern, topic) in
            [("a/*", "a/b/c"), ("a/**", "a"), ("a/*", "a"), ("a/**", "ab/c"), ("*", "a/b"), ("a/b", "a/bc")]
        {
            assert!(!matches(pattern, topic), "{pattern} {topic}");
        }
    }
}

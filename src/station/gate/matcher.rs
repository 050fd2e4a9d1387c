//! What a rule's filter asks of a frame that has not passed.

use std::sync::Arc;

use bytes::Bytes;

use super::crossing;
use crate::{
    dissect::{
        EntryRecord,
        frame_json::{Changes, Format, Setup},
    },
    field::Fields as _,
    filter::Filter,
    gate::{HeldView, Matcher, Rewrite},
    limits::Limits,
    port::{GateError, NOT_KNOWN_YET},
    rmp::Registry,
    tap::entry::{Direction, Link},
    time::{Clock, Now},
};

/// Links whose frames cross a gate.
const LINKS: [Link; 4] = [Link::Mpp, Link::Rmp, Link::Macp, Link::Plugin];
/// Fields that the core's verdict is needed for.
const OF_VERDICT: [&str; 4] = ["verdict", "clause", "code", "what"];

/// Fields that are the same in all frames of a class.
const OF_CLASS: [&str; 8] = ["dir", "link", "kind", "topic", "sub", "session", "peer", "routine"];

/// Fields that are known of all frames that cross the gate.
const OF_CROSSING: [&str; 3] = ["dir", "link", "kind"];

/// A rule's filter.
pub(super) struct RuleFilter {
    pub(super) text: Arc<str>,
    pub(super) links: Vec<Link>,
    pub(super) asks_verdict: bool,
    pub(super) matcher: Matcher,
    pub(super) class_matcher: Option<Matcher>,
    /// Finds what it may match by link, direction and type.
    crossing_matcher: Option<Matcher>,
}

impl RuleFilter {
    /// Whether it may match any frame of these links in this direction, or in both; that it may not is
    /// certain.
    pub(super) fn may_match(&self, links: &[Link], only: Option<Direction>, now: Now) -> bool {
        let is_any = |matcher| crossing::is_any(matcher, links, only, now);
        !links.is_empty() && self.crossing_matcher.as_ref().is_none_or(is_any)
    }
}

/// Reads the filter of a rule.
pub(super) fn read(text: &str, now: Now) -> Result<RuleFilter, GateError> {
    let filter = Filter::parse(text, EntryRecord::SPECS)
        .map_err(|fault| GateError::BadFilter { why: fault.to_string() })?
        // Times of day are those at which it is armed.
        .anchored(now, &jiff::tz::TimeZone::UTC);
    if filter.is_empty() {
        return Err(GateError::NoFilter);
    }
    let fields = filter.fields();
    if let Some(field) = fields.iter().find(|field| NOT_KNOWN_YET.contains(field)) {
        return Err(GateError::NotKnownYet { field: (*field).to_owned() });
    }
    let asks_verdict = filter.has_word() || fields.iter().any(|field| OF_VERDICT.contains(field));
    let links = links(text);
    let class_matcher = filter.part_on(&OF_CLASS).map(matcher);
    let crossing_matcher = filter.part_on(&OF_CROSSING).map(matcher);
    let matcher = matcher(filter);
    let text = text.into();
    Ok(RuleFilter { text, links, asks_verdict, matcher, class_matcher, crossing_matcher })
}

/// What a rule with this filter asks of a frame, and of the class of a frame: for hosts that have a gate and
/// no station.
///
/// # Errors
/// [`GateError::BadFilter`], [`GateError::NoFilter`] and [`GateError::NotKnownYet`].
pub fn matchers(text: &str, now: Now) -> Result<(Matcher, Option<Matcher>), GateError> {
    read(text, now).map(|rule| (rule.matcher, rule.class_matcher))
}

fn matcher(filter: Filter) -> Matcher {
    Arc::new(move |entry, now| filter.admits(&EntryRecord(entry), now))
}

/// The links whose frames a filter may let through: one where it asks for it and nothing else, or all.
fn links(text: &str) -> Vec<Link> {
    let asks = |link: &Link| {
        [":", "="].iter().any(|operator| Filter::has_term(text, &format!("link{operator}{}", link.name())))
    };
    match LINKS.iter().find(|link| asks(link)) {
        Some(link) => vec![*link],
        None => LINKS.to_vec(),
    }
}

/// Makes an operator's edit of one frame of others like it.
pub(super) fn rewrite(
    limits: &Limits,
    clock: Clock,
    held: &HeldView,
    after: &Bytes,
) -> Result<Rewrite, GateError> {
    let refused = |why: String| GateError::NotKept { why };
    let format =
        Format::of_frame(&held.frame).ok_or_else(|| refused("it is an answer of the runtime".to_owned()))?;
    // What a schema says of a message is no part of how it is written.
    let registry = Registry::default();
    let setup = Setup { registry: &registry, limits, now_ms: None };
    let changes = Changes::between(format, setup, &held.bytes, after).map_err(refused)?;
    let limits = *limits;
    Ok(Arc::new(move |bytes: &[u8]| {
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        changes.apply(format, setup, bytes, clock.now().wall).map(Bytes::from)
    }))
}

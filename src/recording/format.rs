//! What writer and reader agree on.

use std::collections::BTreeMap;

use crate::{
    ids::Seq,
    tap::entry::{Entry, Link, Transition, What, station},
    time::{Mono, Now, Wall},
};

/// How the file is laid out. What its messages say has a version of its own, and changes by addition alone.
pub(super) const FORM_VERSION: u32 = 2;

/// The topic of snapshots; the topic of an entry is its link's name.
pub(super) const SNAPSHOT_TOPIC: &str = "snapshot";

/// The topic of entries that say what operators did.
pub(super) const COMMANDS_TOPIC: &str = "commands";

/// The topic of entries that mark a moment.
pub(super) const MARKS_TOPIC: &str = "marks";

/// The topic of an entry: what an operator did and what came of it, marks, and the rest by links.
pub(super) const fn topic_of(entry: &Entry) -> &'static str {
    match &entry.what {
        What::Transition(Transition::Station(
            station::Transition::Operated { .. } | station::Transition::OperationEnded { .. },
        )) => COMMANDS_TOPIC,
        What::Transition(Transition::Station(station::Transition::Marked { .. })) => MARKS_TOPIC,
        _ => entry.link.name(),
    }
}

/// Whether a topic is one of entries.
pub(super) fn is_of_entries(topic: &str) -> bool {
    [COMMANDS_TOPIC, MARKS_TOPIC].contains(&topic) || Link::from_name(topic).is_some()
}

/// The encoding of messages and of their schemas.
pub(super) const ENCODING: &str = "protobuf";

/// The name of the metadata record.
pub(super) const METADATA: &str = "rl-console";

/// The name of the metadata record with the lengths of what was to be attached, and is left out.
pub(super) const LEFT_OUT: &str = "attachments_left_out";

/// The name of the metadata record before each keyframe.
pub(super) const TALLY: &str = "tally";

const FORM: &str = "form";
const HOST_VERSION: &str = "host_version";
const STARTED: &str = "station_started_wall_ms";
const STARTED_MONO: &str = "station_started_mono_ns";
const PREVIOUS: &str = "previous";
/// The member that says who made it, where that was not an operator.
pub(super) const MADE_BY: &str = "made_by";
/// What `made_by` says of a recording that the station keeps by itself.
const ALWAYS: &str = "always";
const FILTERED: &str = "filtered";
/// The member that says by how many rules values were masked.
const REDACT_RULES: &str = "redact_rules";
/// What `filtered` says where entries were left out.
const YES: &str = "yes";

/// A start of a station, from which on the entries of all its recordings are numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartId {
    wall: Wall,
    mono: Mono,
    host_version: String,
}

/// What a recording says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingInfo {
    /// The version of rl-console that recorded it.
    pub host_version: String,
    /// When its station was started. A file of form 1 has no monotonic time of that.
    pub station_started: Now,
    /// The name of the file before it.
    pub previous: Option<String>,
    /// Whether the station keeps it by itself (`recording.always`), and deletes it in the end.
    pub is_always: bool,
    /// Whether entries were left out of it on purpose: their numbers are missing, and nothing is damaged.
    pub is_filtered: bool,
    /// By how many rules values in it were masked, beyond secrets (`recording.redact`).
    pub redact_rules: u64,
}

impl RecordingInfo {
    pub(super) fn to_metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::from([
            (FORM.to_owned(), FORM_VERSION.to_string()),
            (HOST_VERSION.to_owned(), self.host_version.clone()),
            (STARTED.to_owned(), self.station_started.wall.0.to_string()),
            (STARTED_MONO.to_owned(), self.station_started.mono.0.to_string()),
        ]);
        metadata.extend(self.previous.clone().map(|previous| (PREVIOUS.to_owned(), previous)));
        metadata.extend(self.is_always.then(|| (MADE_BY.to_owned(), ALWAYS.to_owned())));
        metadata.extend(self.is_filtered.then(|| (FILTERED.to_owned(), YES.to_owned())));
        let rules = (self.redact_rules > 0).then(|| self.redact_rules.to_string());
        metadata.extend(rules.map(|rules| (REDACT_RULES.to_owned(), rules)));
        metadata
    }

    /// The start of a station that it is of.
    pub(super) fn start(&self) -> StartId {
        let Now { mono, wall } = self.station_started;
        StartId { wall, mono, host_version: self.host_version.clone() }
    }

    /// The version of the form, and the rest.
    pub(super) fn from_metadata(metadata: &BTreeMap<String, String>) -> Option<(u32, Self)> {
        let form = metadata.get(FORM)?.parse().ok()?;
        let host_version = metadata.get(HOST_VERSION)?.clone();
        let wall = Wall(metadata.get(STARTED)?.parse().ok()?);
        let mono = metadata.get(STARTED_MONO).map_or(Some(0), |mono| mono.parse().ok())?;
        let station_started = Now { mono: Mono(mono), wall };
        let previous = metadata.get(PREVIOUS).cloned();
        let is_always = metadata.get(MADE_BY).is_some_and(|by| by == ALWAYS);
        let is_filtered = metadata.get(FILTERED).is_some_and(|filtered| filtered == YES);
        let redact_rules = metadata.get(REDACT_RULES).map_or(Some(0), |rules| rules.parse().ok())?;
        let info = Self { host_version, station_started, previous, is_always, is_filtered, redact_rules };
        Some((form, info))
    }
}

/// The times by which every tool orders the messages: that of the station's start and what passed since then,
/// each later than the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogTimes {
    started: Now,
    last_ns: u64,
}

impl LogTimes {
    pub(super) const fn new(started: Now) -> Self {
        Self { started, last_ns: 0 }
    }

    /// That of a keyframe: right behind what is in front of it, for what follows it may be older than it.
    pub(super) fn behind(&mut self, at: Now) -> u64 {
        if self.last_ns == 0 {
            return self.next(at);
        }
        self.last_ns = self.last_ns.saturating_add(1);
        self.last_ns
    }

    /// That of a moment, of what is no message.
    pub(super) fn now(&self, at: Now) -> u64 {
        let passed_ns = at.mono.0.saturating_sub(self.started.mono.0);
        wall_ns(self.started.wall).saturating_add(passed_ns)
    }

    /// Whatever comes next is at this moment at the earliest.
    pub(super) fn pass(&mut self, at: Now) {
        self.last_ns = self.last_ns.max(self.now(at).saturating_sub(1));
    }

    /// That of the next message, in nanoseconds since the Unix epoch.
    pub(super) fn next(&mut self, at: Now) -> u64 {
        self.last_ns = self.now(at).max(self.last_ns.saturating_add(1));
        self.last_ns
    }
}

/// That so many entries are missing in front of one: it has the number of the last of them.
pub(super) fn loss_before(next: &Entry, count: u64) -> Entry {
    Entry {
        seq: Seq(next.seq.0.saturating_sub(1)),
        at: next.at,
        link: Link::Station,
        trace: None,
        cause: None,
        what: What::Loss { count },
    }
}

/// A wall clock's time in nanoseconds.
pub(super) const fn wall_ns(wall: Wall) -> u64 {
    wall.0.saturating_mul(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_times_follow_the_monotonic_clock_and_rise_whatever_the_wall_clock_does() {
        let started = Now::at_ms(1_000);
        let mut times = LogTimes::new(started);
        let epoch_ns = wall_ns(started.wall);
        let back = Now { wall: Wall(5), ..Now::at_ms(1_002) };
        let all = [Now::at_ms(1_001), back, back, Now::at_ms(1_001), Now::at_ms(1_003)];
        let ns = all.map(|at| times.next(at) - epoch_ns);
        assert_eq!(ns, [1_000_000, 2_000_000, 2_000_001, 2_000_002, 3_000_000]);
        let (keyframe, next) = (times.behind(Now::at_ms(9_000)), times.next(Now::at_ms(1_004)));
        assert_eq!((keyframe - epoch_ns, next - epoch_ns), (3_000_001, 4_000_000));
        let first = LogTimes::new(started).behind(Now::at_ms(1_001));
        assert_eq!(first - epoch_ns, 1_000_000);
    }

    #[test]
    fn what_a_recording_says_about_itself_is_read_back() {
        let info = RecordingInfo {
            host_version: "1.2.3".to_owned(),
            station_started: Now::at_ms(7),
            previous: Some("night.mcap".to_owned()),
            is_always: true,
            is_filtered: true,
            redact_rules: 2,
        };
        assert_eq!(RecordingInfo::from_metadata(&info.to_metadata()), Some((FORM_VERSION, info)));
        let whole = RecordingInfo::default();
        assert_eq!(RecordingInfo::from_metadata(&whole.to_metadata()), Some((FORM_VERSION, whole)));
    }
}

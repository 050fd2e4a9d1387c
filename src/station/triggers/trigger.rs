//! One trigger, without a clock of its own.

use std::{collections::VecDeque, time::Duration};

use super::check::trigger_filter;
use crate::{
    dissect::EntryRecord,
    filter::Filter,
    port::{TriggerRow, TriggerSpec},
    station::alerts::{RECORDING_FAILED, TRIGGERED},
    tap::{
        EntryRef,
        entry::{Transition, What, station},
    },
    time::{Mono, Now, Wall},
};

const HOUR: Duration = Duration::from_secs(3_600);

/// A trigger, and how often it fired.
#[derive(Clone, Debug)]
pub struct Trigger {
    spec: TriggerSpec,
    filter: Filter,
    is_configured: bool,
    fired: u64,
    coalesced: u64,
    missed: u64,
    last: Option<Now>,
    rate: Rate,
}

/// How often one fired of late, by the monotonic clock of one start of the station.
#[derive(Clone, Debug, Default)]
struct Rate {
    last: Option<Mono>,
    /// When it fired in the last hour.
    in_hour: VecDeque<Now>,
    /// Entries that it found since it fired.
    since: u64,
}

/// What fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fired {
    pub(super) spec: TriggerSpec,
    /// Entries that it found since it fired before, and did not fire for.
    pub(super) coalesced: u64,
    /// Until when it rests now, because it fired as often as it may in an hour.
    pub(super) rests_until: Option<Wall>,
}

impl Trigger {
    /// One that has not fired yet.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(spec: TriggerSpec, is_configured: bool) -> Result<Self, String> {
        let filter = trigger_filter(&spec)?;
        Ok(Self {
            spec,
            filter,
            is_configured,
            fired: 0,
            coalesced: 0,
            missed: 0,
            last: None,
            rate: Rate::default(),
        })
    }

    /// What it is.
    #[must_use]
    pub const fn spec(&self) -> &TriggerSpec {
        &self.spec
    }

    /// Whether the configuration has it.
    pub(super) const fn is_configured(&self) -> bool {
        self.is_configured
    }

    /// Another start of the station begins, whose monotonic clock is another one: how often it fired in the
    /// one before limits nothing any more. What it counted remains.
    pub fn begin_start(&mut self) {
        self.rate = Rate::default();
    }

    /// Takes an entry; whether it fires for it, at the entry's time.
    pub fn fires(&mut self, entry: EntryRef<'_>) -> bool {
        self.take(entry).is_some()
    }

    pub(super) fn take(&mut self, entry: EntryRef<'_>) -> Option<Fired> {
        let now = entry.entry.at;
        if is_passed_over(&entry.entry.what) || !self.filter.admits(&EntryRecord(entry), now) {
            return None;
        }
        let cooldown = Duration::from_secs(self.spec.cooldown_s);
        let rate = &mut self.rate;
        while rate.in_hour.front().is_some_and(|first| now.mono.since(first.mono) >= HOUR) {
            rate.in_hour.pop_front();
        }
        let is_soon = rate.last.is_some_and(|last| now.mono.since(last) < cooldown);
        if is_soon || rate.in_hour.len() as u64 >= self.spec.per_hour_max {
            self.coalesced += 1;
            rate.since += 1;
            return None;
        }
        self.fired += 1;
        self.last = Some(now);
        rate.last = Some(now.mono);
        rate.in_hour.push_back(now);
        let coalesced = std::mem::take(&mut rate.since);
        Some(Fired { spec: self.spec.clone(), coalesced, rests_until: self.rests_until() })
    }

    /// Until when it rests, or rested, because it fired as often as it may in an hour.
    fn rests_until(&self) -> Option<Wall> {
        let is_full = self.rate.in_hour.len() as u64 >= self.spec.per_hour_max;
        self.rate.in_hour.front().filter(|_| is_full).map(|first| first.after(HOUR).wall)
    }

    /// So many entries were lost before it could look at them.
    pub(super) const fn miss(&mut self, lost: u64) {
        self.missed = self.missed.saturating_add(lost);
    }

    /// It as it is listed.
    #[must_use]
    pub fn row(&self) -> TriggerRow {
        TriggerRow {
            spec: self.spec.clone(),
            is_configured: self.is_configured,
            fired: self.fired,
            coalesced: self.coalesced,
            missed: self.missed,
            last_ms: self.last.map(|last| last.wall),
            rests_until_ms: self.rests_until(),
        }
    }
}

/// Whether a trigger or a recording did it: a trigger would find what it did itself, and what became of its
/// own clips.
fn is_passed_over(what: &What) -> bool {
    let What::Transition(Transition::Station(transition)) = what else { return false };
    match transition {
        station::Transition::Triggered { .. }
        | station::Transition::Marked { by: None, .. }
        | station::Transition::RecordingStarted
        | station::Transition::RecordingGrew { .. }
        | station::Transition::RecordingStopped { .. }
        | station::Transition::RecordingFailed { .. }
        | station::Transition::AlwaysRecording => true,
        station::Transition::Alert { alert, .. } => TRIGGERED.has(alert) || RECORDING_FAILED.has(alert),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        port::ClipSpan,
        tap::entry::{
            Entry, Link,
            alerts::{Alert, AlertChange, AlertManner},
            station::Level,
        },
    };

    fn notice(ms: u64) -> Entry {
        let what = What::Transition(Transition::Station(station::Transition::Notice { level: Level::Warn }));
        Entry { seq: Seq(1), at: Now::at_ms(ms), link: Link::Station, trace: None, cause: None, what }
    }

    fn taken(trigger: &mut Trigger, entry: &Entry) -> Option<u64> {
        trigger.take(EntryRef { entry, bytes: b"low" }).map(|fired| fired.coalesced)
    }

    #[test]
    fn it_fires_once_in_its_cooldown_and_no_more_often_in_an_hour_and_counts_the_rest() {
        let spec = TriggerSpec {
            mark: true,
            cooldown_s: 10,
            per_hour_max: 2,
            ..TriggerSpec::new("warned", "kind:notice")
        };
        let mut trigger = Trigger::new(spec, true).unwrap();
        let found: Vec<_> =
            [0, 9_999, 10_000, 20_001, 3_600_000].map(|ms| taken(&mut trigger, &notice(ms))).to_vec();
        assert_eq!(found, [Some(0), None, Some(1), None, Some(1)]);
        let row = trigger.row();
        assert_eq!((row.fired, row.coalesced, row.last_ms), (3, 2, Some(Now::at_ms(3_600_000).wall)));
        // Of the two times in the last hour the first was at 10 s.
        assert_eq!(row.rests_until_ms, Some(Now::at_ms(3_610_000).wall));
    }

    #[test]
    fn another_start_of_the_station_is_not_limited_by_the_one_before() {
        let spec = TriggerSpec {
            mark: true,
            cooldown_s: 10,
            per_hour_max: 1,
            ..TriggerSpec::new("warned", "kind:notice")
        };
        let mut trigger = Trigger::new(spec, true).unwrap();
        let of_first = [3_000_000, 3_000_001].map(|ms| taken(&mut trigger, &notice(ms)));
        assert_eq!(of_first, [Some(0), None]);
        // Its monotonic clock begins with less.
        trigger.begin_start();
        assert_eq!([1, 2].map(|ms| taken(&mut trigger, &notice(ms))), [Some(0), None]);
        let row = trigger.row();
        assert_eq!((row.fired, row.coalesced, row.last_ms), (2, 2, Some(Now::at_ms(1).wall)));
        assert_eq!(row.rests_until_ms, Some(Now::at_ms(3_600_001).wall));
        trigger.begin_start();
        assert_eq!(trigger.row().rests_until_ms, None);
    }

    #[test]
    fn what_does_not_match_and_what_triggers_did_is_passed_over() {
        let spec = TriggerSpec { alert: true, cooldown_s: 0, ..TriggerSpec::new("any", "link:station") };
        let mut trigger = Trigger::new(spec, false).unwrap();
        let own = station::Transition::Marked { by: None, entry: None };
        let own = Entry { what: What::Transition(Transition::Station(own)), ..notice(0) };
        let other = Entry { link: Link::Mpp, ..notice(0) };
        assert_eq!([own, other, notice(0)].map(|entry| taken(&mut trigger, &entry)), [None, None, Some(0)]);
    }

    #[test]
    fn what_recordings_do_is_passed_over() {
        use station::Transition as T;
        let spec = TriggerSpec { mark: true, cooldown_s: 0, ..TriggerSpec::new("any", "link:station") };
        let mut trigger = Trigger::new(spec, false).unwrap();
        for own in [
            T::RecordingStarted,
            T::RecordingGrew { bytes: 1 },
            T::RecordingStopped { bytes: 1 },
            T::RecordingFailed { is_always: true },
            T::AlwaysRecording,
        ] {
            let own = Entry { what: What::Transition(Transition::Station(own)), ..notice(0) };
            assert_eq!(taken(&mut trigger, &own), None, "{own:?}");
        }
    }

    #[test]
    fn it_fires_for_an_alert_but_for_none_that_a_trigger_raised() {
        let spec = TriggerSpec { mark: true, cooldown_s: 0, ..TriggerSpec::new("any", "link:station") };
        let mut trigger = Trigger::new(spec, true).unwrap();
        let mut raised = |name: &str, ms| {
            let alert = Alert {
                id: 1,
                name: name.into(),
                link: Link::Station,
                subject: "store".into(),
                manner: AlertManner::Once,
                since: Now::at_ms(ms),
                text: "it happened".into(),
                last: None,
                is_quiet: false,
                raised_at: Now::at_ms(ms),
                acknowledged_at: None,
                resolved_at: None,
            };
            let change = station::Transition::Alert { change: AlertChange::Raised, alert: alert.into() };
            let what = What::Transition(Transition::Station(change));
            taken(&mut trigger, &Entry { what, ..notice(ms) })
        };
        assert_eq!(
            [raised("store_failing", 0), raised("trigger", 1), raised("disk_low", 2)],
            [Some(0), None, Some(0)]
        );
        assert_eq!(raised("recording_failed", 3), None);
    }

    #[test]
    fn what_is_wrong_with_one_is_said() {
        let wrong = |spec: TriggerSpec| Trigger::new(spec, false).unwrap_err();
        assert!(wrong(TriggerSpec::new("a", "kind:notice")).contains("does nothing"));
        let marks = |name: &str, when: &str| TriggerSpec { mark: true, ..TriggerSpec::new(name, when) };
        assert!(wrong(marks("a b", "kind:notice")).contains("a name has"));
        assert!(wrong(marks("a", "kind:(")).contains("cannot be read"));
        assert!(wrong(marks("a", "")).contains("looks for nothing"));
        for per_hour_max in [0, 3_601] {
            let spec = TriggerSpec { per_hour_max, ..marks("a", "kind:notice") };
            assert!(wrong(spec).contains("1 to 3600 times"));
        }
        let of_nothing = Some(ClipSpan { before_s: 0, after_s: 0 });
        assert!(
            wrong(TriggerSpec { clip: of_nothing, ..marks("a", "kind:notice") }).contains("at least 1 s")
        );
    }
}

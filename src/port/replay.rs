//! Where a replay is, and what can be done to it: a recording in the place of a station.

use std::{path::PathBuf, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp, civil::Time, tz::TimeZone};
use tokio::sync::watch;

use super::ReplayBar;
use crate::{
    ids::Seq,
    time::{Mono, Now, Wall},
};

/// The forms of a place, as they are asked for.
pub const PLACE_FORMS: &str = "a time (22:14:03), +90s from the start, seq:N, start or end";

/// How fast a recording is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(SpeedStep);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpeedStep {
    /// So many quarters of its own speed: a power of two up to 256.
    Quarters(u32),
    /// As fast as entries are folded.
    Max,
}

impl Speed {
    /// Its own.
    pub const ONE: Self = Self(SpeedStep::Quarters(4));
    /// As fast as entries are folded.
    pub const MAX: Self = Self(SpeedStep::Max);
    const QUARTERS_MAX: u32 = 256;

    /// A speed that was written: `1/4`, `0.5`, `4`, `x64`, `max`.
    ///
    /// # Errors
    /// What there is.
    pub fn parse(text: &str) -> Result<Self, String> {
        let quarters = match text.trim().trim_start_matches(['x', '×']) {
            "max" => return Ok(Self::MAX),
            "1/4" | "0.25" | "¼" => 1,
            "1/2" | "0.5" | "½" => 2,
            whole => whole.parse::<u32>().ok().and_then(|whole| whole.checked_mul(4)).unwrap_or(0),
        };
        if quarters.is_power_of_two() && quarters <= Self::QUARTERS_MAX {
            return Ok(Self(SpeedStep::Quarters(quarters)));
        }
        Err(format!("`{text}` is no speed: 1/4, 1/2, 1, 2, 4, 8, 16, 32, 64 or max"))
    }

    /// The next one, as far as there is one.
    #[must_use]
    pub const fn faster(self) -> Self {
        match self.0 {
            SpeedStep::Quarters(quarters) if quarters < Self::QUARTERS_MAX => {
                Self(SpeedStep::Quarters(quarters * 2))
            }
            _ => Self::MAX,
        }
    }

    /// The one before, as far as there is one.
    #[must_use]
    pub const fn slower(self) -> Self {
        match self.0 {
            SpeedStep::Max => Self(SpeedStep::Quarters(Self::QUARTERS_MAX)),
            SpeedStep::Quarters(quarters) if quarters > 1 => Self(SpeedStep::Quarters(quarters / 2)),
            slowest @ SpeedStep::Quarters(_) => Self(slowest),
        }
    }

    /// What passes of the recording in this time; nothing where that depends on who folds.
    #[must_use]
    pub fn scale(self, time: Duration) -> Option<Duration> {
        match self.0 {
            SpeedStep::Quarters(quarters) => Some(time.saturating_mul(quarters) / 4),
            SpeedStep::Max => None,
        }
    }

    /// How long so much of the recording lasts; no time where that depends on who folds.
    #[must_use]
    pub fn lasts(self, of_recording: Duration) -> Duration {
        match self.0 {
            SpeedStep::Quarters(quarters) => of_recording.saturating_mul(4) / quarters.max(1),
            SpeedStep::Max => Duration::ZERO,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self, ascii: bool) -> String {
        let sign = if ascii { "x" } else { "×" };
        match self.0 {
            SpeedStep::Max => "max".to_owned(),
            SpeedStep::Quarters(1) => format!("{sign}{}", if ascii { "1/4" } else { "¼" }),
            SpeedStep::Quarters(2) => format!("{sign}{}", if ascii { "1/2" } else { "½" }),
            SpeedStep::Quarters(quarters) => format!("{sign}{}", quarters / 4),
        }
    }
}

/// A place in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayPlace {
    /// Its beginning.
    Start,
    /// Behind its last entry.
    End,
    /// Behind the last entry until this moment of the wall clock.
    Wall(Wall),
    /// So long after its beginning.
    After(Duration),
    /// So long after where it is, in nanoseconds; before it where that is negative.
    By(i64),
    /// Behind the entry with this number.
    Seq(Seq),
    /// Behind the next entry.
    NextEntry,
    /// Behind the entry before this one.
    Before(Seq),
    /// Behind the next entry that a person should note, from an entry on: without one, from where it is.
    NextNote(Option<Seq>),
    /// Behind the last entry that a person should note before an entry: without one, before where it is.
    NoteBefore(Option<Seq>),
}

impl ReplayPlace {
    /// A place that was written, of a recording from `first` to `last`. A time of day is that of the first
    /// day of the recording that has it; otherwise the nearest end of the recording has to do.
    ///
    /// # Errors
    /// The text is none of [`PLACE_FORMS`].
    pub fn parse(text: &str, zone: &TimeZone, first: Wall, last: Wall) -> Result<Self, String> {
        let text = text.trim();
        let not_one = || format!("`{text}` is not {PLACE_FORMS}");
        if let Some(seq) = text.strip_prefix("seq:") {
            return seq.trim().parse().map(|seq| Self::Seq(Seq(seq))).map_err(|_| not_one());
        }
        if let Some(after) = text.strip_prefix('+') {
            let after: SignedDuration = after.trim().parse().map_err(|_| not_one())?;
            return Duration::try_from(after).map(Self::After).map_err(|_| not_one());
        }
        match text {
            "start" => return Ok(Self::Start),
            "end" => return Ok(Self::End),
            _ => {}
        }
        if let Some(ago) = text.strip_prefix('-') {
            let ago: SignedDuration = ago.trim().parse().map_err(|_| not_one())?;
            let ns = i64::try_from(ago.as_nanos()).ok().and_then(i64::checked_neg);
            return ns.filter(|ns| *ns <= 0).map(Self::By).ok_or_else(not_one);
        }
        if let Ok(at) = text.parse::<Timestamp>() {
            return u64::try_from(at.as_millisecond()).map(|ms| Self::Wall(Wall(ms))).map_err(|_| not_one());
        }
        let time: Time = text.parse().map_err(|_| not_one())?;
        of_day(time, zone, first, last).map(Self::Wall).ok_or_else(not_one)
    }

    /// Whether it is in a recording with these moments, as far as that is known without its entries. A moment
    /// whose milliseconds are cut is of the second that is shown.
    ///
    /// # Errors
    /// It is outside of it: what the recording has.
    pub fn check(self, span: &ReplaySpan, zone: &TimeZone) -> Result<(), String> {
        let ReplaySpan { first, last, lasts } = *span;
        let is_in = match self {
            Self::Wall(wall) => (first.0 - first.0 % 1_000..=last.0.max(first.0)).contains(&wall.0),
            Self::After(after) => after <= lasts,
            Self::By(by) => u128::from(by.unsigned_abs()) <= lasts.as_nanos(),
            _ => true,
        };
        if is_in { Ok(()) } else { Err(format!("the recording has {}", span.words(zone))) }
    }
}

/// What a recording spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplaySpan {
    /// The least that the wall clock showed: at its first moment, unless it was set back.
    pub first: Wall,
    /// The greatest that it showed.
    pub last: Wall,
    /// How long it lasts, whatever was set of the wall clock meanwhile.
    pub lasts: Duration,
}

impl ReplaySpan {
    /// It in words: `22:14:03 to 22:14:31 (28.4 s)`, with days where there are several.
    #[must_use]
    pub fn words(&self, zone: &TimeZone) -> String {
        let stamp = |at: Wall| {
            let ms = i64::try_from(at.0).unwrap_or(i64::MAX);
            Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone())
        };
        let (first, last) = (stamp(self.first), stamp(self.last));
        let form = if first.date() == last.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
        let lasts = self.lasts.as_secs_f64();
        format!("{} to {} ({lasts:.1} s)", first.strftime(form), last.strftime(form))
    }
}

/// The first moment of a time of day from `first` on that is not behind `last`; otherwise the one of the
/// first day.
fn of_day(time: Time, zone: &TimeZone, first: Wall, last: Wall) -> Option<Wall> {
    let stamp = Timestamp::from_millisecond(i64::try_from(first.0).ok()?).ok()?;
    let today = stamp.to_zoned(zone.clone()).date();
    let on = |day: jiff::civil::Date| {
        let zoned = day.to_datetime(time).to_zoned(zone.clone()).ok()?;
        u64::try_from(zoned.timestamp().as_millisecond()).ok().map(Wall)
    };
    // What has its milliseconds cut is of the second that is shown.
    let begins = Wall(first.0 - first.0 % 1_000);
    let first_day = on(today)?;
    let next_day = || today.tomorrow().ok().and_then(on).filter(|at| *at <= last);
    Some(if first_day >= begins { first_day } else { next_day().unwrap_or(first_day) })
}

/// What can be done to a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayAct {
    /// Plays on, or holds.
    Toggle,
    /// Holds.
    Hold,
    /// Plays on from behind an entry.
    PlayFrom(Seq),
    /// Plays at the next speed.
    Faster,
    /// Plays at the speed before.
    Slower,
    /// Goes to a place. It holds there where it did so before, and after steps.
    Seek(ReplayPlace),
}

impl ReplayAct {
    /// Whether it looks for an entry of note, which may be far away.
    #[must_use]
    pub const fn is_look_for_note(self) -> bool {
        matches!(self, Self::Seek(ReplayPlace::NextNote(_) | ReplayPlace::NoteBefore(_)))
    }
}

/// Where a replay is.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayView {
    /// Told anew with every place that was gone to: what was known of the state is void then.
    pub generation: u64,
    /// The moment of the recording...
    pub at: Now,
    /// ... which is so far from its beginning...
    pub passed: Duration,
    /// ... at this moment of the clock that the port was made with.
    pub since: Mono,
    /// How fast it plays.
    pub speed: Speed,
    /// Told anew where the state became another one than the entries say: behind a loss, or where some were
    /// left out.
    pub renewed: u64,
    /// Whether it holds.
    pub is_held: bool,
    /// Whether a place is being looked for.
    pub is_seeking: bool,
    /// Its first moment.
    pub first: Now,
    /// Its last one.
    pub last: Now,
    /// What it spans.
    pub span: ReplaySpan,
    /// What the last act came to, where it did nothing, and how many acts came to nothing.
    pub refused: Option<(u64, Arc<str>)>,
    /// Entries that were lost until there: while it was recorded, or since then because the file is damaged.
    pub lost: u64,
    /// From when to when nothing is recorded, where it is in such a time: what is shown held before it.
    pub unrecorded: Option<(Wall, Wall)>,
    /// What happened when in it.
    pub bar: Arc<ReplayBar>,
}

impl ReplayView {
    /// The moment of the recording that is shown at a moment of one's own.
    #[must_use]
    pub fn shown_at(&self, now: Mono) -> Now {
        if self.is_held {
            return self.at;
        }
        let more = self.speed.scale(now.since(self.since)).unwrap_or_default();
        let left = self.span.lasts.saturating_sub(self.passed);
        if more > left && self.at.mono + left == self.last.mono {
            self.last
        } else {
            self.at.after(more.min(left))
        }
    }

    /// How far a moment is from the beginning. It is one of the start of the station that is replayed.
    #[must_use]
    pub fn passed_at(&self, at: Now) -> Duration {
        let passed = match at.mono.0.checked_sub(self.at.mono.0) {
            Some(later) => self.passed.saturating_add(Duration::from_nanos(later)),
            None => self.passed.saturating_sub(self.at.mono.since(at.mono)),
        };
        passed.min(self.span.lasts)
    }
}

/// A replay as whoever watches it has it.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Where it is, whenever that changes otherwise than by time.
    pub view: watch::Receiver<ReplayView>,
    /// What moves it.
    pub control: Arc<dyn ReplayControl>,
    /// Its files, in their order.
    pub files: Arc<[PathBuf]>,
    /// What is damaged in them or missing, in words.
    pub notes: Arc<[String]>,
    /// Whether entries may be missing that were not lost: they were left out.
    pub is_sparse: bool,
}

/// Moves a replay. Nothing here waits.
pub trait ReplayControl: Send + Sync + std::fmt::Debug {
    /// Has something done; the view tells what came of it.
    fn act(&self, act: ReplayAct);

    /// Every entry before this place is folded: no more is handed out than whoever folds keeps up with.
    fn folded(&self, generation: u64, next: Seq);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_each_other_from_a_quarter_to_as_fast_as_it_folds() {
        let mut speed = Speed::parse("1/4").unwrap();
        let mut names = vec![speed.name(true)];
        while speed != Speed::MAX {
            let next = speed.faster();
            assert_eq!(next.slower(), speed);
            assert_eq!(Speed::parse(&next.name(true)), Ok(next));
            assert_eq!(Speed::parse(&next.name(false)), Ok(next));
            speed = next;
            names.push(speed.name(true));
        }
        assert_eq!(names.join(" "), "x1/4 x1/2 x1 x2 x4 x8 x16 x32 x64 max");
        assert_eq!(speed.faster(), speed);
        assert_eq!(Speed::parse("1/4").unwrap().slower().name(false), "×¼");
        for bad in ["", "3", "0", "128", "-1", "fast", "4294967295"] {
            assert!(Speed::parse(bad).is_err_and(|why| why.contains("1/4")), "{bad}");
        }
    }

    #[test]
    fn time_is_scaled_by_the_speed() {
        let second = Duration::from_secs(1);
        let of = |text| Speed::parse(text).unwrap();
        assert_eq!(of("1/4").scale(second), Some(second / 4));
        assert_eq!(of("64").scale(second), Some(second * 64));
        assert_eq!((of("64").lasts(second * 64), of("1/4").lasts(second)), (second, second * 4));
        assert_eq!((of("max").scale(second), of("max").lasts(second)), (None, Duration::ZERO));
    }

    #[test]
    fn places_are_read() {
        // From 1970-01-01 22:30:00.5 UTC for two hours.
        let first = Wall(((22 * 60) + 30) * 60_000 + 500);
        let last = Wall(first.0 + 2 * 3_600_000);
        let parse = |text: &str| ReplayPlace::parse(text, &TimeZone::UTC, first, last);
        let wall = |hours: u64, minutes: u64| Ok(ReplayPlace::Wall(Wall((hours * 60 + minutes) * 60_000)));
        assert_eq!(parse("22:45"), wall(22, 45));
        assert_eq!(parse("22:30:00"), wall(22, 30), "its first second");
        assert_eq!(parse(" 00:10 "), wall(24, 10), "of the next day");
        assert_eq!(parse("12:00"), wall(12, 0), "the nearest end has to do");
        assert_eq!(parse("1970-01-01T23:00:00Z"), wall(23, 0));
        assert_eq!(parse("+90s"), Ok(ReplayPlace::After(Duration::from_secs(90))));
        assert_eq!(parse("-1m"), Ok(ReplayPlace::By(-60_000_000_000)));
        assert_eq!(parse("seq:17"), Ok(ReplayPlace::Seq(Seq(17))));
        assert_eq!((parse("start"), parse("end")), (Ok(ReplayPlace::Start), Ok(ReplayPlace::End)));
        for bad in ["", "soon", "25:00", "+", "+-1s", "--1s", "seq:", "seq:-1", "-99999999999999s"] {
            assert!(parse(bad).is_err_and(|why| why.contains("seq:N")), "{bad}");
        }
    }

    #[test]
    fn a_place_outside_is_refused_with_what_the_recording_has() {
        let first = Wall(((22 * 60) + 30) * 60_000 + 500);
        let lasts = Duration::from_millis(28_400);
        let span = ReplaySpan { first, last: Wall(first.0 + 28_400), lasts };
        let check = |text: &str| {
            ReplayPlace::parse(text, &TimeZone::UTC, span.first, span.last)
                .unwrap()
                .check(&span, &TimeZone::UTC)
        };
        for inside in ["22:30:00", "22:30:28", "+0s", "+28s", "-28s", "end", "seq:99999"] {
            assert_eq!(check(inside), Ok(()), "{inside}");
        }
        let has = Err("the recording has 22:30:00 to 22:30:28 (28.4 s)".to_owned());
        for outside in ["22:29:59", "22:30:29", "11:00:00", "+29s", "+999s", "-29s", "1970-01-02T22:30:10Z"] {
            assert_eq!(check(outside), has, "{outside}");
        }
        let long = ReplaySpan { last: Wall(first.0 + 86_400_000), ..span };
        assert!(long.words(&TimeZone::UTC).starts_with("1970-01-01 22:30:00 to 1970-01-02 22:30:00"));
    }

    #[test]
    fn what_is_shown_moves_with_the_clock_until_the_end_unless_it_holds() {
        let at = |ms: u64| Now::at_ms(10_000 + ms);
        let speed = Speed::parse("4").unwrap();
        let mut view = ReplayView {
            generation: 1,
            at: at(0),
            passed: Duration::from_secs(10),
            since: Mono(7),
            speed,
            renewed: 0,
            is_held: false,
            is_seeking: false,
            first: at(0),
            last: at(5_000),
            span: ReplaySpan { first: at(0).wall, last: at(5_000).wall, lasts: Duration::from_secs(15) },
            refused: None,
            lost: 0,
            unrecorded: None,
            bar: Arc::default(),
        };
        let later = |s: u64| Mono(7 + s * 1_000_000_000);
        assert_eq!(view.shown_at(later(1)), at(4_000));
        assert_eq!(view.shown_at(later(2)), at(5_000), "no further than its last moment");
        view.is_held = true;
        assert_eq!(view.shown_at(later(9)), at(0));
        let far = |ms| view.passed_at(Now::at_ms(ms)).as_millis();
        assert_eq!([0, 9_000, 10_000, 12_500, 99_000].map(far), [0, 9_000, 10_000, 12_500, 15_000]);
    }
}

//! What the wall clock showed when in a recording. It may have been set meanwhile, forward or back, and a
//! recording's own time goes on evenly.
//!
//! ```text
//! log_time     ├──────────────────┼───────────────────┤
//! wall clock   22:00         22:40│22:10         22:55       one stretch, and another
//! ```

use std::{collections::BTreeMap, time::Duration};

use super::reach::Target;
use crate::{
    recording::{PlacedItem, RecordedItem, SetReader},
    time::{Now, Wall},
};

/// How far the wall clock and the `log_time` differ by their rounding and by the order of entries alone, in
/// nanoseconds.
pub(super) const SAME_CLOCK_NS: u64 = 20_000_000;
/// Messages that are looked through; of more, the first chunk and the last one.
const LOOKED_THROUGH_MAX: u64 = 16_384;
/// Further chunks that are looked at, to find where the clock was set.
const HALVED_MAX: usize = 48;
/// Stretches that are told from each other.
const STRETCHES_MAX: usize = 1_024;

/// A place that was gone to, and the moment that its `log_time` is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) log_ns: u64,
    pub(super) at: Now,
}

impl Anchor {
    /// The moment at another `log_time`.
    pub(super) fn moment(self, log_ns: u64) -> Now {
        if log_ns >= self.log_ns {
            self.at.after(Duration::from_nanos(log_ns - self.log_ns))
        } else {
            self.at.before(Duration::from_nanos(self.log_ns - log_ns))
        }
    }
}

/// A moment by both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    log_ns: u64,
    wall: Wall,
}

impl Moment {
    fn of(item: &PlacedItem) -> Option<Self> {
        // A state was noted later than what is in front of it.
        let RecordedItem::Entry(entry) = &item.item else { return None };
        Some(Self { log_ns: item.log_ns, wall: entry.entry.at.wall })
    }

    /// How far the wall clock is ahead of the recording's own.
    fn ahead_ns(self) -> i128 {
        i128::from(self.wall.0) * 1_000_000 - i128::from(self.log_ns)
    }
}

/// A time in which the wall clock was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    from: Moment,
    to: Moment,
}

impl Stretch {
    fn has(self, at: Moment) -> bool {
        self.from.ahead_ns().abs_diff(at.ahead_ns()) <= u128::from(SAME_CLOCK_NS)
    }
}

/// What the wall clock showed when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clocks {
    stretches: Vec<Stretch>,
}

impl Clocks {
    /// Looks for it: through all of what is short, and in what is long for where the clock was set, unless it
    /// was set right again.
    pub(super) fn find(reader: &mut SetReader) -> Self {
        let set = std::sync::Arc::clone(reader.set());
        // A keyframe has a chunk of its own.
        let has_entries = |number: &usize| {
            set.chunk(*number).is_some_and(|chunk| !chunk.place.has_keyframe || chunk.place.messages != 1)
        };
        let chunks: Vec<usize> = (0..set.len()).filter(has_entries).collect();
        let mut known = BTreeMap::new();
        let mut look = |at: usize, known: &mut BTreeMap<usize, Vec<Stretch>>| {
            known
                .entry(at)
                .or_insert_with(|| chunks.get(at).map_or_else(Vec::new, |it| of_chunk(reader, *it)));
        };
        let last = chunks.len().saturating_sub(1);
        let messages = chunks.iter().filter_map(|number| set.chunk(*number)).map(|it| it.place.messages);
        let is_short = messages.fold(0, u64::saturating_add) <= LOOKED_THROUGH_MAX;
        for at in (0..chunks.len()).filter(|at| is_short || [0, last].contains(at)) {
            look(at, &mut known);
        }
        for _ in 0..HALVED_MAX {
            let Some(middle) = unclear(&known) else { break };
            look(middle, &mut known);
        }
        let mut clocks = Self::default();
        known.into_values().flatten().for_each(|stretch| clocks.add(stretch));
        clocks
    }

    fn add(&mut self, stretch: Stretch) {
        let is_full = self.stretches.len() >= STRETCHES_MAX;
        match self.stretches.last_mut() {
            Some(last) if last.has(stretch.from) => last.to = stretch.to,
            _ if is_full => {}
            _ => self.stretches.push(stretch),
        }
    }

    /// The least that the wall clock showed, and the greatest.
    pub(super) fn span(&self) -> Option<(Wall, Wall)> {
        let least = self.stretches.iter().map(|it| it.from.wall).min()?;
        Some((least, self.stretches.iter().map(|it| it.to.wall).max()?))
    }

    /// Behind all until the end of a millisecond of the wall clock: the first time that it showed that, or
    /// where it was set past it.
    pub(super) fn target(&self, wall: Wall) -> Target {
        self.target_in(self.stretch_of(wall), wall)
    }

    /// Behind all before a millisecond of the wall clock, in the time that has this.
    pub(super) fn target_before(&self, wall: Wall) -> Target {
        self.target_in(self.stretch_of(wall), Wall(wall.0.saturating_sub(1)))
    }

    /// The first stretch that shows a moment; otherwise the last one before it, or the least.
    fn stretch_of(&self, wall: Wall) -> Option<usize> {
        let all = || self.stretches.iter().enumerate();
        let shown = all().find(|(_, it)| (it.from.wall..=it.to.wall).contains(&wall));
        let before = || all().filter(|(_, it)| it.to.wall < wall).max_by_key(|(_, it)| it.to.wall);
        let least = || all().min_by_key(|(_, it)| it.from.wall);
        shown.or_else(before).or_else(least).map(|(index, _)| index)
    }

    fn target_in(&self, stretch: Option<usize>, wall: Wall) -> Target {
        let found = stretch.and_then(|index| Some((index, self.stretches.get(index)?)));
        let Some((index, stretch)) = found else {
            return Target::Wall { wall, ahead_ns: 0, until_ns: last_ns(wall, 0) };
        };
        let ahead_ns = i64::try_from(stretch.from.ahead_ns()).unwrap_or_default();
        // What is of another stretch is no part of it.
        let before_ns = |log_ns: u64| log_ns.saturating_sub(1);
        let from_ns = if index == 0 { 0 } else { before_ns(stretch.from.log_ns) };
        let to_ns = self.stretches.get(index + 1).map_or(u64::MAX, |next| before_ns(next.from.log_ns));
        let until_ns = last_ns(wall, ahead_ns).clamp(from_ns, to_ns.max(from_ns));
        Target::Wall { wall, ahead_ns, until_ns }
    }
}

/// The last `log_time` of a millisecond of a wall clock that is so far ahead.
fn last_ns(wall: Wall, ahead_ns: i64) -> u64 {
    let last_ns = i128::from(wall.0) * 1_000_000 + 999_999 - i128::from(ahead_ns);
    u64::try_from(last_ns.max(0)).unwrap_or(u64::MAX)
}

/// The stretches of a chunk.
fn of_chunk(reader: &mut SetReader, number: usize) -> Vec<Stretch> {
    let mut clocks = Clocks::default();
    let items = reader.chunk(number);
    for at in items.iter().filter_map(|item| Moment::of(item.as_ref().ok()?)) {
        clocks.add(Stretch { from: at, to: at });
    }
    clocks.stretches
}

/// A chunk in the middle between two of which the clocks differ, where any lie between.
fn unclear(known: &BTreeMap<usize, Vec<Stretch>>) -> Option<usize> {
    let read = known.iter().filter(|(_, of)| !of.is_empty());
    read.clone().zip(read.skip(1)).find_map(|((at, one), (next, other))| {
        let is_same = one.last()?.has(other.first()?.from);
        // One in which nothing can be read is known, and tells nothing.
        let middle = at.midpoint(*next);
        (!is_same && !known.contains_key(&middle)).then_some(middle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(from: (u64, u64), to: (u64, u64)) -> Stretch {
        let at = |(s, wall_s): (u64, u64)| Moment { log_ns: s * 1_000_000_000, wall: Wall(wall_s * 1_000) };
        Stretch { from: at(from), to: at(to) }
    }

    fn until(clocks: &Clocks, wall_ms: u64) -> (i64, u64) {
        let Target::Wall { ahead_ns, until_ns, .. } = clocks.target(Wall(wall_ms)) else { unreachable!() };
        (ahead_ns / 1_000_000_000, until_ns)
    }

    #[test]
    fn a_moment_is_where_the_wall_clock_showed_it_first() {
        let stretches = vec![stretch((1_000, 1_000), (1_100, 1_100)), stretch((1_101, 901), (1_300, 1_100))];
        let clocks = Clocks { stretches };
        assert_eq!(clocks.span(), Some((Wall(901_000), Wall(1_100_000))));
        let second = 1_000_000_000;
        assert_eq!(until(&clocks, 1_050_000), (0, 1_050 * second + 999_999), "of both times the first");
        assert_eq!(until(&clocks, 950_000), (-200, 1_150 * second + 999_999));
        assert_eq!(until(&clocks, 900_000), (-200, 1_101 * second - 1), "before all that it showed");
        assert_eq!(until(&clocks, 901_000), (-200, 1_101 * second + 999_999));
        let Target::Wall { until_ns, .. } = clocks.target_before(Wall(901_000)) else { unreachable!() };
        assert_eq!(until_ns, 1_101 * second - 1, "what was before it was set is no part of it");
    }

    #[test]
    fn a_moment_that_it_was_set_past_is_before_that() {
        let stretches = vec![stretch((10, 10), (20, 20)), stretch((21, 121), (30, 130))];
        let clocks = Clocks { stretches };
        assert_eq!(until(&clocks, 60_000), (0, 21 * 1_000_000_000 - 1));
        assert_eq!(until(&clocks, 140_000), (100, 40 * 1_000_000_000 + 999_999), "behind its end");
        assert_eq!(until(&Clocks::default(), 7), (0, 7_999_999));
    }
}

//! Goes to a place of a recording: from the keyframe in front of it, entry by entry.

use super::{
    clocks::SAME_CLOCK_NS,
    state::{Carried, ReplayState},
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{PortError, Snapshot},
    recording::{Damage, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    time::{Now, Wall},
};

/// Keyframes that are tried before a place, where they are ahead of it or damaged.
const KEYFRAMES_TRIED_MAX: usize = 8;

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Behind all that has at most this `log_time` in nanoseconds.
    Time(u64),
    /// Behind all until the end of a millisecond of the wall clock.
    Wall {
        wall: Wall,
        /// How far the wall clock is ahead of the `log_time` there, in nanoseconds.
        ahead_ns: i64,
        /// The `log_time` of its end, within the time in which the clock was not set.
        until_ns: u64,
    },
    /// Behind this entry, in the start of a station that has this chunk.
    Entry { seq: Seq, near: usize },
}

/// A place that was gone to.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) state: ReplayState,
    /// In front of the next item.
    pub(super) cursor: SetCursor,
    /// The `log_time` of the last item in front of it, in nanoseconds.
    pub(super) log_ns: u64,
    /// What could not be read on the way: the first of it, and its chunk.
    pub(super) damage: Option<(usize, Damage)>,
}

impl Reached {
    /// The `log_time` of the target: that of what is in front of it at least, and before what comes next.
    pub(super) fn position(&mut self, target: Target, reader: &mut SetReader) -> u64 {
        let wanted = match target {
            Target::Time(log_ns) => log_ns,
            // So that just this millisecond is shown.
            Target::Wall { wall, ahead_ns, .. }
                if is_same_clock(self.state.at().wall, ahead_ns, self.log_ns) =>
            {
                let ms = wall.0.saturating_sub(self.state.at().wall.0);
                self.log_ns.saturating_add(ms.saturating_mul(1_000_000))
            }
            Target::Wall { until_ns, .. } => until_ns,
            Target::Entry { .. } => self.log_ns,
        };
        let next = match self.cursor.peek(reader) {
            Some(Ok(item)) => item.log_ns.saturating_sub(1),
            _ => u64::MAX,
        };
        wanted.min(next).max(self.log_ns)
    }
}

/// Whether the wall clock was as far ahead of a `log_time` when it showed this.
fn is_same_clock(wall: Wall, ahead_ns: i64, log_ns: u64) -> bool {
    let ahead = i128::from(wall.0) * 1_000_000 - i128::from(log_ns);
    ahead.abs_diff(i128::from(ahead_ns)) <= u128::from(SAME_CLOCK_NS)
}

/// Goes to a place.
///
/// # Errors
/// [`PortError::NoKeyframe`] when nothing says what held there or behind it.
pub(super) fn reach(reader: &mut SetReader, target: Target, limits: &Limits) -> Result<Reached, PortError> {
    let set = std::sync::Arc::clone(reader.set());
    let chunk = match target {
        Target::Time(log_ns) => set.chunk_at(log_ns),
        Target::Wall { until_ns, .. } => set.chunk_at(until_ns),
        Target::Entry { seq, near } => reader.chunk_of(seq, near),
    };
    let start = set.start_of(chunk);
    let (mut from, mut best) = (Some(chunk), None);
    for _ in 0..KEYFRAMES_TRIED_MAX {
        let Some(keyframe) = from.and_then(|from| set.keyframe_until(from)) else { break };
        // Another start of the station says nothing of this one.
        from = keyframe.checked_sub(1).filter(|from| start.contains(from));
        let Some(reached) = reach_from(reader, keyframe, target, limits) else { continue };
        let is_ahead = reached.state.is_ahead();
        // One that is ahead has what is still to come, and does if there is no other.
        best = best.filter(|_| is_ahead).or(Some(reached));
        if !is_ahead {
            break;
        }
    }
    let behind = || (chunk..set.len()).find_map(|at| first_behind(reader, &set, at, target, limits));
    best.or_else(behind).ok_or_else(|| no_keyframe(&set))
}

/// The first state from a chunk on, where none is before a place.
fn first_behind(
    reader: &mut SetReader,
    set: &RecordingSet,
    at: usize,
    target: Target,
    limits: &Limits,
) -> Option<Reached> {
    let keyframe = Some(at).filter(|at| set.chunk(*at).is_some_and(|chunk| chunk.place.has_keyframe))?;
    reach_from(reader, keyframe, target, limits)
}

fn no_keyframe(set: &RecordingSet) -> PortError {
    let name = set.paths().next().map_or_else(String::new, |path| path.display().to_string());
    PortError::NoKeyframe(name)
}

/// From a chunk with a keyframe to the place.
fn reach_from(reader: &mut SetReader, keyframe: usize, target: Target, limits: &Limits) -> Option<Reached> {
    let set = std::sync::Arc::clone(reader.set());
    let mut cursor = SetCursor::at(&set, keyframe);
    let (snapshot, mut log_ns) = first_snapshot(reader, &mut cursor, keyframe)?;
    let (mut state, mut damage) = (ReplayState::in_chunk(snapshot, &set, keyframe), None);
    loop {
        match cursor.peek(reader) {
            None => break,
            Some(Err(found)) => {
                let found = found.clone();
                damage = damage.or(Some((cursor.chunk().saturating_sub(1), found)));
            }
            Some(Ok(item)) if is_behind(item, target) => break,
            Some(Ok(PlacedItem { log_ns: at, item })) => {
                log_ns = *at;
                match item {
                    RecordedItem::Snapshot { bytes, .. } => drop(state.pass(bytes)),
                    RecordedItem::Entry(entry) => {
                        if state.take(entry.as_ref(), limits) == Carried::Unknown {
                            renew(reader, &cursor, &mut state);
                        }
                    }
                }
            }
        }
        drop(cursor.next(reader));
    }
    Some(Reached { state, cursor, log_ns, damage })
}

/// The state in a chunk, with its `log_time`. What is before it in the chunk is not known.
fn first_snapshot(
    reader: &mut SetReader,
    cursor: &mut SetCursor,
    keyframe: usize,
) -> Option<(Snapshot, u64)> {
    while cursor.chunk() <= keyframe.saturating_add(1) {
        cursor.peek(reader)?;
        if cursor.chunk() > keyframe.saturating_add(1) {
            break;
        }
        if let Ok(PlacedItem { log_ns, item: RecordedItem::Snapshot { bytes, .. } }) = cursor.next(reader)? {
            return Some((Snapshot::decode(&bytes).ok()?, log_ns));
        }
    }
    None
}

/// Takes the state of the next keyframe, where there is one.
pub(super) fn renew(reader: &mut SetReader, cursor: &SetCursor, state: &mut ReplayState) {
    let set = std::sync::Arc::clone(reader.set());
    let Some(keyframe) = set.keyframe_from(cursor.chunk()) else { return };
    let mut ahead = SetCursor::at(&set, keyframe);
    if let Some((snapshot, _)) = first_snapshot(reader, &mut ahead, keyframe) {
        state.renew(snapshot);
    }
}

fn is_behind(item: &PlacedItem, target: Target) -> bool {
    match (target, &item.item) {
        (Target::Time(log_ns), _) => item.log_ns > log_ns,
        (Target::Wall { wall, ahead_ns, until_ns }, RecordedItem::Entry(entry)) => {
            let at = entry.entry.at.wall;
            if is_same_clock(at, ahead_ns, item.log_ns) { at > wall } else { item.log_ns > until_ns }
        }
        (Target::Wall { until_ns, .. }, RecordedItem::Snapshot { .. }) => item.log_ns > until_ns,
        (Target::Entry { seq, .. }, RecordedItem::Entry(entry)) => entry.entry.seq > seq,
        (Target::Entry { .. }, RecordedItem::Snapshot { .. }) => false,
    }
}

/// An entry with where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) seq: Seq,
    pub(super) chunk: usize,
}

/// The moment of the last thing in a recording.
pub(super) fn last_moment(reader: &mut SetReader) -> Option<(u64, Now)> {
    let chunks = reader.set().len();
    (0..chunks).rev().find_map(|chunk| {
        let items = reader.chunk(chunk);
        items.iter().rev().find_map(|item| moment(item.as_ref().ok()?))
    })
}

/// The moment of an item.
pub(super) fn moment(item: &PlacedItem) -> Option<(u64, Now)> {
    match &item.item {
        RecordedItem::Entry(entry) => Some((item.log_ns, entry.entry.at)),
        RecordedItem::Snapshot { bytes, .. } => Some((item.log_ns, Snapshot::decode(bytes).ok()?.at)),
    }
}

/// The place of the first entry behind a state. Where none came before it, none is missing.
pub(super) fn next_seq(state: &ReplayState, cursor: &mut SetCursor, reader: &mut SetReader) -> Seq {
    if let Some(last) = state.last() {
        return last.next();
    }
    loop {
        match cursor.peek(reader) {
            Some(Ok(PlacedItem { item: RecordedItem::Entry(entry), .. })) => return entry.entry.seq,
            Some(_) => drop(cursor.next(reader)),
            None => return Seq(1),
        }
    }
}

//! The thread that replays: does what was asked of it, and hands out the entries that are due.

use std::{collections::VecDeque, path::Path, sync::Arc, time::Duration};

use super::{
    bar::bar,
    clocks::{Anchor, Clocks},
    note_search::NoteSearch,
    player::Player,
    reach::{Reached, next_seq, renew},
    shared::{Shared, Stage},
    state::Carried,
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{ReplayAct, ReplayPlace, ReplaySpan, ReplayView},
    recording::{Damage, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    tap::Mirror,
    time::{Clock, Mono, Now, Wall},
    words::quoted,
};

/// Entries that are handed out at once.
const BATCH: usize = 1_024;
/// Entries that may wait to be folded, unless the ring takes fewer.
const UNFOLDED_MAX: u64 = 8_192;
/// The share of the ring that may wait to be folded.
const RING_SHARE: u64 = 4;
/// How often it is said where it is while no clock says that.
const TOLD_EVERY: Duration = Duration::from_millis(50);
/// How often it is looked whether what was handed out is folded, where nobody says so.
const FOLDED_CHECK: Duration = Duration::from_millis(100);
/// How much is played of a time of which nothing is recorded, in nanoseconds of it.
const GAP_PLAYED_NS: u64 = 2_000_000_000;

/// Why nothing is handed out for the moment.
pub(super) enum Pause {
    /// Something is.
    None,
    /// Until then nothing is due.
    For(Duration),
    /// Until something is asked for.
    Long,
}

/// The thread.
pub(super) struct ReplayThread {
    pub(super) shared: Arc<Shared>,
    pub(super) reader: SetReader,
    pub(super) cursor: SetCursor,
    pub(super) player: Player,
    pub(super) clocks: Clocks,
    pub(super) anchor: Anchor,
    /// The place behind the last entry that was handed out.
    pub(super) next: Seq,
    /// Bytes that were handed out since all was folded.
    pub(super) unfolded_bytes: usize,
    told_at: Mono,
    /// How often the state became another one than the entries say.
    renewed: u64,
    refused: Option<(u64, Arc<str>)>,
    /// Whether it said last that nothing is recorded where it is.
    is_unrecorded: bool,
    /// Acts that are still to be done.
    acts: VecDeque<ReplayAct>,
    /// The look for an entry of note that goes on.
    pub(super) search: Option<NoteSearch>,
}

/// What a replay begins with.
pub(super) struct Beginning {
    pub(super) reader: SetReader,
    pub(super) reached: Reached,
    pub(super) player: Player,
    pub(super) clocks: Clocks,
    pub(super) span: ReplaySpan,
    pub(super) first: Now,
    pub(super) last: Now,
}

/// The damage of a chunk, with the command that lists all damage of its file.
pub(super) fn damaged(set: &RecordingSet, chunk: usize, damage: &Damage) -> String {
    let path = set.chunk(chunk).and_then(|chunk| set.paths().nth(chunk.file));
    let verify = |path: &Path| {
        format!("; `rl-console recording verify {}` lists all damage", quoted(&path.to_string_lossy()))
    };
    format!("{damage}{}", path.map_or_else(String::new, verify))
}

impl ReplayThread {
    pub(super) fn new(beginning: Beginning, clock: Clock, limits: &Limits) -> (Arc<Shared>, Self) {
        let Beginning { reader, reached, player, clocks, span, first, last } = beginning;
        let mut reader = reader.reading_ahead();
        let Reached { state, mut cursor, log_ns, damage } = reached;
        let anchor = Anchor { log_ns, at: state.at() };
        let now = clock.now().mono;
        let view = ReplayView {
            generation: 1,
            at: anchor.moment(player.position(now)),
            passed: passed(&player, now),
            since: now,
            renewed: 0,
            speed: player.speed(),
            is_held: player.is_held(),
            is_seeking: false,
            first,
            last,
            span,
            refused: None,
            lost: state.lost(),
            unrecorded: None,
            bar: Arc::new(bar(&mut reader)),
        };
        let next = next_seq(&state, &mut cursor, &mut reader);
        let mirror = Mirror::new(limits.tap, next);
        let stage = Stage { mirror, state, generation: 1, chunk: cursor.chunk() };
        let shared = Arc::new(Shared::new((Arc::clone(reader.set()), clock, *limits), view, stage));
        let refused = damage.map(|(chunk, damage)| (1, damaged(reader.set(), chunk, &damage).into()));
        let mut thread = Self {
            shared: Arc::clone(&shared),
            reader,
            cursor,
            player,
            clocks,
            anchor,
            next,
            unfolded_bytes: 0,
            told_at: now,
            renewed: 0,
            refused,
            is_unrecorded: false,
            acts: VecDeque::new(),
            search: None,
        };
        // Who asks at once is answered what is missing, too.
        thread.tell();
        (shared, thread)
    }

    /// Runs until no handle is left.
    pub(super) async fn run(mut self) {
        self.tell();
        while !self.shared.is_over() {
            let pause = if self.do_acts() { self.hand_out() } else { Pause::None };
            match pause {
                Pause::None => tokio::task::yield_now().await,
                Pause::For(pause) => drop(tokio::time::timeout(pause, self.shared.wake.notified()).await),
                Pause::Long => self.shared.wake.notified().await,
            }
        }
    }

    /// Does what was asked for. False while an entry of note is looked for, a part of the files at a time: a
    /// further look waits for it, and any other act ends it.
    fn do_acts(&mut self) -> bool {
        self.acts.extend(self.shared.take_acts());
        let is_stopped = self.acts.iter().any(|act| !act.is_look_for_note());
        if self.search.is_some() && !is_stopped {
            self.search_on();
            return false;
        }
        while let Some(act) = self.acts.pop_front() {
            self.act(act);
            if self.search.is_some() && !is_stopped {
                return false;
            }
        }
        true
    }

    pub(super) fn now(&self) -> Mono {
        self.shared.clock.now().mono
    }

    /// Says where it is.
    pub(super) fn tell(&mut self) {
        let now = self.now();
        self.told_at = now;
        let at = self.anchor.moment(self.player.position(now));
        let passed = passed(&self.player, now);
        let (speed, is_held) = (self.player.speed(), self.player.is_held());
        let (generation, lost) = {
            let stage = self.shared.stage();
            (stage.generation, stage.state.lost())
        };
        let (refused, renewed, is_seeking) = (self.refused.clone(), self.renewed, self.search.is_some());
        let unrecorded = self.unrecorded(now);
        self.is_unrecorded = unrecorded.is_some();
        self.shared.view.send_modify(|view| {
            *view = ReplayView {
                generation,
                at,
                passed,
                since: now,
                renewed,
                speed,
                is_held,
                is_seeking,
                refused,
                lost,
                unrecorded,
                ..view.clone()
            };
        });
    }

    /// From when to when nothing is recorded, where it is in such a time.
    fn unrecorded(&self, now: Mono) -> Option<(Wall, Wall)> {
        // What plays leaves what is last at once.
        let at_ns = self.player.position(now).saturating_add(u64::from(!self.player.is_held()));
        let (from_ns, to_ns) = self.shared.set.unrecorded(at_ns)?;
        Some((self.anchor.moment(from_ns).wall, self.anchor.moment(to_ns).wall))
    }

    pub(super) fn refuse(&mut self, why: &str) {
        let count = self.refused.as_ref().map_or(0, |(count, _)| *count);
        self.refused = Some((count + 1, why.into()));
    }

    fn act(&mut self, act: ReplayAct) {
        self.search = None;
        let now = self.now();
        match act {
            ReplayAct::Toggle if self.player.is_held() && self.is_at_end(now) => {
                self.refuse("this is the end of the recording");
            }
            ReplayAct::Toggle if self.player.is_held() => self.player.play(now),
            ReplayAct::Toggle | ReplayAct::Hold => self.player.hold(now),
            ReplayAct::Faster => self.player.set_speed(self.player.speed().faster(), now),
            ReplayAct::Slower => self.player.set_speed(self.player.speed().slower(), now),
            ReplayAct::PlayFrom(seq) => {
                self.seek(ReplayPlace::Seq(seq));
                self.player.play(self.now());
            }
            ReplayAct::Seek(place) => self.seek(place),
        }
        self.tell();
    }

    fn is_at_end(&mut self, now: Mono) -> bool {
        let is_last = self.cursor.peek(&mut self.reader).is_none();
        is_last && self.next_start().is_none() && self.player.position(now) >= self.player.span().1
    }

    /// The first chunk of the next start of a station.
    pub(super) fn next_start(&self) -> Option<usize> {
        let at = self.cursor.chunk().checked_sub(1)?;
        let next = self.shared.set.start_of(at).end;
        (next < self.shared.set.len()).then_some(next)
    }

    /// Whether so many wait to be folded that nothing more is handed out.
    fn is_full(&mut self) -> bool {
        let limits = &self.shared.limits.tap;
        let waiting = self.shared.unfolded(self.next);
        if waiting == 0 {
            self.unfolded_bytes = 0;
        }
        let bytes_max = usize::try_from(limits.ring_bytes_max / RING_SHARE).unwrap_or(usize::MAX);
        waiting >= UNFOLDED_MAX.min(limits.ring_entries_max / RING_SHARE)
            || (waiting > 0 && self.unfolded_bytes >= bytes_max)
    }

    /// Where the time is left of which nothing is recorded, and where that leads, while it plays in one.
    fn gap(&self, now: Mono) -> Option<(u64, u64)> {
        let at_ns = self.player.position(now).saturating_add(1);
        let (from_ns, to_ns) = self.shared.set.unrecorded(at_ns).filter(|_| !self.player.is_held())?;
        Some((from_ns.saturating_add(GAP_PLAYED_NS), to_ns))
    }

    /// Hands out what is due, some entries at a time.
    pub(super) fn hand_out(&mut self) -> Pause {
        let now = self.now();
        let gap = self.gap(now);
        if let Some((leave_ns, to_ns)) = gap
            && self.player.is_due(leave_ns, now)
        {
            self.player.reached(to_ns, now);
        }
        let mut due = Vec::new();
        let pause = match (self.take_due(now, &mut due), gap) {
            (Pause::For(pause), Some((leave_ns, _))) => {
                Pause::For(self.player.until(leave_ns, now).map_or(pause, |until| until.min(pause)))
            }
            (pause, _) => pause,
        };
        let before = self.renewed;
        if !due.is_empty() {
            self.push(due);
        }
        let is_due = self.player.is_max() && now.since(self.told_at) >= TOLD_EVERY;
        if is_due || self.renewed != before || self.unrecorded(now).is_some() != self.is_unrecorded {
            self.tell();
        }
        pause
    }

    /// Takes entries that are due, at most so many; what comes behind them, where they are fewer.
    fn take_due(&mut self, now: Mono, due: &mut Vec<RecordedItem>) -> Pause {
        while due.len() < BATCH {
            let log_ns = match self.cursor.peek(&mut self.reader) {
                Some(Ok(item)) => item.log_ns,
                Some(Err(damage)) => {
                    let damage = damage.clone();
                    let why = damaged(&self.shared.set, self.cursor.chunk().saturating_sub(1), &damage);
                    drop(self.cursor.next(&mut self.reader));
                    self.refuse(&why);
                    self.tell();
                    continue;
                }
                None if due.is_empty() => return self.at_end_of_start(now),
                None => return Pause::None,
            };
            if !self.player.is_due(log_ns, now) {
                return self.player.until(log_ns, now).map_or(Pause::Long, Pause::For);
            }
            if self.is_full() {
                self.player.wait_at(log_ns, now);
                self.tell();
                return Pause::For(FOLDED_CHECK);
            }
            let Some(Ok(PlacedItem { item, .. })) = self.cursor.next(&mut self.reader) else { break };
            if let RecordedItem::Entry(entry) = &item {
                self.anchor = Anchor { log_ns, at: entry.entry.at };
                if self.player.is_max() {
                    self.player.reached(log_ns, now);
                }
                self.next = self.next.max(entry.entry.seq.next());
                self.unfolded_bytes += entry.bytes.len();
            }
            due.push(item);
        }
        Pause::None
    }

    /// Hands out entries. The state is ahead of whoever folds them.
    fn push(&mut self, due: Vec<RecordedItem>) {
        let shared = Arc::clone(&self.shared);
        let mut stage = shared.stage();
        stage.chunk = self.cursor.chunk();
        let mut entries = Vec::with_capacity(due.len());
        for item in due {
            let is_renewed = match item {
                RecordedItem::Snapshot { bytes, .. } => stage.state.pass(&bytes),
                RecordedItem::Entry(entry) => {
                    let is_unknown = stage.state.take(entry.as_ref(), &shared.limits) == Carried::Unknown;
                    if is_unknown {
                        renew(&mut self.reader, &self.cursor, &mut stage.state);
                    }
                    entries.push(entry);
                    is_unknown
                }
            };
            self.renewed += u64::from(is_renewed);
        }
        stage.mirror.push(entries);
    }

    /// There are no more entries, of this start of the station or of any.
    fn at_end_of_start(&mut self, now: Mono) -> Pause {
        if let Some(next) = self.next_start() {
            let start_ns = self.shared.set.chunk(next).map_or(0, |chunk| chunk.place.start_ns);
            if !self.player.is_due(start_ns, now) {
                return self.player.until(start_ns, now).map_or(Pause::Long, Pause::For);
            }
            self.begin_next_start();
            return Pause::None;
        }
        if !self.player.is_held() && self.player.is_due(self.player.span().1, now) {
            let end_ns = self.player.span().1;
            self.player.reached(end_ns, now);
            self.player.hold(now);
            self.tell();
        }
        self.player.until(self.player.span().1, now).map_or(Pause::Long, Pause::For)
    }
}

/// How far it is from the beginning.
fn passed(player: &Player, now: Mono) -> Duration {
    Duration::from_nanos(player.position(now).saturating_sub(player.span().0))
}

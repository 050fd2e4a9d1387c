//! The port itself: watches a recording, asks it, and moves in it.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    answers,
    clocks::Clocks,
    past::PastReader,
    player::Player,
    reach::{Reached, Target, last_moment, moment, reach},
    shared::Shared,
    thread::{Beginning, ReplayThread},
    walk::{each_entry, each_entry_of_all},
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{
        Answer, Command, Keyframe, Operator, Outcome, Page, PastPage, PortError, Query, Replay, ReplayAct,
        ReplayControl, ReplayPlace, ReplaySpan, Snapshot, Speed, StationPort,
    },
    recording::{EncodedSnapshot, RecordingSet, SetCursor, SetReader},
    station::past::beside,
    tap::{EntryRef, Reader},
    time::{Clock, Now, Wall},
};

/// How a replay begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayStart {
    /// Where.
    pub place: ReplayPlace,
    /// How fast.
    pub speed: Speed,
    /// Whether it holds there.
    pub is_held: bool,
}

/// Ends the thread with the last handle.
#[derive(Debug)]
struct ShutdownGuard {
    shared: Arc<Shared>,
}

impl Drop for ShutdownGuard {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl ReplayControl for ShutdownGuard {
    fn act(&self, act: ReplayAct) {
        self.shared.act(act);
    }

    fn folded(&self, generation: u64, next: Seq) {
        self.shared.folded(generation, next);
    }
}

/// The port of a recording. Clones are the same port.
#[derive(Clone, Debug)]
pub struct ReplayPort {
    life: Arc<ShutdownGuard>,
    past: Arc<PastReader>,
    /// What is asked reads all entries until the place, and no window waits for that.
    asked: Arc<PastReader>,
    /// Whether lists are answered also while it plays for which all entries have to be read.
    answers_all: bool,
    files: Arc<[PathBuf]>,
    notes: Arc<[String]>,
}

/// The first moment of a recording and the last one, by the wall clock.
fn ends(reader: &mut SetReader) -> Option<((u64, Now), (u64, Now))> {
    let mut cursor = SetCursor::at(reader.set(), 0);
    let first = loop {
        if let Ok(item) = cursor.next(reader)? {
            break moment(&item)?;
        }
    };
    Some((first, last_moment(reader)?))
}

/// What a recording spans, from its first moment to its last one.
fn span(set: &RecordingSet, clocks: &Clocks, ends: (Now, Now)) -> ReplaySpan {
    let (first, last) = (ends.0.wall.min(ends.1.wall), ends.0.wall.max(ends.1.wall));
    let shown = clocks.span().unwrap_or((first, last));
    let (first_ns, last_ns) = set.span_ns();
    let lasts = Duration::from_nanos(last_ns.saturating_sub(first_ns));
    ReplaySpan { first: first.min(shown.0), last: last.max(shown.1), lasts }
}

impl ReplayPort {
    /// What a recording spans, for places that are written; nothing where nothing in it can be read.
    #[must_use]
    pub fn span(set: &Arc<RecordingSet>) -> Option<ReplaySpan> {
        let mut reader = SetReader::new(Arc::clone(set));
        let ((_, first), (_, last)) = ends(&mut reader)?;
        Some(span(set, &Clocks::find(&mut reader), (first, last)))
    }

    /// The `log_time` of the first thing from a moment of the wall clock on, at the latest, and of the last
    /// until its millisecond ends, in nanoseconds: what a replay that goes there does not show yet, and does.
    ///
    /// # Errors
    /// [`PortError::NoKeyframe`] where nothing says what held there.
    pub fn times_of(reader: &mut SetReader, wall: Wall, limits: &Limits) -> Result<(u64, u64), PortError> {
        let clocks = Clocks::find(reader);
        let mut last_ns = |target| reach(reader, target, limits).map(|reached| reached.log_ns);
        let from_ns = last_ns(clocks.target_before(wall))?.saturating_add(1);
        Ok((from_ns, last_ns(clocks.target(wall))?))
    }

    /// The state in front of a `log_time`, and the place behind what it has: a part of a recording that
    /// begins there.
    ///
    /// # Errors
    /// [`PortError::NoKeyframe`] where nothing says what held there or later.
    pub fn part_from(
        reader: &mut SetReader,
        log_ns: u64,
        limits: &Limits,
    ) -> Result<(EncodedSnapshot, SetCursor), PortError> {
        let before = Target::Time(log_ns.saturating_sub(1));
        let Reached { state, cursor, .. } = reach(reader, before, limits)?;
        let snapshot = state.snapshot();
        Ok((EncodedSnapshot { at: snapshot.at, bytes: snapshot.encode() }, cursor))
    }

    /// Goes to a place of a recording, and replays it from there on a thread of its own. `clock` is the one
    /// of whoever watches.
    ///
    /// # Errors
    /// [`PortError::NoKeyframe`] where nothing says what held, [`PortError::Damaged`] where nothing can be
    /// read.
    pub fn open(
        set: Arc<RecordingSet>,
        start: ReplayStart,
        clock: Clock,
        limits: Limits,
    ) -> Result<Self, PortError> {
        let mut reader = SetReader::new(Arc::clone(&set));
        let nothing = || PortError::Damaged("nothing in the recording can be read".to_owned());
        let (first, last) = ends(&mut reader).ok_or_else(nothing)?;
        let clocks = Clocks::find(&mut reader);
        let span = span(&set, &clocks, (first.1, last.1));
        let (begin_ns, _) = set.span_ns();
        let target = match start.place {
            ReplayPlace::End => Target::Time(last.0),
            ReplayPlace::Wall(wall) => clocks.target(wall),
            ReplayPlace::After(after) => {
                let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
                Target::Time(begin_ns.saturating_add(after))
            }
            ReplayPlace::By(by) => Target::Time(last.0.saturating_add_signed(by.min(0))),
            ReplayPlace::Seq(seq) => Target::Entry { seq, near: 0 },
            _ => Target::Time(begin_ns),
        };
        let mut reached = reach(&mut reader, target, &limits)?;
        let now = clock.now().mono;
        let mut player = Player::new((begin_ns, last.0), now);
        player.set_speed(start.speed, now);
        player.go_to(reached.position(target, &mut reader), now);
        if !start.is_held {
            player.play(now);
        }
        let (files, notes) = (set.paths().map(Path::to_path_buf).collect(), set.notes().into());
        let asked = Arc::new(PastReader::new(SetReader::new(Arc::clone(&set))));
        let past = Arc::new(PastReader::new(SetReader::new(set)));
        let beginning = Beginning { reader, reached, player, clocks, span, first: first.1, last: last.1 };
        let (shared, thread) = ReplayThread::new(beginning, clock, &limits);
        let failed = |error: std::io::Error| {
            PortError::BadRequest(format!("cannot start a thread to replay with: {error}"))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(failed)?;
        let replay = move || runtime.block_on(thread.run());
        std::thread::Builder::new().name("replay".to_owned()).spawn(replay).map_err(failed)?;
        Ok(Self { life: Arc::new(ShutdownGuard { shared }), past, asked, answers_all: false, files, notes })
    }

    /// One that answers whether or not it plays, also what all entries have to be read for: invocations,
    /// refunds, events of runs, logs of sessions and of plugins. A screen is answered these while it holds.
    #[must_use]
    pub fn that_answers_all(self) -> Self {
        Self { answers_all: true, ..self }
    }

    /// Whether all entries until where it is are read for an answer: parts that cannot be read are missing.
    #[must_use]
    pub fn reads_entries(query: &Query) -> bool {
        answers::reads_entries(query)
    }

    /// Takes the entries of all starts of the station until where it is, in their order, for as long as that
    /// is wanted. It reads files meanwhile. How many parts could not be read.
    pub fn each_entry(&self, mut take: impl FnMut(EntryRef<'_>) -> ControlFlow<()>) -> u64 {
        each_entry_of_all(&self.life.shared, &self.asked, &mut take)
    }

    /// Takes those of the start of the station that is replayed. What cannot be read is passed over.
    pub fn each_entry_of_start(&self, mut take: impl FnMut(EntryRef<'_>)) {
        each_entry(&self.life.shared, &self.asked, &mut take);
    }

    /// Parts that could not be read for what was asked until now: a ladder, violations and findings are made
    /// from all entries.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.life.shared.unread()
    }

    /// The first file of the start of the station that is replayed.
    #[must_use]
    pub fn first_path_of_start(&self) -> Option<PathBuf> {
        self.life.shared.set.first_path_of_start(self.near()).map(Path::to_owned)
    }

    /// A chunk of the start of the station that is replayed.
    fn near(&self) -> usize {
        self.life.shared.stage().chunk.saturating_sub(1)
    }
}

impl Operator for ReplayPort {
    fn command(&self, _: Command) -> Answer<Outcome> {
        Box::pin(std::future::ready(Err(PortError::Replayed)))
    }

    fn query(&self, query: Query) -> Answer<Page> {
        let shared = Arc::clone(&self.life.shared);
        let at_hand = {
            let stage = shared.stage();
            answers::from_state(stage.state.state(), stage.state.at(), &query)
        };
        let asked = Arc::clone(&self.asked);
        let is_answered = self.answers_all || shared.view.borrow().is_held;
        let refused = answers::refused_while_playing(&query).filter(|_| !is_answered);
        Box::pin(async move {
            match at_hand.or_else(|| refused.map(Err)) {
                Some(page) => page,
                None => beside(move || answers::from_files(&shared, &asked, &query)).await?,
            }
        })
    }
}

impl StationPort for ReplayPort {
    fn snapshot(&self) -> Answer<Snapshot> {
        Box::pin(std::future::ready(Ok(self.life.shared.stage().state.snapshot())))
    }

    fn entries(&self) -> Result<Reader, PortError> {
        let stage = self.life.shared.stage();
        stage.mirror.reader().map_err(|error| PortError::Busy { what: error.to_string() })
    }

    fn past(&self, before: Seq) -> Answer<PastPage> {
        let (past, near) = (Arc::clone(&self.past), self.near());
        Box::pin(async move { beside(move || past.page(before, near)).await })
    }

    fn keyframe(&self, from: Seq) -> Answer<Option<Keyframe>> {
        let (past, near) = (Arc::clone(&self.past), self.near());
        Box::pin(async move { beside(move || past.keyframe(from, near)).await })
    }

    fn replay(&self) -> Option<Replay> {
        let control = Arc::clone(&self.life) as Arc<dyn ReplayControl>;
        let (files, notes) = (Arc::clone(&self.files), Arc::clone(&self.notes));
        let (view, is_sparse) = (self.life.shared.view.subscribe(), self.life.shared.set.is_sparse());
        Some(Replay { view, control, files, notes, is_sparse })
    }
}

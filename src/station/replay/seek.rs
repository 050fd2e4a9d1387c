//! Goes to places, as it is asked.

use std::ops::ControlFlow;

use super::{
    clocks::Anchor,
    note_search::NoteSearch,
    reach::{Found, Reached, Target, next_seq, reach},
    thread::{ReplayThread, damaged},
};
use crate::{
    ids::Seq,
    port::{PortError, ReplayPlace},
    recording::{PlacedItem, RecordedItem},
    tap::Mirror,
};

impl ReplayThread {
    pub(super) fn seek(&mut self, place: ReplayPlace) {
        let now = self.now();
        let (first_ns, last_ns) = self.player.span();
        let is_step = matches!(
            place,
            ReplayPlace::By(_)
                | ReplayPlace::NextEntry
                | ReplayPlace::Before(_)
                | ReplayPlace::NextNote(_)
                | ReplayPlace::NoteBefore(_)
                | ReplayPlace::End
        );
        if is_step {
            self.player.hold(now);
        }
        let at_ns = self.player.position(now);
        match place {
            ReplayPlace::Start => self.seek_time(first_ns),
            ReplayPlace::End => self.seek_time(last_ns),
            ReplayPlace::Wall(wall) => self.seek_target(self.clocks.target(wall)),
            ReplayPlace::After(after) => {
                let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
                self.seek_time(first_ns.saturating_add(after));
            }
            ReplayPlace::By(by) => self.seek_time(at_ns.saturating_add_signed(by)),
            ReplayPlace::NextEntry => self.step(),
            ReplayPlace::Seq(seq) => {
                self.seek_entry(Found { seq, chunk: self.near() });
                let last = self.shared.stage().state.last();
                if last < Some(seq) && self.cursor.peek(&mut self.reader).is_none() {
                    self.seek_time(at_ns);
                    let last = last.map_or_else(String::new, |last| format!(": its last is {last}"));
                    self.refuse(&format!("entry {seq} is not in the recording{last}"));
                }
            }
            ReplayPlace::Before(seq) => {
                self.seek_entry(Found { seq: Seq(seq.0.saturating_sub(1)), chunk: self.near() });
            }
            ReplayPlace::NextNote(from) => self.seek_note(from, true),
            ReplayPlace::NoteBefore(from) => self.seek_note(from, false),
        }
    }

    /// A chunk of the start of the station that is replayed.
    pub(super) fn near(&self) -> usize {
        self.cursor.chunk().saturating_sub(1)
    }

    /// Goes to a time. While it holds, what lies before that is handed out where no keyframe lies between.
    fn seek_time(&mut self, log_ns: u64) {
        let now = self.now();
        let (first_ns, last_ns) = self.player.span();
        let log_ns = log_ns.clamp(first_ns, last_ns);
        let set = &self.shared.set;
        let keyframe = set.keyframe_until(set.chunk_at(log_ns));
        // While it plays it would wait for who folds, short of there.
        let is_near = self.player.is_held()
            && log_ns >= self.player.position(now)
            && set.start_of(set.chunk_at(log_ns)).contains(&self.near())
            && keyframe.is_some_and(|keyframe| keyframe < self.cursor.chunk());
        if is_near {
            self.player.go_to(log_ns, now);
            return;
        }
        self.seek_target(Target::Time(log_ns));
    }

    fn seek_entry(&mut self, Found { seq, chunk }: Found) {
        self.seek_target(Target::Entry { seq, near: chunk });
    }

    fn seek_target(&mut self, target: Target) {
        match self.reach(target) {
            Ok(log_ns) => self.player.go_to(log_ns, self.now()),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    fn seek_note(&mut self, from: Option<Seq>, forward: bool) {
        let (from, near) = (from.or(self.shared.stage().state.last()), self.near());
        self.search = Some(NoteSearch::begin(&mut self.reader, from, near, forward));
    }

    /// Looks on for the entry of note that was asked for.
    pub(super) fn search_on(&mut self) {
        let Some(search) = &mut self.search else { return };
        let ControlFlow::Break(found) = search.step(&mut self.reader) else { return };
        let way = if search.is_forward { "further" } else { "earlier" };
        self.search = None;
        match found {
            Some(found) => self.seek_entry(found),
            None => self.refuse(&format!("no {way} failure, fault, loss, drop, alert, mark or command")),
        }
        self.tell();
    }

    /// To the next entry.
    fn step(&mut self) {
        while let Some(item) = self.cursor.peek(&mut self.reader) {
            if let Ok(PlacedItem { log_ns, item: RecordedItem::Entry(_) }) = item {
                let log_ns = *log_ns;
                self.player.go_to(log_ns, self.now());
                // The next step leads on from there.
                self.hand_out();
                return;
            }
            drop(self.cursor.next(&mut self.reader));
        }
        if self.next_start().is_some() {
            return self.begin_next_start();
        }
        self.refuse("this is the end of the recording");
    }

    /// Makes a new generation at a place; the `log_time` of that.
    fn reach(&mut self, target: Target) -> Result<u64, PortError> {
        self.shared.view.send_modify(|view| view.is_seeking = true);
        let mut reached = reach(&mut self.reader, target, &self.shared.limits)?;
        let position = reached.position(target, &mut self.reader);
        let Reached { state, cursor, log_ns, damage } = reached;
        if let Some((chunk, damage)) = damage {
            self.refuse(&damaged(self.reader.set(), chunk, &damage));
        }
        self.anchor = Anchor { log_ns, at: state.at() };
        self.cursor = cursor;
        self.unfolded_bytes = 0;
        self.next = next_seq(&state, &mut self.cursor, &mut self.reader);
        let mirror = Mirror::new(self.shared.limits.tap, self.next);
        self.shared.set_stage(mirror, state, self.cursor.chunk());
        Ok(position)
    }

    /// Another start of the station has places of its own.
    pub(super) fn begin_next_start(&mut self) {
        let Some(next) = self.next_start() else { return };
        let start_ns = self.shared.set.chunk(next).map_or(0, |chunk| chunk.place.start_ns);
        match self.reach(Target::Time(start_ns)) {
            Ok(_) => self.player.go_to(start_ns, self.now()),
            Err(error) => {
                self.refuse(&error.to_string());
                self.player.hold(self.now());
            }
        }
        self.tell();
    }
}

//! The loop. All that enters a console is an [`Input`] with the moment at which it came; what is shown is a
//! function of these alone. Beside the loop, the clock is read only to see how long work takes: when a slice
//! of folding ends, and what a frame costs.
//!
//! While it is behind it never sleeps. So it yields between two slices, without which the runtime would let
//! no channel speak for long; and what is due by the clock is due at once, without a timer.

use std::{convert::Infallible, time::Duration};

use futures_util::StreamExt as _;
use tokio::sync::{mpsc, watch};

use super::{
    answer::Answer,
    app::{App, FOLD_EVERY, SLICE, Sync},
    replaying::changed,
    waiting::{ready, sleep},
};
use crate::{
    console::{
        settings::{Exit, config_watcher::Reload},
        ui::event::TerminalEvent,
    },
    time::Now,
};

/// What was typed and lies ready is taken in together before it is painted, at most so many of it.
const TYPED_MAX: usize = 64;

/// One thing that enters a console.
pub(crate) enum Input {
    /// The process is to stop.
    Stopped,
    /// What was typed, with what lay ready behind it.
    Typed(Vec<TerminalEvent>),
    /// The station, or a thread beside this one, answered.
    Answered(Answer),
    /// The terminal takes another frame, or none any more.
    Written,
    /// Looks were read again.
    Reloaded(Reload),
    /// A recording is elsewhere otherwise than by time.
    ReplayMoved,
    /// The clock of a recording that plays shows something else.
    ReplayTicked,
    /// A frame with what has come is due.
    FrameDue,
    /// A snapshot is to be asked for.
    SnapshotDue,
    /// Another second of the wall clock.
    SecondBegan,
    /// Entries came and have gathered for a while.
    EntriesCame,
    /// The last slice left entries unread.
    EntriesLeft,
    /// There is more of the past to fold.
    PastLeft,
    /// The list of the wire, a ladder or the time bar is not made of all that is kept.
    ListsLeft,
}

impl App {
    /// Runs until something ends it, or until a recording is to be shown over it.
    pub(crate) async fn run(
        &mut self,
        typed: &mut mpsc::Receiver<TerminalEvent>,
        mut stop: watch::Receiver<bool>,
    ) -> Exit {
        self.now = self.clock.now();
        self.begin();
        loop {
            if let Some(exit) = self.ended() {
                return exit;
            }
            self.now = self.clock.now();
            let input = self.next(typed, &mut stop).await;
            if let Some(exit) = self.take(input, self.clock.now()) {
                return exit;
            }
        }
    }

    /// Takes in what happens, without being drawn.
    pub(super) async fn run_undrawn(&mut self) -> Infallible {
        self.share_present();
        loop {
            self.now = self.clock.now();
            let input = self.next_undrawn().await;
            let now = self.clock.now();
            if matches!(input, Input::SecondBegan) {
                self.tick_undrawn(now);
            } else {
                let _ = self.take(input, now);
            }
        }
    }

    /// Takes in what comes of a recording that holds or plays, without being drawn, until that is so.
    pub(super) async fn run_headless(&mut self, is_over: impl Fn(&Self) -> bool) {
        self.now = self.clock.now();
        while !is_over(self) {
            let input = self.next_headless().await;
            let _ = self.take(input, self.clock.now());
        }
    }

    /// Waits for the next input: what was typed first, then answers, then frames, then data.
    async fn next(
        &mut self,
        typed: &mut mpsc::Receiver<TerminalEvent>,
        stop: &mut watch::Receiver<bool>,
    ) -> Input {
        let until_frame = (self.is_dirty && self.mailbox.is_free()).then(|| self.until_paint());
        let (until_second, until_moved) = (self.until_tick(), self.until_moved());
        let until_snapshot = self.until_snapshot().filter(|_| self.model.station_state.is_some());
        // What answers a key comes first, unless the terminal takes nothing now.
        let may_fold = self.paint_by.is_none() || !self.mailbox.is_free();
        let patience = if self.is_idle() { Some(Duration::ZERO) } else { self.until_fold() };
        tokio::select! {
            biased;
            // It stops as well where nothing is left that could say so.
            _ = stop.wait_for(|stop| *stop) => Input::Stopped,
            typed = typed_together(typed) => Input::Typed(typed),
            Some(answer) = self.answers.next(), if !self.answers.is_empty() => Input::Answered(answer),
            () = self.mailbox.changed() => Input::Written,
            reload = self.config_watcher.next() => Input::Reloaded(reload),
            () = changed(self.replaying.as_mut()) => Input::ReplayMoved,
            () = sleep(until_moved), if until_moved.is_some() => Input::ReplayTicked,
            () = sleep(until_frame), if until_frame.is_some() => Input::FrameDue,
            () = sleep(until_snapshot), if until_snapshot.is_some() => Input::SnapshotDue,
            () = sleep(Some(until_second)) => Input::SecondBegan,
            () = tokio::task::yield_now(), if self.is_behind && may_fold => Input::EntriesLeft,
            () = tokio::task::yield_now(), if self.is_past_behind() => Input::PastLeft,
            () = tokio::task::yield_now(), if self.ui.is_behind() => Input::ListsLeft,
            () = ready(self.reader.as_mut(), patience),
                if patience.is_some() && self.sync == Sync::Synced && may_fold => Input::EntriesCame,
        }
    }

    /// Waits for the next input, while nobody looks.
    async fn next_undrawn(&mut self) -> Input {
        let (until_second, until_snapshot) = (self.until_tick(), self.until_snapshot());
        let patience = (self.folded_at + FOLD_EVERY).since(self.now.mono);
        tokio::select! {
            biased;
            Some(answer) = self.answers.next(), if !self.answers.is_empty() => Input::Answered(answer),
            () = sleep(until_snapshot), if until_snapshot.is_some() => Input::SnapshotDue,
            () = sleep(Some(until_second)) => Input::SecondBegan,
            () = tokio::task::yield_now(), if self.is_behind => Input::EntriesLeft,
            () = tokio::task::yield_now(), if self.is_past_behind() => Input::PastLeft,
            () = ready(self.reader.as_mut(), Some(patience)), if self.sync == Sync::Synced => {
                Input::EntriesCame
            }
        }
    }

    /// Waits for the next input that is no second of the clock.
    async fn next_headless(&mut self) -> Input {
        let until_snapshot = self.until_snapshot();
        tokio::select! {
            biased;
            () = changed(self.replaying.as_mut()) => Input::ReplayMoved,
            Some(answer) = self.answers.next(), if !self.answers.is_empty() => Input::Answered(answer),
            () = sleep(until_snapshot), if until_snapshot.is_some() => Input::SnapshotDue,
            () = tokio::task::yield_now(), if self.is_behind => Input::EntriesLeft,
            () = ready(self.reader.as_mut(), Some(Duration::ZERO)), if self.sync == Sync::Synced => {
                Input::EntriesCame
            }
            () = tokio::task::yield_now(), if self.is_past_behind() => Input::PastLeft,
            () = tokio::task::yield_now(), if self.ui.is_behind() => Input::ListsLeft,
        }
    }

    /// Takes in an input that came at this moment; how it ends the console, if it does.
    pub(crate) fn take(&mut self, input: Input, now: Now) -> Option<Exit> {
        self.now = now;
        match input {
            Input::Stopped => return Some(Exit::Stopped),
            Input::Typed(typed) => return self.take_typed(typed),
            Input::Answered(answer) => {
                let exit = self.handle_answer(answer);
                if exit.is_some() {
                    return exit;
                }
                self.paint_answered();
            }
            Input::Written => {}
            Input::Reloaded(reload) => self.reload(reload),
            Input::ReplayMoved => self.check_replay(),
            Input::ReplayTicked => self.is_dirty = true,
            Input::FrameDue => self.fold_or_paint(),
            Input::SnapshotDue => self.connect(),
            Input::SecondBegan => return self.tick(),
            Input::EntriesCame | Input::EntriesLeft => self.fold(),
            Input::PastLeft => self.fold_past(),
            Input::ListsLeft => {
                let slice = self.slice(SLICE);
                self.is_dirty |= self.ui.advance_until(|| slice.is_over(), self.shown_now());
            }
        }
        None
    }

    /// Takes in what was typed, and shows it at once; data keeps its own pace.
    fn take_typed(&mut self, typed: Vec<TerminalEvent>) -> Option<Exit> {
        for typed in typed {
            match typed {
                TerminalEvent::Event(event) => {
                    let exit = self.handle_event(event);
                    if exit.is_some() {
                        return exit;
                    }
                }
                TerminalEvent::Resumed => self.painter.retake(self.ui.mouse),
                TerminalEvent::HangUp => return Some(Exit::HangUp),
            }
        }
        self.paint_typed();
        None
    }

    /// Why it ends before anything else: its terminal is gone, or a recording is to be shown.
    fn ended(&self) -> Option<Exit> {
        if self.mailbox.has_failed() {
            return Some(Exit::HangUp);
        }
        self.over_station.has_opened().then_some(Exit::Quit)
    }

    /// Whether the screen shows all that is folded, and all is folded that was read.
    const fn is_idle(&self) -> bool {
        !self.is_dirty && !self.is_behind
    }

    /// How long until entries are taken in although nothing can be painted yet: a slow pace and a slow
    /// terminal must lose none.
    fn until_fold(&self) -> Option<Duration> {
        let waits = self.is_dirty && !self.is_behind;
        (waits
            && (self.ui.time.is_stopped()
                || self.frame_scheduler.reduced_rate().is_some()
                || !self.mailbox.is_free()))
        .then(|| (self.folded_at + FOLD_EVERY).since(self.now.mono))
    }

    /// How long until a snapshot may be asked for, while one is needed.
    fn until_snapshot(&self) -> Option<Duration> {
        (self.sync == Sync::Needed).then(|| self.until_resync())
    }

    /// How long until the wall clock shows another second than was shown last.
    fn until_tick(&self) -> Duration {
        let wall = self.now.wall.0;
        if wall / 1_000 == self.ticked_s {
            Duration::from_millis(1_000 - wall % 1_000)
        } else {
            Duration::ZERO
        }
    }
}

/// Waits until something is typed, and takes what lies ready behind it.
async fn typed_together(input: &mut mpsc::Receiver<TerminalEvent>) -> Vec<TerminalEvent> {
    // The terminal's thread is gone.
    let Some(first) = input.recv().await else { return vec![TerminalEvent::HangUp] };
    let mut typed = vec![first];
    while typed.len() < TYPED_MAX
        && let Ok(next) = input.try_recv()
    {
        typed.push(next);
    }
    typed
}

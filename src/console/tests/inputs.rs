//! What is shown is a function of what enters the console and of its moments.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::{mpsc, oneshot};

use super::{
    loops::{FakeStation, config, emit},
    test_console::connected,
};
use crate::{
    console::{
        app::{Answer, App, Input},
        terminal::Mailbox,
        ui::event::{Event, TerminalEvent},
    },
    limits::Limits,
    port::Snapshot,
    tap::{Tap, entry::Link},
    time::{Clock, Now},
};

/// A console that is given its inputs by hand.
struct ByHand {
    app: App,
    tap: Tap,
    mailbox: Arc<Mailbox>,
    ms: u64,
    frames: Vec<Vec<u8>>,
    _asks: mpsc::Receiver<oneshot::Sender<Snapshot>>,
}

impl ByHand {
    fn new(clock: Clock) -> Self {
        let mut limits = Limits::default();
        // What frames cost on this machine is of no account then.
        limits.console.frames_per_s_max = 1;
        let tap = Tap::new(limits.tap);
        let (asked, asks) = mpsc::channel(16);
        let port = Arc::new(FakeStation { tap: tap.clone(), asked });
        let mailbox = Arc::new(Mailbox::default());
        let (config, now) = (config(&limits, clock), Now::at_ms(1_000));
        let app = App::new(port, config, now, Arc::clone(&mailbox), (80, 24));
        Self { app, tap, mailbox, ms: 1_000, frames: Vec::new(), _asks: asks }
    }

    fn take(&mut self, input: Input) {
        self.ms += 700;
        assert!(self.app.take(input, Now::at_ms(self.ms)).is_none());
        while self.app.is_behind {
            self.app.take(Input::EntriesLeft, Now::at_ms(self.ms));
        }
        if !self.mailbox.is_free() {
            self.frames.extend(self.mailbox.take(|| Now::at_ms(self.ms).mono));
        }
    }

    fn emit(&mut self, id: u64) {
        emit(&self.tap, id, Now::at_ms(self.ms));
        self.take(Input::EntriesCame);
        self.take(Input::EntriesCame);
    }

    fn press(&mut self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        let at = Now::at_ms(self.ms + 700).mono;
        self.take(Input::Typed(vec![TerminalEvent::Event(Event::Key { key, at })]));
    }
}

/// Frames of a short evening, by a clock that says something else.
fn frames(clock: Clock) -> Vec<Vec<u8>> {
    let mut it = ByHand::new(clock);
    it.emit(1);
    it.take(Input::SnapshotDue);
    let mut snapshot = connected();
    snapshot.as_of.0 = [it.tap.last(); Link::ALL.len()];
    it.take(Input::Answered(Answer::Snapshot(Ok(Box::new(snapshot)))));
    it.take(Input::FrameDue);
    it.take(Input::FrameDue);
    for id in 2..30 {
        it.emit(id);
        it.take(Input::SecondBegan);
        it.take(Input::FrameDue);
        it.take(Input::FrameDue);
    }
    for key in [KeyCode::Char('2'), KeyCode::Tab, KeyCode::Down, KeyCode::Char(' '), KeyCode::Char(',')] {
        it.press(key);
        it.take(Input::ListsLeft);
        it.take(Input::FrameDue);
    }
    it.frames
}

#[test]
fn the_same_inputs_at_the_same_moments_give_the_same_frames_whatever_the_clock_says() {
    let (some, others) = (frames(Clock::start()), frames(Clock::ahead()));
    assert!(some.len() > 30, "{}", some.len());
    for (at, (one, other)) in some.iter().zip(&others).enumerate() {
        let words = |frame: &[u8]| String::from_utf8_lossy(frame).into_owned();
        assert_eq!(words(one), words(other), "frame {at}");
    }
    assert_eq!(some.len(), others.len());
}

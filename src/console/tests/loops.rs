//! The loop itself, over a fake station with a real tap and a terminal in memory.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::{mpsc, oneshot, watch};

use super::stage::{Stage, connected, enqueued, show};
use crate::{
    console::{
        CommandHints, Config, Depth, Exit,
        app::App,
        event::{Event, TerminalEvent},
        terminal::{Mailbox, Painter},
    },
    limits::Limits,
    port::{Answer, Command, Operator, Outcome, Page, PortError, Query, Snapshot, StationPort},
    tap::{
        Draft, Reader, Tap,
        entry::{Link, Transition, What},
    },
    time::{Clock, Now},
};

/// How long a test waits for a screen that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A station that answers snapshots when it is told to.
struct FakeStation {
    tap: Tap,
    asked: mpsc::Sender<oneshot::Sender<Snapshot>>,
}

impl Operator for FakeStation {
    fn command(&self, _: Command) -> Answer<Outcome> {
        Box::pin(async { Err(PortError::Stopping) })
    }

    fn query(&self, _: Query) -> Answer<Page> {
        Box::pin(async { Err(PortError::Stopping) })
    }
}

impl StationPort for FakeStation {
    fn snapshot(&self) -> Answer<Snapshot> {
        let (answer, answered) = oneshot::channel();
        self.asked.try_send(answer).unwrap();
        Box::pin(async { answered.await.map_err(|_| PortError::Stopping) })
    }

    fn entries(&self) -> Result<Reader, PortError> {
        Ok(self.tap.reader().unwrap())
    }
}

/// A running console: what a test holds of it.
struct Rig {
    tap: Tap,
    asked: mpsc::Receiver<oneshot::Sender<Snapshot>>,
    keys: mpsc::Sender<TerminalEvent>,
    stop: watch::Sender<bool>,
    screen: Arc<Mutex<vt100::Parser>>,
    clock: Clock,
    seen: mpsc::Receiver<()>,
}

impl Rig {
    async fn key(&self, character: char) {
        let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
        self.keys.send(TerminalEvent::Happened(Event::Key { key, at: self.clock.now().mono })).await.unwrap();
    }

    /// Waits until the screen shows these words.
    async fn shows(&mut self, words: &str) {
        while !self.screen.lock().unwrap().screen().contents().contains(words) {
            let came = tokio::time::timeout(PATIENCE, self.seen.recv()).await;
            let contents = || self.screen.lock().unwrap().screen().contents();
            assert!(matches!(came, Ok(Some(()))), "{words:?} never came:\n{}", contents());
        }
    }

    async fn snapshot(&mut self, as_of_last: bool) {
        let mut snapshot = connected();
        if as_of_last {
            snapshot.as_of.0 = [self.tap.last(); 2];
        }
        assert!(self.asked.recv().await.unwrap().send(snapshot).is_ok());
    }

    fn emit(&self, id: u64) {
        let what = What::Transition(Transition::Mpp(enqueued(id, "default")));
        self.tap.emit(Draft { at: self.clock.now(), link: Link::Mpp, trace: None, cause: None, what, bytes: b"" });
    }
}

/// Runs a console against a test.
fn with_console<F: Future<Output = Rig>>(limits: Limits, test: impl FnOnce(Rig) -> F) -> Exit {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (tap, clock) = (Tap::new(limits.tap), Clock::start());
    let (asked, asks) = mpsc::channel(16);
    let (keys, input) = mpsc::channel(16);
    let (stop, stopped) = watch::channel(false);
    let (saw, seen) = mpsc::channel(1_024);
    let screen = Arc::new(Mutex::new(vt100::Parser::new(size(24), size(80), 0)));
    let config = Config {
        theme: "midnight".to_owned(),
        ascii: false,
        depth: Depth::True,
        name: "friday-night".to_owned(),
        mouse: true,
        limits,
        clock,
        commands: CommandHints::default(),
    };
    let mailbox = Arc::new(Mailbox::default());
    let glass = Glass { screen: Arc::clone(&screen), saw };
    crate::console::terminal::spawn_writer(Arc::clone(&mailbox), glass, clock).unwrap();
    let port = Arc::new(FakeStation { tap: tap.clone(), asked });
    let mut app = App::new(port, config, mailbox, 80, 24);
    let rig = Rig { tap, asked: asks, keys, stop, screen, clock, seen };
    runtime.block_on(async {
        let (exit, _rig) = tokio::join!(app.run(input, stopped), test(rig));
        exit
    })
}

fn size(cells: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(cells).unwrap()
}

/// A terminal in memory.
struct Glass {
    screen: Arc<Mutex<vt100::Parser>>,
    saw: mpsc::Sender<()>,
}

impl std::io::Write for Glass {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.screen.lock().unwrap().process(bytes);
        let _ = self.saw.try_send(());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn paints_and_quits_before_the_station_has_answered_anything() {
    let exit = with_console(Limits::default(), |mut rig| async move {
        rig.shows("starting").await;
        rig.key('q').await;
        rig
    });
    assert_eq!(exit, Exit::Quit);
}

#[test]
fn shows_entries_behind_the_snapshot_and_ends_when_asked_to() {
    let exit = with_console(Limits::default(), |mut rig| async move {
        rig.emit(1);
        rig.snapshot(true).await;
        rig.emit(2);
        rig.emit(3);
        rig.shows("LOG").await;
        rig.shows("default        applied     2").await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn takes_a_new_snapshot_after_a_loss_and_says_how_much_was_lost() {
    let mut limits = Limits::default();
    limits.tap.ring_entries_max = 1_024;
    let exit = with_console(limits, |mut rig| async move {
        rig.snapshot(true).await;
        rig.shows("loss 0").await;
        for id in 0..2_048 {
            rig.emit(id);
        }
        let lost = rig.tap.counters().evicted;
        assert!(lost >= 1_024);
        rig.snapshot(true).await;
        rig.shows(&format!("loss {lost}")).await;
        rig.emit(9_999);
        rig.shows("default        applied     1").await;
        rig.keys.send(TerminalEvent::HangUp).await.unwrap();
        rig
    });
    assert_eq!(exit, Exit::HangUp);
}

#[test]
fn when_idle_a_second_costs_at_most_200_bytes() {
    for (columns, rows) in [(80, 24), (160, 50), (300, 100)] {
        let mut stage = Stage::of_size(columns, rows);
        stage.resync(connected());
        let mut painter = Painter::new(columns, rows);
        for second in 0..120 {
            stage.view.now = Now::at_ms(second * 1_000);
            stage.ui.settle(&stage.model);
            crate::console::draw::draw(painter.canvas(), &stage.model, &stage.ui, &stage.view);
            let bytes = painter.frame().unwrap().len();
            assert!(second == 0 || bytes <= 200, "{bytes} bytes at {columns}x{rows} in second {second}");
        }
    }
}

#[test]
fn a_busy_show_costs_at_most_16_kib_a_frame() {
    let mut stage = show(160, 50);
    let mut painter = Painter::new(160, 50);
    let mut id = 100;
    for frame in 0..60 {
        for _ in 0..30 {
            id += 1;
            stage.mpp(enqueued(id, "default"), "");
            stage.mpp(super::stage::done(id, "default"), "");
            stage.pass(1);
        }
        stage.ui.settle(&stage.model);
        crate::console::draw::draw(painter.canvas(), &stage.model, &stage.ui, &stage.view);
        let bytes = painter.frame().unwrap().len();
        assert!(frame == 0 || bytes <= 16_384, "{bytes} bytes");
    }
}

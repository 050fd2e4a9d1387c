//! The loop itself, over a fake station with a real tap and a terminal in memory.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::{mpsc, oneshot, watch};

use super::test_console::{TestConsole, connected, enqueued, show};
use crate::{
    console::{
        app::App,
        draw::Depth,
        model::station::ConsoleHealth,
        settings::{AppearanceSettings, CommandHints, Config, ConfigSource, Exit},
        terminal::{Mailbox, Painter},
        ui::event::{Event, TerminalEvent},
    },
    limits::Limits,
    port::{Answer, Command, Operator, Outcome, Page, PortError, Query, Snapshot, StationPort},
    tap::{
        Draft, Reader, Tap,
        entry::{Link, Transition, What, mpp as events},
    },
    time::{Clock, Now},
};

/// How long a test waits for a screen that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A station that answers snapshots when it is told to.
pub(super) struct FakeStation {
    pub(super) tap: Tap,
    pub(super) asked: mpsc::Sender<oneshot::Sender<Snapshot>>,
}

impl Operator for FakeStation {
    fn command(&self, _: Command) -> Answer<Outcome> {
        Box::pin(async { Err(PortError::Stopping) })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        if matches!(query, Query::Judge { .. }) {
            return Box::pin(std::future::pending());
        }
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
pub(super) struct Fixture {
    tap: Tap,
    asked: mpsc::Receiver<oneshot::Sender<Snapshot>>,
    keys: mpsc::Sender<TerminalEvent>,
    stop: watch::Sender<bool>,
    screen: Arc<Mutex<vt100::Parser>>,
    clock: Clock,
    seen: mpsc::Receiver<()>,
    frames: Arc<AtomicUsize>,
}

impl Fixture {
    pub(super) async fn key(&self, character: char) {
        self.press(KeyCode::Char(character)).await;
    }

    pub(super) async fn press(&self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        self.keys.send(TerminalEvent::Event(Event::Key { key, at: self.clock.now().mono })).await.unwrap();
    }

    /// Waits until the screen shows these words, however far they stand apart.
    pub(super) async fn shows(&mut self, words: &str) {
        let closed_up = |screen: &str| screen.split_whitespace().collect::<Vec<_>>().join(" ");
        self.wait(words, |screen| closed_up(screen).contains(words)).await;
    }

    /// Waits until the screen shows these words no more.
    pub(super) async fn shows_not(&mut self, words: &str) {
        self.wait(words, |screen| !screen.contains(words)).await;
    }

    async fn wait(&mut self, words: &str, wanted: impl Fn(&str) -> bool) {
        let screen = Arc::clone(&self.screen);
        let contents = || screen.lock().unwrap().screen().contents();
        let come = async {
            while !wanted(&contents()) {
                self.seen.recv().await.unwrap();
            }
        };
        assert!(tokio::time::timeout(PATIENCE, come).await.is_ok(), "{words:?}:\n{}", contents());
    }

    pub(super) async fn snapshot(&mut self, as_of_last: bool) {
        let mut snapshot = connected();
        if as_of_last {
            snapshot.as_of.0 = [self.tap.last(); Link::ALL.len()];
        }
        assert!(self.asked.recv().await.unwrap().send(snapshot).is_ok());
    }

    fn emit(&self, id: u64) {
        emit(&self.tap, id, self.clock.now());
    }
}

/// Tells of an invocation that was enqueued.
pub(super) fn emit(tap: &Tap, id: u64, at: Now) {
    let what = What::Transition(Transition::Mpp(enqueued(id, "default")));
    tap.emit(Draft { at, link: Link::Mpp, trace: None, cause: None, what, bytes: b"" });
}

/// How a console is configured that goes by this clock.
pub(super) fn config(limits: &Limits, clock: Clock) -> Config {
    Config {
        appearance: AppearanceSettings {
            theme: "midnight".to_owned(),
            mouse: true,
            ..AppearanceSettings::default()
        },
        source: None,
        depth: Depth::True,
        passthrough: crate::console::settings::Passthrough::None,
        on_air: crate::console::draw::OnAir::default(),
        name: "friday-night".to_owned(),
        limits: *limits,
        clock,
        shell: crate::console::settings::Shell::default(),
        commands: CommandHints::default(),
        start: crate::console::settings::Start::default(),
    }
}

/// Runs a console against a test.
fn with_console<F: Future<Output = Fixture>>(limits: &Limits, test: impl FnOnce(Fixture) -> F) -> Exit {
    with_source(limits, None, test)
}

/// The same, with looks that can change.
pub(super) fn with_source<F: Future<Output = Fixture>>(
    limits: &Limits,
    source: Option<Arc<dyn ConfigSource>>,
    test: impl FnOnce(Fixture) -> F,
) -> Exit {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (tap, clock) = (Tap::new(limits.tap), Clock::start());
    let (asked, asks) = mpsc::channel(16);
    let (keys, mut input) = mpsc::channel(16);
    let (stop, stopped) = watch::channel(false);
    let (saw, seen) = mpsc::channel(1_024);
    let frames = Arc::new(AtomicUsize::new(0));
    let screen = Arc::new(Mutex::new(vt100::Parser::new(size(24), size(80), 0)));
    let config = Config { source, ..config(limits, clock) };
    let mailbox = Arc::new(Mailbox::default());
    let glass = Glass { screen: Arc::clone(&screen), saw, frames: Arc::clone(&frames) };
    crate::console::terminal::spawn_writer(Arc::clone(&mailbox), glass, clock).unwrap();
    let port = Arc::new(FakeStation { tap: tap.clone(), asked });
    let mut app = App::new(port, config, clock.now(), mailbox, (80, 24));
    let rig = Fixture { tap, asked: asks, keys, stop, screen, clock, seen, frames };
    runtime.block_on(async {
        let (exit, _rig) = tokio::join!(app.run(&mut input, stopped), test(rig));
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
    frames: Arc<AtomicUsize>,
}

impl std::io::Write for Glass {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.screen.lock().unwrap().process(bytes);
        self.frames.fetch_add(memchr::memmem::find_iter(bytes, b"\x1b[?2026l").count(), Ordering::SeqCst);
        let _ = self.saw.try_send(());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn paints_and_quits_before_the_station_has_answered_anything() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.shows("starting").await;
        rig.key('q').await;
        rig
    });
    assert_eq!(exit, Exit::Quit);
}

#[test]
fn what_is_typed_is_painted_also_where_no_verdict_on_it_comes() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.snapshot(true).await;
        rig.shows("loss 0").await;
        rig.key('i').await;
        rig.shows("asking what the core would make of it").await;
        for letter in "zyx".chars() {
            rig.key(letter).await;
        }
        rig.shows("zyx").await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn shows_entries_behind_the_snapshot_and_ends_when_asked_to() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.emit(1);
        rig.snapshot(true).await;
        rig.emit(2);
        rig.emit(3);
        rig.shows("log").await;
        rig.shows("default applied 2").await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn takes_a_new_snapshot_after_a_loss_and_says_how_much_was_lost() {
    let mut limits = Limits::default();
    limits.tap.ring_entries_max = 1_024;
    let exit = with_console(&limits, |mut rig| async move {
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
        rig.shows("default applied 1").await;
        rig.keys.send(TerminalEvent::HangUp).await.unwrap();
        rig
    });
    assert_eq!(exit, Exit::HangUp);
}

#[test]
fn a_flood_of_broken_messages_is_judged_in_slices_until_all_are() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.snapshot(true).await;
        rig.shows("loss 0").await;
        for _ in 0..1_500 {
            let (frame, bytes) = super::findings::broken_frame();
            rig.tap.emit(Draft {
                at: rig.clock.now(),
                link: Link::Rmp,
                trace: None,
                cause: None,
                what: What::Frame(frame),
                bytes: &bytes,
            });
        }
        rig.key('9').await;
        rig.shows("pattern trace-ba… $.trace_base.span_id 1500").await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn takes_a_new_snapshot_when_a_host_is_up_again_that_was_down() {
    use crate::tap::entry::station;
    let exit = with_console(&Limits::default(), |mut rig| async move {
        let report = |rig: &Fixture, transition| {
            let what = What::Transition(Transition::Station(transition));
            rig.tap.emit(Draft {
                at: rig.clock.now(),
                link: Link::Station,
                trace: None,
                cause: None,
                what,
                bytes: b"it failed",
            });
        };
        rig.snapshot(true).await;
        rig.emit(1);
        rig.shows("default applied 1").await;
        report(&rig, station::Transition::HostDown { link: Link::Mpp });
        rig.shows("MPP ○").await;
        report(&rig, station::Transition::HostUp { link: Link::Mpp });
        rig.emit(2);
        rig.snapshot(true).await;
        rig.shows("default applied 0").await;
        rig.emit(3);
        rig.shows("default applied 1").await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn when_idle_a_second_costs_at_most_200_bytes() {
    for (columns, rows) in [(80, 24), (160, 50), (300, 100)] {
        let mut stage = TestConsole::of_size(columns, rows);
        stage.resync(connected());
        let mut painter = Painter::new(columns, rows);
        for second in 0..120 {
            stage.view.now = Now::at_ms(second * 1_000);
            stage.view.clock = stage.view.now;
            stage.ui.reconcile(&stage.model);
            crate::console::screen::frame::draw(painter.canvas(), &stage.model, &stage.ui, &stage.view);
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
            stage.mpp(super::test_console::done(id, "default"), "");
            stage.pass(1);
        }
        stage.ui.reconcile(&stage.model);
        crate::console::screen::frame::draw(painter.canvas(), &stage.model, &stage.ui, &stage.view);
        let bytes = painter.frame().unwrap().len();
        assert!(frame == 0 || bytes <= 16_384, "{bytes} bytes");
    }
}

#[test]
fn keys_are_heard_while_entries_come_without_end() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.snapshot(true).await;
        rig.shows("loss 0").await;
        let (tap, clock) = (rig.tap.clone(), rig.clock);
        let (enough, asked) = std::sync::mpsc::sync_channel::<()>(1);
        let flood = std::thread::spawn(move || {
            let mut id = 0;
            while asked.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                id += 1;
                let what = What::Transition(Transition::Mpp(enqueued(id, "default")));
                tap.emit(Draft {
                    at: clock.now(),
                    link: Link::Mpp,
                    trace: None,
                    cause: None,
                    what,
                    bytes: b"",
                });
            }
        });
        // More keys than a runtime lets one channel give in one turn.
        for _ in 0..300 {
            rig.key('T').await;
            while let Ok(answer) = rig.asked.try_recv() {
                let mut snapshot = connected();
                snapshot.as_of.0 = [rig.tap.last(); Link::ALL.len()];
                let _ = answer.send(snapshot);
            }
        }
        rig.key('?').await;
        rig.shows("Keys of").await;
        drop(enough);
        flood.join().unwrap();
        rig.keys.send(TerminalEvent::HangUp).await.unwrap();
        rig
    });
    assert_eq!(exit, Exit::HangUp);
}

#[test]
fn while_time_is_stopped_entries_are_taken_in_and_few_frames_are_written_and_live_is_all_of_it_at_once() {
    let mut limits = Limits::default();
    limits.tap.ring_entries_max = 1_024;
    let exit = with_console(&limits, |mut rig| async move {
        rig.snapshot(true).await;
        rig.shows("loss 0").await;
        rig.key(' ').await;
        rig.shows("PAUSED").await;
        let (from, before) = (rig.clock.now().mono, rig.frames.load(Ordering::SeqCst));
        // Three times what the tap holds: what is not read while time is stopped is lost.
        for id in 0..3_000 {
            rig.emit(id);
            if id % 100 == 99 {
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
        }
        let (took, frames) = (rig.clock.now().mono.since(from), rig.frames.load(Ordering::SeqCst) - before);
        assert!(frames as u128 <= took.as_millis() / 250 + 2, "{frames} frames in {took:?}");
        rig.shows("3000 waiting").await;
        rig.shows("default applied 0").await;
        rig.press(KeyCode::End).await;
        rig.wait("live", |screen| {
            let is_live = screen.contains("LIVE");
            let all =
                screen.split_whitespace().collect::<Vec<_>>().join(" ").contains("default applied 3000");
            assert!(
                !is_live || (all && screen.contains("loss 0")),
                "the first live screen is of now, and lacks nothing:\n{screen}"
            );
            is_live
        })
        .await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn the_loop_measures_what_its_frames_cost() {
    let exit = with_console(&Limits::default(), |mut rig| async move {
        rig.snapshot(true).await;
        rig.key('9').await;
        rig.emit(1);
        rig.wait("a frame time on the chip of the Meter", |screen| {
            screen.split("meter").nth(1).is_some_and(|rest| rest.split_whitespace().nth(1) == Some("ms"))
        })
        .await;
        rig.stop.send(true).unwrap();
        rig
    });
    assert_eq!(exit, Exit::Stopped);
}

#[test]
fn a_console_that_does_less_says_so() {
    let mut stage = show(100, 30);
    assert!(!stage.text().contains("fps"));
    stage.model.console_health =
        ConsoleHealth { frames_per_s: Some(15), lag: 12_345, ..ConsoleHealth::default() };
    let header = stage.text().lines().next().unwrap().to_owned();
    assert!(header.contains("~15 fps  12.3k behind  loss 0"), "{header}");
}

#[test]
fn losses_that_follow_each_other_are_one_notice_and_long_lines_are_cut() {
    let mut stage = show(100, 30);
    let before = stage.model.journal.notices.len();
    stage.model.record_loss(1_000, Now::at_ms(1_000));
    stage.mpp(events::Transition::Logged { level: events::Level::Info }, &"a".repeat(60_000));
    stage.model.record_loss(500, Now::at_ms(2_000));
    let notices: Vec<_> =
        stage.model.journal.notices.iter().skip(before).map(|notice| notice.text.clone()).collect();
    assert_eq!(notices.len(), 2);
    assert!(notices[0].contains("lost 1500 entries"), "{notices:?}");
    assert!(notices[1].len() <= 4_096);
    stage.model.record_loss(7, Now::at_ms(12_000));
    assert_eq!(stage.model.journal.notices.len(), before + 3, "what comes later is a notice of its own");
    assert_eq!(stage.model.lost, 1_507);
}

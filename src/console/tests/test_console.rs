//! A screen without a terminal, over a world made by hand, in virtual time.

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::tz::TimeZone;
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    console::{
        draw::{
            class::MaskPolicy,
            glyphs::Glyphs,
            theme::{Depth, Theme},
        },
        input::keymap::Keymap,
        model::Model,
        screen::{self, frame},
        settings::{AlertRules, config::CommandHints, view::View},
        ui::{effect::Effect, event::Event, state::Ui},
    },
    ids::{InvocationId, SessionId, TraceId},
    limits::Limits,
    mpp::{self, AdapterView, Listener, PackFacts, QueueView, ReadyAfter},
    port::{AsOf, Command, HostState, InvocationRow, Snapshot, StationView},
    schema::JsonText,
    station::{
        AlertThresholds,
        alerts::{Alerts, Evidence, transition},
    },
    store::invocations::Source,
    tap::{
        Draft, Tap,
        entry::{
            Link, Transition, What,
            alerts::AlertChange,
            mpp as events,
            mpp::{Brake, RowState},
            station,
        },
    },
    time::{Mono, Now},
};

use super::{
    screen_text::{serialize, text_of},
    subcommand_samples::subcommands,
};

/// A screen with its model and a tap to feed it.
pub(crate) struct TestConsole {
    pub(super) model: Model,
    pub(super) ui: Ui,
    pub(super) view: View,
    pub(super) tap: Tap,
    /// When it begins.
    pub(super) begun: Now,
    /// Milliseconds since then.
    pub(super) ms: u64,
    /// The station's part: it judges, and is told what is acknowledged.
    pub(super) alerts: Alerts,
    pub(super) thresholds: AlertThresholds,
    pub(super) reader: crate::tap::Reader,
    frame: u64,
}

/// What came of a judgement, by the ids of alerts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AlertChanges {
    pub(super) raised: Vec<u64>,
    pub(super) resolved: Vec<u64>,
}

impl TestConsole {
    pub(crate) fn of_size(columns: u16, rows: u16) -> Self {
        let limits = Limits::default();
        let tap = Tap::new(limits.tap);
        let reader = tap.reader().unwrap();
        let view = View {
            theme: Theme::midnight(Depth::True),
            glyphs: Glyphs::of(false),
            keymap: Keymap::default(),
            alerts: AlertRules::default(),
            name: "friday-night".to_owned(),
            commands: CommandHints { globals: "--data ./friday".to_owned(), ..CommandHints::default() },
            zone: TimeZone::UTC,
            now: Now::at_ms(0),
            clock: Now::at_ms(0),
            subcommands: subcommands(),
            manual: crate::manual::LazyManual::default(),
            mask_policy: MaskPolicy::default(),
            replay: None,
            is_over_station: false,
            present: Vec::new(),
        };
        Self {
            model: Model::new(&limits),
            ui: Ui::new(columns, rows, true),
            view,
            tap,
            begun: Now::at_ms(0),
            ms: 0,
            alerts: Alerts::new(limits.console.alerts_max),
            thresholds: AlertThresholds::default(),
            reader,
            frame: 0,
        }
    }

    /// The present.
    fn now(&self) -> Now {
        self.begun.after(Duration::from_millis(self.ms))
    }

    /// Lets virtual time pass.
    pub(super) fn pass(&mut self, ms: u64) {
        self.ms += ms;
        self.show_moment();
    }

    /// The moment that is shown, and the present.
    fn show_moment(&mut self) {
        self.view.clock = self.now();
        self.view.now =
            self.ui.time.instant().unwrap_or_else(|| self.model.displayed_moment(self.view.clock));
    }

    /// Takes a snapshot.
    pub(super) fn resync(&mut self, mut snapshot: Snapshot) {
        self.alerts.seed(&snapshot);
        snapshot.station.alerts = self.alerts.list().clone();
        self.adopt(snapshot);
    }

    /// Takes one of a station that judges by itself.
    pub(super) fn adopt(&mut self, snapshot: Snapshot) {
        self.model.resync(snapshot);
        self.ui.time.anchor(&self.model, false);
        self.event(Event::Data);
    }

    /// Emits a transition of the bridge and folds it.
    pub(super) fn mpp(&mut self, transition: events::Transition, text: &str) -> Vec<Effect> {
        self.emit(Link::Mpp, Transition::Mpp(transition), text)
    }

    /// Emits a transition of the station and folds it.
    pub(super) fn station(&mut self, transition: station::Transition, text: &str) {
        self.emit(Link::Station, Transition::Station(transition), text);
    }

    /// Emits a transition of the broker and folds it.
    pub(super) fn rmp(&mut self, transition: crate::rmp::Transition, text: &str) -> Vec<Effect> {
        self.emit(Link::Rmp, Transition::Rmp(transition), text)
    }

    /// Emits a transition of the runs and folds it.
    pub(super) fn runs(&mut self, transition: crate::runs::Transition, text: &str) -> Vec<Effect> {
        self.emit(Link::Runs, Transition::Runs(transition), text)
    }

    /// Emits a transition of the coordination runtime and folds it.
    pub(super) fn macp(&mut self, transition: crate::macp::Transition, text: &str) -> Vec<Effect> {
        self.emit(Link::Macp, Transition::Macp(transition), text)
    }

    pub(super) fn emit(&mut self, link: Link, transition: Transition, text: &str) -> Vec<Effect> {
        let trace = Some(TraceId(uuid::Uuid::from_u128(0xa41f_0000_0000_7000_8000_0000_0000_0001)));
        let draft = Draft {
            at: self.now(),
            link,
            trace,
            cause: None,
            what: What::Transition(transition),
            bytes: text.as_bytes(),
        };
        self.tap.emit(draft);
        self.fold()
    }

    pub(super) fn fold(&mut self) -> Vec<Effect> {
        while let Some(batch) = self.reader.read() {
            for entry in batch.iter() {
                let state = self.model.station_state.as_ref();
                let is_in_snapshot =
                    state.is_none_or(|state| state.as_of.covers(entry.entry.link, entry.entry.seq));
                self.alerts.fold(entry, state, is_in_snapshot);
                self.model.fold(entry, false);
            }
            self.model.judge_all();
            self.ui.time.push(batch, &self.model);
        }
        let effects = self.event(Event::Data);
        self.ui.reconcile_visible(&self.model);
        effects
    }

    pub(super) fn event(&mut self, event: Event) -> Vec<Effect> {
        let now = self.now();
        let effects = screen::update(&mut self.ui, &self.model, &self.view, event, now);
        self.carry_out(&effects);
        effects
    }

    /// What the loop itself does of what an event wants.
    fn carry_out(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Command { command: Command::AcknowledgeAlerts { ids }, .. } => {
                    let changes = self.alerts.acknowledge(ids, self.now()).unwrap();
                    for change in changes {
                        self.station(transition(change), "");
                    }
                }
                Effect::OnAir(is_on) => self.view.mask_policy = MaskPolicy::for_on_air(*is_on),
                _ => {}
            }
        }
    }

    /// A second of the wall clock begins: alerts are judged.
    pub(super) fn tick(&mut self) -> AlertChanges {
        let mut judged = AlertChanges::default();
        if let Some(state) = &self.model.station_state {
            let evidence = Evidence { state, thresholds: self.thresholds, now: self.now() };
            for (change, alert) in self.alerts.evaluate(&evidence) {
                match change {
                    AlertChange::Raised => judged.raised.push(alert.id),
                    AlertChange::Resolved => judged.resolved.push(alert.id),
                    AlertChange::Updated | AlertChange::Acknowledged => {}
                }
                self.station(transition((change, alert)), "");
            }
        }
        self.event(Event::Tick);
        judged
    }

    /// A key typed now; the screen is painted after it and time passes, as at a terminal that keeps up.
    pub(super) fn key(&mut self, code: KeyCode) -> Vec<Effect> {
        let effects = self.burst(&[code]);
        self.painted();
        effects
    }

    /// A key with the control key.
    pub(super) fn ctrl(&mut self, character: char) -> Vec<Effect> {
        let at = Mono(self.ms * 1_000_000);
        let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::CONTROL);
        let effects = self.event(Event::Key { key, at });
        self.painted();
        effects
    }

    /// An action, however it was asked for.
    pub(super) fn act(&mut self, action: crate::console::input::action::Action) -> Vec<Effect> {
        let now = self.now();
        let effects = screen::attempt(&mut self.ui, &self.model, &self.view, action, now);
        self.carry_out(&effects);
        self.painted();
        effects
    }

    /// Text typed key by key.
    pub(super) fn write(&mut self, text: &str) {
        for character in text.chars() {
            self.char(character);
        }
    }

    pub(super) fn char(&mut self, character: char) -> Vec<Effect> {
        self.key(KeyCode::Char(character))
    }

    /// Keys typed faster than the screen is painted.
    pub(super) fn burst(&mut self, codes: &[KeyCode]) -> Vec<Effect> {
        let at = Mono(self.ms * 1_000_000);
        let key = |code| Event::Key { key: KeyEvent::new(code, KeyModifiers::NONE), at };
        codes.iter().flat_map(|code| self.event(key(*code))).collect()
    }

    pub(super) fn painted(&mut self) {
        self.frame += 1;
        let at = Mono(self.ms * 1_000_000 + 1);
        for overlay in &mut self.ui.overlays {
            overlay.on_drawn(self.frame);
            overlay.on_presented(self.frame, at);
        }
        self.pass(10);
    }

    pub(super) fn buffer(&mut self) -> Buffer {
        self.show_moment();
        self.ui.time.refresh_live_parts(&self.model);
        self.ui.reconcile_visible(&self.model);
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.ui.columns, self.ui.rows));
        frame::draw(&mut buffer, &self.model, &self.ui, &self.view);
        buffer
    }

    /// The screen with its colours: in three themes and without any, unless it has a theme of its own.
    pub(super) fn screen(&mut self) -> String {
        let own = self.view.theme.clone();
        if own != Theme::midnight(Depth::True) {
            return serialize(&[(own.name().to_owned(), self.buffer())]);
        }
        let looks = ["midnight", "daylight", "high-contrast"].map(|name| (name, name, Depth::True));
        let looks = looks.into_iter().chain([("NO_COLOR", "midnight", Depth::None)]);
        let looks: Vec<_> = looks
            .map(|(look, theme, depth)| {
                self.view.theme = Theme::shipped(theme, depth).unwrap();
                (look.to_owned(), self.buffer())
            })
            .collect();
        self.view.theme = own;
        serialize(&looks)
    }

    /// The screen's text alone.
    pub(super) fn text(&mut self) -> String {
        text_of(&self.buffer())
    }
}

/// A station just started, with the sample pack's two queues and nothing done yet.
pub(in crate::console) fn fresh() -> Snapshot {
    let queue = |ready_after| QueueView {
        ready_after: Some(ready_after),
        pending: 0,
        other_manifest: 0,
        in_flight: None,
        parked: false,
        brake: Brake::default(),
        done: 0,
        failed: 0,
    };
    let hash = format!("sha256:{}", "0123456789abcdef".repeat(4));
    let mut mpp = mpp::Snapshot::new(PackFacts {
        id: "com.example.sample".into(),
        name: Arc::from("sample"),
        version: Arc::from("1.0.0"),
        hash: hash.as_str().into(),
        is_sample: true,
    });
    mpp.listener = Listener::Listening(([127, 0, 0, 1], 7777).into());
    mpp.queues.insert("default".into(), queue(ReadyAfter::Applied));
    mpp.queues.insert("boss".into(), queue(ReadyAfter::Done));
    Snapshot {
        as_of: AsOf::default(),
        at: Now::at_ms(0),
        station: StationView {
            hosts: Link::ALL.map(|_| HostState::Up),
            ..StationView::starting("./friday".into(), Now::at_ms(0), 200)
        },
        mpp,
        rmp: crate::rmp::Snapshot {
            listener: crate::rmp::Listener::Listening(Arc::from("./friday/rmp.sock")),
            ..crate::rmp::Snapshot::default()
        },
        runs: crate::runs::Snapshot::default(),
        macp: crate::macp::Snapshot {
            listener: crate::macp::Listener::Listening(([127, 0, 0, 1], 50_051).into()),
            ..crate::macp::Snapshot::default()
        },
        plugin: crate::plugin::Snapshot::default(),
        mplp: crate::mplp::Snapshot::default(),
    }
}

/// A station with an adapter connected.
pub(in crate::console) fn connected() -> Snapshot {
    let mut snapshot = fresh();
    snapshot.mpp.paired = true;
    snapshot.mpp.adapter = Some(AdapterView {
        peer: "127.0.0.1:50312".into(),
        connected_at: Now::at_ms(0),
        last_in: Now::at_ms(0),
        session_id: SessionId(42),
        stale: false,
    });
    snapshot
}

/// Work enqueued on a queue.
pub(in crate::console) fn enqueued(id: u64, queue: &str) -> events::Transition {
    let (id, event) = (InvocationId(id), "give_item".into());
    events::Transition::Enqueued { id, queue: queue.into(), event, requeued_from: None }
}

pub(in crate::console) fn dispatched(id: u64, queue: &str) -> events::Transition {
    events::Transition::Dispatched { id: InvocationId(id), queue: queue.into(), event: "give_item".into() }
}

pub(in crate::console) fn applied(id: u64, queue: &str, cleared: bool) -> events::Transition {
    events::Transition::Applied { id: InvocationId(id), queue: queue.into(), cleared }
}

pub(in crate::console) fn done(id: u64, queue: &str) -> events::Transition {
    let (id, event) = (InvocationId(id), "give_item".into());
    events::Transition::Done { id, queue: queue.into(), event, cleared: true, settled: false }
}

/// What waits for an answer, if it is of this type.
pub(super) fn of_type<T: 'static>(it: &dyn std::any::Any) -> Option<&T> {
    it.downcast_ref()
}

/// A pending row as a page has it.
pub(super) fn row(id: u64) -> InvocationRow {
    InvocationRow {
        damage: None,
        refund: None,
        requeued_from: None,
        id: InvocationId(id),
        queue: "default".into(),
        event: "give_item".into(),
        state: RowState::Pending,
        params: JsonText::parse("{\"item_id\":4,\"count\":1}").unwrap(),
        result: None,
        reason: None,
        source: Source {
            kind: "channel_points".to_owned(),
            redemption: None,
            user: Some("viewer\u{202e}".to_owned()),
        },
        trace_id: TraceId(uuid::Uuid::nil()),
        enqueued_at_ms: Now::at_ms(0).wall,
        updated_at_ms: Now::at_ms(0).wall,
        other_manifest: None,
    }
}

/// A station in the middle of a show.
pub(super) fn show(columns: u16, rows: u16) -> TestConsole {
    let mut stage = TestConsole::of_size(columns, rows);
    stage.resync(connected());
    for id in 1..=40 {
        stage.pass(1_500);
        stage.mpp(enqueued(id, "default"), "");
        stage.mpp(dispatched(id, "default"), "");
        stage.mpp(applied(id, "default", true), "");
        stage.mpp(done(id, "default"), "");
    }
    let failed = events::Transition::Failed {
        id: InvocationId(41),
        queue: "default".into(),
        event: "give_item".into(),
        from: RowState::Dispatched,
        cleared: true,
        by: events::FailedBy::Adapter,
    };
    stage.mpp(enqueued(41, "default"), "");
    stage.mpp(dispatched(41, "default"), "");
    stage.mpp(failed, "item not found in\ninventory");
    for id in 42..=46 {
        stage.mpp(enqueued(id, if id == 46 { "boss" } else { "default" }), "");
    }
    stage.mpp(dispatched(42, "default"), "");
    stage.mpp(dispatched(46, "boss"), "");
    stage.pass(700);
    stage.mpp(applied(46, "boss", false), "");
    stage.mpp(events::Transition::Logged { level: events::Level::Warn }, "ROM is slow \u{1b}[2J");
    stage.station(station::Transition::RecordingStarted, "/recordings/friday.mcap");
    stage.station(station::Transition::RecordingGrew { bytes: 12 << 20 }, "");
    stage.pass(500);
    stage
}

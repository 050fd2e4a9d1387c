//! Plugins over a show: one that is up and asks for a credential, one that waits for its restart, one that is
//! disabled.

use std::sync::Arc;

use super::test_console::{TestConsole, show};
use crate::{
    console::{input::view_id::ViewId, ui::effect::Effect},
    ids::{PluginId, Seq},
    plugin::{
        About, DisableCause, Head, Level, LogSource, StreamChange, Transition as T, UnhealthyCause, Verdict,
    },
    tap::{
        Draft,
        entry::{
            Direction, Frame, Head as AnyHead, Link, Redaction, Transition, Verdict as AnyVerdict, What,
        },
    },
    time::{Now, Wall},
};

pub(super) fn id(name: &str) -> PluginId {
    PluginId::new(&format!("org.example.{name}"))
}

fn texts<const N: usize>(texts: [&str; N]) -> Arc<[Arc<str>]> {
    texts.into_iter().map(Arc::from).collect()
}

impl TestConsole {
    /// Emits a transition of the plugin host and folds it.
    pub(super) fn plugin(&mut self, transition: T, text: &str) -> Vec<Effect> {
        self.emit(Link::Plugin, Transition::Plugin(transition), text)
    }

    fn installed(&mut self, name: &str, version: &str) {
        let about = About {
            name: name.into(),
            version: version.into(),
            author: "Somebody".into(),
            description: "what it does".into(),
            asks: texts(["on_watch_tick", "notify", "log", "twitch.android"]),
            actions: texts(["count"]),
            slots: texts(["viewers", "mood"]),
            ..About::default()
        };
        self.plugin(T::Installed { plugin: id(name), about: Arc::new(about) }, "");
        let capabilities = texts(["on_watch_tick", "notify", "log"]);
        self.plugin(T::Granted { plugin: id(name), capabilities }, "");
        self.plugin(T::Starting { plugin: id(name), process: 1, restarts: Some(0) }, "");
    }

    fn came_up(&mut self, name: &str) {
        let up = T::Up {
            plugin: id(name),
            pid: 4_711,
            version: "1.2.0".into(),
            hooks: texts(["on_watch_tick"]),
            start_us: 90_000,
        };
        self.plugin(up, "");
    }

    fn logs(&mut self, name: &str, level: Level, text: &str) {
        self.plugin(T::Logged { plugin: id(name), level, source: LogSource::Log }, text);
    }
}

/// Emits a message between the host and a plugin, whole with its headers.
pub(super) fn frame(
    stage: &mut TestConsole,
    direction: Direction,
    verdict: Verdict,
    (method, id): (&str, Option<&str>),
    body: &str,
) -> Seq {
    let bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let head = Head {
        plugin: self::id("ticker"),
        method: Some(method.into()),
        id: id.map(Arc::from),
        code: None,
        is_answer: false,
    };
    let frame = Frame {
        direction,
        peer: "org.example.ticker".into(),
        head: AnyHead::Plugin(head),
        verdict: AnyVerdict::Plugin(verdict),
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    let (at, what) = (Now::at_ms(stage.ms), What::Frame(frame));
    let draft = Draft { at, link: Link::Plugin, trace: None, cause: None, what, bytes: bytes.as_bytes() };
    let seq = stage.tap.emit(draft);
    stage.fold();
    seq
}

/// What a plugin says and is told, each text of it with a mark.
pub(super) fn noise(stage: &mut TestConsole) {
    let of = || id("ticker");
    if !stage.model.plugins().is_some_and(|plugins| plugins.plugins.contains_key(&of())) {
        stage.installed("ticker", "1.2.0");
        stage.came_up("ticker");
    }
    let login = StreamChange::Channel { login: Some("LCHANNEL".into()) };
    let said = [
        (T::Stream { change: login }, r#"{"login":"LCHANNEL"}"#),
        (T::Stream { change: StreamChange::Chat { receivers: 1 } }, r#"{"text":"PCHATTED"}"#),
        (T::Panel { plugin: of(), fields: 8 }, "PTITLED"),
        (T::ValueSet { plugin: of(), key: "greeting".into() }, "\"PVALUED\""),
        (T::Status { plugin: of(), slot: "viewers".into() }, "\"PSLOTTED\""),
        (T::Notified { plugin: of(), level: Level::Info }, "PNOTICED"),
        (T::Logged { plugin: of(), level: Level::Info, source: LogSource::Log }, "PLINED"),
        (T::ActionBegun { plugin: of(), action: "count".into(), call: 1 }, r#"{"by":"PACTED"}"#),
    ];
    for (transition, text) in said {
        stage.plugin(transition, text);
    }
    let body = r#"{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"PBODIED"}}"#;
    frame(stage, Direction::Inbound, Verdict::Accepted, ("log", None), body);
}

/// Plugins over what goes on there.
pub(super) fn with_plugins(mut stage: TestConsole) -> TestConsole {
    stage.installed("ticker", "1.2.0");
    stage.came_up("ticker");
    for us in [120, 900, 40_000, 700_000] {
        stage.plugin(T::Pinged { plugin: id("ticker"), us }, "");
    }
    stage.plugin(T::Missed { plugin: id("ticker"), misses: 1 }, "");
    stage.plugin(T::Pinged { plugin: id("ticker"), us: 2_000 }, "");
    stage.plugin(T::Sampled { plugin: id("ticker"), memory_bytes: 40 << 20, cpu_permille: 15 }, "");
    stage.plugin(T::Status { plugin: id("ticker"), slot: "viewers".into() }, "1234");
    stage.logs("ticker", Level::Debug, "hello");
    stage.logs("ticker", Level::Info, "counting");
    stage.logs("ticker", Level::Warning, "a viewer left\u{1b}[2J");
    stage.plugin(T::Stream { change: StreamChange::Channel { login: Some("somebody".into()) } }, "{}");
    stage.installed("drops", "0.9.1");
    let exited = UnhealthyCause::Exited;
    stage.plugin(T::Unhealthy { plugin: id("drops"), cause: exited }, "exit code 1");
    let until = Wall(stage.view.now.wall.0 + 60_000);
    stage.plugin(T::Waiting { plugin: id("drops"), until, nth: 2 }, "");
    stage.installed("broken", "3.0.0");
    stage.plugin(T::Unhealthy { plugin: id("broken"), cause: UnhealthyCause::PingsMissed }, "");
    stage.plugin(T::Disabled { plugin: id("broken"), cause: DisableCause::RestartLimit }, "");
    let until = Wall(stage.view.now.wall.0 + 100_000);
    stage.plugin(T::Asked { plugin: id("ticker"), kind: "twitch.android".into(), until }, "");
    stage
}

/// The view Plugins.
pub(super) fn plugins(columns: u16, rows: u16) -> TestConsole {
    let mut stage = with_plugins(show(columns, rows));
    stage.ui.show(ViewId::Plugins);
    stage
}

//! The plugin: the handshake, what it is asked, and what it calls (streamnook-plugin-v1, streamnook-host).

use std::{collections::HashMap, io, time::Duration};

use serde_json::{Value, json};

use super::{bad_frame, bring_back, leftovers, panel, wire::Wire};
use crate::{
    cli::args::{SimFlood, SimPluginArgs, SimPluginBehaviour},
    time::{Clock, Mono},
};

/// Bytes of a flood that wait to be written.
const FLOOD_BYTES: usize = 65_536;
/// The longest delay that is drawn.
const DELAY_MS_MAX: u64 = 40;

/// What the host granted: the four lists of `initialize`.
#[derive(Debug, Default)]
struct Granted {
    events: Vec<String>,
    host_methods: Vec<String>,
    credentials: Vec<String>,
    ui: Vec<String>,
}

/// A simulated plugin.
#[derive(Debug)]
pub(super) struct Plugin {
    wire: Wire,
    clock: Clock,
    behaviour: SimPluginBehaviour,
    rng: Option<fastrand::Rng>,
    granted: Granted,
    /// The methods that were called and not answered, by id.
    calls: HashMap<u64, &'static str>,
    last_id: u64,
    events: u64,
    crash_at: Option<Mono>,
    is_up: bool,
    /// The code to exit with, once it is time.
    exit: Option<i32>,
}

impl Plugin {
    pub(super) fn new(args: &SimPluginArgs, clock: Clock) -> Self {
        Self {
            wire: Wire::default(),
            clock,
            behaviour: args.behaviour.clone(),
            rng: args.behaviour.seed.map(fastrand::Rng::with_seed),
            granted: Granted::default(),
            calls: HashMap::new(),
            last_id: 0,
            events: 0,
            crash_at: None,
            is_up: false,
            exit: None,
        }
    }

    /// Speaks until it is asked to exit, or the host is gone; the code to exit with.
    pub(super) fn run(mut self) -> io::Result<i32> {
        loop {
            self.wire.turn(self.wait())?;
            while !self.wire.is_deaf
                && self.exit.is_none()
                && let Some(message) = self.wire.receive()?
            {
                self.handle(&message)?;
            }
            if self.crash_at.is_some_and(|at| self.clock.mono() >= at) {
                return Ok(self.behaviour.exit_code.map_or(1, i32::from));
            }
            if let Some(code) = self.exit {
                self.wire.flush()?;
                return Ok(code);
            }
            if self.wire.is_at_end && !self.behaviour.ignore_exit {
                return Ok(self.code());
            }
            self.flood();
        }
    }

    /// For how long nothing is to be done.
    fn wait(&self) -> Option<Duration> {
        self.crash_at.map(|at| self.clock.until(at))
    }

    fn code(&self) -> i32 {
        self.behaviour.exit_code.map_or(0, i32::from)
    }

    fn handle(&mut self, message: &Value) -> io::Result<()> {
        let id = message.get("id");
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return self.answered(message);
        };
        let params = message.get("params").cloned().unwrap_or_default();
        let Some(id) = id else { return self.notified(method, &params) };
        self.pause();
        match method {
            "initialize" => self.initialize(id, &params),
            "ping" if self.behaviour.hang_pings => {}
            "ping" => self.answer(id, &json!({})),
            "shutdown" if self.behaviour.ignore_shutdown => {}
            "shutdown" => self.answer(id, &Value::Null),
            "invoke_action" => self.action(id, &params),
            _ => self.refuse(id, -32_601, &format!("there is no method {method}")),
        }
        Ok(())
    }

    fn notified(&mut self, method: &str, params: &Value) -> io::Result<()> {
        match method {
            "initialized" => return self.start(),
            "exit" if !self.behaviour.ignore_exit => self.exit = Some(self.code()),
            _ if self.granted.events.iter().any(|event| event == method) => {
                self.events += 1;
                self.log("debug", &format!("{method} {params}"));
                self.set_status(&format!("{} events", self.events));
            }
            // Unknown notifications are ignored.
            _ => {}
        }
        Ok(())
    }

    fn initialize(&mut self, id: &Value, params: &Value) {
        if let Some(ms) = self.behaviour.slow_start {
            std::thread::sleep(Duration::from_millis(ms));
        }
        if self.behaviour.refuse || params.get("protocol_version") != Some(&json!(1)) {
            return self.refuse(id, -32_600, "protocol version 1 is not supported");
        }
        let list = |name: &str| {
            let items = params.pointer(&format!("/granted/{name}")).and_then(Value::as_array);
            let texts = items.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        self.granted = Granted {
            events: list("events"),
            host_methods: list("host_methods"),
            credentials: list("credentials"),
            ui: list("ui"),
        };
        let hooks = self.granted.events.clone();
        self.answer(id, &json!({"plugin_version": "1.0.0", "hooks": hooks}));
    }

    /// What it does once it is up.
    fn start(&mut self) -> io::Result<()> {
        self.is_up = true;
        let has_panel = self.granted.ui.iter().any(|part| part == "panel");
        if has_panel && self.may("register_panel") {
            self.call("register_panel", &panel::params());
        }
        if has_panel && self.may("get_panel_values") {
            self.call("get_panel_values", &json!({}));
        }
        if self.may("get_followed_live") {
            self.call("get_followed_live", &json!({}));
        }
        let level = self.draw(&["info", "warning"]);
        self.notify(level, "the simulated plugin is up");
        self.log("info", "up");
        self.set_status("up");
        if self.behaviour.ask_credential && self.granted.credentials.iter().any(|it| it == "twitch.android") {
            self.call("get_credential", &json!({"kind": "twitch.android"}));
        }
        if self.behaviour.fork {
            leftovers::start(self.behaviour.seed.unwrap_or(0))?;
        }
        if let Some(ms) = self.behaviour.crash_after {
            self.crash_at = Some(self.clock.mono() + Duration::from_millis(ms));
        }
        if let Some(kind) = self.behaviour.bad_frame
            && bad_frame::send(kind, &mut self.wire)
        {
            self.exit = Some(self.code());
        }
        if self.behaviour.close_stdout {
            self.wire.close_stdout()?;
        }
        self.wire.is_deaf = self.behaviour.stop_reading;
        Ok(())
    }

    fn action(&mut self, id: &Value, params: &Value) {
        let args = params.get("args").cloned().unwrap_or_else(|| json!({}));
        match params.get("action").and_then(Value::as_str) {
            Some("sim.echo") => self.answer(id, &args),
            Some("playback.resolve") => self.answer(id, &json!({"declined": true})),
            _ => self.refuse(id, -32_602, "params.action: no action of this plugin"),
        }
    }

    fn answered(&mut self, message: &Value) -> io::Result<()> {
        let call = message.get("id").and_then(Value::as_u64).and_then(|id| self.calls.remove(&id));
        match (call, message.get("error")) {
            (Some("get_credential"), _) => bring_back::token(self, message)?,
            (Some(method), Some(error)) => self.log("warning", &format!("{method}: {error}")),
            (Some("get_panel_values"), None) => self.log("debug", "read the panel's values"),
            _ => {}
        }
        Ok(())
    }

    /// Keeps the pipe full.
    fn flood(&mut self) {
        let Some(flood) = self.behaviour.flood.filter(|_| self.is_up) else { return };
        while !self.wire.is_closed && self.wire.waiting() < FLOOD_BYTES {
            match flood {
                SimFlood::Logs if self.may("log") => self.log("info", "flood"),
                SimFlood::Requests if self.may("get_followed_live") => {
                    self.call("get_followed_live", &json!({}));
                    // What is not answered in time is not waited for.
                    self.calls.clear();
                }
                SimFlood::Frames => self.wire.send(&json!({"jsonrpc": "2.0", "method": "sim.flood"})),
                SimFlood::Logs | SimFlood::Requests => return,
            }
        }
    }

    fn may(&self, method: &str) -> bool {
        self.granted.host_methods.iter().any(|it| it == method)
    }

    fn call(&mut self, method: &'static str, params: &Value) {
        self.last_id += 1;
        self.calls.insert(self.last_id, method);
        self.wire.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
    }

    /// Logs, if that is granted.
    pub(super) fn log(&mut self, level: &str, message: &str) {
        if self.may("log") {
            let params = json!({"level": level, "message": message});
            self.wire.send(&json!({"jsonrpc": "2.0", "method": "log", "params": params}));
        }
    }

    /// Shows a notice, if that is granted.
    pub(super) fn notify(&mut self, level: &str, message: &str) {
        if self.may("notify") {
            self.call("notify", &json!({"level": level, "message": message}));
        }
    }

    /// Sets its slot, which needs no grant but that it is declared.
    pub(super) fn set_status(&mut self, value: &str) {
        let params = json!({"slot": "sim.state", "value": value});
        self.wire.send(&json!({"jsonrpc": "2.0", "method": "set_status", "params": params}));
    }

    fn answer(&mut self, id: &Value, result: &Value) {
        self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    /// Waits for as long as the seed says.
    fn pause(&mut self) {
        if let Some(rng) = &mut self.rng {
            std::thread::sleep(Duration::from_millis(rng.u64(..DELAY_MS_MAX)));
        }
    }

    fn draw(&mut self, of: &[&'static str]) -> &'static str {
        let first = of.first().copied().unwrap_or_default();
        self.rng.as_mut().map_or(first, |rng| rng.choice(of).copied().unwrap_or(first))
    }
}

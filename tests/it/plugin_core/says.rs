//! What plugins write: requests, answers, notifications, and what is none of them.

use rl_console::{
    ids::PluginId,
    plugin::{Verdict, framing::Framer, session::Permit, supervisor::ProcessInput},
};

use super::world::World;

/// What the host has to send for a frame.
pub(super) enum Owed {
    Nothing,
    /// An answer with this id, at once.
    Answer(&'static str),
    /// An answer with this id, at once or when the operator has decided.
    Credential(&'static str),
}

const IDS: [&str; 7] = ["7", "\"a\"", "null", "1.50", "\"\\u0041\"", "12345678901234567890123", "-0"];

/// Requests, some of them wrong.
const CALLS: [(&str, &str); 18] = [
    ("get_followed_live", "{}"),
    ("get_followed_live", "[]"),
    ("set_upstream", r#"{"stream_id":"solo","playlist_url":"https://x/y.m3u8"}"#),
    ("set_upstream", r#"{"stream_id":"s1","playlist_url":"http://x/z.m3u8"}"#),
    ("set_upstream", r#"{"stream_id":"s1","playlist_url":"ftp://x"}"#),
    ("notify", r#"{"level":"warning","message":"look"}"#),
    ("notify", r#"{"level":"loud","message":"look"}"#),
    ("log", r#"{"level":"info","message":"a line"}"#),
    ("log", r#"{"level":3}"#),
    ("log", "{}"),
    ("register_panel", PANEL),
    ("register_panel", r#"{"schema":{"title":"","sections":[]}}"#),
    ("get_panel_values", "null"),
    ("set_status", r#"{"slot":"example.state","value":{"on":true}}"#),
    ("set_status", r#"{"slot":"other","value":1}"#),
    ("get_credential", r#"{"kind":"twitch.web"}"#),
    ("get_credential", "{}"),
    ("nothing", "{}"),
];

const PANEL: &str = r#"{"schema":{"title":"Example","sections":[{"label":"Main","fields":[
    {"type":"toggle","key":"on","label":"On","default":true},
    {"type":"text","key":"name","label":"","unit":3}]}]}}"#;

/// Bodies that are no message, with the id of the error that is answered.
const GARBAGE: [(&[u8], &str); 8] = [
    (b"", "null"),
    (b"{", "null"),
    (b"\xff{}", "null"),
    (b"[]", "null"),
    (b"3", "null"),
    (br#"{"jsonrpc":"2.0"}"#, "null"),
    (br#"{"jsonrpc":"1.0","id":7,"method":"notify"}"#, "7"),
    (br#"{"jsonrpc":"2.0","id":"a","method":3}"#, "\"a\""),
];

/// Streams that are no frames, each its own violation.
const BROKEN: [&[u8]; 7] = [
    b"Content-Type: json\r\n\r\n",
    b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
    b"Content-Length: two\r\n\r\n",
    b"hello\r\n",
    b"X: ",
    b"Content-Length: 4194305\r\n\r\n",
    b"Content-Length: 5\r\n\r\n{}",
];

impl World {
    /// A plugin writes a body, if it is read from.
    pub(super) fn say(&mut self, id: &PluginId, body: &[u8], owed: &Owed) -> Option<Verdict> {
        let process = &self.processes[id];
        if process.is_mute || !process.has_guard {
            return None;
        }
        let limits = self.limits;
        let is_full = process.answers.messages >= limits.answer_messages_max
            || process.answers.bytes >= limits.answer_bytes_max;
        let permit = self.core.permit(self.now, id, process.number);
        assert_eq!(permit == Permit::Full, is_full, "{permit:?} with {:?}", process.answers);
        if !matches!(permit, Permit::Read(_)) {
            self.count("held");
            self.process(id, ProcessInput::Held);
            return None;
        }
        self.process(id, ProcessInput::Read { bytes: body.len() as u64 + 22 });
        let process = self.processes.get_mut(id).unwrap();
        let before = process.owes();
        let waits = match owed {
            Owed::Answer(request) | Owed::Credential(request) if !process.is_killed => {
                *process.owed.entry((*request).to_owned()).or_default() += 1;
                matches!(owed, Owed::Credential(_))
            }
            _ => false,
        };
        let end = if self.rng.u8(..16) == 0 { "\n" } else { "\r\n" };
        let mut framer = Framer::new();
        framer.push(format!("Content-Length: {}{end}{end}", body.len()).as_bytes());
        framer.push(body);
        let frame = framer.poll_frame().unwrap().unwrap();
        let verdict = self.frame(id, frame);
        if let Some(process) = self.processes.get(id).filter(|it| !waits && !it.is_killed) {
            assert_eq!(process.owes(), before, "answered at once: {}", String::from_utf8_lossy(body));
        }
        assert!(self.processes[id].owes() <= self.limits.calls_max);
        Some(verdict)
    }

    pub(super) fn say_call(&mut self, id: &PluginId) {
        let (method, params) = CALLS[self.rng.usize(..CALLS.len())];
        if self.rng.u8(..4) == 0 {
            let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
            self.say(id, body.as_bytes(), &Owed::Nothing);
            return;
        }
        let request = IDS[self.rng.usize(..IDS.len())];
        let body = format!(r#"{{"jsonrpc":"2.0","id":{request},"method":"{method}","params":{params}}}"#);
        self.say(id, body.as_bytes(), &Owed::Answer(request));
    }

    pub(super) fn notify(&mut self, id: &PluginId) {
        let params = r#"{"level":"info","message":"look"}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"notify","params":{params}}}"#);
        self.say(id, body.as_bytes(), &Owed::Answer("7"));
    }

    pub(super) fn ask_credential(&mut self, id: &PluginId) {
        let request = IDS[self.rng.usize(..IDS.len())];
        let params = r#"{"kind":"twitch.android"}"#;
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{request},"method":"get_credential","params":{params}}}"#);
        self.say(id, body.as_bytes(), &Owed::Credential(request));
    }

    pub(super) fn say_garbage(&mut self, id: &PluginId) {
        let (body, request) = GARBAGE[self.rng.usize(..GARBAGE.len())];
        self.say(id, body, &Owed::Answer(request));
    }

    /// An answer to a request of ours, or to none.
    pub(super) fn say_answer(&mut self, id: &PluginId, number: u64) {
        let outcome = match self.rng.u8(..6) {
            0 => r#""error":{"code":-32601,"message":"no"}"#,
            1 => r#""result":{},"error":{"code":1,"message":"both"}"#,
            2 => r#""result":null"#,
            _ => r#""result":{"x":1}"#,
        };
        let version = if self.rng.u8(..8) == 0 { "" } else { r#""jsonrpc":"2.0","# };
        let body = format!(r#"{{{version}"id":{number},{outcome}}}"#);
        let process = self.processes.get_mut(id).unwrap();
        process.pings.retain(|it| *it != number);
        self.say(id, body.as_bytes(), &Owed::Nothing);
    }

    /// It answers `initialize`.
    pub(super) fn introduce(&mut self, id: &PluginId) {
        let kind = if self.processes[id].is_good { 9 } else { self.rng.u8(..10) };
        let process = self.processes.get_mut(id).unwrap();
        let Some(number) = process.initialize.filter(|_| !process.is_mute && process.has_guard) else {
            return;
        };
        let answer = match kind {
            0 => r#""error":{"code":-32600,"message":"I speak 2"}"#,
            1 => r#""error":{"code":-32603,"message":"no"}"#,
            2 => r#""result":[]"#,
            3 => r#""result":{"protocol_version":2,"hooks":[]}"#,
            4 => r#""result":{"hooks":3}"#,
            5 => r#""result":{"plugin_version":"1","hooks":["on_watch_tick","on_rain"]}"#,
            _ => {
                r#""result":{"plugin_version":"1","hooks":["on_stream_start","on_stream_stop",
                    "on_channel_change","on_watch_tick","on_followed_live","on_chat_message",
                    "on_panel_change"]}"#
            }
        };
        let hooks: &[&str] = match kind {
            0..=4 => &[],
            5 => &["on_watch_tick"],
            _ => &super::operator::HOOKS,
        };
        process.hooks = hooks.to_vec();
        let is_starting = process.is_starting();
        if let Some(live) = self.core.stream_detail().live {
            let key = live.first().map(|it| it.login.clone()).unwrap_or_default();
            self.happened.push(("on_followed_live", key));
        }
        let body = format!(r#"{{"jsonrpc":"2.0","id":{number},{answer}}}"#);
        // What holds of it when it is answered at last, however long that takes.
        let process = self.processes.get_mut(id).unwrap();
        process.initialize = None;
        process.is_other_version = matches!(kind, 0 | 3) && is_starting;
        if self.say(id, body.as_bytes(), &Owed::Nothing).is_none() {
            let process = self.processes.get_mut(id).unwrap();
            (process.initialize, process.is_other_version) = (Some(number), false);
        }
    }

    /// What is no frame.
    pub(super) fn break_stream(&mut self, id: &PluginId) {
        let process = self.processes.get_mut(id).unwrap();
        if process.is_mute || !process.has_guard {
            return;
        }
        process.is_mute = true;
        let was_killed = process.is_killed;
        let which = self.rng.usize(..=BROKEN.len());
        let headers = format!("X: {}\r\n", "x".repeat(5_000));
        let stream = BROKEN.get(which).copied().unwrap_or(headers.as_bytes());
        let mut framer = Framer::new();
        framer.push(stream);
        let broken = framer.poll_frame().err().unwrap_or_else(|| framer.end().unwrap_err());
        self.count(broken.violation.name());
        self.process(id, ProcessInput::Broken(broken));
        assert!(self.processes[id].is_killed || was_killed);
    }
}

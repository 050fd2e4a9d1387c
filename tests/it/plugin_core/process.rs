//! One process as its host and the rules of the protocol see it.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use rl_console::{ids::PluginId, limits, plugin::session::Lane};
use serde_json::{Value, value::RawValue};

/// What waits of one lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub(super) struct Process {
    pub(super) plugin: PluginId,
    pub(super) number: u64,
    /// Whether it does as it should.
    pub(super) is_good: bool,
    /// Whether it takes what is written to it, where it is not good.
    pub(super) is_reading: bool,
    pub(super) has_guard: bool,
    pub(super) is_killed: bool,
    /// Whether nothing comes from its stdout any more.
    pub(super) is_mute: bool,
    /// Whether it was asked to end.
    pub(super) is_stopping: bool,
    /// Whether the operator ends it, which counts for nothing.
    pub(super) by_hand: bool,
    /// Whether it said that it speaks another version.
    pub(super) is_other_version: bool,
    /// Whether it was sent `initialized`.
    pub(super) is_introduced: bool,
    /// Whether it was sent `exit`.
    pub(super) is_exiting: bool,
    pub(super) hooks: Vec<&'static str>,
    /// Frames that it has not taken whole, with what it took of the first.
    queue: VecDeque<(Bytes, Lane)>,
    taken: usize,
    pub(super) events: Waiting,
    pub(super) answers: Waiting,
    /// Answers that it waits for, by the ids of its requests as they were written.
    pub(super) owed: BTreeMap<String, u64>,
    /// The place of the last event among all that happened.
    pub(super) last_event: Option<usize>,
    pub(super) initialize: Option<u64>,
    pub(super) shutdown: Option<u64>,
    pub(super) pings: Vec<u64>,
    pub(super) actions: Vec<u64>,
    /// Actions that ended without its answer, or by it.
    pub(super) late: Vec<u64>,
    next_id: u64,
}

/// The members of a frame's body, as they were written.
pub(super) fn members(frame: &[u8]) -> BTreeMap<String, Box<RawValue>> {
    let body = frame.windows(4).position(|it| it == b"\r\n\r\n").unwrap() + 4;
    assert!(frame.len() - body <= 4_194_304);
    serde_json::from_slice(&frame[body..]).unwrap()
}

impl Process {
    pub(super) fn new(plugin: PluginId, number: u64, is_good: bool, is_reading: bool) -> Self {
        Self {
            plugin,
            number,
            is_good,
            is_reading,
            has_guard: false,
            is_killed: false,
            is_mute: false,
            is_stopping: false,
            by_hand: false,
            is_other_version: false,
            is_introduced: false,
            is_exiting: false,
            hooks: Vec::new(),
            queue: VecDeque::new(),
            taken: 0,
            events: Waiting::default(),
            answers: Waiting::default(),
            owed: BTreeMap::new(),
            last_event: None,
            initialize: None,
            shutdown: None,
            pings: Vec::new(),
            actions: Vec::new(),
            late: Vec::new(),
            next_id: 1,
        }
    }

    pub(super) fn lane(&mut self, lane: Lane) -> &mut Waiting {
        match lane {
            Lane::Event => &mut self.events,
            Lane::Answer => &mut self.answers,
        }
    }

    /// Whether it is being started, as far as others wait for that.
    pub(super) const fn is_starting(&self) -> bool {
        !self.is_introduced && !self.is_killed && !self.is_stopping
    }

    pub(super) fn owes(&self) -> u64 {
        self.owed.values().sum()
    }

    /// A frame is written to it.
    pub(super) fn on_frame(&mut self, frame: Bytes, lane: Lane, limits: &limits::Plugin) {
        assert!(self.has_guard && !self.is_killed, "{} is not there", self.plugin);
        let waiting = self.lane(lane);
        waiting.messages += 1;
        waiting.bytes += frame.len() as u64;
        let (messages, bytes) = (waiting.messages, waiting.bytes);
        match lane {
            Lane::Event => {
                assert!(messages <= limits.queue_messages_max);
                assert!(bytes <= limits.queue_bytes_max || messages == 1);
            }
            // Nothing is read while they are full: what waited for the operator, and requests of ours.
            Lane::Answer => {
                let most = limits.answer_messages_max + limits.calls_max + limits.actions_max + 16;
                assert!(messages <= most, "{messages} answers");
            }
        }
        let members = members(&frame);
        self.queue.push_back((frame, lane));
        assert_eq!(members["jsonrpc"].get(), "\"2.0\"");
        match (members.get("method"), members.get("id")) {
            (Some(method), Some(id)) => self.on_request(&text(method), id.get().parse().unwrap()),
            (Some(method), None) => self.on_notification(&text(method), lane),
            (None, id) => self.on_answer(id.expect("an answer has an id").get()),
        }
    }

    fn on_request(&mut self, method: &str, id: u64) {
        assert_eq!(id, self.next_id, "they count from 1 in each process");
        self.next_id += 1;
        assert_eq!(method == "initialize", id == 1, "initialize comes first: {method}");
        match method {
            "initialize" => self.initialize = Some(id),
            "shutdown" => {
                assert_eq!(self.owes(), 0, "all that waited was answered before: {:?}", self.owed);
                (self.is_stopping, self.shutdown) = (true, Some(id));
            }
            "ping" => {
                assert!(self.is_introduced && !self.is_stopping);
                self.pings.push(id);
            }
            "invoke_action" => {
                assert!(self.is_introduced && !self.is_stopping);
                self.actions.push(id);
            }
            other => panic!("no request {other}"),
        }
    }

    fn on_notification(&mut self, method: &str, lane: Lane) {
        match method {
            "initialized" => {
                assert!(!self.is_introduced && self.initialize.is_none() && !self.is_stopping);
                self.is_introduced = true;
            }
            "exit" => {
                assert!(self.is_stopping && !self.is_exiting);
                self.is_exiting = true;
            }
            event => {
                assert!(lane == Lane::Event && self.is_introduced && !self.is_stopping, "{event} too early");
                assert!(
                    self.hooks.contains(&event),
                    "{event} to {} that takes {:?}",
                    self.plugin,
                    self.hooks
                );
            }
        }
    }

    fn on_answer(&mut self, id: &str) {
        let owed = self.owed.get_mut(id).unwrap_or_else(|| panic!("an answer to no request: {id}"));
        *owed -= 1;
        if *owed == 0 {
            self.owed.remove(id);
        }
    }

    /// It takes bytes: what that is of each lane.
    pub(super) fn take(&mut self, bytes: usize) -> Vec<(Lane, Waiting)> {
        let mut of = vec![(Lane::Event, Waiting::default()), (Lane::Answer, Waiting::default())];
        let mut left = bytes;
        while let Some((frame, lane)) = self.queue.front().cloned().filter(|_| left > 0) {
            let step = left.min(frame.len() - self.taken);
            left -= step;
            self.taken += step;
            let is_whole = self.taken == frame.len();
            let taken = &mut of[usize::from(lane == Lane::Answer)].1;
            taken.bytes += step as u64;
            taken.messages += u64::from(is_whole);
            let waiting = self.lane(lane);
            waiting.bytes -= step as u64;
            waiting.messages -= u64::from(is_whole);
            if is_whole {
                self.taken = 0;
                self.queue.pop_front();
            }
        }
        of.retain(|(_, taken)| taken.bytes > 0);
        of
    }
}

pub(super) fn text(raw: &RawValue) -> String {
    let value: Value = serde_json::from_str(raw.get()).unwrap();
    value.as_str().unwrap().to_owned()
}

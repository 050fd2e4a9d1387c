//! The stream that the operator declares, and the events that come of it (streamnook-host, Events; ruling
//! Plugins 9).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::{Timestamp, TimestampRound, Unit};
use serde::Serialize;
use serde_json::Value;

use super::{Record, Supervisor};
use crate::{
    ids::PluginId,
    plugin::{
        Channel, ChatMessage, Outcome, Refusal, StreamChange, StreamCommand, StreamDetail, Transition,
        capability::Hook,
    },
    store::plugins::StreamPart,
    time::{Mono, Now, Wall},
};

/// From one watch tick to the next.
const TICK: Duration = Duration::from_secs(60);

/// The session that is there while a channel plays.
const SOLO: &str = "solo";

/// What is declared.
#[derive(Debug)]
pub(super) struct Stream {
    channel: Option<Channel>,
    /// Nothing where it never was declared.
    live: Option<Vec<Channel>>,
    /// The relay sessions, each with the playlist that a plugin set.
    sessions: BTreeMap<Arc<str>, Option<String>>,
    /// The playlist that a plugin set for `solo`.
    solo: Option<String>,
    next_tick: Mono,
}

#[derive(Serialize)]
struct Started<'a> {
    channel: &'a Channel,
}

#[derive(Serialize)]
struct Stopped<'a> {
    channel_id: &'a str,
}

#[derive(Serialize)]
struct Changed<'a> {
    channel_id: &'a str,
    login: &'a str,
}

#[derive(Serialize)]
struct Tick<'a> {
    active_channel_id: Option<&'a str>,
    ts: String,
}

/// Channels that are live, as an event and an answer have them.
#[derive(Serialize)]
pub(super) struct Live {
    channels: Vec<Channel>,
}

#[derive(Serialize)]
struct Chat<'a> {
    channel: &'a str,
    message: &'a ChatMessage,
}

impl Stream {
    /// What was kept; nothing is told of it.
    pub(super) fn kept(now: Now, parts: Vec<(StreamPart, Value)>) -> Self {
        let mut stream = Self {
            channel: None,
            live: None,
            sessions: BTreeMap::new(),
            solo: None,
            next_tick: now.mono + TICK,
        };
        for (part, value) in parts {
            match part {
                StreamPart::Channel => stream.channel = serde_json::from_value(value).unwrap_or_default(),
                StreamPart::Live => stream.live = serde_json::from_value(value).unwrap_or_default(),
                StreamPart::Sessions => {
                    let ids: Vec<String> = serde_json::from_value(value).unwrap_or_default();
                    stream.sessions = ids.into_iter().map(|id| (Arc::from(id), None)).collect();
                }
            }
        }
        stream
    }

    pub(super) const fn next_tick(&self) -> Mono {
        self.next_tick
    }

    pub(super) fn has_session(&self, id: &str) -> bool {
        self.sessions.contains_key(id) || (id == SOLO && self.channel.is_some())
    }

    pub(super) fn set_upstream(&mut self, session: &str, playlist_url: &str) {
        let upstream = playlist_url.to_owned();
        match self.sessions.get_mut(session) {
            Some(slot) => *slot = Some(upstream),
            None => self.solo = Some(upstream),
        }
    }

    /// Whether the list of those that are live ever was declared.
    pub(super) const fn is_live_declared(&self) -> bool {
        self.live.is_some()
    }

    pub(super) fn live_channels(&self) -> Live {
        Live { channels: self.live.clone().unwrap_or_default() }
    }
}

impl Supervisor {
    /// The declared stream.
    #[must_use]
    pub fn stream_detail(&self) -> StreamDetail {
        let stream = &self.stream;
        let sessions = stream.sessions.iter();
        let mut sessions: BTreeMap<_, _> =
            sessions.map(|(id, playlist_url)| (id.to_string(), playlist_url.clone())).collect();
        if stream.channel.is_some() {
            sessions.entry(SOLO.to_owned()).or_insert_with(|| stream.solo.clone());
        }
        StreamDetail { channel: stream.channel.clone(), live: stream.live.clone(), sessions }
    }

    /// Says what was declared before this start; plugins are sent nothing of it.
    pub(super) fn announce_stream(&mut self) {
        if let Some(channel) = self.stream.channel.clone() {
            self.announce_channel(&channel);
            self.announce_solo(true);
        }
        if let Some(live) = &self.stream.live {
            let change = StreamChange::Live { channels: live.len() as u64 };
            self.emit(Transition::Stream { change });
        }
        for id in self.stream.sessions.keys().cloned().collect::<Vec<_>>() {
            self.emit(Transition::Stream { change: StreamChange::Session { id, is_there: true } });
        }
    }

    fn announce_channel(&mut self, channel: &Channel) {
        let text = serde_json::to_string(channel).unwrap_or_default();
        let change = StreamChange::Channel { login: Some(self.shown(&channel.login)) };
        self.emit_with(Transition::Stream { change }, text);
    }

    /// Says that the session is there that a playing channel has, or is no longer.
    fn announce_solo(&mut self, is_there: bool) {
        let change = StreamChange::Session { id: Arc::from(SOLO), is_there };
        self.emit(Transition::Stream { change });
    }

    /// Declares something of the stream.
    pub(super) fn declare(&mut self, now: Now, command: StreamCommand) -> Result<Outcome, Refusal> {
        match command {
            StreamCommand::Set { channel } => Ok(self.play(now, &complete(channel)?)),
            StreamCommand::Stop => Ok(self.stop_playing(now)),
            StreamCommand::Live { channels } => self.declare_live(now, channels),
            StreamCommand::AddSession { id } => self.add_session(id),
            StreamCommand::RemoveSession { id } => self.remove_session(&id),
            StreamCommand::Chat { messages } => self.chat(now, messages),
        }
    }

    fn play(&mut self, now: Now, channel: &Channel) -> Outcome {
        let before = self.stream.channel.replace(channel.clone());
        self.keep_stream(StreamPart::Channel, serde_json::to_value(channel).unwrap_or_default());
        self.announce_channel(channel);
        let receivers = match before {
            None => {
                self.announce_solo(true);
                self.broadcast(now, Hook::OnStreamStart, &Started { channel })
            }
            Some(before) if before.channel_id == channel.channel_id => 0,
            Some(_) => {
                // Of another channel it is another session, without an upstream.
                self.stream.solo = None;
                self.announce_solo(false);
                self.announce_solo(true);
                let params = Changed { channel_id: &channel.channel_id, login: &channel.login };
                self.broadcast(now, Hook::OnChannelChange, &params)
            }
        };
        Outcome::Delivered { receivers }
    }

    fn stop_playing(&mut self, now: Now) -> Outcome {
        let Some(before) = self.stream.channel.take() else { return Outcome::Delivered { receivers: 0 } };
        self.stream.solo = None;
        self.keep_stream(StreamPart::Channel, Value::Null);
        self.emit(Transition::Stream { change: StreamChange::Channel { login: None } });
        self.announce_solo(false);
        let params = Stopped { channel_id: &before.channel_id };
        let receivers = self.broadcast(now, Hook::OnStreamStop, &params);
        Outcome::Delivered { receivers }
    }

    fn declare_live(&mut self, now: Now, channels: Vec<Channel>) -> Result<Outcome, Refusal> {
        let most = self.settings.limits.live_channels_max;
        if channels.len() as u64 > most {
            return Err(Refusal::Invalid(format!("{} channels: at most {most}", channels.len())));
        }
        let channels = channels.into_iter().map(complete).collect::<Result<Vec<_>, _>>()?;
        self.keep_stream(StreamPart::Live, serde_json::to_value(&channels).unwrap_or_default());
        let change = StreamChange::Live { channels: channels.len() as u64 };
        self.emit(Transition::Stream { change });
        self.stream.live = Some(channels);
        let receivers = self.broadcast(now, Hook::OnFollowedLive, &self.stream.live_channels());
        Ok(Outcome::Delivered { receivers })
    }

    fn add_session(&mut self, id: String) -> Result<Outcome, Refusal> {
        let most = self.settings.limits.stream_sessions_max;
        if id.is_empty() || id == SOLO || id.len() as u64 > self.settings.limits.id_bytes_max {
            let text = "the id of a session has 1 to 128 bytes and is not solo, which is there while a channel plays";
            return Err(Refusal::Invalid(text.to_owned()));
        }
        if self.stream.sessions.len() as u64 >= most && !self.stream.sessions.contains_key(id.as_str()) {
            return Err(Refusal::Invalid(format!("{most} sessions are declared, the most there may be")));
        }
        let id: Arc<str> = Arc::from(id);
        self.stream.sessions.entry(id.clone()).or_default();
        self.keep_sessions();
        self.emit(Transition::Stream { change: StreamChange::Session { id, is_there: true } });
        Ok(Outcome::Done)
    }

    fn remove_session(&mut self, id: &str) -> Result<Outcome, Refusal> {
        if self.stream.sessions.remove(id).is_none() {
            return Err(Refusal::Invalid(format!("no session {}", self.shown(id))));
        }
        self.keep_sessions();
        let change = StreamChange::Session { id: self.shown(id), is_there: false };
        self.emit(Transition::Stream { change });
        Ok(Outcome::Done)
    }

    fn chat(&mut self, now: Now, messages: Vec<ChatMessage>) -> Result<Outcome, Refusal> {
        let Some(channel) = &self.stream.channel else {
            let text = "nothing plays: `rl-console stream set LOGIN` declares a channel";
            return Err(Refusal::Invalid(text.to_owned()));
        };
        let login = channel.login.clone();
        let (count, mut receivers) = (messages.len() as u64, 0);
        for mut message in messages {
            if message.ts.is_empty() {
                message.ts = utc(now.wall);
            }
            let chat = Chat { channel: &login, message: &message };
            receivers = self.broadcast(now, Hook::OnChatMessage, &chat).max(receivers);
        }
        let change = match count {
            0 => return Ok(Outcome::Delivered { receivers }),
            1 => StreamChange::Chat { receivers },
            messages => StreamChange::ChatBatch { messages, receivers },
        };
        self.emit(Transition::Stream { change });
        Ok(Outcome::Delivered { receivers })
    }

    /// The station's tick; those that were missed are not made up for.
    pub(super) fn on_tick(&mut self, now: Now) {
        self.stream.next_tick = now.mono + TICK;
        let active = self.stream.channel.as_ref().map(|channel| channel.channel_id.clone());
        let params = Tick { active_channel_id: active.as_deref(), ts: utc(now.wall) };
        self.broadcast(now, Hook::OnWatchTick, &params);
        self.emit(Transition::Stream { change: StreamChange::Tick });
    }

    /// What a plugin that is up is told at first: which channels are live, if that was declared ever.
    pub(super) fn send_followed_live(&mut self, now: Now, id: &PluginId) {
        let takes = self.process(id).is_some_and(|process| process.hooks.contains(&Hook::OnFollowedLive));
        if !takes || !self.stream.is_live_declared() {
            return;
        }
        let live = self.stream.live_channels();
        self.send_hook(now, id, Hook::OnFollowedLive, &live);
    }

    fn keep_sessions(&mut self) {
        let ids: Vec<&str> = self.stream.sessions.keys().map(|id| &**id).collect();
        let value = serde_json::to_value(ids).unwrap_or_default();
        self.keep_stream(StreamPart::Sessions, value);
    }

    fn keep_stream(&mut self, part: StreamPart, value: Value) {
        self.persist(Record::Stream { part, value });
    }
}

/// A channel with what follows from its login.
fn complete(mut channel: Channel) -> Result<Channel, Refusal> {
    if channel.login.is_empty() {
        return Err(Refusal::Invalid("a channel needs a login".to_owned()));
    }
    for empty in [&mut channel.channel_id, &mut channel.display_name] {
        if empty.is_empty() {
            empty.clone_from(&channel.login);
        }
    }
    if let Some(at) = &channel.started_at
        && at.parse::<Timestamp>().is_err()
    {
        return Err(Refusal::Invalid(format!("started_at: {at} is no time of RFC 3339")));
    }
    Ok(channel)
}

/// `YYYY-MM-DDTHH:MM:SSZ`.
fn utc(wall: Wall) -> String {
    i64::try_from(wall.0)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok())
        .and_then(|at| {
            at.round(TimestampRound::new().smallest(Unit::Second).mode(jiff::RoundMode::Floor)).ok()
        })
        .map_or_else(String::new, |at| at.to_string())
}

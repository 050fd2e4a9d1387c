//! A connection before and after its handshake (mpp-v2, hello; rulings MPP 2 and 8).

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    fmt,
    ops::Range,
    sync::Arc,
    time::Duration,
};

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::{frame::unescaped, snapshot::AdapterView};
use crate::{
    ids::{ConnectionId, InvocationId, Peer, QueueName, SessionId},
    schema::JsonText,
    tap::entry::mpp::Head,
    time::{Mono, Now},
};

/// "The bridge MUST receive hello within 10 seconds of accept."
pub(super) const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Our heartbeat goes out after this long without outbound traffic (ruling MPP 12).
pub(super) const HEARTBEAT_AFTER: Duration = Duration::from_secs(15);
/// This much inbound silence is stale (mpp-v2, heartbeat; ruling MPP 12).
pub(super) const STALE_AFTER: Duration = Duration::from_secs(30);

/// SHA-256 of a bridge token, all that is kept of it (ruling MPP 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash of a raw token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Its 32 bytes.
    #[must_use]
    pub const fn bytes(self) -> [u8; 32] {
        self.0
    }

    /// Reads 64 hex digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Self(bytes))
    }
}

/// A connection that has not sent its `hello`.
#[derive(Debug)]
pub(super) struct UnauthenticatedConnection {
    pub(super) peer: Peer,
    pub(super) since: Now,
}

/// The active adapter.
#[derive(Debug)]
pub(super) struct ActiveAdapter {
    pub(super) conn: ConnectionId,
    pub(super) peer: Peer,
    pub(super) connected_at: Now,
    pub(super) last_in: Now,
    pub(super) last_out: Mono,
    pub(super) stale: bool,
    pub(super) token: Box<Secret>,
    /// Whether its token was lent by the station.
    pub(super) is_lent: bool,
    pub(super) ended: RecentlyEnded,
}

impl ActiveAdapter {
    /// One that has connected now, with a token that no line holds.
    pub(super) fn newcomer(conn: ConnectionId, now: Now) -> Self {
        Self {
            conn,
            peer: Peer::new(""),
            connected_at: now,
            last_in: now,
            last_out: now.mono,
            stale: false,
            token: Box::new(Secret::new("\0")),
            is_lent: true,
            ended: RecentlyEnded::default(),
        }
    }

    pub(super) fn view(&self, session_id: SessionId) -> AdapterView {
        AdapterView {
            peer: self.peer.clone(),
            connected_at: self.connected_at,
            last_in: self.last_in,
            session_id,
            stale: self.stale,
        }
    }
}

/// The raw token of the active connection, kept to overwrite it wherever it comes again.
pub(super) struct Secret {
    text: String,
    /// Made once: every frame of the connection is searched.
    finder: memmem::Finder<'static>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Secret {
    pub(super) fn new(token: &str) -> Self {
        Self { text: token.to_owned(), finder: memmem::Finder::new(token).into_owned() }
    }

    /// Where the token stands in a line.
    pub(super) fn token_ranges(&self, wire: &[u8]) -> Vec<Range<u32>> {
        if self.text.is_empty() {
            return Vec::new();
        }
        let length = self.text.len();
        let place = |start: usize| Some(u32::try_from(start).ok()?..u32::try_from(start + length).ok()?);
        self.finder.find_iter(wire).filter_map(place).collect()
    }

    /// Where the token stands in a line that was cut: its beginning at the very end counts too.
    pub(super) fn token_ranges_of_cut(&self, wire: &[u8]) -> Vec<Range<u32>> {
        let mut places = self.token_ranges(wire);
        let token = self.text.as_bytes();
        let tail = (1..token.len()).rev().find(|length| wire.ends_with(&token[..*length]));
        if let Some(length) = tail
            && let (Ok(start), Ok(end)) = (u32::try_from(wire.len() - length), u32::try_from(wire.len()))
            && places.last().is_none_or(|last| last.end <= start)
        {
            places.push(start..end);
        }
        places
    }

    /// Whether a line says the token by escapes, anywhere in it: then it is not enough to mask the places.
    pub(super) fn hides_in(&self, wire: &[u8]) -> bool {
        !self.text.is_empty() && unescaped(wire).is_some_and(|plain| self.finder.find(&plain).is_some())
    }

    /// Whether a line that was cut says the token by escapes, or its beginning at the very end.
    pub(super) fn hides_in_cut(&self, wire: &[u8]) -> bool {
        let token = self.text.as_bytes();
        let Some(plain) = unescaped(wire) else { return false };
        let tail = |line: &[u8]| (1..token.len()).rev().find(|length| line.ends_with(&token[..*length]));
        self.hides_in(wire) || tail(&plain) > tail(wire)
    }

    /// A head whose queue does not say the token.
    pub(super) fn mask_head(&self, mut head: Head) -> Head {
        head.queue = head.queue.map(|queue| QueueName::new(&self.mask(queue.as_str())));
        head
    }

    fn is_in(&self, text: &str) -> bool {
        !self.text.is_empty() && self.finder.find(text.as_bytes()).is_some()
    }

    /// The text with the token overwritten by `*`, byte for byte.
    pub(super) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_in(text) {
            Cow::Owned(text.replace(self.text.as_str(), &"*".repeat(self.text.len())))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// JSON with the token overwritten; `null` where that leaves no JSON, or where escapes hide the token.
    pub(super) fn mask_json(&self, json: &JsonText) -> JsonText {
        let masked = match self.mask(json.as_str()) {
            Cow::Borrowed(_) => json.clone(),
            Cow::Owned(text) => JsonText::parse(&text).unwrap_or_else(|_| JsonText::null()),
        };
        if self.hides_in(masked.as_str().as_bytes()) { JsonText::null() } else { masked }
    }
}

/// The last invocations of a connection that ended, so that late frames for them can be told from wrong ones
/// (ruling MPP 8).
#[derive(Debug, Default)]
pub(super) struct RecentlyEnded {
    order: VecDeque<InvocationId>,
    ids: HashSet<InvocationId>,
}

impl RecentlyEnded {
    pub(super) fn insert(&mut self, id: InvocationId, limit: u64) {
        if !self.ids.insert(id) {
            return;
        }
        self.order.push_back(id);
        if self.order.len() as u64 > limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    pub(super) fn contains(&self, id: InvocationId) -> bool {
        self.ids.contains(&id)
    }
}

/// A text shared by a transition and what it is kept in.
pub(super) fn shared(text: &str) -> Arc<str> {
    Arc::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ended_id_is_forgotten_first() {
        let mut ended = RecentlyEnded::default();
        for id in 1..=4 {
            ended.insert(InvocationId(id), 3);
        }
        assert!(!ended.contains(InvocationId(1)));
        assert!(ended.contains(InvocationId(2)) && ended.contains(InvocationId(4)));
    }

    #[test]
    fn a_token_is_overwritten_in_text_and_in_json() {
        let token = Secret::new("s3cret");
        assert_eq!(token.mask("it is s3cret!"), "it is ******!");
        assert_eq!(
            token.mask_json(&JsonText::parse(r#"{"a":"s3cret"}"#).unwrap()).as_str(),
            r#"{"a":"******"}"#
        );
        assert_eq!(token.mask_json(&JsonText::parse(r#""\u0073\u0033cret""#).unwrap()).as_str(), "null");
        assert_eq!(
            token.mask_json(&JsonText::parse(r#"[1e999,"s3cre\u0074"]"#).unwrap()).as_str(),
            "null",
            "no value, but JSON"
        );
        assert_eq!(Secret::new("1").mask_json(&JsonText::parse("[1]").unwrap()).as_str(), "null");
        assert_eq!(format!("{token:?}"), "…");
    }
}

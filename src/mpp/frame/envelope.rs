//! What every frame has: one JSON object a line, `mpp` and `type` (mpp-v2, envelope).

use std::{borrow::Cow, fmt};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::tap::entry::mpp::Violation;

macro_rules! keys {
    ($( $key:ident = $name:literal ),* $(,)?) => {
        /// The keys that some frame uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::enum_variant_names, reason = "a frame has a field that is called `key`")]
        pub(super) enum Key { $( $key ),* }

        impl Key {
            const COUNT: usize = [$( $name ),*].len();

            /// The key on the wire.
            pub(super) const fn name(self) -> &'static str {
                match self { $( Self::$key => $name ),* }
            }

            /// The key of a name on the wire.
            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some(Self::$key), )* _ => None }
            }
        }
    };
}

keys! {
    Mpp = "mpp", Type = "type", Id = "id", Queue = "queue", PackId = "pack_id", ManifestHash = "manifest_hash", BridgeToken = "bridge_token",
    Result = "result", Reason = "reason", Refund = "refund", Level = "level", Message = "message", Key = "key", Value = "value", Scope = "scope",
    Code = "code", Ok = "ok", BroadcasterLogin = "broadcaster_login", SessionId = "session_id", Persisted = "persisted", Event = "event",
    Params = "params",
}

/// The values of one object by key, not looked into yet. Unknown keys are left out (mpp-v2, forward
/// compatibility).
pub(super) struct Fields<'a>([Option<&'a RawValue>; Key::COUNT]);

impl<'a> Fields<'a> {
    /// Reads one line, with or without its LF and a CR before it.
    pub(super) fn read(wire: &'a [u8]) -> Result<Self, Violation> {
        let text = std::str::from_utf8(wire).map_err(|_| Violation::NotUtf8)?;
        Self::parse(text).map_err(|_| Self::blame(text))
    }

    /// Reads one object.
    pub(super) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[cold]
    fn blame(text: &str) -> Violation {
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        let is_object = text.trim_ascii_start().starts_with('{');
        if is_json && !is_object { Violation::NotObject } else { Violation::NotJson }
    }

    /// A key's value as its JSON text.
    pub(super) fn raw(&self, key: Key) -> Option<&'a RawValue> {
        self.0[key as usize]
    }

    /// Whether `mpp` is 2.
    pub(super) fn is_version_2(&self) -> bool {
        self.raw(Key::Mpp).is_some_and(|raw| raw.get() == "2")
    }

    /// Any JSON value.
    pub(super) fn value(&self, key: Key) -> Result<&'a RawValue, Violation> {
        self.raw(key).ok_or(Violation::Missing(key.name()))
    }

    /// A JSON object, as its text.
    pub(super) fn object(&self, key: Key) -> Result<&'a RawValue, Violation> {
        let raw = self.value(key)?;
        if raw.get().starts_with('{') { Ok(raw) } else { Err(Violation::Mistyped(key.name())) }
    }

    /// A string.
    pub(super) fn text(&self, key: Key) -> Result<Cow<'a, str>, Violation> {
        string(self.value(key)?).ok_or(Violation::Mistyped(key.name()))
    }

    /// A string that may be absent.
    pub(super) fn text_if_any(&self, key: Key) -> Result<Option<Cow<'a, str>>, Violation> {
        match self.raw(key) {
            None => Ok(None),
            Some(_) => self.text(key).map(Some),
        }
    }

    /// A whole number that fits 64 bits without a sign.
    pub(super) fn number(&self, key: Key) -> Result<u64, Violation> {
        let text = self.value(key)?.get();
        // Of what `parse` takes, JSON has no leading `+`: digits alone are left.
        text.parse().map_err(|_| Violation::Mistyped(key.name()))
    }

    /// A boolean.
    pub(super) fn boolean(&self, key: Key) -> Result<bool, Violation> {
        match self.value(key)?.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Violation::Mistyped(key.name())),
        }
    }
}

/// The string that a JSON text is, borrowed unless it has escapes.
pub(super) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor).map(Self)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = [Option<&'de RawValue>; Key::COUNT];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = [None; Key::COUNT];
        while let Some(KnownKey(key)) = map.next_key()? {
            match key {
                Some(key) => fields[key as usize] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(fields)
    }
}

/// A key of an object, if some frame uses it.
pub(super) struct KnownKey(pub(super) Option<Key>);

impl<'de> Deserialize<'de> for KnownKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = KnownKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, name: &str) -> Result<KnownKey, E> {
                Ok(KnownKey(Key::from_name(name)))
            }
        }

        deserializer.deserialize_identifier(KeyVisitor)
    }
}

//! Reads the one message of a payload and its fields, each at its place.

use std::ops::Range;

use crate::{
    msgpack::{Shape, Walk},
    rmp::{
        Body,
        body::{BodyFault, Breach, text},
    },
};

/// The name of a message and where it stands in the body.
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// The name of the message that a payload is, and the walk to what it says.
pub(super) fn message<'a>(body: &Body<'a>) -> Result<(Name<'a>, Walk<'a>), BodyFault> {
    let mut walk = body.walk_payload();
    let not_message = |at| BodyFault { at, breach: Breach::NotMessage };
    let Shape::Map(1) = walk.head(1)? else { return Err(not_message(body.payload_at())) };
    let key = walk.skip(2)?;
    let name = text(body.bytes(), &key).ok_or(not_message(key.start))?;
    Ok((Name { text: name, at: key.start }, walk))
}

/// The fields of a message that are known, as far as they are there.
pub(super) struct Fields<'a, const N: usize> {
    bytes: &'a [u8],
    at: usize,
    names: [&'static str; N],
    found: [Option<Range<usize>>; N],
}

impl<'a, const N: usize> Fields<'a, N> {
    /// Reads the map of a message's fields; those of other names are passed over.
    pub(super) fn read(
        message: &'static str,
        walk: &mut Walk<'a>,
        body: &Body<'a>,
        names: [&'static str; N],
    ) -> Result<Self, BodyFault> {
        let at = walk.at();
        let not_map =
            BodyFault { at, breach: Breach::Mistyped { field: message, takes: "a map of its fields" } };
        let Shape::Map(pairs) = walk.head(2)? else { return Err(not_map) };
        let bytes = body.bytes();
        let mut found = [const { None }; N];
        for _ in 0..pairs {
            let key = walk.skip(3)?;
            let value = walk.skip(3)?;
            let known = text(bytes, &key)
                .and_then(|key| names.iter().zip(&mut found).find(|(name, _)| **name == key));
            if let Some((name, slot)) = known
                && slot.replace(value).is_some()
            {
                return Err(BodyFault { at: key.start, breach: Breach::Twice(name) });
            }
        }
        Ok(Self { bytes, at, names, found })
    }

    fn value(&self, name: &'static str) -> Result<Range<usize>, BodyFault> {
        let found = self.names.iter().zip(&self.found).find(|(known, _)| **known == name);
        found
            .and_then(|(_, value)| value.clone())
            .ok_or(BodyFault { at: self.at, breach: Breach::Missing(name) })
    }

    fn read_field<T>(
        &self,
        field: &'static str,
        takes: &'static str,
        read: impl Fn(&'a [u8]) -> Option<T>,
    ) -> Result<T, BodyFault> {
        let value = self.value(field)?;
        let held = self.bytes.get(value.clone()).and_then(read);
        held.ok_or(BodyFault { at: value.start, breach: Breach::Mistyped { field, takes } })
    }

    /// A whole number of 64 bits without a sign, however many bytes it is written in.
    pub(super) fn number(&self, name: &'static str) -> Result<u64, BodyFault> {
        self.read_field(name, "a number from 0 to 18446744073709551615", |mut bytes| {
            rmp::decode::read_int(&mut bytes).ok()
        })
    }

    /// A text.
    pub(super) fn text(&self, name: &'static str) -> Result<&'a str, BodyFault> {
        self.read_field(name, "a string of UTF-8", |bytes| text(bytes, &(0..bytes.len())))
    }

    /// A text, or none where it is missing or nil.
    pub(super) fn text_if_any(&self, name: &'static str) -> Result<Option<&'a str>, BodyFault> {
        match self.value(name) {
            Ok(value) if self.bytes.get(value.start) != Some(&0xc0) => self.text(name).map(Some),
            _ => Ok(None),
        }
    }

    /// True or false.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, BodyFault> {
        self.read_field(name, "true or false", |bytes| match bytes {
            [0xc2] => Some(false),
            [0xc3] => Some(true),
            _ => None,
        })
    }
}

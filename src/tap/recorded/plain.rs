//! Values that every message is made of, and enumerations without content.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ffi::OsString,
    net::SocketAddr,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;

use super::{
    error::DecodeError,
    form::{Recorded, RecordedRow, recorded},
    wire,
};
use crate::{
    ids::{
        ActionId, ConnectionId, EventName, InvocationId, ManifestHash, PackId, Peer, PluginId, QueueName,
        RefundId, Seq, SessionId, StateKey, Ticket, TopicName, TraceId,
    },
    tap::entry::{rmp, station::Level},
    time::{ClockShift, Mono, Now, Wall},
};

/// Names of fields that one process takes from recordings.
const FIELD_NAMES_MAX: usize = 256;

/// The length of such a name in bytes.
const FIELD_NAME_BYTES_MAX: usize = 64;

/// The name of a frame's field. Live names are part of the program; those of a recording are kept for as long
/// as the process lives, in a set with a bound.
pub(super) fn field_name(name: &str) -> Result<&'static str, DecodeError> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if name.len() > FIELD_NAME_BYTES_MAX {
        return Err(DecodeError::Invalid("field"));
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Ok(known);
    }
    if names.len() >= FIELD_NAMES_MAX {
        return Err(DecodeError::Invalid("field"));
    }
    let name: &'static str = Box::leak(Box::from(name));
    names.insert(name);
    Ok(name)
}

/// Implements [`Recorded`] for values that fields hold: how they are recorded, and how they are read.
macro_rules! values {
    ($(
        $($Live:ty),+ as $Wire:ty: |$value:ident| $recorded:expr, |$it:ident, $field:pat_param| $live:expr;
    )*) => { $( $(
        impl Recorded<$Wire> for $Live {
            fn recorded(&self) -> $Wire {
                let $value = self;
                $recorded
            }

            fn live($it: $Wire, $field: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
                $live
            }
        }
    )+ )* };
}

values! {
    bool as bool: |it| *it, |it, _| Ok(it);
    u32 as u32: |it| *it, |it, _| Ok(it);
    u64 as u64: |it| *it, |it, _| Ok(it);
    i64 as i64: |it| *it, |it, _| Ok(it);
    f64 as f64: |it| *it, |it, _| Ok(it);
    i32 as i64:
        |it| i64::from(*it), |it, field| Self::try_from(it).map_err(|_| DecodeError::Invalid(field));
    u16 as u32:
        |it| u32::from(*it), |it, field| Self::try_from(it).map_err(|_| DecodeError::Invalid(field));
    InvocationId, RefundId, SessionId, ConnectionId, Seq, Ticket, Wall as u64:
        |it| it.0, |it, _| Ok(Self(it));
    Arc<str> as String: |it| (**it).to_owned(), |it, _| Ok(Self::from(it));
    EventName, ManifestHash, PackId, Peer, PluginId, QueueName, StateKey, TopicName as String:
        |it| it.as_str().to_owned(), |it, _| Ok(Self::new(&it));
    SocketAddr as String:
        |it| it.to_string(), |it, field| it.parse().map_err(|_| DecodeError::Invalid(field));
    rmp::Refusal as String:
        |it| it.name().to_owned(), |it, field| Self::from_name(&it).ok_or(DecodeError::Invalid(field));
    TraceId, ActionId as [u8; 16]: |it| *it.0.as_bytes(), |it, _| Ok(Self(Uuid::from_bytes(it)));
    TraceId, ActionId as Vec<u8>:
        |it| it.0.as_bytes().to_vec(),
        |it, field| Uuid::from_slice(&it).map(Self).map_err(|_| DecodeError::Invalid(field));
    PathBuf as Vec<u8>:
        |it| it.as_os_str().as_bytes().to_vec(), |it, _| Ok(Self::from(OsString::from_vec(it)));
}

impl Recorded<wire::Moment> for Now {
    fn recorded(&self) -> wire::Moment {
        wire::Moment { mono_ns: self.mono.0, wall_ms: self.wall.0 }
    }

    fn live(it: wire::Moment, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        Ok(shift.apply(Self { mono: Mono(it.mono_ns), wall: Wall(it.wall_ms) }))
    }
}

recorded! { @required Now = wire::Moment }

impl<T: Recorded<W>, W> Recorded<Option<W>> for Option<T> {
    fn recorded(&self) -> Option<W> {
        self.as_ref().map(T::recorded)
    }

    fn live(it: Option<W>, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        it.map(|it| T::live(it, field, shift)).transpose()
    }
}

/// An enumeration without content that may be absent, and is 0 then.
impl<T: Recorded<i32>> Recorded<i32> for Option<T> {
    fn recorded(&self) -> i32 {
        self.as_ref().map_or(0, T::recorded)
    }

    fn live(it: i32, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        (it != 0).then(|| T::live(it, field, shift)).transpose()
    }
}

macro_rules! lists {
    ($($List:ty),*) => { $(
        impl<T: Recorded<W>, W> Recorded<Vec<W>> for $List {
            fn recorded(&self) -> Vec<W> {
                self.iter().map(T::recorded).collect()
            }

            fn live(all: Vec<W>, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
                all.into_iter().map(|it| T::live(it, field, shift)).collect()
            }
        }
    )* };
}

lists! { Vec<T>, VecDeque<T>, Arc<[T]> }

impl<K: Ord, V: RecordedRow<K, W>, W> Recorded<Vec<W>> for BTreeMap<K, V> {
    fn recorded(&self) -> Vec<W> {
        self.iter().map(|(key, value)| value.recorded_row(key)).collect()
    }

    fn live(all: Vec<W>, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        all.into_iter().map(|it| V::live_row(it, shift)).collect()
    }
}

recorded! {
    codes Level = Level { Trace, Debug, Info, Warn, Error }
}

//! One turn of a connection: a read, all that it brought, and what that caused.

use std::ops::Range;

use bytes::Bytes;

use super::{conn::Phase, gated::Taken, run::Host};
use crate::{
    ids::ConnectionId,
    rmp::{
        Dialect, Error, HEADER_BYTES, PREFIX_BYTES,
        broker::{Input, PREFETCH_UNITS, Wire},
        split::{self, UnitSplit},
    },
    tap::entry::rmp::CloseCause,
    time::Now,
};

/// Units that are taken before what they caused is written, or half of what a subscription's queue holds
/// where that is less.
const UNITS_MAX: u64 = 512;

/// Bytes of a stream below which it is not looked ahead: few messages wait for memory one by one.
const PREFETCH_BYTES_MIN: usize = 4 << 10;

/// What a turn goes through.
enum Source<'a> {
    /// A buffer that is used again.
    Scratch(&'a [u8]),
    /// One large unit.
    Large(&'a Bytes),
}

impl<'a> Source<'a> {
    fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Scratch(bytes) => bytes,
            Self::Large(bytes) => bytes,
        }
    }
}

impl Host {
    /// So many bytes of the scratch are a connection's: what was kept, and what was read behind it.
    pub(super) fn on_scratch(&mut self, now: Now, id: ConnectionId, filled: usize) {
        let scratch = std::mem::take(&mut self.scratch);
        let planned = self.broker.planned();
        self.handle_units(now, id, &Source::Scratch(scratch.get(..filled).unwrap_or_default()));
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.adapt_reads(self.broker.planned() - planned, scratch.len());
        }
        self.scratch = scratch;
        self.finish_turn(now);
    }

    /// A large unit is whole.
    pub(super) fn on_large(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let Some((buffer, _)) = conn.read_buffer.large.take() else { return };
        let whole = buffer.freeze();
        self.handle_units(now, id, &Source::Large(&whole));
        self.finish_turn(now);
    }

    /// Hands in every whole unit, and keeps the rest.
    fn handle_units(&mut self, now: Now, id: ConnectionId, source: &Source<'_>) {
        let bytes = source.bytes();
        let Some(conn) = self.conns.get_mut(&id) else { return };
        if conn.read_buffer.is_broken {
            return;
        }
        if let Some(inbox) = &self.station_inbox {
            self.broker.set_inbox_capacity(inbox.capacity());
        }
        let mut handed = std::mem::take(&mut conn.read_buffer.handed);
        let Some(dialect) = conn.read_buffer.dialect.or_else(|| split::dialect(bytes)) else {
            conn.read_buffer.set_pending(bytes, None);
            return self.note_receiving(now, id, false);
        };
        conn.read_buffer.dialect = Some(dialect);
        let body_bytes_max = self.limits.body_bytes_max;
        let (mut at, mut units, mut ahead) = (0, 0_u64, 0_u64);
        let whole = loop {
            let rest = bytes.get(at + handed..).unwrap_or_default();
            if ahead == 0 && rest.len() >= PREFETCH_BYTES_MIN {
                self.broker.prefetch(id, rest);
                ahead = PREFETCH_UNITS;
            }
            ahead = ahead.saturating_sub(1);
            let len = match split::split_unit(rest, dialect, body_bytes_max) {
                UnitSplit::Whole(len) => len,
                UnitSplit::Part(whole) => break whole.map(|whole| handed + whole),
                UnitSplit::Broken(error) => {
                    let seen = at + handed + rest.len().min(PREFIX_BYTES + HEADER_BYTES);
                    return self.on_broken(
                        now,
                        id,
                        (dialect, error),
                        bytes.get(at..seen).unwrap_or_default(),
                    );
                }
            };
            match if handed == 0 { self.take_unit(now, id, dialect, rest, len) } else { Taken::Ungated } {
                Taken::Unit(len) => {
                    at += len;
                    self.flush_sometimes(now, &mut units);
                    if self.conns.get(&id).is_none_or(|conn| conn.read_buffer.is_broken) {
                        return;
                    }
                    continue;
                }
                Taken::Part(whole) => break whole,
                Taken::Held(len) => {
                    at += len;
                    break None;
                }
                Taken::Ungated => {}
            }
            self.hand_over(now, id, (dialect, source), at + handed..at + handed + len);
            (at, handed) = self.finish_unit(now, id, bytes, at, handed + len);
            self.flush_sometimes(now, &mut units);
        };
        self.keep(id, bytes.get(at..).unwrap_or_default(), whole, handed);
        self.note_receiving(now, id, at > 0);
    }

    /// Hands in what lies at this place: a frame, or a unit of the JSON dialect.
    #[inline]
    fn hand_over(
        &mut self,
        now: Now,
        id: ConnectionId,
        (dialect, source): (Dialect, &Source<'_>),
        place: Range<usize>,
    ) {
        self.cause = None;
        let bytes = source.bytes().get(place.clone()).unwrap_or_default();
        match (dialect, source) {
            (Dialect::Json, _) => self.broker.handle(now, Input::Unit { session: id, unit: bytes }),
            (Dialect::Frames, Source::Scratch(_)) => {
                self.broker.handle(now, Input::Frame { session: id, frame: Wire::Lent(bytes) });
            }
            (Dialect::Frames, Source::Large(large)) => {
                let slice = large.slice(place);
                self.broker.handle(now, Input::Frame { session: id, frame: Wire::Owned(&slice) });
            }
        }
    }

    /// Keeps what has come of a unit, of which so much was handed in.
    fn keep(&mut self, id: ConnectionId, rest: &[u8], whole: Option<usize>, handed: usize) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        if conn.phase == Phase::Open {
            conn.read_buffer.set_pending(rest, whole);
            conn.read_buffer.handed = handed;
        } else {
            conn.read_buffer.clear();
        }
    }

    /// Nothing that follows these bytes can be trusted.
    fn on_broken(&mut self, now: Now, id: ConnectionId, (dialect, error): (Dialect, Error), seen: &[u8]) {
        self.cause = None;
        self.broker.handle(now, Input::Broken { session: id, dialect, error });
        self.drain(now, seen);
        self.break_off(id);
    }

    /// Writes what so many units have caused.
    fn flush_sometimes(&mut self, now: Now, units: &mut u64) {
        *units += 1;
        if *units >= UNITS_MAX.min(self.limits.queue_messages_max / 2).max(1) {
            *units = 0;
            self.flush(now);
        }
    }

    /// Where the unit begun now begins, and how much of it was handed in: a `Publish` is told of together
    /// with its message.
    fn finish_unit(
        &mut self,
        now: Now,
        id: ConnectionId,
        bytes: &[u8],
        at: usize,
        handed: usize,
    ) -> (usize, usize) {
        if self.broker.awaits_message(id) {
            return (at, handed);
        }
        self.drain(now, bytes.get(at..at + handed).unwrap_or_default());
        (at + handed, 0)
    }

    pub(super) fn break_off(&mut self, id: ConnectionId) {
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.read_buffer.clear();
            conn.read_buffer.is_broken = true;
        }
    }

    /// Hands in what was kept behind a unit that the gate held.
    pub(super) fn handle_kept(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let kept = std::mem::take(&mut conn.read_buffer.pending);
        if !kept.is_empty() {
            self.handle_units(now, id, &Source::Scratch(&kept));
        }
        self.finish_turn(now);
    }

    /// The peer sent FIN. What it cut off is told of.
    pub(super) fn on_end(&mut self, now: Now, id: ConnectionId) {
        if let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.read_buffer.is_broken) {
            let intake = std::mem::take(&mut conn.read_buffer);
            let kept = intake.large.map_or(intake.pending, |(buffer, _)| buffer.to_vec());
            let rest = kept.get(intake.handed..).unwrap_or_default();
            let dialect = intake.dialect.unwrap_or_default();
            let error = split::truncation(rest, dialect, self.limits.body_bytes_max);
            if let Some(error) = error.filter(|_| !kept.is_empty()) {
                let seen = kept.len().min(intake.handed + PREFIX_BYTES + HEADER_BYTES);
                self.cause = None;
                self.broker.handle(now, Input::Broken { session: id, dialect, error });
                self.drain(now, kept.get(..seen).unwrap_or_default());
                return self.finish_turn(now);
            }
        }
        self.on_connection_lost(now, id, CloseCause::PeerClosed);
        self.finish_turn(now);
    }
}

//! What may leave by one write.

use super::{
    Outbox,
    segments::{Cursor, Segments},
    unit::{FanOut, Unit, UnitKind},
};

/// Bytes after which nothing further is offered for one write.
const FRONT_BYTES: usize = 256 << 10;
/// Slices offered for one write.
pub(super) const SLICES_MAX: usize = 16;

/// What may be written now, in order.
#[derive(Debug)]
pub struct Front<'a> {
    pub(super) slices: [&'a [u8]; SLICES_MAX],
    pub(super) len: usize,
    /// Bytes of the first unit that have not left, and whether any have.
    pub(super) first: (usize, bool),
}

impl<'a> Front<'a> {
    /// The slices; none where nothing waits.
    #[must_use]
    pub fn slices(&self) -> &[&'a [u8]] {
        self.slices.get(..self.len).unwrap_or_default()
    }

    /// It without what is behind its first unit: no unit is begun before the next is looked at.
    #[must_use]
    pub fn only_first(self) -> Self {
        let bytes = self.first.0;
        self.only(bytes)
    }

    /// So many bytes of it.
    #[must_use]
    pub fn only(mut self, bytes: usize) -> Self {
        let mut left = bytes;
        for (index, slice) in self.slices.iter_mut().take(self.len).enumerate() {
            let taken = left.min(slice.len());
            *slice = slice.get(..taken).unwrap_or_default();
            left -= taken;
            if left == 0 {
                self.len = index + 1;
                break;
            }
        }
        self
    }

    /// What lies in these slices, of which no unit has begun to leave.
    #[cfg(test)]
    pub(in crate::rmp) fn of(all: &[&'a [u8]]) -> Self {
        let mut slices: [&[u8]; SLICES_MAX] = [&[]; SLICES_MAX];
        slices.iter_mut().zip(all).for_each(|(slice, bytes)| *slice = bytes);
        Self { slices, len: all.len().min(SLICES_MAX), first: (all.first().map_or(0, |it| it.len()), false) }
    }

    /// Whether a part of the first unit has left.
    #[must_use]
    pub const fn is_begun(&self) -> bool {
        self.first.1
    }

    /// Its first so many bytes, from a place, where they lie in one piece.
    pub(in crate::rmp) fn piece(&self, mut at: usize, bytes: usize) -> Option<&'a [u8]> {
        for slice in self.slices() {
            if at < slice.len() {
                return slice.get(at..at + bytes);
            }
            at -= slice.len();
        }
        None
    }

    /// The bytes of the first unit; nothing where it has begun to leave, or nothing waits.
    #[must_use]
    pub fn first_unit(self) -> Option<Vec<u8>> {
        let (left, is_begun) = self.first;
        (left > 0 && !is_begun).then(|| self.only_first().slices().concat())
    }
}

/// Where the slices lie, until they can be borrowed.
pub(super) struct Pieces {
    all: [Piece; SLICES_MAX],
    len: usize,
    offered: usize,
}

#[derive(Clone, Copy)]
enum Piece {
    None,
    Copied {
        from: Cursor,
        end: usize,
    },
    Shared {
        unit: usize,
        from: usize,
    },
    /// Of what a fan-out's small message is written out to, for one write.
    Spread {
        from: usize,
        end: usize,
    },
}

/// Where a unit's copied bytes lie that are still kept.
pub(super) struct Visited {
    /// Bytes of the unit that have left; of a fan-out for the next subscription.
    pub(super) begun: usize,
    pub(super) from: Cursor,
    pub(super) end: usize,
}

impl Pieces {
    pub(super) const fn new() -> Self {
        Self { all: [Piece::None; SLICES_MAX], len: 0, offered: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether nothing further is offered: a delivery takes two slices at most.
    pub(super) fn is_full(&self) -> bool {
        self.offered >= FRONT_BYTES || self.len + 2 > SLICES_MAX
    }

    /// Offers what is left of a unit; of one for several subscriptions as much as there is room for.
    #[inline]
    pub(super) fn offer<T>(
        &mut self,
        (unit, index): (&Unit<T>, usize),
        visited: &Visited,
        copied: &Segments,
        spread: &mut Vec<u8>,
    ) {
        match &unit.kind {
            UnitKind::Removed => {}
            UnitKind::FanOut(fan_out) => {
                self.offer_fan_out(
                    (unit, index),
                    fan_out,
                    visited,
                    copied.bytes(visited.from, visited.end),
                    spread,
                );
            }
            UnitKind::Answer | UnitKind::Delivery { .. } => {
                self.add_copied(visited.from, visited.end);
                self.add_shared(unit, index, visited.begun.saturating_sub(unit.copied));
            }
        }
    }

    /// Offers a message behind each head; one that was copied is copied again, so that one write takes many.
    fn offer_fan_out<T>(
        &mut self,
        (unit, index): (&Unit<T>, usize),
        fan_out: &FanOut<T>,
        visited: &Visited,
        copied: &[u8],
        spread: &mut Vec<u8>,
    ) {
        let (heads, message) = copied.split_at_checked(fan_out.heads).unwrap_or_default();
        let (mut begun, mut head_at) = (visited.begun, fan_out.heads_sent);
        for recipient in &fan_out.recipients {
            if self.is_full() {
                return;
            }
            let head_end = head_at + recipient.head;
            let of_message = begun.saturating_sub(recipient.head);
            let from = spread.len();
            spread
                .extend_from_slice(heads.get((head_at + begun).min(head_end)..head_end).unwrap_or_default());
            if unit.shared.is_none() {
                spread.extend_from_slice(message.get(of_message..).unwrap_or_default());
            }
            self.add_spread(from, spread.len());
            self.add_shared(unit, index, of_message);
            (begun, head_at) = (0, head_end);
        }
    }

    #[inline]
    fn add_copied(&mut self, from: Cursor, end: usize) {
        if from.at >= end {
            return;
        }
        self.offered += end - from.at;
        if let Some(Piece::Copied { from: first, end: last }) = self.last()
            && (first.segment, *last) == (from.segment, from.at)
        {
            *last = end;
            return;
        }
        self.add(Piece::Copied { from, end });
    }

    fn add_spread(&mut self, from: usize, end: usize) {
        self.offered += end - from;
        match self.last() {
            Some(Piece::Spread { end: last, .. }) => *last = end,
            _ if end > from => self.add(Piece::Spread { from, end }),
            _ => {}
        }
    }

    #[inline]
    fn add_shared<T>(&mut self, unit: &Unit<T>, index: usize, from: usize) {
        if unit.shared.is_some() {
            self.offered += unit.shared_bytes().saturating_sub(from);
            self.add(Piece::Shared { unit: index, from });
        }
    }

    #[inline]
    fn last(&mut self) -> Option<&mut Piece> {
        self.len.checked_sub(1).and_then(|last| self.all.get_mut(last))
    }

    fn add(&mut self, piece: Piece) {
        if let Some(next) = self.all.get_mut(self.len) {
            *next = piece;
            self.len += 1;
        }
    }
}

impl<T> Outbox<T> {
    pub(super) fn borrow_front<'a>(&'a self, pieces: &Pieces, spread: &'a [u8]) -> Front<'a> {
        let mut slices: [&[u8]; SLICES_MAX] = [&[]; SLICES_MAX];
        for (slice, piece) in slices.iter_mut().zip(pieces.all.iter().take(pieces.len)) {
            *slice = match *piece {
                Piece::None => &[],
                Piece::Copied { from, end } => self.copied.bytes(from, end),
                Piece::Shared { unit, from } => {
                    let shared = self.units.get(unit).and_then(|unit| unit.shared.as_ref());
                    shared.and_then(|shared| shared.get(from..)).unwrap_or_default()
                }
                Piece::Spread { from, end } => spread.get(from..end).unwrap_or_default(),
            };
        }
        let first = self.units.iter().position(|unit| !unit.is_removed());
        let begun = if first == Some(0) { self.begun } else { 0 };
        let first = first.and_then(|first| self.units.get(first)).map_or(0, Unit::wire_bytes);
        Front { slices, len: pieces.len, first: (first - begun.min(first), begun > 0) }
    }
}

//! A system that is measured: a broker, and how its bytes look. Every system is driven by the same loops;
//! only bytes differ.

use std::sync::atomic::{AtomicU64, Ordering};

use color_eyre::eyre::Result;
use rl_console_benches::{rmp::wall_ms, server::Tree};

use crate::{library::Library, stream::Stream};

/// The topic of all measurements, in a form that every system takes.
pub(crate) const TOPIC: &str = "bench";

/// The number of the next message: never given twice, so that nothing is a duplicate.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// How many messages may be on their way: beyond what the slowest subscriber has received; none is as many as
/// the sockets take.
pub(crate) type Window = Option<u64>;

/// A broker that runs.
pub(crate) trait System {
    /// As it is written in the tables.
    fn name(&self) -> &'static str;

    /// Its processes.
    fn tree(&self) -> Tree;

    /// The windows of which the best is taken.
    fn windows(&self) -> &'static [Window];

    /// A connection that publishes bodies of so many bytes on [`TOPIC`].
    ///
    /// # Errors
    /// The broker refuses.
    fn publisher(&self, body_bytes: usize) -> Result<Publisher>;

    /// A connection that has subscribed to a topic, on which bodies of so many bytes will come.
    ///
    /// # Errors
    /// The broker refuses.
    fn subscriber(&self, topic: &str, body_bytes: usize) -> Result<Subscriber>;

    /// This system by way of its client crate, where that is measured.
    fn library(&self) -> Option<&dyn Library> {
        None
    }
}

/// A connection that publishes.
pub(crate) struct Publisher {
    /// The connection.
    pub(crate) stream: Stream,
    /// What it writes for a message.
    pub(crate) template: Template,
    /// What it hears meanwhile: nothing, unless a publication is refused.
    pub(crate) cut: Box<dyn Cut>,
}

/// A connection that receives.
pub(crate) struct Subscriber {
    /// The connection.
    pub(crate) stream: Stream,
    /// How its messages are told apart.
    pub(crate) cut: Box<dyn Cut>,
}

/// How deliveries are cut out of what was read.
pub(crate) trait Cut: Send {
    /// Gives the body of every whole delivery to `tally`, and returns how many bytes are done with.
    ///
    /// # Errors
    /// The broker tells of an error, or something else comes.
    fn cut(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<usize>;
}

/// The bytes that publish one message, and where each message differs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    /// All bytes.
    pub(crate) unit: Vec<u8>,
    /// Where the body's number is, its time behind it.
    pub(crate) body_at: usize,
    /// Where the number is repeated, big-endian: a header's `msg_id`.
    pub(crate) ids_at: Vec<usize>,
    /// Where the wall clock's ms are, big-endian: a header's `created_at_ms`.
    pub(crate) created_at: Vec<usize>,
}

impl Template {
    /// Appends `count` messages from `number` on, all with one time.
    pub(crate) fn put(&mut self, out: &mut Vec<u8>, number: u64, count: u64, time_ns: u64) {
        if !self.created_at.is_empty() {
            let now = wall_ms().to_be_bytes();
            for at in &self.created_at {
                self.unit[*at..*at + 8].copy_from_slice(&now);
            }
        }
        self.unit[self.body_at + 8..self.body_at + 16].copy_from_slice(&time_ns.to_le_bytes());
        for number in number..number + count {
            let unit = &mut self.unit;
            unit[self.body_at..self.body_at + 8].copy_from_slice(&number.to_le_bytes());
            for at in &self.ids_at {
                unit[*at..*at + 8].copy_from_slice(&number.to_be_bytes());
            }
            out.extend_from_slice(unit);
        }
    }
}

/// The first of `count` numbers that nobody has had.
pub(crate) fn numbers(count: u64) -> u64 {
    NEXT.fetch_add(count, Ordering::Relaxed)
}

/// The number that the next message has.
pub(crate) fn next_number() -> u64 {
    NEXT.load(Ordering::Relaxed)
}

/// What one subscriber has received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    first: u64,
    /// The number that is due.
    pub(crate) next: u64,
    /// Messages that did not come, or came again.
    pub(crate) amiss: u64,
    /// When what is being cut was read, ns on the measurement's clock.
    pub(crate) now_ns: u64,
    /// How long each message took, ns, as far as there is room; none is wanted without any.
    pub(crate) took_ns: Vec<u64>,
}

impl Tally {
    /// Nothing received, `first` due.
    pub(crate) fn from(first: u64) -> Self {
        Self { first, next: first, ..Self::default() }
    }

    /// Messages received.
    pub(crate) fn received(&self) -> u64 {
        self.next - self.first - self.amiss.min(self.next - self.first)
    }

    /// A body came.
    #[inline]
    pub(crate) fn take(&mut self, body: &[u8]) {
        let Some((number, rest)) = body.split_first_chunk::<8>() else { return };
        let number = u64::from_le_bytes(*number);
        if number < self.first {
            // It is of an earlier round that was given up.
            return;
        }
        if number >= self.next {
            self.amiss += number - self.next;
            self.next = number + 1;
        } else {
            self.amiss += 1;
        }
        if self.took_ns.len() < self.took_ns.capacity()
            && let Some((time, _)) = rest.split_first_chunk::<8>()
        {
            self.took_ns.push(self.now_ns.saturating_sub(u64::from_le_bytes(*time)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(number: u64) -> [u8; 16] {
        let mut body = [0; 16];
        body[..8].copy_from_slice(&number.to_le_bytes());
        body
    }

    #[test]
    fn a_gap_and_a_repetition_are_amiss_and_an_earlier_round_is_not() {
        let mut tally = Tally::from(10);
        for number in [10, 11, 9, 13, 13] {
            tally.take(&body(number));
        }
        assert_eq!((tally.next, tally.amiss, tally.received()), (14, 2, 2));
    }

    #[test]
    fn each_message_has_its_number_in_the_body_and_in_the_headers() {
        let mut template =
            Template { unit: vec![0; 32], body_at: 8, ids_at: vec![0, 24], created_at: Vec::new() };
        let mut out = Vec::new();
        template.put(&mut out, 7, 2, 5);
        assert_eq!(out.len(), 64);
        assert_eq!((out[7], out[8], out[16], out[31]), (7, 7, 5, 7));
        assert_eq!((out[39], out[40], out[48], out[63]), (8, 8, 5, 8));
    }
}

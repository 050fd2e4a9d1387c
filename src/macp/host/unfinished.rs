//! The calls of which a message is being received, over all connections.

use std::{
    sync::{Arc, Mutex, PoisonError},
    task::Waker,
    time::Duration,
};

use hashbrown::HashMap;

use super::{end_signal::EndSignal, shared::ENVELOPE_OVERHEAD_BYTES};
use crate::{
    admission::{Origin, Receiving, Tally},
    limits,
    time::Now,
};

/// The calls of which a message is being received. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Unfinished(Arc<Mutex<Calls>>);

#[derive(Debug)]
struct Calls {
    receiving: Receiving<u64>,
    signals: HashMap<u64, Arc<EndSignal>>,
    /// The number of the next call.
    next: u64,
}

/// The bytes that one call holds of a message. They are released with this value.
#[derive(Debug)]
pub(super) struct HeldBytes {
    number: u64,
    signal: Arc<EndSignal>,
    calls: Unfinished,
}

/// Bytes of messages that may be on their way in: one alone always fits, with the room that it grows into.
pub(super) fn receiving_bytes_max(limits: &limits::Macp) -> u64 {
    let longest = limits.payload_bytes_max.saturating_add(ENVELOPE_OVERHEAD_BYTES).saturating_mul(2);
    limits.receiving_bytes_max.max(longest)
}

impl Unfinished {
    pub(super) fn new(limits: &limits::Macp, tally: Tally) -> Self {
        let time = Duration::from_millis(limits.frame_ms_max);
        let receiving = Receiving::new(receiving_bytes_max(limits), time, tally);
        Self(Arc::new(Mutex::new(Calls { receiving, signals: HashMap::new(), next: 0 })))
    }

    /// A message of a call has begun.
    pub(super) fn begin(&self, now: Now, origin: Origin) -> HeldBytes {
        let signal = Arc::<EndSignal>::default();
        let number = self.with(|calls| {
            let number = calls.next;
            calls.next += 1;
            calls.receiving.begin(now, number, origin);
            calls.signals.insert(number, Arc::clone(&signal));
            number
        });
        HeldBytes { number, signal, calls: self.clone() }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Calls) -> T) -> T {
        // Nothing here leaves it half done.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HeldBytes {
    /// So many bytes are held now. While all calls hold too many, those that hold most are ended.
    pub(super) fn set(&self, bytes: u64) {
        self.calls.with(|calls| {
            let mut largest = calls.receiving.grow(self.number, bytes);
            while let Some(number) = largest {
                if let Some(signal) = calls.signals.remove(&number) {
                    signal.end();
                }
                largest = calls.receiving.overflow();
            }
        });
    }

    /// Whether the call is to end; otherwise it is woken when it is.
    pub(super) fn poll_ended(&self, waker: &Waker) -> bool {
        self.signal.poll(waker)
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.calls.with(|calls| {
            calls.receiving.end(self.number);
            calls.signals.remove(&self.number);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_message_fits_into_what_may_be_received() {
        let limits = |receiving_bytes_max| limits::Macp {
            payload_bytes_max: 1_000_000,
            receiving_bytes_max,
            ..limits::Macp::default()
        };
        assert_eq!(receiving_bytes_max(&limits(65_536)), 2 * (1_000_000 + ENVELOPE_OVERHEAD_BYTES));
        assert_eq!(receiving_bytes_max(&limits(1 << 26)), 1 << 26);
    }
}

//! A long message waits until little is to be written before it, so that short ones of others need not wait
//! behind many of its kind.

use std::future::poll_fn;

use super::{
    call::Call,
    journal::SEGMENT_BYTES,
    shared::{Shared, declined},
    unfinished::receiving_bytes_max,
};
use crate::macp::{Status, TurnAwayCause, kernel::Answer};

/// Bytes of a message from which on it waits.
pub(super) const LONG_BYTES: usize = 64 << 10;

impl Shared {
    /// Waits until a call's message may be decided. A long one counts meanwhile as one that is being
    /// received.
    ///
    /// # Errors
    /// The answer where too much waits.
    pub(super) async fn turn_of(&self, call: &Call<'_>) -> Result<(), Answer> {
        if call.bytes.len() < LONG_BYTES {
            return Ok(());
        }
        let held = self.unfinished.begin(self.clock.now(), call.caller.origin);
        held.set(call.bytes.len() as u64);
        let ended = poll_fn(|cx| {
            if held.poll_ended(cx.waker()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        });
        tokio::select! {
            biased;
            () = ended => {
                self.turned_away(&call.caller, TurnAwayCause::ReceivingBytes);
                let max = receiving_bytes_max(&self.limits);
                Err(declined(Status::ResourceExhausted, &format!(
                    "all connections together may have {max} bytes of messages being received or waiting to \
                     be written (limits.macp.receiving_bytes_max), and this was the largest; send it again \
                     later"
                )))
            }
            () = self.turn_of_long() => Ok(()),
        }
    }

    /// One long message after the other, in the order in which they came.
    async fn turn_of_long(&self) {
        let _turn = self.long_turn.lock().await;
        loop {
            let stored = self.stored.notified();
            let Some((gathered, unstored)) = self.lock().and_then(|state| state.journal.to_write()) else {
                return;
            };
            // The last eighth is for those that are short.
            if gathered as u64 + unstored >= self.limits.unsaved_bytes_max / 8 * 7 && unstored > 0 {
                self.wake.notify_one();
                stored.await;
            } else if gathered < SEGMENT_BYTES || self.write().await.is_err() {
                return;
            }
        }
    }
}

//! The tap's publisher: its entries in batches on `rlp/sys/tap`, for as long as somebody subscribes (ruling
//! RMP 17). Every entry is encoded once, however many read it.
//!
//! A batch without entries says where the tap stands: at once when somebody new subscribes, so that who takes
//! a snapshot after it misses nothing; and every second in which nothing happens, so that a loss at the end
//! is found, and a station that is gone.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use crate::{
    ids::{Seq, TopicName, TraceId},
    port::wire::BatchDraft,
    rmp::{SchemaId, host::Request, topic::TAP},
    tap::{Batch, Reader, Tap},
    time::{Clock, Mono},
};

/// How long entries are gathered, and how many bytes of them.
const GATHER: Duration = Duration::from_millis(5);
const BATCH_BYTES: usize = 64 << 10;
/// How often it is said where the tap stands while nothing happens.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
/// How long a batch is worth delivering.
const TTL_MS: u64 = 30_000;
/// What an envelope has beside its entries, and more.
const ENVELOPE_BYTES: u64 = 256;

/// Publishes whenever somebody subscribes, until the bus is gone.
pub(in crate::station) async fn publish(
    tap: Tap,
    bus: mpsc::Sender<Request>,
    mut subscribers: watch::Receiver<u64>,
    body_bytes_max: u64,
    clock: Clock,
) {
    let entry_bytes_max = body_bytes_max.saturating_sub(ENVELOPE_BYTES).max(1);
    let entry_bytes_max = usize::try_from(entry_bytes_max).unwrap_or(usize::MAX);
    while subscribers.wait_for(|subscribers| *subscribers > 0).await.is_ok() {
        // Whoever subscribes is told where it stands before anything else is asked: the reader is there by
        // then.
        let Ok(reader) = tap.reader() else {
            tracing::error!(
                "cannot read the tap for attached consoles: too many readers (limits.tap.readers_max)"
            );
            tokio::time::sleep(HEARTBEAT_EVERY).await;
            continue;
        };
        let draft = BatchDraft::new(reader.next());
        let mut publisher = Publisher {
            reader,
            draft,
            bus: bus.clone(),
            topic: TopicName::new(TAP),
            entry_bytes_max,
            clock,
            last_sent_at: clock.now().mono,
        };
        if !publisher.run(&mut subscribers).await {
            return;
        }
    }
}

struct Publisher {
    reader: Reader,
    draft: BatchDraft,
    bus: mpsc::Sender<Request>,
    topic: TopicName,
    entry_bytes_max: usize,
    clock: Clock,
    /// When the last batch left.
    last_sent_at: Mono,
}

impl Publisher {
    /// Runs while somebody subscribes; whether the bus is still there.
    async fn run(&mut self, subscribers: &mut watch::Receiver<u64>) -> bool {
        let mut known = *subscribers.borrow_and_update();
        let mut is_there = self.send().await;
        while is_there {
            let has_more = tokio::select! {
                biased;
                changed = subscribers.changed() => {
                    let now = *subscribers.borrow_and_update();
                    if changed.is_err() || now == 0 {
                        return changed.is_ok();
                    }
                    let is_new = now > std::mem::replace(&mut known, now);
                    if is_new {
                        is_there = self.read().await && self.send().await;
                    }
                    false
                }
                () = self.reader.ready() => true,
                () = tokio::time::sleep(self.clock.until(self.last_sent_at + HEARTBEAT_EVERY)) => {
                    is_there = self.send().await;
                    false
                }
            };
            if has_more {
                tokio::time::sleep(GATHER).await;
                is_there = self.read().await && (self.draft.is_empty() || self.send().await);
            }
        }
        is_there
    }

    /// Reads all that there is, and sends every batch that is full; whether the bus is still there.
    async fn read(&mut self) -> bool {
        while let Some(batch) = self.reader.read() {
            if !self.take(&batch).await {
                return false;
            }
        }
        true
    }

    async fn take(&mut self, batch: &Batch) -> bool {
        if batch.lost > 0 {
            // What was gathered before the gap is of a batch of its own.
            if !self.draft.is_empty() && !self.send().await {
                return false;
            }
            self.draft.begin_at(Seq(self.draft.next().0.saturating_add(batch.lost)));
        }
        for entry in batch.iter() {
            let is_full = self.draft.len().saturating_add(entry.bytes.len()) > BATCH_BYTES;
            if is_full && !self.draft.is_empty() && !self.send().await {
                return false;
            }
            self.draft.push(entry, self.entry_bytes_max);
        }
        true
    }

    /// Sends what was gathered, or where the tap stands; whether the bus is still there.
    async fn send(&mut self) -> bool {
        self.last_sent_at = self.clock.now().mono;
        let body = Bytes::from(self.draft.take_body());
        let trace = TraceId(uuid::Uuid::now_v7());
        let request = Request::Publish {
            topic: self.topic.clone(),
            schema_id: SchemaId::TAP_ENTRY,
            trace,
            ttl_ms: TTL_MS,
            body,
            report: None,
        };
        self.bus.send(request).await.is_ok()
    }
}

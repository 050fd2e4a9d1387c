//! Who waits for what: answers by their numbers, pongs in their order, deliveries by their subscriptions.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use tokio::sync::oneshot;

use super::{super::fault::RefusalReply, queue::Queue};

/// Receives one answer.
pub(super) type Answer = oneshot::Receiver<Result<(), RefusalReply>>;

/// Those who wait.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    answers: HashMap<u64, oneshot::Sender<Result<(), RefusalReply>>>,
    pongs: VecDeque<oneshot::Sender<()>>,
    queues: HashMap<u64, Arc<Queue>>,
    /// Refusals of what nobody waits for.
    refused: u64,
    last_refusal: Option<RefusalReply>,
    is_over: bool,
}

impl Inbox {
    /// Waits for an answer to this number.
    pub(super) fn expect(&mut self, id: u64) -> Answer {
        let (sender, answer) = oneshot::channel();
        if !self.is_over {
            self.answers.insert(id, sender);
        }
        answer
    }

    /// Waits for a pong.
    pub(super) fn expect_pong(&mut self) -> oneshot::Receiver<()> {
        let (sender, pong) = oneshot::channel();
        if !self.is_over {
            self.pongs.push_back(sender);
        }
        pong
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.answers.len() + self.pongs.len()
    }

    pub(super) fn add(&mut self, sub: u64, queue: Arc<Queue>) {
        if self.is_over {
            queue.end();
        } else {
            self.queues.insert(sub, queue);
        }
    }

    pub(super) fn remove(&mut self, sub: u64) {
        self.queues.remove(&sub);
    }

    pub(super) fn queue(&self, sub: u64) -> Option<Arc<Queue>> {
        self.queues.get(&sub).cloned()
    }

    /// An answer came. One that nobody waits for is counted if it is a refusal.
    pub(super) fn answer(&mut self, re: u64, result: Result<(), RefusalReply>) {
        match (self.answers.remove(&re), result) {
            // Whoever asked may have gone.
            (Some(waiting), result) => drop(waiting.send(result)),
            (None, Err(refused)) => {
                self.refused += 1;
                self.last_refusal = Some(refused);
            }
            (None, Ok(())) => {}
        }
    }

    /// A pong came.
    pub(super) fn pong(&mut self) {
        if let Some(waiting) = self.pongs.pop_front() {
            // Whoever asked may have gone.
            waiting.send(()).unwrap_or_default();
        }
    }

    /// Refusals of what nobody waited for, and the last of them.
    pub(super) fn refusals(&self) -> (u64, Option<RefusalReply>) {
        (self.refused, self.last_refusal.clone())
    }

    /// Nothing comes any more: whoever waits finds out.
    pub(super) fn end(&mut self) {
        self.is_over = true;
        self.answers.clear();
        self.pongs.clear();
        for (_, queue) in self.queues.drain() {
            queue.end();
        }
    }
}

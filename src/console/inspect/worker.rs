//! Reads large subjects beside the screen's thread.
//!
//! One thread with a mailbox of one job: a newer job takes the place of one that was not begun, for nobody waits for that any more.

use std::{
    future::Future,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tokio::sync::oneshot;

use super::{decoder::Subject, decoder::decode, node::Tree};

/// A subject that is to be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    /// What its answer finds its inspector by.
    pub(crate) number: u64,
    pub(crate) subject: Subject,
    /// Values that are read at most.
    pub(crate) nodes_max: usize,
}

/// A job that waits, and where its tree goes.
type Waiting = (Job, oneshot::Sender<Tree>);

#[derive(Default)]
struct Mailbox {
    job: Option<Waiting>,
    is_closed: bool,
}

#[derive(Default)]
struct Shared {
    mailbox: Mutex<Mailbox>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; nothing when there will be none.
    fn next(&self) -> Option<Waiting> {
        let mut mailbox = self.lock();
        loop {
            if mailbox.is_closed {
                return None;
            }
            if let Some(job) = mailbox.job.take() {
                return Some(job);
            }
            mailbox = self.wake.wait(mailbox).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The thread, begun with its first job.
#[derive(Default)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("is_running", &self.thread.is_some()).finish_non_exhaustive()
    }
}

impl Worker {
    /// Has a subject read. The future yields nothing when another job took its place, or when no thread could be begun.
    pub(crate) fn begin(&mut self, job: Job) -> impl Future<Output = Option<Tree>> + Send + use<> {
        let (answer, tree) = oneshot::channel();
        self.shared.lock().job = Some((job, answer));
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("inspector".to_owned()).spawn(move || {
                while let Some((job, answer)) = shared.next() {
                    // Who left the subject meanwhile hears nothing.
                    let _ = answer.send(decode(&job.subject, job.nodes_max));
                }
            });
            self.thread = thread.ok();
        }
        if self.thread.is_none() {
            self.shared.lock().job = None;
        }
        self.shared.wake.notify_one();
        async { tree.await.ok() }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        console::inspect::tests::framed,
        tap::entry::{Direction, Verdict},
    };

    #[test]
    fn the_last_subject_is_read_and_those_before_it_are_answered_or_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut worker = Worker::default();
        let subject =
            |id: usize| framed(format!("{{\"mpp\":2,\"type\":\"done\",\"id\":{id}}}").as_bytes(), Direction::Outbound, Verdict::Sent);
        let job = |id| Job { number: 1, subject: subject(id), nodes_max: 100 };
        let mut answers: Vec<_> = (0..200).map(|id| Box::pin(worker.begin(job(id)))).collect();
        let last = runtime.block_on(answers.pop().unwrap());
        assert_eq!(last, Some(decode(&subject(199), 100)));
        for (id, answer) in answers.into_iter().enumerate() {
            let tree = runtime.block_on(answer);
            assert!(tree.is_none_or(|tree| tree == decode(&subject(id), 100)), "{id}");
        }
    }
}

//! Work beside the screen's thread.
//!
//! One thread with a mailbox of one job: a newer job takes the place of one that was not begun, for nobody
//! waits for that any more.

use std::{
    future::Future,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tokio::sync::oneshot;

struct Mailbox<J, A> {
    /// A job that waits, and where its answer goes.
    job: Option<(J, oneshot::Sender<A>)>,
    is_closed: bool,
}

struct Shared<J, A> {
    mailbox: Mutex<Mailbox<J, A>>,
    wake: Condvar,
}

impl<J, A> Shared<J, A> {
    fn lock(&self) -> MutexGuard<'_, Mailbox<J, A>> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; nothing when there will be none.
    fn next(&self) -> Option<(J, oneshot::Sender<A>)> {
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

/// A thread that does one kind of work, begun with its first job.
pub(crate) struct Worker<J, A> {
    name: &'static str,
    work: fn(J) -> A,
    shared: Arc<Shared<J, A>>,
    thread: Option<JoinHandle<()>>,
}

impl<J, A> std::fmt::Debug for Worker<J, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.name)
            .field("is_running", &self.thread.is_some())
            .finish_non_exhaustive()
    }
}

impl<J: Send + 'static, A: Send + 'static> Worker<J, A> {
    /// One that does this work on a thread of this name.
    pub(crate) fn new(name: &'static str, work: fn(J) -> A) -> Self {
        let mailbox = Mutex::new(Mailbox { job: None, is_closed: false });
        Self { name, work, shared: Arc::new(Shared { mailbox, wake: Condvar::new() }), thread: None }
    }

    /// Has a job done. The future yields nothing when another job took its place, or when no thread could be
    /// begun.
    pub(crate) fn begin(&mut self, job: J) -> impl Future<Output = Option<A>> + Send + use<J, A> {
        let (done, answer) = oneshot::channel();
        self.shared.lock().job = Some((job, done));
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let (shared, work) = (Arc::clone(&self.shared), self.work);
            let thread = std::thread::Builder::new().name(self.name.to_owned()).spawn(move || {
                while let Some((job, done)) = shared.next() {
                    // Who went on meanwhile hears nothing.
                    let _ = done.send(work(job));
                }
            });
            self.thread = thread.ok();
        }
        if self.thread.is_none() {
            self.shared.lock().job = None;
        }
        self.shared.wake.notify_one();
        async { answer.await.ok() }
    }
}

impl<J, A> Drop for Worker<J, A> {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_one();
    }
}

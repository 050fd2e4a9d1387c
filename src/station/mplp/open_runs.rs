//! The runs whose records are open, and which of their sessions have news: how the runtime of sessions tells
//! the records of it without a route of its own.
//!
//! A session without a trace costs nothing more than before, one of a trace that is no open run's a look at a
//! set and a short list: a run's record begins a little behind its acceptance. What is new is read from the
//! session's log, so that nothing of it is lost however late it is read.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{ids::TraceId, macp::host::SessionWatch, tap::entry::macp::SessionRef};

/// Sessions of other traces that are remembered, for runs whose records are about to begin.
const RECENT_MAX: usize = 256;

/// Open runs, and the sessions of theirs that have news.
#[derive(Debug, Default)]
pub(in crate::station) struct OpenRuns {
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Whether runs are told at all.
    is_on: bool,
    runs: HashSet<TraceId>,
    /// By run and number, their ids; at most as many as there are sessions of open runs.
    news: BTreeMap<(TraceId, u64), Arc<str>>,
    /// Sessions of traces that are no open run's, the latest at the end; at most [`RECENT_MAX`].
    recent: VecDeque<(TraceId, SessionRef)>,
}

/// A session that has news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct News {
    /// The run.
    pub(super) run: TraceId,
    /// The session's number.
    pub(super) number: u64,
    /// Its id.
    pub(super) session: Arc<str>,
    /// How often it could not be read.
    pub(super) tries: u32,
}

impl SessionWatch for OpenRuns {
    fn changed(&self, trace: TraceId, session: &SessionRef) {
        let mut state = self.state();
        if !state.is_on {
            return;
        }
        if state.runs.contains(&trace) {
            state.news.entry((trace, session.number)).or_insert_with(|| Arc::clone(&session.id));
            drop(state);
            self.wake.notify_one();
        } else if state.recent.iter().all(|(_, recent)| recent.number != session.number) {
            if state.recent.len() >= RECENT_MAX {
                state.recent.pop_front();
            }
            state.recent.push_back((trace, session.clone()));
        }
    }
}

impl OpenRuns {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None are open: whether runs are told from now on.
    pub(super) fn reset(&self, is_on: bool) {
        *self.state() = State { is_on, ..State::default() };
    }

    /// A run's record begins.
    pub(super) fn insert(&self, run: TraceId) {
        let mut state = self.state();
        state.runs.insert(run);
        let State { news, recent, .. } = &mut *state;
        let of_run = recent.iter().filter(|(trace, _)| *trace == run);
        news.extend(of_run.map(|(_, session)| ((run, session.number), Arc::clone(&session.id))));
        recent.retain(|(trace, _)| *trace != run);
        if !news.is_empty() {
            self.wake.notify_one();
        }
    }

    /// It has ended.
    pub(super) fn remove(&self, run: TraceId) {
        let mut state = self.state();
        state.runs.remove(&run);
        state.news.retain(|(of, _), _| *of != run);
    }

    /// No run of before is open.
    pub(super) fn clear(&self) {
        let is_on = self.state().is_on;
        self.reset(is_on);
    }

    /// Waits until a session has news.
    pub(super) async fn wait(&self) {
        self.wake.notified().await;
    }

    /// The sessions that have news; of one run alone, where that is asked.
    pub(super) fn take_all(&self, run: Option<TraceId>) -> Vec<News> {
        let mut state = self.state();
        let taken = match run {
            None => std::mem::take(&mut state.news),
            Some(run) => {
                let mut taken = state.news.split_off(&(run, 0));
                let mut behind = taken.split_off(&(run, u64::MAX));
                state.news.append(&mut behind);
                taken
            }
        };
        let news = |((run, number), session)| News { run, number, session, tries: 0 };
        taken.into_iter().map(news).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_open_runs_alone_have_news_each_once() {
        let runs = OpenRuns::default();
        runs.reset(true);
        let trace = |n| TraceId(uuid::Uuid::from_u128(n));
        let session = |number| SessionRef { number, id: format!("s{number}").into() };
        runs.insert(trace(1));
        runs.insert(trace(2));
        for (run, number) in [(3, 1), (2, 2), (1, 5), (1, 4), (1, 5)] {
            runs.changed(trace(run), &session(number));
        }
        let taken = |run: Option<TraceId>| -> Vec<(TraceId, u64)> {
            runs.take_all(run).into_iter().map(|news| (news.run, news.number)).collect()
        };
        assert_eq!(taken(Some(trace(1))), [(trace(1), 4), (trace(1), 5)]);
        assert_eq!(taken(Some(trace(1))), []);
        runs.changed(trace(1), &session(4));
        assert_eq!(taken(None), [(trace(1), 4), (trace(2), 2)]);
        runs.changed(trace(1), &session(4));
        runs.remove(trace(1));
        assert_eq!(taken(None), []);
        // One that came before the record of its run began has news then.
        runs.insert(trace(3));
        assert_eq!(taken(None), [(trace(3), 1)]);
        runs.insert(trace(4));
        assert_eq!(taken(None), []);
    }
}

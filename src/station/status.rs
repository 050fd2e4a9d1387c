//! The station's own state, and the one way to change it: what is reported is applied and emitted under one
//! lock, so that a snapshot always knows up to which entry it speaks.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    ids::Seq,
    mpp::TokenHash,
    port::{AlertList, HostState, StationView},
    tap::{
        Draft, Tap,
        entry::{
            Link, Transition as AnyTransition, What,
            station::{Level, Transition},
        },
    },
    time::{Clock, Now},
};

#[derive(Debug)]
struct State {
    view: StationView,
    last_seq: Seq,
    /// How often each host came up, by the index of its link.
    host_starts: [u64; Link::ALL.len()],
}

/// The station's own state. Clones are the same board.
#[derive(Clone, Debug)]
pub(super) struct StationStatus {
    state: Arc<Mutex<State>>,
    tap: Tap,
    clock: Clock,
    /// Whether the data folder's disk is nearly full, for hosts to look at.
    disk_low: Arc<AtomicBool>,
}

/// A token of an adapter that is masked because an operator wants it in force.
#[derive(Debug)]
pub(super) struct AskedToken {
    status: StationStatus,
    hash: TokenHash,
}

impl AskedToken {
    /// It is in force, and masked from now on as such.
    pub(super) fn enforce(self) {
        self.status.mask_bridge_token(self.hash);
    }
}

impl Drop for AskedToken {
    fn drop(&mut self) {
        self.status.tap.unmask_asked_token(self.hash.bytes());
    }
}

impl StationStatus {
    pub(super) fn new(data: &Path, tap: Tap, clock: Clock, alerts_max: u64, is_rehearsal: bool) -> Self {
        let view = StationView {
            is_rehearsal,
            ..StationView::starting(data.to_path_buf(), clock.now(), alerts_max)
        };
        let state = Arc::new(Mutex::new(State { view, last_seq: Seq(0), host_starts: Link::ALL.map(|_| 0) }));
        Self { state, tap, clock, disk_low: Arc::default() }
    }

    pub(super) const fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether the data folder's disk is nearly full, as it is from now on.
    pub(super) fn disk_low(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.disk_low)
    }

    /// Whether it is nearly full at this moment.
    pub(super) fn disk_low_now(&self) -> bool {
        self.disk_low.load(Ordering::Relaxed)
    }

    /// Whether the station was started for a rehearsal.
    pub(super) fn is_rehearsal(&self) -> bool {
        self.lock().view.is_rehearsal
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This moment.
    pub(super) fn now(&self) -> Now {
        self.clock.now()
    }

    /// Applies a transition to the view and emits it.
    pub(super) fn report(&self, transition: Transition, text: &str) -> Seq {
        self.report_of(transition, text, None)
    }

    /// Reports what came of another entry.
    pub(super) fn report_because(&self, transition: Transition, cause: Seq) {
        self.report_of(transition, "", Some(cause));
    }

    fn report_of(&self, transition: Transition, text: &str, cause: Option<Seq>) -> Seq {
        let now = self.clock.now();
        let mut state = self.lock();
        state.view.apply(now, &transition, text);
        if let Transition::HostUp { link } = transition {
            state.host_starts[link.index()] += 1;
        }
        self.disk_low.store(state.view.disk_low.is_some(), Ordering::Relaxed);
        let what = What::Transition(AnyTransition::Station(transition));
        let seq = self.tap.emit(Draft {
            at: now,
            link: Link::Station,
            trace: None,
            cause,
            what,
            bytes: text.as_bytes(),
        });
        state.last_seq = seq;
        seq
    }

    /// Takes up the alerts that earlier starts left, before anybody is answered.
    pub(super) fn restore_alerts(&self, alerts: &AlertList) {
        self.lock().view.alerts = alerts.clone();
    }

    /// Something a person should read, also in the log.
    pub(super) fn notice(&self, level: Level, text: &str) {
        let text = self.tap.text_without_tokens(text);
        match level {
            Level::Error => tracing::error!("{text}"),
            Level::Warn => tracing::warn!("{text}"),
            Level::Info | Level::Debug | Level::Trace => tracing::info!("{text}"),
        }
        self.report(Transition::Notice { level }, &text);
    }

    /// Masks this token of an adapter in all that is reported from now on, by whomever.
    pub(super) fn mask_bridge_token(&self, hash: TokenHash) {
        self.tap.mask_token("bridge", hash.bytes());
    }

    /// Masks such a token too that an operator wants in force, until what is given is dropped.
    pub(super) fn mask_asked_bridge_token(&self, hash: TokenHash) -> AskedToken {
        self.tap.mask_asked_token(hash.bytes());
        AskedToken { status: self.clone(), hash }
    }

    /// The view, the last entry it includes, and when it was taken.
    pub(super) fn view(&self) -> (StationView, Seq, Now) {
        let state = self.lock();
        (state.view.clone(), state.last_seq, self.clock.now())
    }

    /// How often a host came up.
    pub(super) fn host_starts(&self) -> u64 {
        self.lock().host_starts.iter().sum()
    }

    /// How often the host of a link came up, and whether it answers.
    pub(super) fn host(&self, link: Link) -> (u64, HostState) {
        let state = self.lock();
        (state.host_starts[link.index()], state.view.hosts[link.index()].clone())
    }

    /// The file of the recording that runs.
    pub(super) fn recording_path(&self) -> Option<PathBuf> {
        self.lock().view.recording.as_ref().map(|recording| recording.path.clone())
    }
}

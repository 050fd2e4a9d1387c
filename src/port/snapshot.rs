//! A station's state at one moment.

use std::{path::PathBuf, sync::Arc};

use super::{alerts::AlertList, systems::systems};
use crate::{
    ids::{Seq, TraceId},
    tap::{
        entry::{
            Link,
            station::{OperatedBy, Transition},
        },
        injected_traces::{InjectedLists, KnownInjected},
    },
    time::Now,
};

/// Up to which entry of each link a snapshot speaks. A reader skips a link's entries at or below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsOf(pub [Seq; Link::ALL.len()]);

impl AsOf {
    /// Whether an entry of `link` at `seq` is part of the snapshot already.
    #[must_use]
    pub fn covers(&self, link: Link, seq: Seq) -> bool {
        seq <= self.0[link.index()]
    }
}

/// Declares what holds of the station, and of each system that it hosts.
macro_rules! declare {
    ($(
        #[doc = $about:literal]
        $System:ident $module:ident $(($Command:ident $Outcome:ident $Refused:ident))? { $($hint:tt)* }
    )*) => {
        /// What holds at one moment.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Snapshot {
            /// Up to which entries it speaks.
            pub as_of: AsOf,
            /// When it was taken.
            pub at: Now,
            /// The station itself.
            pub station: StationView,
            $(
                #[doc = $about]
                pub $module: crate::$module::Snapshot,
            )*
        }

        impl Snapshot {
            /// That of a station whose hosts are still to be entered.
            #[must_use]
            pub fn without_hosts(station: StationView, at: Now) -> Self {
                Self {
                    as_of: AsOf::default(),
                    at,
                    station,
                    $( $module: crate::$module::Snapshot::default(), )*
                }
            }
        }
    };
}

systems!(declare);

/// The station itself.
#[derive(Clone, Debug, PartialEq)]
pub struct StationView {
    /// The data folder.
    pub data: PathBuf,
    /// Since when it is up.
    pub started_at: Now,
    /// The state of each host, by [`Link::index`]; the station's own is always up.
    pub hosts: [HostState; Link::ALL.len()],
    /// Why commits fail, while they do.
    pub store_failing: Option<Arc<str>>,
    /// Bytes that were free on the data folder's disk when they were found to be few, while they are.
    pub disk_low: Option<u64>,
    /// The recording that runs.
    pub recording: Option<RecordingView>,
    /// The file of the recording that it keeps by itself, where it writes one.
    pub always_recording: Option<PathBuf>,
    /// Its orderly stop, once that has begun.
    pub stopping: Option<StoppingView>,
    /// What an operator must not miss.
    pub alerts: AlertList,
    /// Whether it was started for a rehearsal, where faults may be made on purpose.
    pub is_rehearsal: bool,
    /// The traces that have injected frames, the newest last: at most 1,024 of frames alone, 4,096 of what
    /// ends with the station, and 16,384 of invocations, runs and sessions.
    pub injected_traces: Vec<TraceId>,
    /// Those of them that are of no invocation, run or session; none in older recordings.
    pub injected_without_rows: Vec<TraceId>,
    /// Injected frames, and entries that they caused, of this start; at most 1,024.
    pub injected_entries: Vec<Seq>,
}

impl StationView {
    /// That of a station whose hosts are on their way, and which lists so many alerts at most.
    #[must_use]
    pub fn starting(data: PathBuf, started_at: Now, alerts_max: u64) -> Self {
        let mut hosts = Link::ALL.map(|_| HostState::Starting);
        hosts[Link::Station.index()] = HostState::Up;
        Self {
            data,
            started_at,
            hosts,
            store_failing: None,
            disk_low: None,
            recording: None,
            always_recording: None,
            stopping: None,
            alerts: AlertList::new(alerts_max),
            is_rehearsal: false,
            injected_traces: Vec::new(),
            injected_without_rows: Vec::new(),
            injected_entries: Vec::new(),
        }
    }

    /// It with what is known of injected frames.
    #[must_use]
    pub(crate) fn with_injected(self, lists: InjectedLists) -> Self {
        let InjectedLists { traces, without_rows, entries } = lists;
        let (injected_traces, injected_without_rows) = (traces, without_rows);
        Self { injected_traces, injected_without_rows, injected_entries: entries, ..self }
    }

    /// What it knows of injected frames.
    pub(crate) fn known_injected(&self) -> KnownInjected<'_> {
        KnownInjected {
            traces: &self.injected_traces,
            without_rows: &self.injected_without_rows,
            entries: &self.injected_entries,
        }
    }

    /// What the station is called: the data folder's name.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.data.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| self.data.display().to_string())
    }

    /// Carries the view on by one transition of the station's link.
    pub fn apply(&mut self, at: Now, transition: &Transition, text: &str) {
        match transition {
            Transition::HostUp { link } => self.hosts[link.index()] = HostState::Up,
            Transition::HostDown { link } => self.hosts[link.index()] = HostState::Down(Arc::from(text)),
            Transition::StoreOk => self.store_failing = None,
            Transition::StoreFailing => self.store_failing = Some(Arc::from(text)),
            Transition::RecordingStarted => {
                // Its next file, where it is one already.
                let since = self.recording.as_ref().map_or(at, |recording| recording.since);
                self.recording = Some(RecordingView { path: PathBuf::from(text), since, bytes: 0 });
            }
            Transition::RecordingGrew { bytes } => {
                if let Some(recording) = &mut self.recording {
                    recording.bytes = *bytes;
                }
            }
            Transition::RecordingStopped { .. } => self.recording = None,
            Transition::AlwaysRecording => {
                self.always_recording = (!text.is_empty()).then(|| PathBuf::from(text));
            }
            Transition::DiskLow { free_bytes } | Transition::DiskFree { free_bytes } => {
                self.disk_low = Some(*free_bytes);
            }
            Transition::DiskOk { .. } => self.disk_low = None,
            Transition::Stopping { by } => self.stopping = Some(StoppingView { by: by.clone(), at }),
            Transition::Alert { alert, .. } => self.alerts.apply(alert),
            Transition::Started
            | Transition::RecordingFailed { .. }
            | Transition::Operated { .. }
            | Transition::OperationEnded { .. }
            | Transition::Marked { .. }
            | Transition::Triggered { .. }
            | Transition::Notice { .. }
            | Transition::TurnedAway { .. }
            | Transition::TokenShown { .. }
            | Transition::Restarted => {}
        }
    }
}

/// Whether a host answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostState {
    /// On its way.
    Starting,
    /// It does.
    Up,
    /// It does not: why, and how to mend it.
    Down(Arc<str>),
}

/// An orderly stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppingView {
    /// The operator that asked for it; none where a signal did.
    pub by: Option<OperatedBy>,
    /// When it began.
    pub at: Now,
}

/// A recording that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingView {
    /// Its file.
    pub path: PathBuf,
    /// Since when.
    pub since: Now,
    /// Bytes on disk so far.
    pub bytes: u64,
}

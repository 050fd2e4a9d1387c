//! What recording and triggers cost hosts, beside hosts whose tap nobody reads; and what looking for a
//! trigger costs.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use rl_console::{
    gate::Gate,
    limits::{self, Limits},
    port::{Snapshot, TriggerSpec},
    recording::{EncodedSnapshot, Recorder, SnapshotFuture, Sources},
    station::Trigger,
    tap::{Draft, Tap},
    time::Clock,
};

use crate::{
    Args, Result,
    hosts::{Bridge, Bus, Host, Rates, Sessions},
    in_memory,
    night::{info, state_after},
    process::Process,
    report::{Bound, Report, median, number},
    traffic::{Made, Mix, Traffic},
};

/// What hosts keep of their rate at least while they are recorded.
const RECORDED_MIN: f64 = 0.95;
/// The part of a core that looking for a trigger may take, at this rate.
const LOOKING_MAX: f64 = 0.05;
const ENTRIES_PER_S: u64 = 50_000;
const TICK: Duration = Duration::from_millis(1);
const TICKS_PER_S: u64 = 1_000;
/// How long entries gather before a station looks at them for its triggers.
const GATHER: Duration = Duration::from_millis(20);
/// The thread that records.
const RECORDER: &str = "recorder";
/// The thread that looks.
const LOOKER: &str = "triggers";
/// The thread that works for itself, and the bytes that it works on.
const NEIGHBOUR: &str = "neighbour";
const OWN_BYTES: usize = 256 * 1_024;
/// Entries that led to the state of the keyframes.
const STATE_ENTRIES: u64 = 1_000;

/// Who reads a host's tap.
enum Reads {
    Nobody,
    Recorder(Recorder),
    Triggers {
        stop: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    },
    /// Nobody, while a thread works on memory of its own: what it takes from a host, cores take from each
    /// other.
    Neighbour {
        stop: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    },
}

impl Reads {
    fn record(tap: &Tap, path: &Path, state: &Snapshot) -> Result<Self> {
        let (clock, state) = (Clock::start(), state.clone());
        let snapshot = move || -> SnapshotFuture {
            let snapshot = EncodedSnapshot { at: clock.now(), bytes: state.encode() };
            Box::pin(std::future::ready(Ok(snapshot)))
        };
        let sources = Sources::new(tap.reader()?, Box::new(snapshot), clock, info(clock.now()));
        Ok(Self::Recorder(Recorder::start(path, sources, Limits::default().recording, Box::new(|_| {}))?))
    }

    /// Looks for what never comes, as a station does.
    fn look(tap: &Tap) -> Result<Self> {
        let spec: TriggerSpec =
            serde_json::from_str(r#"{"name":"never","when":"kind:nothing","mark":true}"#)?;
        let (mut trigger, mut reader) = (Trigger::new(spec, false)?, tap.reader()?);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name(LOOKER.to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                while let Some(batch) = reader.read() {
                    for entry in batch.iter() {
                        std::hint::black_box(trigger.fires(entry));
                    }
                }
                std::thread::sleep(GATHER);
            }
        })?;
        Ok(Self::Triggers { stop, thread: Some(thread) })
    }

    /// Works for itself while a host is measured for which `is_on` is set.
    fn work(is_on: Arc<AtomicBool>) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name(NEIGHBOUR.to_owned()).spawn(move || {
            let mut own = vec![0_u8; OWN_BYTES];
            while !stopped.load(Ordering::Relaxed) {
                if is_on.load(Ordering::Relaxed) {
                    for at in 0..OWN_BYTES {
                        own[at] = own[at].wrapping_add(own[(at * 31) % OWN_BYTES] ^ 7);
                    }
                    std::hint::black_box(&own);
                } else {
                    std::thread::sleep(TICK);
                }
            }
        })?;
        Ok(Self::Neighbour { stop, thread: Some(thread) })
    }

    /// Ends it.
    ///
    /// # Errors
    /// That a recording ended by itself, or lost anything.
    fn end(self) -> Result<()> {
        match self {
            Self::Nobody => {}
            Self::Recorder(recorder) => {
                let runtime = tokio::runtime::Builder::new_current_thread().build()?;
                let summary = runtime.block_on(recorder.stop());
                if let Some(why) = summary.why {
                    return Err(why.into());
                }
                if summary.lost > 0 {
                    return Err(format!("{} entries were lost", summary.lost).into());
                }
            }
            Self::Triggers { stop, thread } | Self::Neighbour { stop, thread } => {
                stop.store(true, Ordering::Relaxed);
                if let Some(thread) = thread {
                    let _ = thread.join();
                }
            }
        }
        Ok(())
    }
}

/// A host, during whose turns a neighbour works where it has one.
struct Turn<H> {
    host: H,
    neighbour: Option<Arc<AtomicBool>>,
}

impl<H: Host> Host for Turn<H> {
    const NAME: &'static str = H::NAME;

    fn start(gate: Gate, tap: Tap) -> Result<Self> {
        Ok(Self { host: H::start(gate, tap)?, neighbour: None })
    }

    fn round(&mut self) -> Result<f64> {
        let work = |is_on| self.neighbour.iter().for_each(|it| it.store(is_on, Ordering::Relaxed));
        work(true);
        let rate = self.host.round();
        work(false);
        rate
    }
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    looking(args, report)?;
    // Threads that are pinned pass it on.
    for has_own_core in [false, true] {
        host::<Bridge>(has_own_core, report)?;
        host::<Bus>(has_own_core, report)?;
        host::<Sessions>(has_own_core, report)?;
    }
    Ok(())
}

/// Measures a kind of host, whose threads and clients have one core and those who read the other, or all have
/// both.
fn host<H: Host>(has_own_core: bool, report: &mut Report) -> Result<()> {
    let folder = in_memory()?;
    let state = state_after(STATE_ENTRIES);
    let taps = [(); 5].map(|()| Tap::new(limits::Tap::default()));
    let start = |tap: &Tap| Turn::<H>::start(Gate::none(), tap.clone());
    let mut hosts = taps.iter().map(start).collect::<Result<Vec<_>>>()?;
    let [_, _, recorded, looked_at, _] = &taps;
    let is_on = Arc::new(AtomicBool::new(false));
    hosts[4].neighbour = Some(Arc::clone(&is_on));
    let reads = [
        Reads::Nobody,
        Reads::record(recorded, &folder.path().join("host.mcap"), &state)?,
        Reads::look(looked_at)?,
        Reads::work(is_on)?,
    ];
    if has_own_core {
        Process(std::process::id())
            .pin(|thread| usize::from([RECORDER, LOOKER, NEIGHBOUR].contains(&thread)))?;
    }
    let rates = Rates::of(&mut hosts)?;
    drop(hosts);
    reads.into_iter().try_for_each(Reads::end)?;
    let name = format!("{}, {}", H::NAME, if has_own_core { "a core beside" } else { "on all cores" });
    Report::figure(&format!("{name}, not read"), &format!("{:.0} /s", rates.first()));
    Report::figure(&format!("{name}, not read either: of that"), &format!("{:.2}", rates.of_first(1)));
    let beside = format!("{name}, not read, beside a thread that works for itself: of that");
    Report::figure(&beside, &format!("{:.2}", rates.of_first(4)));
    let recorded = format!("{name}, recorded: of that");
    if has_own_core {
        report.bound(&recorded, rates.of_first(2), Bound::AtLeast(RECORDED_MIN), "");
    } else {
        Report::figure(&recorded, &format!("{:.2}", rates.of_first(2)));
    }
    let looked_at = format!("{name}, a trigger armed: of that");
    if has_own_core {
        report.bound(&looked_at, rates.of_first(3), Bound::AtLeast(1.0 - rates.apart(1)), "");
    } else {
        Report::figure(&looked_at, &format!("{:.2}", rates.of_first(3)));
    }
    Ok(())
}

/// The part of a core that looking takes.
fn looking(args: &Args, report: &mut Report) -> Result<()> {
    let mut parts = Vec::new();
    for _ in 0..args.rounds {
        let (clock, tap) = (Clock::start(), Tap::new(limits::Tap::default()));
        let reads = Reads::look(&tap)?;
        let mut traffic = Traffic::new(Mix::Night);
        let (began, mut next) = (clock.mono(), clock.mono());
        for _ in 0..args.seconds.max(1) * TICKS_PER_S {
            for _ in 0..ENTRIES_PER_S / TICKS_PER_S {
                let Made { link, trace, what, bytes } = traffic.next();
                tap.emit(Draft { at: clock.now(), link, trace, cause: None, what, bytes });
            }
            next = next + TICK;
            std::thread::sleep(clock.until(next));
        }
        let took = clock.mono().since(began);
        parts.push(Process(std::process::id()).cpu(|name| name == LOOKER).as_secs_f64() / took.as_secs_f64());
        reads.end()?;
    }
    let what = format!("looking for a trigger in {} entries a second", number(ENTRIES_PER_S));
    report.bound(&what, median(&parts) * 100.0, Bound::AtMost(LOOKING_MAX * 100.0), " % of a core");
    Ok(())
}

//! A large file: the first frame, places that are gone to, full windows, memory.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rl_console::{
    console,
    ids::Seq,
    port::{ReplayAct, ReplayPlace, ReplaySpan, StationPort as _},
    recording::RecordingSet,
    station::ReplayPort,
    time::{Clock, Wall},
};

use crate::{
    Args, Result, bare,
    fold::{config, open},
    night::{MB, Night},
    report::{Bound, Report, median, percentile_us},
    terminal::Terminal,
};

pub(crate) const COLUMNS: u16 = 160;
pub(crate) const ROWS: u16 = 50;
/// What the first frame has.
const FIRST: &str = "REPLAY";
/// Bytes without which a file has no index.
const END_BYTES: u64 = 8;
/// How long the console has to fill its windows, and after each place that is gone to.
const SETTLE: Duration = Duration::from_secs(4);
const SETTLE_AGAIN: Duration = Duration::from_secs(1);
/// Places that the console goes to before its memory is looked at for the last time.
const VISITS: u64 = 12;
const MIB: f64 = 1_048_576.0;
/// How long a place may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file, another one without an index, and the folder of both where that is removed at the end.
struct Files {
    night: Night,
    unindexed: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Files {
    fn make(args: &Args) -> Result<Self> {
        let temporary = if args.folder.is_none() { Some(tempfile::tempdir()?) } else { None };
        let folder = match (&args.folder, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => PathBuf::new(),
        };
        fs::create_dir_all(&folder)?;
        let folder = std::path::absolute(folder)?;
        let night = Night::make(&folder.join(format!("night-{}-mb.mcap", args.mb)), args.mb * MB)?;
        let unindexed = folder.join("unindexed.mcap");
        fs::copy(&night.path, &unindexed)?;
        let file = fs::OpenOptions::new().write(true).open(&unindexed)?;
        file.set_len(file.metadata()?.len().saturating_sub(END_BYTES))?;
        Ok(Self { night, unindexed, _folder: temporary })
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // What is left of it is not taken for a file with an index.
        let _ = fs::remove_file(&self.unindexed);
    }
}

/// The program on a file.
fn start(program: &Path, home: &Path, args: &[&str]) -> Result<Terminal> {
    Ok(Terminal::start(program, args, home, COLUMNS, ROWS)?)
}

/// The time until the first frame, in ms.
fn first_frame(program: &Path, file: &Path) -> Result<f64> {
    let home = tempfile::tempdir()?;
    let file = file.to_string_lossy();
    let mut terminal = start(program, home.path(), &["replay", &file])?;
    Ok(terminal.first(FIRST)?.as_secs_f64() * 1e3)
}

/// Goes to a place and waits until its state is there: that, by its highest number.
async fn seek(port: &ReplayPort, place: ReplayPlace) -> Result<Seq> {
    let mut replay = port.replay().ok_or("no replay")?;
    let before = replay.view.borrow().generation;
    replay.control.act(ReplayAct::Seek(place));
    let gone = replay.view.wait_for(|view| view.generation > before && !view.is_seeking);
    drop(tokio::time::timeout(PATIENCE, gone).await??);
    let state = port.snapshot().await?;
    Ok(state.as_of.0.into_iter().max().unwrap_or_default())
}

/// A place of the file at random, and the entry that it is behind.
fn place(night: &Night, (first, last): (Wall, Wall), by_time: bool) -> (ReplayPlace, Option<Seq>) {
    if by_time {
        return (ReplayPlace::Wall(Wall(fastrand::u64(first.0..=last.0))), None);
    }
    let seq = Seq(fastrand::u64(1..=night.entries));
    (ReplayPlace::Seq(seq), Some(seq))
}

/// Goes to places at random, and has a chunk read by the index in between.
fn seeks(args: &Args, night: &Night, report: &mut Report) -> Result<()> {
    let set = Arc::new(RecordingSet::open(std::slice::from_ref(&night.path))?);
    let ReplaySpan { first, last, .. } = ReplayPort::span(&set).ok_or("nothing can be read")?;
    let clock = Clock::start();
    let mut file = File::open(&night.path)?;
    let summary = bare::summary(&mut file)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    for (by_time, name) in [(true, "a time that is gone to"), (false, "an entry that is gone to")] {
        let port = open(&set, ReplayPlace::Start, clock)?;
        let (mut times, mut chunks) = (Vec::new(), Vec::new());
        for _ in 0..args.seeks.max(1) {
            let (place, wanted) = place(night, (first, last), by_time);
            let began = clock.mono();
            let reached = runtime.block_on(seek(&port, place))?;
            times.push(clock.mono().since(began));
            if wanted.is_some_and(|wanted| wanted != reached) {
                return Err(format!("{wanted:?} was gone to, and the state is of {reached:?}").into());
            }
            let number = fastrand::usize(0..summary.chunk_indexes.len());
            let began = clock.mono();
            bare::read_chunk(&mut file, &summary, number)?;
            chunks.push(clock.mono().since(began));
        }
        times.sort();
        chunks.sort();
        let ms = |of: &[Duration], percent| percentile_us(of, percent) / 1e3;
        let bare = format!("{:.2} ms, {:.2} ms", ms(&chunks, 50), ms(&chunks, 99));
        Report::figure(&format!("{name}: one chunk by the index, p50, p99"), &bare);
        Report::figure(&format!("{name}: exact state, p50"), &format!("{:.2} ms", ms(&times, 50)));
        report.bound(&format!("{name}: exact state, p99"), ms(&times, 99), Bound::AtMost(100.0), " ms");
    }
    Ok(())
}

/// Goes to places at random until the windows are full: the longest time, in ms.
fn windows(args: &Args, night: &Night) -> Result<f64> {
    let set = Arc::new(RecordingSet::open(std::slice::from_ref(&night.path))?);
    let (clock, mut longest) = (Clock::start(), 0.0_f64);
    for _ in 0..args.rounds * 3 {
        let seq = Seq(fastrand::u64(1..=night.entries));
        let began = clock.mono();
        let port = open(&set, ReplayPlace::Seq(seq), clock)?;
        std::hint::black_box(console::still(Arc::new(port), config(clock), (COLUMNS, ROWS))?);
        longest = longest.max(clock.mono().since(began).as_secs_f64() * 1e3);
    }
    Ok(longest)
}

/// The most that the console has resident, in the middle of the file and wherever it goes to, in bytes.
fn resident(program: &Path, night: &Night) -> Result<u64> {
    let home = tempfile::tempdir()?;
    let (file, at) = (night.path.to_string_lossy(), format!("seq:{}", night.entries / 2));
    let mut terminal = start(program, home.path(), &["replay", &file, "--at", &at])?;
    terminal.first(FIRST)?;
    terminal.pass(SETTLE);
    let process = terminal.process()?;
    let mut most = process.rss_bytes();
    for _ in 0..VISITS {
        terminal.keys(&format!("@seq:{}\r", fastrand::u64(1..=night.entries)))?;
        terminal.pass(SETTLE_AGAIN);
        most = most.max(process.rss_bytes());
    }
    if terminal.find(FIRST).is_none() {
        return Err("the console no longer shows the replay".into());
    }
    Ok(most)
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let files = Files::make(args)?;
    let bytes = fs::metadata(&files.night.path)?.len();
    Report::figure("the file: entries, bytes", &format!("{}, {bytes}", files.night.entries));
    let (mut indexed, mut unindexed) = (Vec::new(), Vec::new());
    // Each is in the page cache from the first time on.
    first_frame(args.program(), &files.night.path)?;
    first_frame(args.program(), &files.unindexed)?;
    for _ in 0..args.rounds * 3 {
        indexed.push(first_frame(args.program(), &files.night.path)?);
        unindexed.push(first_frame(args.program(), &files.unindexed)?);
    }
    let clock = Clock::start();
    let began = clock.mono();
    std::hint::black_box(bare::summary(&mut File::open(&files.night.path)?)?);
    let index = clock.mono().since(began).as_secs_f64() * 1e3;
    Report::figure("the index alone, by the `mcap` crate", &format!("{index:.2} ms"));
    report.bound("the first frame, with an index", median(&indexed), Bound::AtMost(150.0), " ms");
    report.bound("the first frame, without one", median(&unindexed), Bound::AtMost(500.0), " ms");
    seeks(args, &files.night, report)?;
    let longest = windows(args, &files.night)?;
    report.bound("until the windows are full, at most", longest, Bound::AtMost(2_000.0), " ms");
    #[expect(clippy::cast_precision_loss, reason = "memory stays far below 2^52 bytes")]
    let most = resident(args.program(), &files.night)? as f64 / MIB;
    report.bound("the console's resident memory, at most", most, Bound::AtMost(250.0), " MiB");
    Ok(())
}

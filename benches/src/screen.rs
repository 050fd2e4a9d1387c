//! The console as a whole process in a pseudo-terminal: how soon it paints, and what it costs when nothing happens.
//!
//! ```sh
//! cargo build --release && cd benches && cargo run --release --bin screen
//! ```
//!
//! First paint is the time from just before the process is started until the header's name has come through the terminal, on an empty data
//! folder. Idle is measured once the hosts are up: bytes and frames (synchronized updates) a second, and the process's CPU time. Bounds:
//! first paint 60 ms; idle one frame a second of 200 bytes, 0.5 % of a core.

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::{Duration, Instant},
};

use clap::Parser;
use color_eyre::eyre::{Result, bail, eyre};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// What comes with the first frame.
const NAME: &[u8] = b"rl-console";
/// What begins a frame.
const FRAME: &[u8] = b"\x1b[?2026h";
/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the hosts have to come up before it counts as idle.
const SETTLE: Duration = Duration::from_secs(3);
/// `USER_HZ`, which is 100 on every Linux.
const TICKS_PER_S: f64 = 100.0;

/// Measures the console's first paint and what it costs when idle.
#[derive(Parser)]
struct Args {
    /// The console's release binary.
    #[arg(long, default_value = "../target/release/rl-console")]
    console: PathBuf,
    /// Starts to measure the first paint over.
    #[arg(long, default_value_t = 15)]
    starts: usize,
    /// Seconds of idling.
    #[arg(long, default_value_t = 20)]
    idle_s: u64,
    /// The terminal's size.
    #[arg(long, default_value_t = 160)]
    columns: u16,
    /// The terminal's size.
    #[arg(long, default_value_t = 50)]
    rows: u16,
}

/// A console in a terminal.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    started: Instant,
    _master: Box<dyn MasterPty + Send>,
}

impl Screen {
    fn start(args: &Args, data: &Path) -> Result<Self> {
        let size = PtySize { rows: args.rows, cols: args.columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).map_err(|error| eyre!("{error}"))?;
        let mut command = CommandBuilder::new(&args.console);
        command.args(["--port", "0", "--data"]);
        command.arg(data);
        command.cwd(data);
        command.env_clear();
        command.env("HOME", data);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        let mut reader = pair.master.try_clone_reader().map_err(|error| eyre!("{error}"))?;
        let (send, output) = sync_channel(1_024);
        thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || send.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).map_err(|error| eyre!("{error}"))?;
        Ok(Self { child, output, started, _master: pair.master })
    }

    /// Time from the start until the first frame has come.
    fn first_paint(&self) -> Result<Duration> {
        let mut seen = Vec::new();
        while self.started.elapsed() < PATIENCE {
            if let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
                seen.extend(bytes);
                if seen.windows(NAME.len()).any(|window| window == NAME) {
                    return Ok(self.started.elapsed());
                }
            }
        }
        bail!("nothing was painted")
    }

    /// All that comes within a time.
    fn collect(&self, time: Duration) -> Vec<u8> {
        let (start, mut all) = (Instant::now(), Vec::new());
        while let Some(left) = time.checked_sub(start.elapsed()) {
            match self.output.recv_timeout(left) {
                Ok(bytes) => all.extend(bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        all
    }

    /// User and system time so far, in seconds.
    fn cpu_s(&self) -> Result<f64> {
        let pid = self.child.process_id().ok_or_else(|| eyre!("the console has ended"))?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
        Ok((ticks(11) + ticks(12)) / TICKS_PER_S)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a benchmark prints its figures")]
fn main() -> Result<()> {
    color_eyre::install()?;
    let args = Args::parse();
    let mut paints = Vec::new();
    for _ in 0..args.starts {
        let data = tempfile::tempdir()?;
        paints.push(Screen::start(&args, data.path())?.first_paint()?);
    }
    paints.sort_unstable();
    let ms = |paint: Option<&Duration>| paint.map_or(f64::NAN, |paint| paint.as_secs_f64() * 1e3);
    println!(
        "first paint   min {:.1} ms   median {:.1} ms   max {:.1} ms   over {} starts   (bound 60 ms)",
        ms(paints.first()),
        ms(paints.get(paints.len() / 2)),
        ms(paints.last()),
        paints.len()
    );
    let data = tempfile::tempdir()?;
    let screen = Screen::start(&args, data.path())?;
    screen.first_paint()?;
    screen.collect(SETTLE);
    let cpu = screen.cpu_s()?;
    let bytes = screen.collect(Duration::from_secs(args.idle_s));
    let cpu = screen.cpu_s()? - cpu;
    let frames = bytes.windows(FRAME.len()).filter(|window| *window == FRAME).count();
    let seconds = args.idle_s as f64;
    println!(
        "idle          {:.2} frames/s   {:.0} B a frame   {:.2} % of a core   over {} s   (bounds 1, 200, 0.5)",
        frames as f64 / seconds,
        bytes.len() as f64 / frames.max(1) as f64,
        cpu / seconds * 100.0,
        args.idle_s
    );
    Ok(())
}

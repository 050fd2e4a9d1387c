//! The Lifecycle pane of large records under the flood: from the key to the painted frame.
//!
//! A run of 1,000 nodes, one of 5,000, and a session of 10,000 messages, each in a console of its own with
//! the pane on the whole screen. Keys unfold and fold the list of events, the trace (the largest object: it
//! is asked for again each time), and its own events; then they turn pages through those and the record's.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, bail, eyre};
use futures_util::future::try_join_all;
use prost::Message as _;
use rl_console_benches::{
    calls::Client,
    v1::{Envelope, SessionStartPayload},
};
use tokio::task::LocalSet;

use crate::{
    Args, is_of_screen,
    load::{self, Adapter},
    ms, number,
    process::Process,
    table::{Row, percentile},
    terminal::Terminal,
};

/// How long the hosts have to come to their rate, and a screen to come to rest.
const SETTLE: Duration = Duration::from_secs(3);
const REST: Duration = Duration::from_millis(700);
/// How long a list may take to be asked for, read and shown.
const LOADED: Duration = Duration::from_secs(30);
/// Pages that are turned one way before they are turned back.
const PAGES: usize = 15;
/// Keys that are pressed at most until the pane has the focus.
const PANES_MAX: usize = 8;
/// Messages of the session that are in flight.
const IN_FLIGHT: usize = 64;

const UNFOLD: &str = "\x1b[C";
const FOLD: &str = "\x1b[D";
const PAGE_DOWN: &str = "\x1b[6~";
const PAGE_UP: &str = "\x1b[5~";

/// What a record is of.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Run { nodes: usize },
    Session { messages: usize },
}

const SUBJECTS: [Subject; 3] =
    [Subject::Run { nodes: 1_000 }, Subject::Run { nodes: 5_000 }, Subject::Session { messages: 10_000 }];

impl Subject {
    fn name(self) -> String {
        match self {
            Self::Run { nodes } => format!("lifecycle of {nodes} nodes"),
            Self::Session { messages } => format!("lifecycle of {messages} messages"),
        }
    }

    /// The key of its view, and the name of its pane.
    const fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Run { .. } => ("4", "Lifecycle"),
            Self::Session { .. } => ("5", "Session lifecycle"),
        }
    }

    fn make(self, console: &Path, data: &Path) -> Result<()> {
        match self {
            Self::Run { nodes } => run_of(console, data, nodes),
            Self::Session { messages } => session_of(data, messages),
        }
    }
}

/// All records.
pub(crate) fn lifecycle(args: &Args) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for subject in SUBJECTS {
        rows.extend(measure(args, subject)?);
    }
    Ok(rows)
}

fn measure(args: &Args, subject: Subject) -> Result<Vec<Row>> {
    let data = tempfile::tempdir()?;
    let token = load::pair(&args.console, data.path())?;
    let mut terminal = args.console(data.path())?;
    terminal.first("Queues")?;
    terminal.pass(SETTLE);
    subject.make(&args.console, data.path())?;
    let mut pane = Pane { terminal, chance: fastrand::Rng::with_seed(5) };
    let shown = pane.open(subject)?;
    let adapter = Adapter::start(&args.console, data.path(), &token, args.logs_per_s)?;
    let process = pane.terminal.process()?;
    process.pin(|name| if is_of_screen(name) { args.screen_core } else { args.load_core })?;
    adapter.process().pin(|_| args.load_core)?;
    Process(std::process::id()).pin(|_| args.screen_core)?;
    pane.terminal.pass(SETTLE);
    let from = (Instant::now(), load::entries(&args.console, data.path())?);
    pane.terminal.take_frames();
    let mut rows = pane.all(&subject.name(), args.lifecycle_keys)?;
    let mut frames: Vec<f64> = pane.terminal.take_frames().into_iter().map(number).collect();
    let passed = load::entries(&args.console, data.path())?.saturating_sub(from.1);
    let per_s = f64::from(u32::try_from(passed)?) / from.0.elapsed().as_secs_f64();
    let name = subject.name();
    rows.push(Row::bounded(
        format!("{name}: bytes a frame, p95"),
        percentile(&mut frames, 95) / 1_024.0,
        "KiB",
        16.0,
    ));
    rows.push(Row::known(format!("{name}: opened, record made"), ms(shown), "ms"));
    rows.push(Row::known(format!("{name}: entries a second"), per_s, ""));
    Ok(rows)
}

/// The pane on the whole screen.
struct Pane {
    terminal: Terminal,
    chance: fastrand::Rng,
}

impl Pane {
    /// Comes to the pane; the time from the key of its view until its record is there.
    fn open(&mut self, subject: Subject) -> Result<Duration> {
        let (view, name) = subject.place();
        let typed = Instant::now();
        self.terminal.keys(view)?;
        let shown = self.terminal.shown(|terminal| terminal.find("\u{25b8} events").is_some())?;
        let wanted = format!("\u{25b8} {name}");
        for _ in 0..PANES_MAX {
            if self.terminal.find(&wanted).is_some() {
                self.press("z")?;
                if self.terminal.find("no findings").is_none() {
                    bail!("the record is not clean: {}", self.terminal.line(2));
                }
                return Ok(shown.duration_since(typed));
            }
            self.press("\t")?;
        }
        bail!("there is no pane {name} on the screen")
    }

    fn press(&mut self, key: &str) -> Result<()> {
        self.terminal.keys(key)?;
        self.terminal.pass(REST);
        Ok(())
    }

    /// The pane as it is drawn, which a key changes and no entry does.
    fn mark(terminal: &Terminal) -> String {
        (2..terminal.rows().saturating_sub(2)).map(|row| terminal.drawn(row)).collect()
    }

    /// Selects a line, from the first one on.
    fn select(&mut self, part: &str) -> Result<()> {
        self.press("g")?;
        let at = |terminal: &Terminal, words: &str| {
            terminal.find(words).ok_or_else(|| eyre!("no {words} on the screen"))
        };
        let first = at(&self.terminal, " part ")? + 1;
        let row = [format!("\u{25b8} {part} "), format!("\u{25be} {part} ")];
        let row = row.iter().find_map(|words| self.terminal.find(words));
        let row = row.ok_or_else(|| eyre!("no {part} in the record"))?;
        for _ in first..row {
            self.press("j")?;
        }
        Ok(())
    }

    /// Unfolds what is selected, and waits until its lines are there.
    fn unfold(&mut self, line: &str) -> Result<()> {
        self.terminal.keys(UNFOLD)?;
        let deadline = Instant::now() + LOADED;
        while self.terminal.find(line).is_none() {
            if Instant::now() > deadline {
                bail!("{line:?} never came\n{}", self.text());
            }
            self.terminal.pass(Duration::from_millis(20));
        }
        self.terminal.pass(REST);
        Ok(())
    }

    fn all(&mut self, name: &str, keys: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let turns = [UNFOLD, FOLD];
        self.select("events")?;
        rows.extend(self.keys(&format!("{name}, events"), &turns, keys)?);
        self.select("trace")?;
        rows.extend(self.keys(&format!("{name}, trace"), &turns, keys)?);
        self.unfold(" context_id ")?;
        // The first of two: those of the trace itself.
        self.select("events")?;
        rows.extend(self.keys(&format!("{name}, the trace's events"), &turns, keys)?);
        let pages: Vec<&str> = [[PAGE_DOWN; PAGES], [PAGE_UP; PAGES]].concat();
        self.unfold("\u{25b8} 9 ")?;
        rows.extend(self.keys(&format!("{name}, pages of those"), &pages, keys)?);
        self.select("trace")?;
        self.press(FOLD)?;
        self.select("events")?;
        self.unfold("-event ")?;
        rows.extend(self.keys(&format!("{name}, event pages"), &pages, keys)?);
        Ok(rows)
    }

    /// Types keys in turn, so many.
    fn keys(&mut self, name: &str, keys: &[&str], count: usize) -> Result<Vec<Row>> {
        let mut latencies = Vec::with_capacity(count);
        for key in keys.iter().cycle().take(count) {
            self.terminal.pass(Duration::from_millis(self.chance.u64(120..220)));
            let before = Self::mark(&self.terminal);
            let typed = Instant::now();
            self.terminal.keys(key)?;
            let shown = self.terminal.shown(|terminal| Self::mark(terminal) != before);
            let shown = shown.map_err(|why| eyre!("{name}: {why}\n{}", self.text()))?;
            latencies.push(ms(shown.duration_since(typed)));
        }
        Ok(vec![
            Row::bounded(format!("{name}: p50"), percentile(&mut latencies, 50), "ms", 8.0),
            Row::bounded(format!("{name}: p99"), percentile(&mut latencies, 99), "ms", 33.0),
            Row::known(format!("{name}: max of {count}"), percentile(&mut latencies, 100), "ms"),
        ])
    }

    /// What is on the screen.
    fn text(&self) -> String {
        (0..self.terminal.rows()).map(|row| self.terminal.line(row) + "\n").collect()
    }
}

fn command(console: &Path, data: &Path) -> Command {
    let mut command = Command::new(console);
    command.env_clear().env("HOME", data).arg("--data").arg(data).arg("--json").stdin(Stdio::null());
    command
}

/// A process that is killed when this is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs an opening in which each node feeds the one 50 further on.
fn run_of(console: &Path, data: &Path, nodes: usize) -> Result<()> {
    let mut opening = "version: 0\nname: bench\nnodes:\n".to_owned();
    for at in 0..nodes {
        let _ = writeln!(opening, "  - {{id: n{at}, use: 'agent:echo'}}");
    }
    opening.push_str("edges:\n");
    for to in 50..nodes {
        let _ = writeln!(opening, "  - {{from: n{}.out, to: n{to}.in}}", to - 50);
    }
    let file = data.join("opening.yaml");
    fs::write(&file, opening)?;
    let agent = command(console, data).args(["sim", "agent", "echo"]).stdout(Stdio::piped()).spawn();
    let mut agent = Ended(agent?);
    let mut output = BufReader::new(agent.0.stdout.take().ok_or_else(|| eyre!("no output"))?);
    let mut line = String::new();
    while !line.contains("subscribed") {
        line.clear();
        if output.read_line(&mut line)? == 0 {
            bail!("the agent has ended");
        }
    }
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    let submitted = command(console, data).arg("submit").arg(&file).arg("--wait").output()?;
    if !submitted.status.success() {
        bail!("the run failed: {}", String::from_utf8_lossy(&submitted.stderr));
    }
    Ok(())
}

/// Opens a decision, and has so many messages in it, the first of which is its start.
fn session_of(data: &Path, messages: usize) -> Result<()> {
    let addr = fs::read_to_string(data.join("macp.addr"))?.trim().parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let client = Client::connect(addr).await?;
        let send = |number: usize| {
            let mut client = client.clone();
            async move {
                let ack = client.send(message(number)).await?;
                if ack.ok { Ok(()) } else { Err(eyre!("refused: {:?}", ack.error)) }
            }
        };
        send(0).await?;
        send(1).await?;
        let mut next = 2;
        while next < messages {
            let end = messages.min(next + IN_FLIGHT);
            try_join_all((next..end).map(&send)).await?;
            next = end;
        }
        Ok(())
    })
}

fn message(number: usize) -> Envelope {
    let vote = r#"{"proposal_id":"p","vote":"approve","reason":"well"}"#;
    let (message_type, payload) = match number {
        0 => {
            let participants = (0..20).map(|it| format!("agent {it}")).collect();
            let start = SessionStartPayload { participants, ttl_ms: 3_600_000, ..Default::default() };
            ("SessionStart", start.encode_to_vec())
        }
        1 => ("Proposal", br#"{"proposal_id":"p","option":"one"}"#.to_vec()),
        _ => ("Vote", vote.as_bytes().to_vec()),
    };
    Envelope {
        macp_version: "1.0".to_owned(),
        mode: if number == 0 { "decision".to_owned() } else { String::new() },
        message_type: message_type.to_owned(),
        message_id: format!("message {number}"),
        session_id: "bench".to_owned(),
        sender: format!("agent {}", number % 20),
        payload: payload.into(),
        ..Envelope::default()
    }
}

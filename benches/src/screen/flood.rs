//! The console under a flood of entries, looked at in each of the ways in which it is used.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, bail, eyre};

use crate::{
    Args, MIB, is_of_screen,
    load::{self, Adapter},
    ms, number,
    occupied::{Occupancy, Occupied},
    process::Process,
    table::{Row, percentile},
    terminal::Terminal,
};

/// How long the hosts have to come to their rate, and a round to come to rest.
const SETTLE: Duration = Duration::from_secs(3);
/// How often the count of entries is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a flood may take to make its entries, beyond the time that its rate asks for.
const FLOOD_SLACK: Duration = Duration::from_secs(120);
/// Lines at the foot of the screen among which the inspector says what is selected.
const FOOT: std::ops::Range<usize> = 2..6;
/// Keys that are pressed at most until a pane has the focus.
const PANES_MAX: usize = 8;

/// A way in which the console is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// The Deck as it comes up.
    Deck,
    /// The Deck with a filter on its Log.
    FilteredLog,
    /// The Deck, time stopped.
    Stopped,
    /// The Wire as it comes up.
    Wire,
    /// The Wire with a filter that lets an eighth through.
    FilteredWire,
    /// The inspector, on an entry that the flood soon pushes out.
    Inspector,
}

impl Round {
    const ALL: [Self; 6] =
        [Self::Deck, Self::FilteredLog, Self::Stopped, Self::Wire, Self::FilteredWire, Self::Inspector];

    const fn name(self) -> &'static str {
        match self {
            Self::Deck => "deck",
            Self::FilteredLog => "deck, log filtered",
            Self::Stopped => "deck, time stopped",
            Self::Wire => "wire",
            Self::FilteredWire => "wire, filtered",
            Self::Inspector => "wire, inspector open",
        }
    }

    /// The key that is pressed, in turn.
    const fn key(self, at: usize) -> &'static str {
        match (self, at / 2 % 10, at % 2) {
            (Self::Deck | Self::FilteredLog | Self::Stopped, 9, _) => "z",
            (Self::Inspector, _, 0) => "j",
            (Self::Inspector, ..) => "k",
            (_, _, 0) => "\t",
            _ => "\x1b[Z",
        }
    }

    /// What of the screen such a key changes, and no data does.
    fn mark(self, terminal: &Terminal, upper: usize) -> String {
        match self {
            Self::Deck | Self::FilteredLog | Self::Stopped => terminal.line(upper),
            Self::Wire | Self::FilteredWire => terminal.line(upper).chars().take(3).collect(),
            Self::Inspector => {
                let rows = terminal.rows();
                FOOT.map(|up| terminal.line(rows.saturating_sub(up))).collect()
            }
        }
    }
}

/// A console under a flood.
struct Flooded<'a> {
    args: &'a Args,
    data: &'a Path,
    terminal: Terminal,
    process: Process,
}

impl Flooded<'_> {
    fn entries(&self) -> Result<u64> {
        load::entries(&self.args.console, self.data)
    }

    fn type_and_pass(&mut self, keys: &str) -> Result<()> {
        self.terminal.keys(keys)?;
        self.terminal.pass(Duration::from_millis(700));
        Ok(())
    }

    /// Tab until a pane has the focus.
    fn focus(&mut self, pane: &str) -> Result<()> {
        let wanted = format!("\u{25b8} {pane}");
        for _ in 0..PANES_MAX {
            if self.terminal.find(&wanted).is_some() {
                return Ok(());
            }
            self.type_and_pass("\t")?;
        }
        bail!("there is no pane {pane} on the screen")
    }

    /// Comes to what a round looks at.
    fn enter(&mut self, round: Round) -> Result<()> {
        match round {
            Round::Deck => {}
            Round::FilteredLog => {
                self.focus("Log")?;
                self.filter("drawn")?;
                self.focus("Queues")?;
            }
            Round::Stopped => self.type_and_pass(" ")?,
            Round::Wire => self.type_and_pass("8")?,
            Round::FilteredWire => {
                self.type_and_pass("8")?;
                self.filter("kind:log drawn")?;
            }
            Round::Inspector => {
                self.type_and_pass("8")?;
                self.type_and_pass("\r")?;
                if self.terminal.find("decoded as").is_none() {
                    bail!("the inspector is not open");
                }
            }
        }
        self.terminal.pass(SETTLE);
        Ok(())
    }

    /// Puts a filter on the focused pane.
    fn filter(&mut self, text: &str) -> Result<()> {
        for keys in ["/", text, "\r"] {
            self.type_and_pass(keys)?;
        }
        Ok(())
    }

    /// Back to the Deck, live, without a filter.
    fn leave(&mut self, round: Round) -> Result<()> {
        match round {
            Round::Deck => {}
            Round::FilteredLog => {
                self.focus("Log")?;
                self.type_and_pass("\x1b")?;
                self.focus("Queues")?;
            }
            Round::Stopped => self.type_and_pass(" ")?,
            Round::Wire => self.type_and_pass("1")?,
            Round::FilteredWire => {
                self.focus("Wire")?;
                self.type_and_pass("\x1b")?;
                self.type_and_pass("1")?;
            }
            Round::Inspector => {
                self.type_and_pass("\x1b")?;
                self.type_and_pass("1")?;
            }
        }
        Ok(())
    }

    /// Data alone, then keys.
    fn metrics(&mut self, round: Round) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let mut latencies = Vec::new();
        for typed in [0, self.args.keys] {
            self.terminal.take_frames();
            let (began, from) = (Instant::now(), self.entries()?);
            let (cpu, screen_cpu) = (self.process.cpu(|_| true), self.process.cpu(is_of_screen));
            if typed == 0 {
                self.terminal.pass(Duration::from_secs(self.args.data_s));
            } else {
                latencies = self.type_keys(round, typed)?;
            }
            let seconds = began.elapsed().as_secs_f64();
            let cpu = self.process.cpu(|_| true).saturating_sub(cpu).as_secs_f64() / seconds * 100.0;
            let screen_cpu =
                self.process.cpu(is_of_screen).saturating_sub(screen_cpu).as_secs_f64() / seconds * 100.0;
            let mut frames: Vec<f64> = self.terminal.take_frames().into_iter().map(number).collect();
            #[expect(clippy::cast_precision_loss, reason = "a count of entries stays far below 2^52")]
            let entries = (self.entries()? - from) as f64 / began.elapsed().as_secs_f64();
            let name = if typed == 0 { round.name().to_owned() } else { format!("{}, keys", round.name()) };
            rows.push(Row::known(format!("{name}: entries a second"), entries, ""));
            let per_s = number(frames.len()) / seconds;
            let what = format!("{name}: frames a second");
            // What is typed is painted at once, beyond the pace of data.
            rows.push(if typed == 0 {
                Row::bounded(what, per_s, "", 30.5)
            } else {
                Row::known(what, per_s, "")
            });
            rows.push(Row::known(
                format!("{name}: bytes a second"),
                frames.iter().sum::<f64>() / seconds / 1_024.0,
                "KiB",
            ));
            rows.push(Row::known(
                format!("{name}: bytes a frame, p50"),
                percentile(&mut frames, 50) / 1_024.0,
                "KiB",
            ));
            rows.push(Row::bounded(
                format!("{name}: bytes a frame, p95"),
                percentile(&mut frames, 95) / 1_024.0,
                "KiB",
                16.0,
            ));
            rows.push(Row::known(format!("{name}: one core, station and screen"), cpu, "%"));
            rows.push(Row::known(format!("{name}: one core, the screen alone"), screen_cpu, "%"));
        }
        let name = round.name();
        rows.push(Row::bounded(
            format!("{name}: key to frame, p50"),
            percentile(&mut latencies, 50),
            "ms",
            8.0,
        ));
        rows.push(Row::bounded(
            format!("{name}: key to frame, p99"),
            percentile(&mut latencies, 99),
            "ms",
            33.0,
        ));
        rows.push(Row::known(format!("{name}: key to frame, max"), percentile(&mut latencies, 100), "ms"));
        rows.push(Row::known(format!("{name}: key to frame, keys"), number(latencies.len()), ""));
        Ok(rows)
    }

    fn type_keys(&mut self, round: Round, count: usize) -> Result<Vec<f64>> {
        let title = if matches!(round, Round::Wire | Round::FilteredWire | Round::Inspector) {
            "Wire"
        } else {
            "Queues"
        };
        // Above the panes stand the views, of which one is the Wire.
        let upper = self.terminal.find(&format!("\u{25b8} {title}"));
        let upper = if round == Round::Inspector {
            0
        } else {
            upper.ok_or_else(|| eyre!("there is no {title} on the screen"))?
        };
        let mut chance = fastrand::Rng::with_seed(3);
        let mut latencies = Vec::with_capacity(count);
        for at in 0..count {
            self.terminal.pass(Duration::from_millis(chance.u64(20..120)));
            let before = round.mark(&self.terminal, upper);
            let typed = Instant::now();
            self.terminal.keys(round.key(at))?;
            let shown = self.terminal.shown(|terminal| round.mark(terminal, upper) != before)?;
            latencies.push(ms(shown.duration_since(typed)));
        }
        Ok(latencies)
    }

    /// Memory once so many entries have passed.
    fn memory(&mut self, entries: u64) -> Result<Row> {
        let time = Duration::from_secs(entries / u64::from(self.args.logs_per_s.max(1)));
        let deadline = Instant::now() + time + FLOOD_SLACK;
        let mut passed = self.entries()?;
        while passed < entries {
            if Instant::now() > deadline {
                bail!("{passed} of {entries} entries have passed: the load does not keep its rate");
            }
            self.terminal.pass(LOOK_EVERY);
            passed = self.entries()?;
        }
        #[expect(clippy::cast_precision_loss, reason = "memory stays far below 2^52 bytes")]
        let mib = self.process.rss_bytes() as f64 / MIB;
        Ok(Row::bounded(
            format!("memory after {:.1} million entries", f64::from(u32::try_from(passed / 1_000)?) / 1e3),
            mib,
            "MiB",
            150.0,
        ))
    }
}

/// All rounds, and the memory before and after.
#[expect(clippy::print_stdout, reason = "a benchmark prints its metrics")]
pub(crate) fn flood(args: &Args) -> Result<Vec<Row>> {
    let data = tempfile::tempdir()?;
    let occupancy = Occupancy { doors: args.doors, held: args.held };
    occupancy.configure(data.path())?;
    let token = load::pair(&args.console, data.path())?;
    let mut terminal = args.console(data.path())?;
    terminal.first("Queues")?;
    let mut occupied = Occupied::start(&args.console, data.path(), occupancy)?;
    let adapter = Adapter::start(&args.console, data.path(), &token, args.logs_per_s)?;
    let process = terminal.process()?;
    // What the threads of today start later inherits their core.
    process.pin(|name| if is_of_screen(name) { args.screen_core } else { args.load_core })?;
    adapter.process().pin(|_| args.load_core)?;
    Process(std::process::id()).pin(|_| args.screen_core)?;
    terminal.pass(SETTLE);
    let mut flooded = Flooded { args, data: data.path(), terminal, process };
    let early = flooded.memory((args.entries / 10).max(1))?;
    let mut rows = Vec::new();
    for round in Round::ALL {
        flooded.enter(round)?;
        rows.extend(flooded.metrics(round)?);
        println!("the header then ({}): {}", round.name(), flooded.terminal.line(0).trim());
        flooded.leave(round)?;
        occupied.check()?;
    }
    rows.push(early);
    flooded.enter(Round::Wire)?;
    rows.push(flooded.memory(args.entries)?);
    println!("the header after the flood: {}\n", flooded.terminal.line(0).trim());
    Ok(rows)
}

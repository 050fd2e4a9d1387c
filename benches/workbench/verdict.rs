//! From a key in a frame of 64 KiB until its verdict is on the screen.

use std::{fs, time::Duration};

use bytes::Bytes;
use rl_console::{
    limits,
    macp::{Request, Rpc},
    mpp,
    plugin::{framing::Framer, rpc},
    rmp::{self, Checks, Registry},
    time::Clock,
};

use crate::{
    Result,
    load::{self, Adapter},
    program,
    report::{Bound, Report, median, percentile_us},
    screen::{LOAD_CORE, Screen, run},
};

/// Bytes of a frame, of MPP the most that a line may have.
const FRAME_BYTES: usize = limits::MPP_FRAME_BYTES_MAX;
/// Keys of a round.
const KEYS: usize = 100;
/// What a verdict may take at most, in ms.
const VERDICT_MS_MAX: f64 = 5.0;
/// Log frames a second while it is flooded; each makes two entries.
const LOGS_PER_S: u32 = 25_000;
/// What must pass of that: with less, it is no flood.
const ENTRIES_PER_S_MIN: f64 = 45_000.0;
/// Times that the bare decoder reads the frame in a round.
const DECODES: usize = 200;
/// Steps of the work that is the same after each key: some hundred microseconds.
const EVEN_WORK_STEPS: u32 = 200_000;
/// How much longer than usual it may take, before the machine is said to have been slow at that key.
const EVEN_WORK_FACTOR: f64 = 1.5;
/// How long the load has to come to its rate.
const SETTLE: Duration = Duration::from_secs(3);
/// The line above the verdict.
const FORESEEN: &str = " foreseen ";
/// Bytes of an example, more than enough.
const EXAMPLE_BYTES_MAX: usize = 400;
const PLUGIN: &str = "sim.plugin";
const TO_JSON: &str = "\t";
const FIRST_FIELD: &str = "\x1b[Z";

/// A link's frame: where it goes, and what makes it another one.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    /// The keys that choose its way, from the first field of the head.
    way: &'static str,
    /// Chosen with that, where an adapter has the connection.
    way_flooded: &'static str,
    /// How `encode` makes it.
    encode: &'static [&'static str],
    /// Its JSON around what fills it.
    json: [&'static str; 2],
    /// From the end of the JSON to where the key is typed.
    back: usize,
    key: &'static str,
    /// The verdict without the key, and with it.
    verdicts: [&'static str; 2],
}

const CASES: [Case; 4] = [
    Case {
        name: "MPP",
        way: "",
        way_flooded: "\x1b[B\x1b[C\x1b[C",
        encode: &["--link", "mpp"],
        json: [r#"{"body":{"message":""#, "\",\n\"level\":\"info\",\n\"type\":\"log\"}}"],
        back: 3,
        key: "x",
        verdicts: ["accepted", "refused"],
    },
    Case {
        name: "RMP",
        way: "r\x1b[B\x1b[B\x1b[B\x1b[Bbench/verdict",
        way_flooded: "",
        encode: &["--link", "rmp"],
        json: [
            r#"{"body":{"type":"observation.bench.v1","payload":{"text":""#,
            "\"}},\n\"header\":{\n\"ttl_ms\":1844674407370955161}}",
        ],
        back: 2,
        key: "0",
        verdicts: ["accepted", "refused"],
    },
    Case {
        name: "MACP",
        way: "\x1b[C\x1b[C",
        way_flooded: "",
        encode: &["--link", "macp"],
        json: [
            r#"{"body":{"envelope":{"message_id":"m1","sender":"alice","payload_bytes":""#,
            "\",\n\"message_type\":\"Signal\"}}}",
        ],
        back: 4,
        key: "x",
        verdicts: ["accepted", "refused"],
    },
    Case {
        name: "plugin",
        way: "p\x1b[B\x1b[Bsim.plugin",
        way_flooded: "",
        encode: &["--link", "plugin"],
        json: [r#"{"body":{"id":1,"params":{"level":"info","message":""#, "\"},\n\"method\":\"log\"}}"],
        back: 3,
        key: "x",
        verdicts: ["accepted", "refused"],
    },
];

impl Case {
    /// Its JSON, the frame of which has 64 KiB, and that frame.
    fn frame(&self, screen: &Screen) -> Result<(String, Bytes)> {
        let file = screen.home.path().join("frame.json");
        let encoded = |json: &str| -> Result<Bytes> {
            fs::write(&file, json)?;
            let path = file.to_string_lossy();
            let hex = screen.run(&[&["encode"], self.encode, &[&*path]].concat())?;
            Ok(bytes_of(hex.trim()).into())
        };
        let json = |count: usize| {
            // Base64 in groups of four.
            let filler = "QUJD".repeat(count / 4);
            format!("{}{filler}{}", self.json[0], self.json[1])
        };
        let is_base64 = self.json[0].ends_with(r#"_bytes":""#);
        let per_byte = if is_base64 { 4.0 / 3.0 } else { 1.0 };
        let mut length = FRAME_BYTES - FRAME_BYTES / 64;
        let frame = loop {
            let frame = encoded(&json(scaled(length, per_byte)))?;
            // One byte more is a whole frame still.
            let room = (FRAME_BYTES - 8).saturating_sub(frame.len());
            if room < 8 {
                break frame;
            }
            length += room / 4 * 4;
        };
        if frame.len() > FRAME_BYTES {
            return Err(format!("{}: a frame of {} bytes", self.name, frame.len()).into());
        }
        Ok((json(scaled(length, per_byte)), frame))
    }

    /// Reads the frame as its core does, and nothing more; whether it could.
    fn decode(&self, wire: &Bytes) -> bool {
        match self.name {
            "MPP" => mpp::frame::decode(wire, mpp::frame::Phase::Later).is_ok(),
            "RMP" => {
                let (registry, limits) = (Registry::default(), limits::Rmp::default());
                rmp::decode(wire, &Checks::new(&registry, &limits)).is_ok()
            }
            "MACP" => Request::read(Rpc::Send, wire, &limits::Macp::default()).is_ok(),
            _ => {
                let mut framer = Framer::new();
                framer.push(wire);
                matches!(framer.poll_frame(), Ok(Some(frame)) if rpc::read(&frame.body()).lints.is_empty())
            }
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length"
)]
fn scaled(length: usize, factor: f64) -> usize {
    (length as f64 * factor) as usize / 4 * 4
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2);
    digits.filter_map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect()
}

/// All links, idle and flooded.
pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    for case in &CASES {
        let mut screen = start(case)?;
        let (json, wire) = case.frame(&screen)?;
        let clock = Clock::start();
        let name = case.name;
        Report::figure(&format!("{name}: bytes"), &wire.len().to_string());
        open(&mut screen, case.way, &json)?;
        keys(&mut screen, case, &wire, ("idle", rounds), report)?;
        drop(screen);
        let mut screen = start(case)?;
        let token = load::pair(program(), &screen.data)?;
        let adapter = Adapter::start(program(), &screen.data, &token, LOGS_PER_S)?;
        screen.pin()?;
        adapter.process().pin(|_| LOAD_CORE)?;
        open(&mut screen, &format!("{}{}", case.way, case.way_flooded), &json)?;
        screen.terminal.pass(SETTLE);
        let (began, from) = (clock.mono(), load::entries(program(), &screen.data)?);
        keys(&mut screen, case, &wire, ("flooded", rounds), report)?;
        let passed = load::entries(program(), &screen.data)? - from;
        #[expect(clippy::cast_precision_loss, reason = "a count of entries stays far below 2^52")]
        let per_s = passed as f64 / clock.mono().since(began).as_secs_f64();
        report.bound(
            &format!("{name}, flooded: entries a second"),
            per_s,
            Bound::AtLeast(ENTRIES_PER_S_MIN),
            "",
        );
    }
    Ok(())
}

fn start(case: &Case) -> Result<Screen> {
    if case.name != "plugin" {
        let screen = Screen::start("", &[])?;
        screen.pin()?;
        return Ok(screen);
    }
    let folder = tempfile::tempdir()?;
    let into = folder.path().join("plugin");
    let into = into.to_string_lossy();
    run(folder.path(), &["sim", "plugin", "--into", &into, "--id", PLUGIN])?;
    let mut screen = Screen::start("", &["--plugins", &into])?;
    screen.folder = Some(folder);
    screen.wait("PLUG ● 1/1")?;
    screen.pin()?;
    Ok(screen)
}

/// Opens the workbench with a frame, and the cursor where its key is typed.
fn open(screen: &mut Screen, way: &str, json: &str) -> Result<()> {
    screen.enter("i")?;
    screen.wait("Workbench")?;
    screen.enter(FIRST_FIELD)?;
    for key in split(way) {
        screen.enter(key)?;
    }
    screen.enter(TO_JSON)?;
    // The example goes.
    screen.enter(&"\x1b[3~".repeat(EXAMPLE_BYTES_MAX))?;
    screen.enter(&format!("\x1b[200~{json}\x1b[201~"))?;
    Ok(())
}

/// The keys of a text, of which some begin with an escape.
fn split(text: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = if rest.starts_with('\x1b') { 3 } else { 1 };
        let (key, behind) = rest.split_at(length.min(rest.len()));
        keys.push(key);
        rest = behind;
    }
    keys
}

/// How long the bare decoder takes for the frame, again and again: p50 and p99, in µs.
fn decoded(case: &Case, wire: &Bytes) -> Result<[f64; 2]> {
    let (clock, mut decodes) = (Clock::start(), Vec::new());
    for _ in 0..DECODES {
        let began = clock.mono();
        let is_read = std::hint::black_box(case.decode(std::hint::black_box(wire)));
        decodes.push(clock.mono().since(began));
        if !is_read {
            return Err(format!("{}: the frame cannot be read", case.name).into());
        }
    }
    decodes.sort();
    Ok([50, 99].map(|percent| percentile_us(&decodes, percent)))
}

/// Work in registers alone that is the same each time: how long the core takes for it. What others do on that
/// core meanwhile is not counted, but how fast the machine lets it run.
fn even_work() -> Duration {
    let began = on_core();
    let mut state = 1_u64;
    for _ in 0..EVEN_WORK_STEPS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    std::hint::black_box(state);
    on_core().saturating_sub(began)
}

/// How long this thread was on a core.
fn on_core() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// A key's time until its verdict, and that of the even work behind it.
#[derive(Clone, Copy)]
struct Sample {
    verdict: Duration,
    even: Duration,
}

/// Types the key and takes it back, again and again, each time with even work behind it, and has the bare
/// decoder read the frame in each round.
fn keys(
    screen: &mut Screen,
    case: &Case,
    wire: &Bytes,
    (when, rounds): (&str, usize),
    report: &mut Report,
) -> Result<()> {
    screen.enter(&"\x1b[D".repeat(case.back))?;
    let [without, with] = case.verdicts;
    screen.wait(without)?;
    let (mut samples, mut bare) = (Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..rounds {
        for (of, us) in bare.iter_mut().zip(decoded(case, wire)?) {
            of.push(us);
        }
        for (key, verdict) in [(case.key, with), ("\x7f", without)].into_iter().cycle().take(KEYS) {
            screen.terminal.pass(Duration::from_millis(fastrand::u64(60..160)));
            let typed = now();
            screen.terminal.keys(key)?;
            let shown = screen.terminal.shown(|terminal| {
                terminal.find(FORESEEN).is_some_and(|row| terminal.line(row + 1).contains(verdict))
            });
            let shown = shown.map_err(|why| format!("{verdict}: {why}\n{}", screen.text()))?;
            samples.push(Sample { verdict: shown.duration_since(typed), even: even_work() });
        }
    }
    let name = format!("{}, {when}", case.name);
    let [bare_p50, bare_p99] = bare.map(|of| median(&of));
    Report::figure(
        &format!("{name}: the bare decoder, p50 and p99"),
        &format!("{bare_p50:.1} µs, {bare_p99:.1} µs"),
    );
    report_keys(&name, samples, report);
    Ok(())
}

/// Reports all keys, and has the bound hold for those at which the machine was not slow.
fn report_keys(name: &str, mut samples: Vec<Sample>, report: &mut Report) {
    let ms = |of: &[Duration], percent| percentile_us(of, percent) / 1e3;
    let sorted = |of: &[Sample], time: fn(&Sample) -> Duration| {
        let mut times: Vec<_> = of.iter().map(time).collect();
        times.sort();
        times
    };
    let (all, even) = (sorted(&samples, |it| it.verdict), sorted(&samples, |it| it.even));
    Report::figure(
        &format!("{name}: key to verdict, all keys: p50, p99, max"),
        &format!("{:.2} ms, {:.2} ms, {:.2} ms", ms(&all, 50), ms(&all, 99), ms(&all, 100)),
    );
    let usual = Duration::from_secs_f64(ms(&even, 50) / 1e3).mul_f64(EVEN_WORK_FACTOR);
    samples.retain(|it| it.even <= usual);
    Report::figure(
        &format!("{name}: even work: p50, p99; keys at which it was slow"),
        &format!(
            "{:.2} ms, {:.2} ms; {} of {}",
            ms(&even, 50),
            ms(&even, 99),
            all.len() - samples.len(),
            all.len()
        ),
    );
    let steady = sorted(&samples, |it| it.verdict);
    Report::figure(
        &format!("{name}: key to verdict, the others: p50"),
        &format!("{:.2} ms", ms(&steady, 50)),
    );
    let p99 = ms(&steady, 99);
    report.bound(
        &format!("{name}: key to verdict, the others: p99"),
        p99,
        Bound::AtMost(VERDICT_MS_MAX),
        " ms",
    );
}

/// The moment, as the terminal takes it.
#[expect(clippy::disallowed_methods, reason = "the terminal's chunks have such moments")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}

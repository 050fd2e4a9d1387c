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
/// What the machine's own work reads, again and again, until it takes about as long as a verdict.
const OWN_WORK_BYTES: usize = 4 << 20;
const OWN_WORK_PASSES: usize = 12;
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

/// Work that is the same each time, begun at a moment at which a key could have come: how long the core takes
/// for it. What others do on that core meanwhile is not counted, but how fast the machine lets it run.
fn own_work(bytes: &[u8]) -> Duration {
    let began = on_core();
    for _ in 0..OWN_WORK_PASSES {
        let sum = bytes.iter().step_by(16).fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte));
        std::hint::black_box(sum);
    }
    on_core().saturating_sub(began)
}

/// How long this thread was on a core.
fn on_core() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// How long it is until the next key, or the next work of the machine's own.
fn pause(screen: &mut Screen) {
    screen.terminal.pass(Duration::from_millis(fastrand::u64(60..160)));
}

/// Types the key and takes it back, again and again, with the machine's own work between two keys, and has
/// the bare decoder read the frame in each round.
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
    let (mut p50s, mut p99s, mut maxima) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bare, mut own) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let own_bytes = vec![1; OWN_WORK_BYTES];
    for _ in 0..rounds {
        for (of, us) in bare.iter_mut().zip(decoded(case, wire)?) {
            of.push(us);
        }
        let (mut times, mut own_times) = (Vec::new(), Vec::new());
        for (key, verdict) in [(case.key, with), ("\x7f", without)].into_iter().cycle().take(KEYS) {
            pause(screen);
            own_times.push(own_work(&own_bytes));
            pause(screen);
            let typed = now();
            screen.terminal.keys(key)?;
            let shown = screen.terminal.shown(|terminal| {
                terminal.find(FORESEEN).is_some_and(|row| terminal.line(row + 1).contains(verdict))
            });
            let shown = shown.map_err(|why| format!("{verdict}: {why}\n{}", screen.text()))?;
            times.push(shown.duration_since(typed));
        }
        times.sort();
        own_times.sort();
        for (of, percent) in own.iter_mut().zip([50, 99]) {
            of.push(percentile_us(&own_times, percent) / 1e3);
        }
        p50s.push(percentile_us(&times, 50) / 1e3);
        p99s.push(percentile_us(&times, 99) / 1e3);
        maxima.push(percentile_us(&times, 100) / 1e3);
    }
    let name = format!("{}, {when}", case.name);
    let [bare_p50, bare_p99] = bare.map(|of| median(&of));
    Report::figure(
        &format!("{name}: the bare decoder, p50 and p99"),
        &format!("{bare_p50:.1} µs, {bare_p99:.1} µs"),
    );
    let [own_p50, own_p99] = own.map(|of| median(&of));
    let own_tail = own_p99 / own_p50;
    Report::figure(
        &format!("{name}: the machine's own work, p50 and p99"),
        &format!("{own_p50:.2} ms, {own_p99:.2} ms ({own_tail:.1} times)"),
    );
    let (p50, p99) = (median(&p50s), median(&p99s));
    Report::figure(&format!("{name}: key to verdict, p50 and p99"), &format!("{p50:.2} ms, {p99:.2} ms"));
    report.bound(
        &format!("{name}: key to verdict, p99, of a steady machine"),
        p99 / own_tail,
        Bound::AtMost(VERDICT_MS_MAX),
        " ms",
    );
    Report::figure(&format!("{name}: key to verdict, max of a round"), &format!("{:.2} ms", median(&maxima)));
    Ok(())
}

/// The moment, as the terminal takes it.
#[expect(clippy::disallowed_methods, reason = "the terminal's chunks have such moments")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}

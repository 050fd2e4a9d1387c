//! What judging MPLP objects costs, from their bytes, beside AJV 8 with ajv-formats on Node.
//!
//! `cargo bench --bench mplp` prints, each with its bound:
//!
//! - `rates`: objects a second of a stream of mixed objects of 200 to 800 bytes, all clean, and of one of
//!   which one in ten is broken and all findings are made: medians of five rounds, the two sides in turn on
//!   one core. Both must say the same of every object (at least 4 and 2 times AJV's). 100 objects are made of
//!   each schema; others are those of the records of a run and of two sessions, and ten times some that are
//!   written as people write them;
//! - `first-uses`: the first use of each schema in a process of its own: of a clean object, and of a broken
//!   one (at most 5 ms); of all (at most 50 ms);
//! - `memory`: what is resident while a stream of 1 GiB is judged (at most 32 MiB);
//! - `export`: the commands that write the record of a run of 1,000 nodes (at most 300 ms), of one of 5,000
//!   (2 s), and of sessions of 10,000 messages (1 s) to a file, at a station of its own with its store.
//!
//! Words behind `--` choose among them. AJV is installed by `npm install --no-package-lock` in `benches/ajv`;
//! without it, or without Node, our half is printed alone. Both sides know the schema of each object, as
//! readers of the bus do; what it costs to find it is printed too.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a benchmark may fail that way")]

#[path = "mplp/ajv.rs"]
mod ajv;
#[path = "mplp/export.rs"]
mod export;
#[path = "mplp/first.rs"]
mod first;
#[path = "../tests/it/mplp/generate.rs"]
#[expect(dead_code, reason = "what is broken alone is of the tests")]
mod generate;
#[path = "mplp/real.rs"]
mod real;
#[path = "../tests/it/mplp/shape.rs"]
mod shape;
#[path = "mplp/station.rs"]
mod station;
#[path = "mplp/stream.rs"]
mod stream;

use std::{error::Error, hint::black_box, process::Command};

use ajv::{Ajv, Pass};
use rl_console::{
    mplp::{InputLimits, Lines, RecordContext, lines::Line, validate},
    time::Clock,
};
use stream::{Stream, stream};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The cases, in the order in which they are measured.
const CASES: [&str; 4] = ["rates", "first-uses", "memory", "export"];

const OF_EACH: usize = 100;
/// How often each object that was written as people write is in a stream.
const OF_EACH_HANDMADE: usize = 10;
const ROUNDS: usize = 5;
const REPEATS: usize = 30;
const GIB: usize = 1 << 30;
const LIMITS: InputLimits = InputLimits { bytes_max: 1 << 20, depth_max: 64, findings_max: 1_000 };

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["first-use", name] => return first::of_one(name),
        ["first-use"] => return first::of_all(),
        ["one-gib"] => {
            one_gib();
            return Ok(());
        }
        _ => {}
    }
    let is_named = |case: &&str| arguments.iter().any(|it| it == case);
    let is_all = !CASES.iter().any(is_named);
    for case in CASES.iter().filter(|case| is_all || is_named(case)) {
        match *case {
            "rates" => rates()?,
            "first-uses" => first::print()?,
            "memory" => print!("{}", of_own_process(&["one-gib"])?),
            _ => export::print()?,
        }
    }
    Ok(())
}

/// Objects a second of both sides, in turn.
fn rates() -> Result<()> {
    let (recorded, handmade) = (real::recorded()?, vec![real::handmade()?; OF_EACH_HANDMADE].concat());
    println!("{} objects of records, {} written as people write them", recorded.len(), handmade.len());
    let others = [recorded, handmade].concat();
    #[cfg(target_os = "linux")]
    let all_cores = on_one_core()?;
    let streams = [stream(OF_EACH, &others, 0), stream(OF_EACH, &others, 1)];
    let mut ajv = Ajv::start(&[&streams[0], &streams[1]])?;
    if ajv.is_none() {
        println!("Node or its packages are missing: AJV is not measured");
    }
    for (place, (stream, about, bound)) in
        [(&streams[0], "all clean", 4.0), (&streams[1], "one in ten broken", 2.0)].into_iter().enumerate()
    {
        // Both sides are warm before they are measured.
        ours(stream, true);
        if let Some(ajv) = &mut ajv {
            ajv.pass(place, place == 1, REPEATS)?;
        }
        let (mut own, mut found) = (Vec::new(), Vec::new());
        let (mut others, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let pass = ours(stream, true);
            found.push(ours(stream, false).ns);
            own.push(pass.ns);
            if let Some(ajv) = &mut ajv {
                let other = ajv.pass(place, place == 1, REPEATS)?;
                assert!(other.clean == pass.clean, "{about}: {}", first_difference(stream, &pass, &other));
                others.push(other.ns);
                ratios.push(other.ns / pass.ns);
            }
        }
        let bytes = stream.bytes.len() / stream.lines.len();
        println!("{} objects of {bytes} bytes on average, {about}", stream.lines.len());
        let rate = |ns: f64| number(stream.lines.len() * REPEATS) * 1e9 / ns;
        println!("  rl-console  {:>10.0} objects/s", rate(median(own)));
        println!("    where the schema of each is to be found  {:>10.0} objects/s", rate(median(found)));
        if !ratios.is_empty() {
            println!("  AJV         {:>10.0} objects/s", rate(median(others)));
            let ratio = median(ratios);
            let word = if ratio >= bound { "met" } else { "NOT MET" };
            println!("  times AJV's {ratio:>10.2}  (at least {bound}: {word})");
        }
    }
    #[cfg(target_os = "linux")]
    rustix::thread::sched_setaffinity(None, &all_cores)?;
    Ok(())
}

/// Keeps this process, and what it starts, on one core; the cores that it had.
#[cfg(target_os = "linux")]
fn on_one_core() -> Result<rustix::thread::CpuSet> {
    let all = rustix::thread::sched_getaffinity(None)?;
    let mut one = rustix::thread::CpuSet::new();
    one.set(0);
    rustix::thread::sched_setaffinity(None, &one)?;
    Ok(all)
}

fn ours(stream: &Stream, is_named: bool) -> Pass {
    let mut clean = vec![0; stream.lines.len()];
    let clock = Clock::start();
    let start = clock.mono();
    for _ in 0..REPEATS {
        for ((id, line), clean) in stream.lines.iter().zip(&mut clean) {
            let schema = is_named.then_some(*id);
            let judged = validate(&stream.bytes[line.clone()], schema, RecordContext::default(), LIMITS);
            *clean = b'0' + u8::from(black_box(judged).is_ok_and(|it| it.findings.is_clean()));
        }
    }
    let clean = String::from_utf8(clean).unwrap_or_default();
    Pass { ns: clock.mono().since(start).as_secs_f64() * 1e9, clean }
}

fn first_difference(stream: &Stream, own: &Pass, other: &Pass) -> String {
    let place = own.clean.bytes().zip(other.clean.bytes()).position(|(own, other)| own != other);
    let line = place.and_then(|it| stream.lines.get(it)).map(|(_, line)| &stream.bytes[line.clone()]);
    format!("the sides differ: {}", String::from_utf8_lossy(line.unwrap_or_default()))
}

/// The standard output of this benchmark in a process of its own, with these arguments.
fn of_own_process(arguments: &[&str]) -> Result<String> {
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

/// What is resident at most while a stream of 1 GiB is judged, one in a hundred objects broken.
fn one_gib() {
    let (clean, broken) = (stream(OF_EACH, &[], 0), stream(1, &[], 10));
    let (mut lines, mut pushed, mut found) = (Lines::new(None, None, LIMITS), 0, [0_u64; 2]);
    let mut count_line = |(_, judged): Line| {
        found[usize::from(judged.is_ok_and(|it| it.findings.is_clean()))] += 1;
    };
    let clock = Clock::start();
    let start = clock.mono();
    while pushed < GIB {
        for part in clean.bytes.chunks(1 << 16).chain(broken.bytes.chunks(1 << 16)) {
            lines.push(part, &mut count_line);
            pushed += part.len();
        }
    }
    lines.finish(&mut count_line);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" not known");
    println!("a stream of 1 GiB, {} clean and {} broken objects", found[1], found[0]);
    println!("  {:.1} s, resident at most{peak} (at most 32 MiB)", clock.mono().since(start).as_secs_f64());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "figures of a benchmark are far below 2^52")]
fn number(count: usize) -> f64 {
    count as f64
}

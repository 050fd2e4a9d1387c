//! What the first use of a schema costs, each in a process of its own.

use std::{env, hint::black_box, process::Command};

use rl_console::{
    mplp::{RecordContext, SchemaId, validate},
    time::Clock,
};
use serde_json::json;

use crate::{
    LIMITS, ROUNDS, Result,
    generate::{Amount, clean},
    median, of_own_process,
};

/// The variable that holds the two objects that a process judges.
const OBJECTS: &str = "RL_CONSOLE_BENCH_OBJECTS";

/// Prints the slowest of all schemas, and what all of them cost together.
pub(crate) fn print() -> Result<()> {
    let (mut clean, mut broken) = ((0.0, ""), (0.0, ""));
    for id in SchemaId::ALL {
        let (clean_ms, broken_ms) = of_schema(id)?;
        clean = if clean_ms > clean.0 { (clean_ms, id.name()) } else { clean };
        broken = if broken_ms > broken.0 { (broken_ms, id.name()) } else { broken };
    }
    println!("first use of a schema, the slowest of 29 (at most 5 ms)");
    println!("  of a clean object         {:>6.2} ms  {}", clean.0, clean.1);
    println!("  then of a broken one      {:>6.2} ms  {}", broken.0, broken.1);
    print!("{}", of_own_process(&["first-use"])?);
    Ok(())
}

/// Milliseconds, medians: of the first object, which is clean, and of the second, which is not.
fn of_schema(id: SchemaId) -> Result<(f64, f64)> {
    // Without a schema used, or it would not be the first use there.
    let texts = serde_json::to_string(&[clean(id, Amount::Full).to_string(), json!(7).to_string()])?;
    let mut figures = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut command = Command::new(env::current_exe()?);
        let output = command.args(["first-use", id.name()]).env(OBJECTS, &texts).output()?;
        let said = String::from_utf8(output.stdout)?;
        let mut said = said.split_whitespace().map(str::parse::<f64>);
        figures.0.push(said.next().ok_or("no figure")??);
        figures.1.push(said.next().ok_or("no figure")??);
    }
    Ok((median(figures.0), median(figures.1)))
}

/// Judges the two objects of the environment, and prints the milliseconds of each.
pub(crate) fn of_one(name: &str) -> Result<()> {
    let id = SchemaId::named(name).ok_or("no such schema")?;
    let texts: Vec<String> = serde_json::from_str(&env::var(OBJECTS)?)?;
    let clock = Clock::start();
    for text in texts {
        let start = clock.mono();
        black_box(validate(text.as_bytes(), Some(id), RecordContext::default(), LIMITS)?);
        println!("{}", clock.mono().since(start).as_secs_f64() * 1e3);
    }
    Ok(())
}

/// Prints what the first use of all costs: of the pass, and of all that judges.
pub(crate) fn of_all() -> Result<()> {
    let objects: Vec<(SchemaId, String)> =
        SchemaId::ALL.into_iter().map(|id| (id, clean(id, Amount::Minimal).to_string())).collect();
    let clock = Clock::start();
    let start = clock.mono();
    for (id, text) in &objects {
        black_box(validate(text.as_bytes(), Some(*id), RecordContext::default(), LIMITS)?);
    }
    let pass_ms = clock.mono().since(start).as_secs_f64() * 1e3;
    for id in SchemaId::ALL {
        black_box(validate(b"7", Some(id), RecordContext::default(), LIMITS)?);
    }
    let all_ms = clock.mono().since(start).as_secs_f64() * 1e3;
    println!("first use of all 29 (at most 50 ms)");
    println!("  of the pass alone         {pass_ms:>6.2} ms");
    println!("  with all that judges      {all_ms:>6.2} ms");
    Ok(())
}

//! A console that attaches to a station with a hundred thousand kept entries: how soon it paints, and how
//! soon it has the past; and what the station pays for the states that it keeps for that.

use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, bail, eyre};

use crate::{
    Args,
    attached::Flooded,
    load, ms,
    table::{Row, percentile},
    terminal::Terminal,
};

/// Entries that are kept before anybody attaches.
const ENTRIES: u64 = 131_072;
/// Log frames a second; each makes two entries.
const LOGS_PER_S: u32 = 25_000;
/// How long they may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the threads beside the hosts are watched under the flood.
const WATCHED: Duration = Duration::from_secs(10);

/// All rounds.
pub(crate) fn past(args: &Args) -> Result<Vec<Row>> {
    let Flooded { folder, data, _server, station, adapter } = Flooded::start(args, LOGS_PER_S)?;
    let began = Instant::now();
    while load::entries(&args.console, &data)? < ENTRIES {
        if began.elapsed() > PATIENCE {
            bail!("the load does not keep its rate");
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    // Nobody is attached: what runs beside the hosts' own threads takes keyframes, and little else.
    let is_beside = |name: &str| name == "hosts";
    let (from, cpu) = (load::entries(&args.console, &data)?, station.cpu(is_beside));
    let watched = Instant::now();
    std::thread::sleep(WATCHED);
    let (took, cpu) = (watched.elapsed().as_secs_f64(), station.cpu(is_beside).saturating_sub(cpu));
    let passed = load::entries(&args.console, &data)?.saturating_sub(from);
    drop(adapter);
    let data_arg = data.to_str().ok_or_else(|| eyre!("the folder has no name in UTF-8"))?;
    let (mut paints, mut loads) = (Vec::new(), Vec::new());
    for _ in 0..args.past_rounds {
        std::thread::sleep(Duration::from_secs(1));
        let arguments = ["--data", data_arg, "attach"];
        let mut terminal =
            Terminal::start(&args.console, &arguments, folder.path(), args.columns, args.rows)?;
        let began = Instant::now();
        paints.push(ms(terminal.first("Queues")?));
        terminal.keys("8")?;
        let is_there = |terminal: &Terminal| {
            let has = |words| terminal.find(words).is_some();
            has("LIVE") && has(" kept") && !has("loading the past")
        };
        loads.push(ms(terminal.shown(is_there)?.duration_since(began)));
    }
    let rate = f64::from(u32::try_from(passed)?) / took;
    Ok(vec![
        Row::bounded("attach: first frame, median", percentile(&mut paints, 50), "ms", 60.0),
        Row::known("attach: first frame, max", percentile(&mut paints, 100), "ms"),
        Row::bounded("attach: the past complete, median", percentile(&mut loads, 50), "ms", 2_000.0),
        Row::known("attach: the past complete, max", percentile(&mut loads, 100), "ms"),
        Row::known("keyframes: entries a second", rate, ""),
        Row::bounded(
            "keyframes: one core, with all beside the hosts",
            cpu.as_secs_f64() / took * 100.0,
            "%",
            3.0,
        ),
    ])
}

//! A captured frame of 8 MiB, opened in the inspector and in the workbench.

use std::{fs, time::Duration};

use rl_console::rmp::{Header, SchemaId, encode};
use rmpv::Value;

use crate::{
    Result,
    report::{Bound, Report, median, percentile_us},
    screen::{ROWS, Screen},
    verdict::now,
};

/// Bytes of the frame, and of the `Publish` before it.
const FRAME_BYTES: usize = 8 << 20;
/// What is left of them for the `Publish`.
const PUBLISH_BYTES: usize = 1_024;
/// The tap keeps all of it.
const CONFIG: &str = "[limits.tap]\nframe_bytes_max = 8388608\nring_bytes_max = 134217728\n\
                      [limits.console]\nkept_bytes_max = 134217728\n";
const TOPIC: &str = "bench/large";
/// Pages further in its bytes.
const PAGES: usize = 100;
/// What the first frame on the screen may take, and a page, in ms.
const FRAME_MS_MAX: f64 = 33.0;
/// What its tree may take, in ms.
const TREE_MS_MAX: f64 = 300.0;

/// A table of so many rows in an envelope.
fn body(rows: u64) -> Result<Vec<u8>> {
    let row = |n: u64| {
        Value::Map(vec![
            ("id".into(), n.into()),
            ("state".into(), "dispatched".into()),
            ("queue".into(), "default".into()),
            ("text".into(), "x".repeat(200).into()),
        ])
    };
    let payload = Value::Array((0..rows).map(row).collect());
    Ok(encode::body("observation.bench.v1", &payload, None::<&Value>)?)
}

/// A frame of as many rows as fit.
fn frame() -> Result<Vec<u8>> {
    let some = 1_000;
    let each = body(2 * some)?.len() - body(some)?.len();
    let room = (FRAME_BYTES - PUBLISH_BYTES) as u64;
    let header = Header {
        schema_id: SchemaId::OBSERVATION,
        created_at_ms: rl_console::time::Clock::start().now().wall.0,
        ttl_ms: 600_000,
        trace_id: rl_console::ids::TraceId(uuid::Uuid::now_v7()),
        msg_id: 1,
    };
    // Later ids have a few bytes more.
    Ok(encode::frame(&header, &body(room * some / (each as u64 + 3 * some))?)?)
}

/// The first line of the bytes.
fn first_of_bytes(terminal: &crate::terminal::Terminal) -> String {
    terminal.line(usize::from(ROWS) / 2).chars().rev().take(72).collect()
}

/// Opens the inspector on the selected frame, and leaves it: the times until its first frame, and until its
/// tree, in ms.
fn inspect(screen: &mut Screen) -> Result<[f64; 2]> {
    let before = first_of_bytes(&screen.terminal);
    let typed = now();
    screen.terminal.keys("\r")?;
    let opened = screen.terminal.shown(|terminal| first_of_bytes(terminal) != before);
    let opened = opened.map_err(|why| format!("{why}\n{}", screen.text()))?;
    let has_tree = |terminal: &crate::terminal::Terminal| terminal.find("decoding").is_none();
    let read = if has_tree(&screen.terminal) { opened } else { screen.terminal.shown(has_tree)? };
    if screen.terminal.find("could not be decoded").is_some() {
        return Err(format!("it has no tree\n{}", screen.text()).into());
    }
    screen.enter("\x1b")?;
    Ok([opened, read].map(|shown| shown.duration_since(typed).as_secs_f64() * 1e3))
}

pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    let (mut inspected, mut trees) = (Vec::new(), Vec::new());
    let (mut opened, mut read, mut p50s, mut p99s) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let frame = frame()?;
    for _ in 0..rounds {
        let mut screen = Screen::start(CONFIG, &[])?;
        screen.pin()?;
        let file = screen.home.path().join("frame.bin");
        fs::write(&file, &frame)?;
        screen.run(&["publish", TOPIC, "--frame", &format!("@{}", file.display())])?;
        screen.enter("8")?;
        for keys in ["/", "kind:publish topic:bench/large", "\r", "\x1b[H"] {
            screen.enter(keys)?;
        }
        screen.terminal.pass(Duration::from_secs(1));
        let [first, tree] = inspect(&mut screen)?;
        inspected.push(first);
        trees.push(tree);
        let typed = now();
        screen.terminal.keys("e")?;
        let is_open = |terminal: &crate::terminal::Terminal| terminal.find("Workbench: made of").is_some();
        let shown = screen.terminal.shown(is_open).map_err(|why| format!("{why}\n{}", screen.text()))?;
        opened.push(shown.duration_since(typed).as_secs_f64() * 1e3);
        let is_read = |terminal: &crate::terminal::Terminal| terminal.find("reading the bytes").is_none();
        let shown = if is_read(&screen.terminal) { shown } else { screen.terminal.shown(is_read)? };
        read.push(shown.duration_since(typed).as_secs_f64() * 1e3);
        screen.terminal.pass(Duration::from_secs(1));
        screen.enter("\t")?;
        let mut times = Vec::new();
        for _ in 0..PAGES {
            screen.terminal.pass(Duration::from_millis(fastrand::u64(60..160)));
            let before = first_of_bytes(&screen.terminal);
            let typed = now();
            screen.terminal.keys("\x1b[6~")?;
            let shown = screen.terminal.shown(|terminal| first_of_bytes(terminal) != before);
            times.push(shown?.duration_since(typed));
        }
        times.sort();
        p50s.push(percentile_us(&times, 50) / 1e3);
        p99s.push(percentile_us(&times, 99) / 1e3);
    }
    Report::figure("bytes of the frame", &frame.len().to_string());
    report.bound("inspected: the first frame", median(&inspected), Bound::AtMost(FRAME_MS_MAX), " ms");
    report.bound("inspected: its tree", median(&trees), Bound::AtMost(TREE_MS_MAX), " ms");
    report.bound("opened: the first frame", median(&opened), Bound::AtMost(FRAME_MS_MAX), " ms");
    // It has no JSON here: that would be too long.
    Report::figure("opened: its bytes are there", &format!("{:.2} ms", median(&read)));
    Report::figure("a page further, p50", &format!("{:.2} ms", median(&p50s)));
    report.bound("a page further, p99", median(&p99s), Bound::AtMost(FRAME_MS_MAX), " ms");
    Ok(())
}

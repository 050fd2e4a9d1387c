//! The Meter: what the console says of itself.

use crossterm::event::KeyCode;

use super::{
    screens::{at_both_sizes, unkept},
    test_console::TestConsole,
    views::journal,
};
use crate::{
    console::{
        app::self_metrics::SelfMetrics, input::pane_id::PaneId, model::station::HealthMetrics,
        ui::state::Focus,
    },
    time::Now,
};

/// A Journal of a console that has had a bad second, half a minute ago.
fn metered(columns: u16, rows: u16) -> TestConsole {
    let mut stage = unkept(journal(columns, rows));
    stage.model.console_health.metrics = measured(&stage);
    stage.ui.focus = Focus::Pane(PaneId::Meter);
    if rows < 32 {
        stage.ui.zoomed = Some(PaneId::Meter);
    }
    stage
}

fn measured(stage: &TestConsole) -> HealthMetrics {
    let mut gauge = SelfMetrics::default();
    let now = stage.ms.next_multiple_of(1_000);
    let (bad, good) = (now - 30_000, now - 1_000);
    for frame in 0..10 {
        let from = Now::at_ms(bad + frame * 90).mono;
        gauge.fold(from, from + std::time::Duration::from_millis(40), 12_000, 9_000 * frame);
        gauge.frame(from, from + std::time::Duration::from_millis(45), 12_000);
    }
    for frame in 0..29 {
        let from = Now::at_ms(good + frame * 33).mono;
        gauge.fold(from, from + std::time::Duration::from_micros(900), 3, 3);
        gauge.frame(from, from + std::time::Duration::from_micros(2_300), 800);
    }
    gauge.metrics(Now::at_ms(now).mono)
}

/// The line that begins with a figure.
fn line(stage: &mut TestConsole, figure: &str) -> String {
    let text = stage.text();
    let sign = stage.view.glyphs.warn;
    let mut lines =
        text.lines().map(|line| line.trim_start_matches(['│', ' ']).trim_start_matches(sign).trim_start());
    let line = lines.find(|line| line.starts_with(figure)).unwrap_or_else(|| panic!("no {figure}:\n{text}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_it_costs_is_told_beside_the_journal() {
    at_both_sizes("meter", metered);
}

#[test]
fn figures_are_of_the_last_second_of_the_last_minute_and_of_what_bounds_them() {
    let mut stage = metered(120, 24);
    for words in [
        "frame p50 2.3 ms 2.5 ms median time",
        "frame p95 2.3 ms 45 ms 95th percentile",
        "frame longest 2.3 ms 45 ms 16 ms above",
        "frames 29/s 29/s 30/s",
        "frame bytes 22 KiB/s 117 KiB/s",
        "lag 0 81.0k 131k entries not",
        "processed 87/s 120k/s",
        "CPU share 2.6% 40.0% share of time",
        "lost 0",
    ] {
        let figure = words.split(|letter: char| letter.is_ascii_digit()).next().unwrap().trim_end();
        let figure = if figure.starts_with("frame p") { &words[..9] } else { figure };
        let told = line(&mut stage, figure);
        assert!(told.starts_with(words), "{told:?} is not {words:?}");
    }
    assert!(line(&mut stage, "kept entries").starts_with("kept entries 0 100k"));
    stage.pass(10);
    stage.mpp(super::test_console::enqueued(900, "default"), "");
    assert!(line(&mut stage, "kept entries").starts_with("kept entries 1 100k"));
}

#[test]
fn a_console_that_does_less_says_so_by_a_sign_where_it_is_measured_too() {
    let mut stage = metered(120, 24);
    let warn = stage.view.glyphs.warn;
    assert!(!stage.text().contains(&format!("{warn} frames")));
    let before = line(&mut stage, "frames");
    stage.model.console_health.frames_per_s = Some(12);
    stage.model.console_health.lag = 90_000;
    assert!(
        stage.text().contains(&format!("{warn} frames")) && stage.text().contains(&format!("{warn} lag")),
        "{}",
        stage.text()
    );
    assert_eq!(line(&mut stage, "frames"), before, "what was measured is the same");
    assert!(line(&mut stage, "lag").starts_with("lag 90.0k 90.0k"), "it is the most of the minute as well");
    // Where it has no room, its chip says it.
    stage.ui.zoomed = None;
    stage.ui.focus = Focus::Pane(PaneId::Log);
    assert!(stage.text().contains("meter ~12 fps"), "{}", stage.text());
}

#[test]
fn it_is_of_the_present_while_time_is_stopped_and_filters_as_other_panes_do() {
    let mut stage = metered(120, 24);
    stage.char(' ');
    assert!(stage.ui.time.is_stopped());
    stage.model.console_health.metrics.frames.last = 4;
    stage.model.console_health.lag = 7;
    assert!(line(&mut stage, "frames").starts_with("frames 4/s"));
    assert!(line(&mut stage, "lag").starts_with("lag 7 "));
    stage.char('/');
    stage.write("kept");
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(
        text.contains("/kept 2 of 12") && text.contains("kept bytes") && !text.contains("folding"),
        "{text}"
    );
}

//! Prints hops: objects, or a ladder.

use std::collections::HashMap;

use serde::Serialize;

use crate::{
    cli::{
        args::TraceFormat,
        error::Error,
        output::Output,
        report,
        table::{Align, LocalClock, Table},
    },
    port::{DIAGRAM_HOPS_MAX, HopRow, sequence_diagram},
    time::Wall,
};

const L: Align = Align::Left;
const R: Align = Align::Right;

const COLUMNS: &[(&str, Align)] = &[
    ("hop", R),
    ("time", Align::Time),
    ("ms", R),
    ("from", L),
    ("to", L),
    ("schema", L),
    ("frame_len", R),
    ("latency", R),
    ("cause", R),
    ("receivers", L),
];

/// What scripts are told besides.
#[derive(Serialize)]
#[serde(tag = "event", rename = "incomplete")]
struct Incomplete {
    kept_since_ms: Wall,
}

/// Prints a ladder page by page.
pub(super) struct Printer<'a> {
    clock: LocalClock,
    out: &'a mut Output,
    table: Table,
    /// The numbers of hops by their places in the tap.
    numbers: HashMap<u64, u64>,
    printed: u64,
    first: Option<Wall>,
    /// The hops of a diagram, which is drawn at the end.
    diagram: Option<Vec<HopRow>>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(clock: LocalClock, out: &'a mut Output, format: TraceFormat) -> Self {
        let table = Table::new(COLUMNS).timed(&clock).fitting(out.columns());
        let diagram = (format == TraceFormat::Mermaid).then(Vec::new);
        Self { clock, out, table, numbers: HashMap::new(), printed: 0, first: None, diagram }
    }

    /// Hops that were printed.
    pub(super) fn printed(&self) -> u64 {
        self.printed
    }

    /// Prints hops that follow those before.
    pub(super) fn page(&mut self, hops: &[HopRow]) -> Result<(), Error> {
        if let Some(diagram) = &mut self.diagram {
            self.printed += hops.len() as u64;
            let room = DIAGRAM_HOPS_MAX.saturating_sub(diagram.len());
            diagram.extend(hops.iter().take(room).cloned());
            return Ok(());
        }
        let mut rows = Vec::new();
        for hop in hops {
            self.printed += 1;
            if let Some(seq) = hop.seq {
                self.numbers.insert(seq, self.printed);
            }
            if self.out.is_json() {
                self.out.row(hop, |_| String::new())?;
            } else {
                rows.push(self.cells(hop));
            }
        }
        if !rows.is_empty() {
            self.table.page(rows).iter().try_for_each(|line| self.out.line(line))?;
        }
        self.out.flush()
    }

    /// Draws the diagram, where that is asked for.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        let Some(diagram) = self.diagram.take() else { return Ok(()) };
        if self.printed > diagram.len() as u64 {
            report::print_note(&format!("warning: more than {DIAGRAM_HOPS_MAX} hops"));
        }
        sequence_diagram(&diagram).iter().try_for_each(|line| self.out.line(line))
    }

    /// Says since when everything is kept.
    pub(super) fn incomplete(&mut self, since: Wall) -> Result<(), Error> {
        let says = format!(
            "\nthe tap no longer holds messages before {}; earlier agent answers are from the run's history",
            self.clock.show(since)
        );
        if self.diagram.is_some() {
            report::print_note(says.trim_start());
            return Ok(());
        }
        self.out.row(&Incomplete { kept_since_ms: since }, |_| says)
    }

    fn cells(&mut self, hop: &HopRow) -> Vec<String> {
        let none = || "-".to_owned();
        let first = *self.first.get_or_insert(hop.at_ms);
        let reached = match (&hop.refused, hop.reached, hop.dropped.filter(|dropped| *dropped > 0)) {
            (Some(refused), ..) => format!("refused: {refused}"),
            (None, Some(0), _) => "none".to_owned(),
            (None, Some(reached), None) => reached.to_string(),
            (None, Some(reached), Some(dropped)) => format!("{reached}, {dropped} dropped"),
            (None, None, _) => none(),
        };
        let reached = if hop.origin.is_some() { format!("{reached}, injected") } else { reached };
        // A cause is a hop of this ladder, or else a place in the tap.
        let cause = hop
            .cause
            .map(|seq| self.numbers.get(&seq).map_or_else(|| format!("@{seq}"), ToString::to_string));
        vec![
            self.printed.to_string(),
            self.clock.show(hop.at_ms),
            hop.at_ms.0.saturating_sub(first.0).to_string(),
            hop.from.clone(),
            hop.to.clone(),
            hop.schema.strip_prefix("CT_").unwrap_or(&hop.schema).to_owned(),
            hop.frame_len.map_or_else(none, |len| len.to_string()),
            hop.latency_us.map_or_else(none, latency),
            cause.unwrap_or_else(none),
            reached,
        ]
    }
}

/// Microseconds as people read them.
fn latency(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} us"),
        1_000..10_000 => format!("{}.{} ms", us / 1_000, us / 100 % 10),
        10_000..10_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{} s", us / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_told_in_the_unit_that_fits() {
        assert_eq!([900, 1_250, 40_900, 12_000_000].map(latency), ["900 us", "1.2 ms", "40 ms", "12 s"]);
    }
}

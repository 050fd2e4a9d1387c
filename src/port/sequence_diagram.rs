//! A ladder as a sequence diagram in Mermaid's language.

use super::HopRow;

/// Hops of one diagram at most: viewers take no more.
pub const DIAGRAM_HOPS_MAX: usize = 1_000;
/// Columns of a message's text.
const TEXT_MAX: usize = 80;

/// The lines of the diagram of hops in their order: the first [`DIAGRAM_HOPS_MAX`] of them.
#[must_use]
pub fn sequence_diagram(hops: &[HopRow]) -> Vec<String> {
    let hops = hops.get(..DIAGRAM_HOPS_MAX).unwrap_or(hops);
    let mut names: Vec<&str> = Vec::new();
    for hop in hops {
        for name in [hop.from.as_str(), hop.to.as_str()] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let place = |name: &str| names.iter().position(|it| *it == name).unwrap_or_default();
    let mut lines = vec!["sequenceDiagram".to_owned()];
    lines.extend(
        names.iter().enumerate().map(|(at, name)| format!("    participant p{at} as {}", plain(name))),
    );
    for hop in hops {
        let arrow = if hop.refused.is_some() { "-x" } else { "->>" };
        let latency = hop
            .latency_us
            .map_or_else(String::new, |us| format!(" ({}.{} ms)", us / 1_000, us % 1_000 / 100));
        let refused = hop.refused.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let text = plain(&format!("{}{latency}{refused}", hop.schema));
        lines.push(format!("    p{}{arrow}p{}: {text}", place(&hop.from), place(&hop.to)));
    }
    lines
}

/// A text without what means something in the language, cut.
fn plain(text: &str) -> String {
    let is_kept = |it: &char| !matches!(it, ';' | '#' | '\n' | '\r' | '%');
    text.chars().filter(is_kept).take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Wall;

    #[test]
    fn each_hop_is_an_arrow_and_what_means_something_is_left_out() {
        let hop = |from: &str, to: &str, schema: &str, refused: Option<&str>| HopRow {
            seq: Some(1),
            at_ms: Wall(1),
            link: "rmp".to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            schema: schema.to_owned(),
            latency_us: Some(1_500),
            refused: refused.map(str::to_owned),
            ..HopRow::default()
        };
        let hops =
            [hop("agent/a", "station", "ask;#", None), hop("station", "agent/a", "answer", Some("Expired"))];
        assert_eq!(
            sequence_diagram(&hops),
            [
                "sequenceDiagram",
                "    participant p0 as agent/a",
                "    participant p1 as station",
                "    p0->>p1: ask (1.5 ms)",
                "    p1-xp0: answer (1.5 ms): Expired",
            ]
        );
    }
}

//! A plan as text and as Mermaid.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::{
    runs::{Plan, PlanEdge},
    words::counted,
};

/// The plan of an opening of this name as lines: each node behind what feeds it, with its rank (nodes of one
/// rank may run at the same time), and its edges below it. A nested opening's nodes are set in.
#[must_use]
pub fn text(name: &str, plan: &Plan) -> String {
    text_with(name, plan, &[])
}

/// The drawing with a note behind each node, by their places.
#[must_use]
pub fn text_with(name: &str, plan: &Plan, notes: &[String]) -> String {
    let mut out = String::new();
    let _ =
        writeln!(out, "{name}: {}, {}", counted(plan.nodes.len(), "node"), counted(plan.edges.len(), "edge"));
    let sketch = Sketch::new(plan, notes);
    sketch.write_text(&mut out, None, 0);
    out
}

/// A plan as a Mermaid flowchart.
#[must_use]
pub fn mermaid(plan: &Plan) -> String {
    let mut out = "flowchart TD\n".to_owned();
    let sketch = Sketch::new(plan, &[]);
    sketch.write_mermaid(&mut out, None, 1);
    for edge in &plan.edges {
        let label = escaped(&arrow(edge, &edge.to_port));
        let _ = writeln!(out, "  n{} -->|\"{label}\"| n{}", edge.from, edge.to);
    }
    out
}

/// `out ==true → in`
fn arrow(edge: &PlanEdge, to: &str) -> String {
    match &edge.when {
        Some(when) => format!("{} =={when} → {to}", edge.from_port),
        None => format!("{} → {to}", edge.from_port),
    }
}

/// A plan with what its drawing asks over and over.
struct Sketch<'p> {
    plan: &'p Plan,
    notes: &'p [String],
    ranks: Vec<usize>,
    /// Nodes within each, the last for those within none, in order.
    within: Vec<Vec<usize>>,
    edges: Vec<Vec<&'p PlanEdge>>,
}

impl<'p> Sketch<'p> {
    fn new(plan: &'p Plan, notes: &'p [String]) -> Self {
        let count = plan.nodes.len();
        let order = plan.order();
        let mut within = vec![Vec::new(); count + 1];
        for node in order.nodes {
            within[plan.nodes[node].parent.map_or(count, |parent| parent as usize)].push(node);
        }
        for nodes in &mut within {
            nodes.sort_by_key(|it| order.ranks[*it]);
        }
        let mut edges = vec![Vec::new(); count];
        for edge in &plan.edges {
            edges[edge.from as usize].push(edge);
        }
        Self { plan, notes, ranks: order.ranks, within, edges }
    }

    fn within(&self, parent: Option<usize>) -> &[usize] {
        &self.within[parent.unwrap_or(self.plan.nodes.len())]
    }

    fn write_text(&self, out: &mut String, parent: Option<usize>, indent: usize) {
        let nodes = self.within(parent);
        let width = nodes.iter().map(|it| self.plan.nodes[*it].label().width()).max().unwrap_or_default();
        let used = nodes.iter().map(|it| self.plan.nodes[*it].uses.width()).max().unwrap_or_default();
        for &node in nodes {
            let shown = &self.plan.nodes[node];
            let pad = width - shown.label().width();
            let _ = write!(
                out,
                "{:indent$}{:>3}  {}{:pad$}  {}",
                "",
                self.ranks[node] + 1,
                shown.label(),
                "",
                shown.uses
            );
            if let Some(note) = self.notes.get(node) {
                let pad = used - shown.uses.width();
                let _ = write!(out, "{:pad$}  {note}", "");
            }
            out.push('\n');
            for edge in &self.edges[node] {
                let to = format!("{}.{}", self.plan.nodes[edge.to as usize].label(), edge.to_port);
                let _ = writeln!(out, "{:indent$}       {}", "", arrow(edge, &to));
            }
            self.write_text(out, Some(node), indent + 5);
        }
    }

    fn write_mermaid(&self, out: &mut String, parent: Option<usize>, depth: usize) {
        let indent = depth * 2;
        for &node in self.within(parent) {
            let shown = &self.plan.nodes[node];
            let label = format!("{}<br/>{}", escaped(shown.label()), escaped(&shown.uses));
            if self.within(Some(node)).is_empty() {
                let _ = writeln!(out, "{:indent$}n{node}[\"{label}\"]", "");
            } else {
                let _ = writeln!(out, "{:indent$}subgraph n{node}[\"{label}\"]", "");
                self.write_mermaid(out, Some(node), depth + 1);
                let _ = writeln!(out, "{:indent$}end", "");
            }
        }
    }
}

/// A text within Mermaid's quotes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '`' => out.push_str("#96;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

//! Findings in the tree of a message: each at the value that it is about, one of a missing member at the
//! value that it is missing of.

use std::collections::BTreeMap;

use super::message::{input_limits, message};
use crate::{
    dissect::{
        decoder::Subject,
        tree::{Kind, Tree},
    },
    limits,
    mplp::{InputLimits, LintFinding, lint},
    schema::PathStep,
    words::counted,
};

/// Findings that are marked.
const FINDINGS_MAX: usize = 100;
/// Findings that one value says.
const SAID_MAX: usize = 3;
/// Bytes of a name that are compared.
const NAME_BYTES_MAX: usize = 256;

/// Judges the body that a tree of a subject has from the node `at` on, and marks what is found. The texts of
/// its nodes lie in `bytes`.
pub(in crate::dissect) fn mark(subject: &Subject, body: &[u8], bytes: &[u8], at: usize, tree: &mut Tree) {
    if subject.cut_bytes() > 0 || message(subject.entry_ref()).is_none() {
        return;
    }
    let limits = InputLimits { findings_max: FINDINGS_MAX, ..input_limits(&limits::Mplp::default()) };
    let found = lint(body, limits);
    let mut said: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for finding in &found.findings {
        let steps = steps(finding);
        let (node, missing) = locate(tree, bytes, at, &steps);
        said.entry(node).or_default().push(text(finding, missing));
    }
    for (node, mut texts) in said {
        let (count, more) = (texts.len(), texts.len().saturating_sub(SAID_MAX));
        texts.truncate(SAID_MAX);
        if more > 0 {
            texts.push(format!("and {more} more"));
        }
        if let Some(node) = tree.nodes.get_mut(node) {
            node.blame_findings(texts.join("; "), count);
        }
    }
}

/// So many findings in words; of very many not all are marked.
pub(crate) fn findings_text(findings: usize) -> String {
    let more = if findings < FINDINGS_MAX { "" } else { " or more" };
    format!("{}{more}", counted(findings, "finding"))
}

/// The way to a finding from the body on.
fn steps(found: &LintFinding) -> Vec<PathStep> {
    let own = found.finding.path.steps();
    let name = |name: &str| PathStep::Name(name.into());
    match (found.item, own) {
        // The first step of an object's path is its kind, and not a member.
        (Some(item), [kind, rest @ ..]) if *kind != name("payload") => {
            let object = [name("payload"), name("items"), PathStep::Index(item), name("object")];
            object.into_iter().chain(rest.iter().cloned()).collect()
        }
        _ => own.to_vec(),
    }
}

/// The node that steps lead to from another, or the last on the way that is there, with the steps beyond it.
fn locate<'s>(tree: &Tree, bytes: &[u8], from: usize, steps: &'s [PathStep]) -> (usize, &'s [PathStep]) {
    let mut node = from;
    for (place, step) in steps.iter().enumerate() {
        let is_it = |child: &usize| {
            let known = &tree.nodes[*child];
            known.kind != Kind::Missing
                && match step {
                    PathStep::Index(index) => known.name.read(bytes, NAME_BYTES_MAX) == index.to_string(),
                    PathStep::Name(name) => known.name.read(bytes, NAME_BYTES_MAX) == **name,
                }
        };
        // Of names that are there twice the last one holds.
        match tree.children(node).filter(is_it).last() {
            Some(child) => node = child,
            None => return (node, &steps[place..]),
        }
    }
    (node, &[])
}

/// A finding in words of ours. The name of a member that is missing is the schema's.
fn text(found: &LintFinding, missing: &[PathStep]) -> String {
    let finding = &found.finding;
    let of = match missing {
        [PathStep::Name(name)] if finding.rule == "required" => format!("`{name}` "),
        _ => String::new(),
    };
    format!("{of}{}: requires {}", finding.rule, finding.requires)
}

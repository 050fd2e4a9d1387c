//! What a mode keeps of a session, for people.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Deserialize;

use crate::{cli::table::visible, macp::Mode, port::SessionDetail, words::counted};

/// Evaluations and objections of one proposal that are told, the last ones.
const LISTED_MAX: usize = 20;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Decision {
    left_out: u64,
    proposals: BTreeMap<String, Proposal>,
    evaluations: Vec<Evaluation>,
    objections: Vec<Objection>,
    votes: BTreeMap<String, Vote>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Proposal {
    option: String,
    rationale: String,
    sender: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Evaluation {
    proposal_id: String,
    recommendation: String,
    confidence: f64,
    reason: String,
    sender: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Objection {
    proposal_id: String,
    reason: String,
    severity: String,
    sender: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Vote {
    proposal_id: String,
    #[serde(rename = "vote")]
    said: String,
    reason: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Rounds {
    left_out: u64,
    participants: Vec<String>,
    contributions: BTreeMap<String, String>,
}

/// The lines of it.
pub(super) fn lines(detail: &SessionDetail) -> Vec<String> {
    match detail.row.mode {
        Mode::Decision => decision(&serde_json::from_str(detail.progress.as_str()).unwrap_or_default()),
        Mode::MultiRound => rounds(&serde_json::from_str(detail.progress.as_str()).unwrap_or_default()),
    }
}

fn decision(of: &Decision) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, proposal) in &of.proposals {
        lines.push(String::new());
        lines.push(visible(&format!("proposal {id}  {}  ({})", proposal.option, proposal.sender)));
        if !proposal.rationale.is_empty() {
            lines.push(visible(&format!("  {}", proposal.rationale)));
        }
        let evaluations: Vec<_> = of.evaluations.iter().filter(|it| it.proposal_id == *id).collect();
        let said = |it: &&Evaluation| {
            [it.sender.clone(), format!("{} {}", it.recommendation, it.confidence), it.reason.clone()]
        };
        list(
            &mut lines,
            "evaluations",
            &tally(evaluations.iter().map(|it| it.recommendation.as_str())),
            evaluations.iter().map(said).collect(),
        );
        let objections: Vec<_> = of.objections.iter().filter(|it| it.proposal_id == *id).collect();
        let said = |it: &&Objection| [it.sender.clone(), it.severity.clone(), it.reason.clone()];
        list(
            &mut lines,
            "objections",
            &tally(objections.iter().map(|it| it.severity.as_str())),
            objections.iter().map(said).collect(),
        );
        let votes: Vec<_> = of.votes.iter().filter(|(_, it)| it.proposal_id == *id).collect();
        list_votes(&mut lines, "votes", &votes);
    }
    let others: Vec<_> =
        of.votes.iter().filter(|(_, it)| !of.proposals.contains_key(&it.proposal_id)).collect();
    if !others.is_empty() {
        lines.push(String::new());
        list_votes(&mut lines, "votes for unknown proposals", &others);
    }
    lines.extend(left_out(of.left_out));
    lines
}

fn list_votes(lines: &mut Vec<String>, title: &str, votes: &[(&String, &Vote)]) {
    let said = |(sender, it): &(&String, &Vote)| [(*sender).clone(), it.said.clone(), it.reason.clone()];
    list(
        lines,
        title,
        &tally(votes.iter().map(|(_, it)| it.said.as_str())),
        votes.iter().map(said).collect(),
    );
}

/// A title with its counts, then each in a line, in columns; the last ones where they are many.
fn list(lines: &mut Vec<String>, title: &str, tally: &str, mut rows: Vec<[String; 3]>) {
    if rows.is_empty() {
        return;
    }
    lines.push(visible(&format!("  {title}  {tally}")));
    let more = rows.len().saturating_sub(LISTED_MAX);
    if more > 0 {
        lines.push(format!("    … {} earlier ones; --log shows all", counted(more, "more")));
        rows.drain(..more);
    }
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
            .min(32)
    };
    let (first, second) = (width(0), width(1));
    lines
        .extend(rows.iter().map(|[who, what, why]| {
            visible(format!("    {who:<first$}  {what:<second$}  {why}").trim_end())
        }));
}

/// How often each was said, in the order of the words.
fn tally<'a>(said: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    said.for_each(|word| *counts.entry(word).or_default() += 1);
    let mut told = String::new();
    for (word, count) in counts {
        // A string takes everything.
        let _ = write!(told, "{}{word} {count}", if told.is_empty() { "" } else { ", " });
    }
    told
}

fn rounds(of: &Rounds) -> Vec<String> {
    let value = |who: &String| {
        [who.clone(), of.contributions.get(who).map_or("-", String::as_str).to_owned(), String::new()]
    };
    let mut lines = vec![String::new()];
    let mut who: Vec<&String> = of.participants.iter().collect();
    who.dedup();
    list(
        &mut lines,
        "contributions",
        &tally(of.contributions.values().map(String::as_str)),
        who.into_iter().map(value).collect(),
    );
    lines.extend(left_out(of.left_out));
    lines
}

/// What a station does not tell of a long session.
fn left_out(items: u64) -> Option<String> {
    (items > 0).then(|| {
        format!(
            "… {} omitted (limits.macp.shown_progress_bytes_max); --log shows all",
            counted(items, "item")
        )
    })
}

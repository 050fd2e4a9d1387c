//! `run show`.

use serde::Serialize;

use crate::{
    cli::{
        error::Error,
        operator,
        output::Output,
        run_error::RunError,
        table::{LocalClock, visible},
    },
    ids::TraceId,
    mplp::lifecycle,
    port::{NodeStates, NodeStatus, Operator, Page, PortError, Query, RunDetail, RunRow, Snapshot, cut_text},
    runs::{NodeState, Plan, openings::drawing},
    store::mplp::Rating,
    time::Wall,
    words::visible_file,
};

/// Events asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

/// A run as scripts read it.
#[derive(Serialize)]
struct RunJson<'a> {
    #[serde(flatten)]
    detail: &'a RunDetail,
    /// Nodes that were told of, in the order of the plan.
    node_states: Vec<&'a NodeStatus>,
    /// Events behind which nodes may have gone on, and that are not kept.
    #[serde(skip_serializing_if = "is_zero")]
    events_missing: u64,
}

/// The header to hand on, as scripts read it.
#[derive(Serialize)]
struct TraceParentJson {
    traceparent: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How the nodes of a run stand in a recorded state.
pub(super) fn states_of(state: &Snapshot, run: TraceId) -> NodeStates {
    state.runs.run(run).map(NodeStates::of).unwrap_or_default()
}

/// Prints a run with how its nodes stand, or its opening's text as it was submitted. What its nodes are is
/// asked for where it is not given.
pub(super) async fn show(
    station: &dyn Operator,
    (run, states): (TraceId, Option<NodeStates>),
    yaml: bool,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let detail = detail(station, run).await?;
    if yaml && states.is_some() {
        return Err(PortError::NotRecorded { what: "the text of an opening".to_owned() }.into());
    }
    if yaml && !out.is_json() {
        return out.text(&visible_file(&detail.yaml));
    }
    let told = match states {
        Some(states) => states,
        None => node_states(station, run).await?,
    };
    let plan = serde_json::from_str::<Plan>(detail.plan.as_str()).unwrap_or_default();
    let node_states = plan.nodes.iter().filter_map(|node| told.node(&node.id)).collect();
    let shown = RunJson { detail: &detail, node_states, events_missing: told.missing() };
    out.row(&shown, |shown| text(shown, &plan, &told, clock))
}

/// Prints the `traceparent` to hand on to what is called for a run (ruling MPLP 4).
pub(super) async fn traceparent(station: &dyn Operator, run: TraceId, out: &mut Output) -> Result<(), Error> {
    let run = detail(station, run).await?.row.run;
    let shown = TraceParentJson { traceparent: lifecycle::run::traceparent(run).to_string() };
    out.row(&shown, |shown| shown.traceparent.clone())
}

async fn detail(station: &dyn Operator, run: TraceId) -> Result<Box<RunDetail>, Error> {
    let Page::Run(detail) = operator::query(station, Query::Run { run }).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    Ok(detail.ok_or_else(|| RunError::Unknown { name: run.to_string(), is_tail: false })?)
}

/// How the nodes stand, by all that the run told.
async fn node_states(station: &dyn Operator, run: TraceId) -> Result<NodeStates, Error> {
    let (mut told, mut after) = (NodeStates::default(), 0);
    loop {
        let query = Query::RunEvents { run, after, limit: PAGE_ROWS };
        let Page::RunEvents { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        for row in &rows {
            told.take(row);
        }
        match rows.last().filter(|_| more) {
            Some(last) => after = last.number,
            None => return Ok(told),
        }
    }
}

fn text(shown: &RunJson<'_>, plan: &Plan, told: &NodeStates, clock: &LocalClock) -> String {
    let row = &shown.detail.row;
    let why = row.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let ended = row.ended_at_ms.map_or_else(
        || "-".to_owned(),
        |end| format!("{}, after {:.1} s", clock.show(end), end.since(row.submitted_at_ms).as_secs_f64()),
    );
    let mut facts = vec![
        ("run", row.run.to_string()),
        ("opening", opening(row)),
        ("state", format!("{}{why}", row.state.name())),
        ("by", format!("{} ({})", row.client, row.by.name())),
        ("submitted", clock.show(row.submitted_at_ms)),
        ("ended", ended),
        ("nodes", format!("{} of {} completed or were skipped", row.done, row.nodes)),
        ("tokens", row.tokens.to_string()),
        ("events", row.events.to_string()),
        ("artifacts", artifacts(shown.detail)),
    ];
    facts.extend(shown.detail.traceparent.clone().map(|header| ("trace from", header)));
    facts.extend(shown.detail.rating.as_ref().map(|rating| ("rating", said_of(rating))));
    if shown.events_missing > 0 {
        let says = "more events than are stored (limits.runs.events_kept_max); node states may be outdated";
        facts.push(("missing", format!("{} {says}", shown.events_missing)));
    }
    let facts = facts.iter().map(|(name, fact)| format!("{name:<10} {}", visible(fact)));
    let notes: Vec<String> = plan
        .nodes
        .iter()
        .map(|node| note(told.node(&node.id), row.ended_at_ms, told.missing() == 0, clock))
        .collect();
    let plan =
        if plan.nodes.is_empty() { String::new() } else { drawing::text_with(&row.name, plan, &notes) };
    let plan = std::iter::once(String::new()).chain(plan.trim_end().lines().map(visible));
    facts.chain(plan).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// What a recording does not have of it is left out.
fn opening(row: &RunRow) -> String {
    if row.opening.0.is_nil() { row.name.clone() } else { format!("{} ({})", row.name, row.opening) }
}

fn said_of(Rating { verdict, note, by, .. }: &Rating) -> String {
    let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    format!("{} ({by}){note}", verdict.name())
}

fn artifacts(RunDetail { row, artifacts_missing, .. }: &RunDetail) -> String {
    match artifacts_missing {
        0 => row.artifacts.to_string(),
        missing => format!("{}; {missing} not stored", row.artifacts),
    }
}

/// How a node stands, in a line: its state, how long it took or takes, how often it was tried, why it did not
/// succeed. One that has no end of its own ended with its run, where all that was told `is_kept`.
fn note(told: Option<&NodeStatus>, ended: Option<Wall>, is_kept: bool, clock: &LocalClock) -> String {
    let cut = |state: NodeState| ended.filter(|_| is_kept && !state.is_end()).map(|_| cut_text(state));
    let cancelled = NodeState::Cancelled.name();
    let Some(NodeStatus { state, attempts, ran_at_ms, since_ms, why, .. }) = told else {
        return match cut(NodeState::Waiting) {
            Some(cut) => format!("{cancelled}  {cut}"),
            None if ended.is_some() => "-".to_owned(),
            None => NodeState::Waiting.name().to_owned(),
        };
    };
    let cut = cut(*state);
    let until = if state.is_end() { Some(*since_ms) } else { ended.filter(|_| cut.is_some()) };
    let took = match (ran_at_ms, until) {
        (Some(ran), Some(until)) => Some(format!("  {:.3} s", until.since(*ran).as_secs_f64())),
        (None, Some(_)) => None,
        (_, None) if ended.is_some() => Some("  as of its last event".to_owned()),
        (_, None) => Some(format!("  since {}", clock.show(*since_ms))),
    };
    let tried = (*attempts > 1).then(|| format!("  {attempts} attempts"));
    let name = if cut.is_some() { cancelled } else { state.name() };
    let why = cut.as_ref().or(why.as_ref()).map(|why| format!("  {why}"));
    [Some(name.to_owned()), took, tried, why].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::{
        cli::{commands::short_ids::tests::row, operator::tests::Scripted, output::tests::Printed},
        port::RunEventRow,
        runs::EventKind,
        schema::JsonText,
        tap::entry::mplp::RatingVerdict,
        w3c::TraceParent,
    };

    fn detail() -> RunDetail {
        let plan =
            r#"{"nodes":[{"id":"ask","use":"agent:echo"},{"id":"tell","use":"agent:printer"}],"edges":[]}"#;
        RunDetail {
            row: row(3, 7),
            yaml: "version: 0\n".to_owned(),
            plan: JsonText::parse(plan).unwrap(),
            traceparent: None,
            artifacts_missing: 0,
            rating: None,
        }
    }

    fn told(number: u64, says: &str, state: &str) -> RunEventRow {
        let meta =
            JsonText::parse(&format!(r#"{{"node_id":"ask","span_id":"ask#2","state":"{state}"}}"#)).unwrap();
        RunEventRow {
            number,
            kind: EventKind::Status,
            level: None,
            message: says.to_owned(),
            meta,
            at_ms: Wall(number * 500),
        }
    }

    fn printed(page: Page, yaml: bool, is_json: bool) -> Result<String, Error> {
        let first = Page::RunEvents { rows: vec![told(1, "ask is running", "running")], more: true };
        let second = Page::RunEvents { rows: vec![told(2, "ask is failed: no luck", "failed")], more: false };
        let (station, printed) = (Scripted::pages([page, first, second]), Printed::default());
        let run = TraceId(uuid::Uuid::from_u128(7));
        operator::block_on(async {
            show(&station, (run, None), yaml, &LocalClock::new(Wall(0)), &mut printed.output(is_json)).await
        })?;
        Ok(printed.text())
    }

    #[test]
    fn a_run_is_shown_with_its_nodes_or_as_its_text() {
        let shown = printed(Page::Run(Some(Box::new(detail()))), false, false).unwrap();
        let node = "  1  ask   agent:echo     failed  0.500 s  2 attempts  no luck\n";
        for part in [
            "state      succeeded\n",
            "after 1.5 s\n",
            "nodes      1 of 2 completed or were skipped\n",
            "poll: 2 nodes, 0 edges\n",
            node,
            "  1  tell  agent:printer  cancelled  cut while waiting\n",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        let json = printed(Page::Run(Some(Box::new(detail()))), false, true).unwrap();
        assert!(
            json.contains(
                r#""node_states":[{"node":"ask","state":"failed","attempts":2,"ran_at_ms":500,"since_ms":1000,"why":"no luck"}]"#
            )
        );
        assert_eq!(printed(Page::Run(Some(Box::new(detail()))), true, false).unwrap(), "version: 0\n");
        let steering = RunDetail { yaml: "name: \u{202e}x\n".to_owned(), ..detail() };
        assert_eq!(printed(Page::Run(Some(Box::new(steering))), true, false).unwrap(), "name: <202e>x\n");
        assert_eq!(printed(Page::Run(None), false, false).unwrap_err().code(), "unknown_run");
    }

    #[test]
    fn what_came_with_a_run_and_what_is_said_of_it_is_shown() {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let rating = Rating {
            verdict: RatingVerdict::Rejected,
            note: Some("too late".to_owned()),
            by: "console".to_owned(),
            at_ms: Wall(9),
        };
        let rated = RunDetail {
            traceparent: Some(header.to_owned()),
            artifacts_missing: 2,
            rating: Some(rating),
            ..detail()
        };
        let shown = printed(Page::Run(Some(Box::new(rated.clone()))), false, false).unwrap();
        let trace = format!("trace from {header}\n");
        for part in [trace.as_str(), "rating     rejected (console): too late\n", "; 2 not stored\n"] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        let json = printed(Page::Run(Some(Box::new(rated))), false, true).unwrap();
        assert!(json.contains(&format!(r#""traceparent":"{header}","artifacts_missing":2,"rating":{{"#)));
        // What an older station does not say.
        let plain = serde_json::to_string(&detail()).unwrap();
        assert!(!plain.contains("traceparent") && !plain.contains("rating") && !plain.contains("missing"));
        assert_eq!(serde_json::from_str::<RunDetail>(&plain).unwrap(), detail());
    }

    #[test]
    fn the_trace_context_to_hand_on_is_of_the_record_and_its_root_span() {
        let (run, bare) = (TraceId(uuid::Uuid::from_u128(7)), "00000000-0000-0000-0000-000000000007");
        // Ruling MPLP 3: 16 bytes of SHA-256 over these texts, each behind it a zero byte, as a v4 UUID.
        let id = |kind: &str| {
            let text = format!("rl-console/mplp/1\0{kind}\0{bare}\0");
            let mut bytes: [u8; 16] = Sha256::digest(text.as_bytes())[..16].try_into().unwrap();
            bytes[6] = bytes[6] & 0x0f | 0x40;
            bytes[8] = bytes[8] & 0x3f | 0x80;
            uuid::Uuid::from_bytes(bytes).simple().to_string()
        };
        let (station, printed) = (Scripted::pages([Page::Run(Some(Box::new(detail())))]), Printed::default());
        operator::block_on(async { traceparent(&station, run, &mut printed.output(false)).await }).unwrap();
        assert_eq!(printed.text(), format!("00-{}-{}-01\n", id("trace"), &id("span")[16..]));
        assert!(printed.text().trim_end().parse::<TraceParent>().is_ok());
        let nobody = Scripted::pages([Page::Run(None)]);
        let none = operator::block_on(async {
            traceparent(&nobody, run, &mut Printed::default().output(false)).await
        });
        assert_eq!(none.unwrap_err().code(), "unknown_run");
    }

    #[test]
    fn a_node_that_its_run_cut_is_called_as_on_the_screen() {
        let running = NodeStatus {
            node: "ask".to_owned(),
            state: NodeState::Running,
            attempts: 1,
            ran_at_ms: Some(Wall(500)),
            since_ms: Wall(500),
            why: None,
        };
        let (clock, ended) = (LocalClock::new(Wall(0)), Some(Wall(6_900)));
        assert_eq!(note(Some(&running), ended, true, &clock), "cancelled  6.400 s  cut while running");
        assert_eq!(note(None, ended, true, &clock), "cancelled  cut while waiting");
        assert_eq!(
            note(Some(&running), ended, false, &clock),
            "running  as of its last event",
            "its end may not be kept"
        );
        assert_eq!(note(None, ended, false, &clock), "-");
        assert_eq!(note(None, None, true, &clock), "waiting");
    }
}

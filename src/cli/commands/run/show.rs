//! `run show`.

use crate::{
    cli::{
        error::Error,
        operator,
        output::Output,
        run_error::RunError,
        table::{LocalClock, visible},
    },
    ids::TraceId,
    port::{Operator, Page, Query, RunDetail},
    runs::openings::{Plan, drawing},
};

/// Prints a run, or its opening's text as it was submitted.
pub(super) async fn show(station: &dyn Operator, run: TraceId, yaml: bool, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    let Page::Run(detail) = operator::query(station, Query::Run { run }).await? else { return Err(Error::StrangeAnswer) };
    let detail = detail.ok_or_else(|| RunError::Unknown { name: run.to_string(), is_tail: false })?;
    if yaml && !out.is_json() {
        return out.text(&detail.yaml);
    }
    out.row(&detail, |detail| text(detail, clock))
}

fn text(detail: &RunDetail, clock: &LocalClock) -> String {
    let row = &detail.row;
    let why = row.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let ended = row
        .ended_at_ms
        .map_or_else(|| "-".to_owned(), |end| format!("{}, after {:.1} s", clock.show(end), end.since(row.submitted_at_ms).as_secs_f64()));
    let facts = [
        ("run", row.run.to_string()),
        ("opening", format!("{} ({})", row.name, row.opening)),
        ("state", format!("{}{why}", row.state.name())),
        ("by", format!("{} ({})", row.client, row.by.name())),
        ("submitted", clock.show(row.submitted_at_ms)),
        ("ended", ended),
        ("tokens", row.tokens.to_string()),
        ("told", format!("{} events", row.events)),
        ("kept", format!("{} artifacts", row.artifacts)),
    ];
    let facts = facts.iter().map(|(name, fact)| format!("{name:<10} {}", visible(fact)));
    let plan = serde_json::from_str::<Plan>(detail.plan.as_str()).map(|plan| drawing::text(&plan)).unwrap_or_default();
    let plan = std::iter::once(String::new()).chain(plan.trim_end().lines().map(visible));
    facts.chain(plan).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{commands::run::named::tests::row, operator::tests::Scripted, output::tests::Printed},
        schema::JsonText,
        time::Wall,
    };

    fn detail() -> RunDetail {
        let plan = r#"{"name":"poll","nodes":[{"id":"ask","use":"agent:echo","label":"ask"}],"edges":[]}"#;
        RunDetail { row: row(3, 7), yaml: "version: 0\n".to_owned(), plan: JsonText::parse(plan).unwrap() }
    }

    fn printed(page: Page, yaml: bool) -> Result<String, Error> {
        let (station, printed) = (Scripted::pages([page]), Printed::default());
        let run = TraceId(uuid::Uuid::from_u128(7));
        operator::block_on(async { show(&station, run, yaml, &LocalClock::new(Wall(0)), &mut printed.output(false)).await })?;
        Ok(printed.text())
    }

    #[test]
    fn a_run_is_shown_with_its_plan_or_as_its_text() {
        let shown = printed(Page::Run(Some(detail())), false).unwrap();
        for part in ["state      succeeded\n", "after 1.5 s\n", "poll: 1 node, 0 edges\n", "  1  ask  agent:echo\n"] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        assert_eq!(printed(Page::Run(Some(detail())), true).unwrap(), "version: 0\n");
        assert_eq!(printed(Page::Run(None), false).unwrap_err().code(), "unknown_run");
    }
}

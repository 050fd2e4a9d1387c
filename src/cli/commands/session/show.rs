//! `session show`: by the station that keeps the session, else by what any runtime tells.

use serde::Serialize;

use super::progress;
use crate::{
    cli::{
        args::SessionShowArgs,
        asked,
        commands::ls::TableRow,
        commands::short_ids,
        context::Context,
        error::Error,
        operator,
        output::Output,
        runtime::{Runtime, is_ours, state_name},
        session_error::SessionError,
        table::{LocalClock, Table, visible},
    },
    macp::{Ending, Phase, SessionState, proto::v1::SessionMetadata},
    port::{Operator, Page, Query, SessionDetail, SessionLogRow},
    time::Wall,
};

/// Records asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

/// What any runtime tells of a session.
#[derive(Serialize)]
struct RemoteSession<'a> {
    session: &'a str,
    mode_name: &'a str,
    state: Option<&'static str>,
    started_at_ms: i64,
    expires_at_ms: i64,
    mode_version: &'a str,
    configuration_version: &'a str,
    policy_version: &'a str,
}

pub(super) fn run(context: &mut Context, args: &SessionShowArgs) -> Result<(), Error> {
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let ours = is_ours(settings) || settings.asked.is_some();
        let station = if ours { asked::ask(settings).await.map_err(Some) } else { Err(None) };
        match station {
            Ok(station) => {
                let session = short_ids::session(&station, &args.session).await?;
                if args.log {
                    log(&station, &SessionShowArgs { session, ..args.clone() }, &clock, out).await
                } else {
                    show(&station, &session, &clock, out).await
                }
            }
            Err(Some(why)) if settings.asked.is_some() => Err(why),
            Err(why) if args.log => {
                let why =
                    why.map_or_else(|| "the session is at another runtime".to_owned(), |why| why.to_string());
                Err(SessionError::NoLog { session: args.session.clone(), why }.into())
            }
            Err(why) => match Runtime::connect(settings, "session show").await {
                Ok(runtime) => print_remote(&runtime.session(&args.session).await?, &clock, out),
                // Why the station is not reached says more than that its port is not.
                Err(error) => Err(why.unwrap_or(error)),
            },
        }
    })
}

async fn show(
    station: &dyn Operator,
    session: &str,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let query = Query::Session { session: session.to_owned() };
    let Page::Session(detail) = operator::query(station, query).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let detail = detail.ok_or_else(|| SessionError::Unknown { session: session.to_owned() })?;
    out.row(&*detail, |detail| text(detail, clock))
}

/// Prints the log, page by page.
async fn log(
    station: &dyn Operator,
    args: &SessionShowArgs,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let SessionShowArgs { session, after, limit, .. } = args;
    let (mut after, mut left) = (*after, limit.unwrap_or(u64::MAX));
    let mut table = Table::new(SessionLogRow::COLUMNS).timed(clock).fitting(out.columns());
    let mut is_known = false;
    while left > 0 {
        let query = Query::SessionLog { session: session.clone(), after, limit: left.min(PAGE_ROWS) };
        let Page::SessionLog { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        if rows.is_empty() && !is_known {
            let query = Query::Session { session: session.clone() };
            let Page::Session(found) = operator::query(station, query).await? else {
                return Err(Error::UnexpectedAnswer);
            };
            found.ok_or_else(|| SessionError::Unknown { session: session.clone() })?;
        }
        is_known = true;
        after = rows.last().map_or(after, |row| row.number);
        left = left.saturating_sub(rows.len() as u64);
        if out.is_json() {
            rows.iter().try_for_each(|row| out.row(row, |_| String::new()))?;
        } else if !rows.is_empty() {
            table
                .page(rows.iter().map(|row| row.cells(clock)).collect())
                .iter()
                .try_for_each(|line| out.line(line))?;
        }
        out.flush()?;
        if !more || rows.is_empty() {
            break;
        }
    }
    Ok(())
}

fn text(detail: &SessionDetail, clock: &LocalClock) -> String {
    let row = &detail.row;
    let nothing = || "-".to_owned();
    let why =
        row.why.as_deref().filter(|why| !why.is_empty()).map(|why| format!(": {why}")).unwrap_or_default();
    let ending = match row.ending {
        None => SessionState::Open.name().to_owned(),
        Some(Ending::TtlExpired) => "expired".to_owned(),
        Some(ending @ (Ending::Cancelled | Ending::LogDamaged)) => format!("{}{why}", ending.name()),
        Some(Ending::Resolved) => Ending::Resolved.name().to_owned(),
    };
    let after =
        |end: Wall| format!("{}, after {:.1} s", clock.show(end), end.since(row.started_at_ms).as_secs_f64());
    let listed = if detail.listed.is_empty() { "anyone".to_owned() } else { detail.listed.join(", ") };
    let (progress, how) = match (row.phase, row.round) {
        (Some(phase), _) => ("phase", Phase::name(phase).to_owned()),
        (None, round) => ("round", round.map_or_else(nothing, |round| round.to_string())),
    };
    let mut facts = vec![
        ("session", row.session.clone()),
        ("mode", row.mode_name.clone()),
        ("state", ending),
        (progress, how),
        ("by", row.by.clone()),
        ("intent", row.intent.clone()),
        ("participants", listed),
        ("messages", row.messages.to_string()),
        ("started", clock.show(row.started_at_ms)),
        ("expires", clock.show(row.expires_at_ms)),
        ("ended", row.ended_at_ms.map_or_else(nothing, after)),
    ];
    let versions = [
        ("mode version", &detail.mode_version),
        ("configuration", &detail.configuration_version),
        ("policy", &detail.policy_version),
    ];
    facts.extend(
        versions
            .into_iter()
            .filter(|(_, version)| !version.is_empty())
            .map(|(name, version)| (name, version.clone())),
    );
    facts.extend(row.trace_id.map(|trace| ("trace", trace.to_string())));
    facts.extend(detail.resolution.as_ref().map(|resolution| ("resolution", resolution.to_string())));
    lines(&facts).into_iter().chain(progress::lines(detail)).collect::<Vec<_>>().join("\n")
}

fn print_remote(metadata: &SessionMetadata, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    let at = |ms: i64| u64::try_from(ms).map_or_else(|_| ms.to_string(), |ms| clock.show(Wall(ms)));
    let row = RemoteSession {
        session: &metadata.session_id,
        mode_name: &metadata.mode,
        state: state_name(metadata.state),
        started_at_ms: metadata.started_at_unix_ms,
        expires_at_ms: metadata.expires_at_unix_ms,
        mode_version: &metadata.mode_version,
        configuration_version: &metadata.configuration_version,
        policy_version: &metadata.policy_version,
    };
    out.row(&row, |row| {
        let facts = [
            ("session", row.session.to_owned()),
            ("mode", row.mode_name.to_owned()),
            ("state", row.state.unwrap_or("-").to_owned()),
            ("started", at(row.started_at_ms)),
            ("expires", at(row.expires_at_ms)),
            ("mode version", row.mode_version.to_owned()),
            ("configuration", row.configuration_version.to_owned()),
            ("policy", row.policy_version.to_owned()),
        ];
        lines(&facts).join("\n")
    })
}

fn lines(facts: &[(&str, String)]) -> Vec<String> {
    facts
        .iter()
        .filter(|(_, fact)| !fact.is_empty())
        .map(|(name, fact)| format!("{name:<13}  {}", visible(fact)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        macp::Mode,
        port::{LogKind, SessionRow},
        schema::JsonText,
    };

    fn detail() -> SessionDetail {
        let row = SessionRow {
            number: 3,
            session: "s1".to_owned(),
            mode: Mode::Decision,
            mode_name: "decision".to_owned(),
            state: SessionState::Expired,
            ending: Some(Ending::Cancelled),
            why: Some("it goes wrong".to_owned()),
            phase: Some(Phase::Voting),
            round: None,
            by: "alice".to_owned(),
            intent: "which map".to_owned(),
            participants: 2,
            messages: 4,
            started_at_ms: Wall(1_000),
            expires_at_ms: Wall(61_000),
            ended_at_ms: Some(Wall(3_500)),
            trace_id: None,
        };
        let progress = r#"{"phase":"voting","proposals":{"p1":{"proposal_id":"p1","option":"go","rationale":"why not","supporting_data":"","sender":"alice"}},
            "evaluations":[{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.95,"reason":"solid","sender":"bob"}],
            "objections":[{"proposal_id":"p1","reason":"no review","severity":"high","sender":"carol\u001b[2J"}],
            "votes":{"bob":{"proposal_id":"p1","vote":"approve","reason":"","sender":"bob"},"eve":{"proposal_id":"p9","vote":"abstain","reason":"","sender":"eve"}}}"#;
        SessionDetail {
            row,
            mode_version: String::new(),
            configuration_version: "c1".to_owned(),
            policy_version: String::new(),
            traceparent: None,
            listed: vec!["alice".to_owned(), "bob".to_owned()],
            resolution: None,
            progress: JsonText::parse(progress).unwrap(),
        }
    }

    fn args(log: bool, after: u64, limit: Option<u64>) -> SessionShowArgs {
        SessionShowArgs { session: "s1".to_owned(), log, after, limit }
    }

    #[test]
    fn a_decision_is_shown_with_what_was_said_of_each_proposal() {
        let (station, printed) =
            (Scripted::pages([Page::Session(Some(Box::new(detail())))]), Printed::default());
        operator::block_on(async {
            show(&station, "s1", &LocalClock::new(Wall(0)), &mut printed.output(false)).await
        })
        .unwrap();
        let text = printed.text();
        for part in [
            "state          cancelled: it goes wrong\n",
            "phase          voting\n",
            "participants   alice, bob\n",
            ", after 2.5 s\n",
            "configuration  c1\n",
            "\n\nproposal p1  go  (alice)\n  why not\n  evaluations  APPROVE 1\n    bob  APPROVE 0.95  solid\n",
            "  objections  high 1\n    carol␛[2J  high  no review\n",
            "  votes  approve 1\n    bob  approve\n",
            "votes for unknown proposals  abstain 1\n    eve  abstain\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn rounds_are_shown_with_who_has_not_contributed() {
        let mut rounds = detail();
        (rounds.row.mode, rounds.row.phase, rounds.row.round) = (Mode::MultiRound, None, Some(2));
        rounds.progress =
            JsonText::parse(r#"{"round":2,"participants":["alice","bob"],"contributions":{"alice":"x"}}"#)
                .unwrap();
        let text = text(&rounds, &LocalClock::new(Wall(0)));
        assert!(
            text.contains("round          2\n")
                && text.ends_with("contributions  x 1\n    alice  x\n    bob    -"),
            "{text}"
        );
    }

    #[test]
    fn a_log_is_asked_for_in_pages_until_its_limit() {
        let row = |number| SessionLogRow {
            number,
            at_ms: Wall(0),
            kind: LogKind::Incoming,
            message_type: Some("Vote".to_owned()),
            message_id: None,
            sender: None,
            timestamp_ms: None,
            payload: JsonText::null(),
        };
        let page = |numbers: std::ops::RangeInclusive<u64>, more| Page::SessionLog {
            rows: numbers.map(row).collect(),
            more,
        };
        let printed = |pages: Vec<Page>, args: SessionShowArgs| {
            let (station, printed) = (Scripted::pages(pages), Printed::default());
            operator::block_on(async {
                log(&station, &args, &LocalClock::new(Wall(0)), &mut printed.output(true)).await
            })?;
            Ok::<_, Error>((printed.text().lines().count(), station.queries.into_inner().unwrap()))
        };
        let (lines, queries) =
            printed(vec![page(3..=5, true), page(6..=6, true)], args(true, 2, Some(4))).unwrap();
        let asked = |after, limit| Query::SessionLog { session: "s1".to_owned(), after, limit };
        assert_eq!((lines, queries), (4, vec![asked(2, 4), asked(5, 1)]));
        let nothing = || Page::SessionLog { rows: Vec::new(), more: false };
        assert_eq!(
            printed(vec![nothing(), Page::Session(None)], args(true, 0, None)).unwrap_err().code(),
            "unknown_session"
        );
        assert_eq!(
            printed(vec![nothing(), Page::Session(Some(Box::new(detail())))], args(true, 9, None)).unwrap().0,
            0
        );
    }
}

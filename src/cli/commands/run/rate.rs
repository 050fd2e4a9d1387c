//! `run rate`.

use serde::Serialize;

use crate::{
    cli::{args::RateArgs, error::Error, output::Output, run_error::RunError},
    ids::TraceId,
    mplp::{self, RatingVerdict, Refusal},
    port::{Command, Operator, Outcome, PortError},
};

/// The output.
#[derive(Serialize)]
struct Rated {
    run: TraceId,
    verdict: RatingVerdict,
    /// How it was rated before.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<RatingVerdict>,
    /// Whether the note of that rating is kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    keeps_note: bool,
}

/// Rates a run.
pub(super) async fn rate(
    station: &dyn Operator,
    run: TraceId,
    args: &RateArgs,
    out: &mut Output,
) -> Result<(), Error> {
    let (verdict, note) = (args.verdict, args.note.clone());
    let command = Command::Mplp(mplp::Command::Rate { run, verdict, note });
    let outcome = station.command(command).await.map_err(|error| match error {
        PortError::Record(Refusal::UnknownRun(run)) => {
            RunError::Unknown { name: run.to_string(), is_tail: false }.into()
        }
        error => Error::from(error),
    })?;
    let Outcome::Mplp(mplp::Outcome::Rated { before, keeps_note }) = outcome else {
        return Err(Error::UnexpectedAnswer);
    };
    out.row(&Rated { run, verdict, before, keeps_note }, |row| {
        let note = if row.keeps_note { "; its note is kept" } else { "" };
        let before =
            row.before.map(|before| format!(" (before: {}{note})", before.name())).unwrap_or_default();
        format!("{} rated {}{before}", row.run, row.verdict.name())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::cli::{args::RunName, operator, operator::tests::Scripted, output::tests::Printed};

    fn rated(outcome: Result<Outcome, PortError>, is_json: bool) -> (Result<String, Error>, Vec<Command>) {
        let station = Scripted { outcomes: Mutex::new([outcome].into()), ..Scripted::default() };
        let (run, printed) = (TraceId(uuid::Uuid::from_u128(7)), Printed::default());
        let note = Some("well done".to_owned());
        let args = RateArgs { run: RunName::Whole(run), verdict: RatingVerdict::Approved, note };
        let done =
            operator::block_on(async { rate(&station, run, &args, &mut printed.output(is_json)).await });
        (done.map(|()| printed.text()), station.commands.into_inner().unwrap())
    }

    #[test]
    fn a_rating_is_sent_and_printed_with_the_one_before() {
        let run = TraceId(uuid::Uuid::from_u128(7));
        let of = |before| Ok(Outcome::Mplp(mplp::Outcome::Rated { before, keeps_note: false }));
        let (printed, commands) = rated(of(None), false);
        assert_eq!(printed.unwrap(), format!("{run} rated approved\n"));
        let (verdict, note) = (RatingVerdict::Approved, Some("well done".to_owned()));
        assert_eq!(commands, [Command::Mplp(mplp::Command::Rate { run, verdict, note })]);
        let again = || of(Some(RatingVerdict::Rejected));
        assert_eq!(rated(again(), false).0.unwrap(), format!("{run} rated approved (before: rejected)\n"));
        let json = format!("{{\"run\":\"{run}\",\"verdict\":\"approved\",\"before\":\"rejected\"}}\n");
        assert_eq!(rated(again(), true).0.unwrap(), json);
        let before = Some(RatingVerdict::Approved);
        let kept = Ok(Outcome::Mplp(mplp::Outcome::Rated { before, keeps_note: true }));
        let wanted = format!("{run} rated approved (before: approved; its note is kept)\n");
        assert_eq!(rated(kept, false).0.unwrap(), wanted);
    }

    #[test]
    fn a_run_that_is_not_stored_is_unknown_as_elsewhere() {
        let run = TraceId(uuid::Uuid::from_u128(7));
        let refused = |refusal| rated(Err(PortError::Record(refusal)), false).0.unwrap_err();
        assert_eq!(refused(Refusal::UnknownRun(run)).code(), "unknown_run");
        assert_eq!(refused(Refusal::NotNow("the disk is full".to_owned())).code(), "rating_not_kept");
    }
}

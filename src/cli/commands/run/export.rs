//! `run export`.

use serde_json::Value;

use crate::{
    cli::{
        args::RunExportArgs,
        commands::mplp::{Export, RecordFindings, Subject, read_record, tell_export, write},
        config::Settings,
        error::Error,
        mplp_error::MplpError,
        operator,
        output::Output,
        run_error::RunError,
    },
    ids::TraceId,
    mplp::{
        Findings, RecordContext, judge,
        lifecycle::{Item, learning},
    },
    port::{Operator, Page, Query, RecordOf},
};

/// Writes the record of a run, as the station makes it, if nothing is found in it.
pub(super) async fn export(
    station: &dyn Operator,
    run: TraceId,
    args: &RunExportArgs,
    settings: &Settings,
    out: &mut Output,
) -> Result<(), Error> {
    let of = RecordOf::Run(run);
    let unknown = || RunError::Unknown { name: run.to_string(), is_tail: false };
    let record = read_record(station, &of).await?.ok_or_else(unknown)?;
    let (subject, is_forced) = (Subject::Run(run), args.force);
    let export = match (&args.mplp, &args.learning) {
        (Some(path), _) => Export {
            subject,
            path,
            text: if args.ndjson { record.lines() } else { record.bundle_text() },
            objects: record.len(),
            findings: record.findings,
            is_forced,
        },
        (None, Some(path)) => {
            let samples = learning::samples(&record.into_bundle()?, rating(station, run).await?.as_ref());
            if samples.is_empty() {
                return Err(MplpError::NotEnded { run }.into());
            }
            let findings_max = usize::try_from(settings.limits.mplp.findings_max).unwrap_or(usize::MAX);
            let findings = judged_apart(&samples, findings_max);
            Export { subject, path, text: lines(&samples), objects: samples.len(), findings, is_forced }
        }
        // The grammar asks for one of them.
        (None, None) => return Ok(()),
    };
    write(&export, out)?;
    tell_export(station, &of, export.objects, export.findings.count).await;
    Ok(())
}

/// How the run is rated.
async fn rating(station: &dyn Operator, run: TraceId) -> Result<Option<learning::Rating>, Error> {
    let Page::Run(found) = operator::query(station, Query::Run { run }).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let rating = found.and_then(|detail| detail.rating);
    Ok(rating.map(|rating| learning::Rating { verdict: rating.verdict, note: rating.note }))
}

fn lines(items: &[Item]) -> String {
    items.iter().fold(String::new(), |lines, item| lines + &item.object.to_string() + "\n")
}

/// What is found in objects of no bundle.
fn judged_apart(items: &[Item], findings_max: usize) -> RecordFindings {
    let mut all = Findings::default();
    for item in items {
        let object: &Value = &item.object;
        let left = findings_max.saturating_sub(all.list.len());
        let found = judge(item.schema, object, RecordContext::default(), left);
        all.list.extend(found.list);
        all.is_cut |= found.is_cut;
    }
    RecordFindings {
        count: all.list.len() as u64,
        shown: all,
        more: "`limits.mplp.findings_max` is the limit",
    }
}

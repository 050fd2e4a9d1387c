//! `run export`.

use serde_json::Value;

use crate::{
    cli::{
        args::RunExportArgs,
        commands::mplp::{Export, Subject, write},
        config::Settings,
        error::Error,
        mplp_error::MplpError,
        operator,
        output::Output,
        run_error::RunError,
    },
    ids::TraceId,
    limits,
    mplp::{
        Findings, RecordContext, judge, judge_bundle,
        lifecycle::{Bundle, Item, RecordSettings, learning},
    },
    port::{Operator, Page, Query, RunDetail},
    station::mplp::RunTranslation,
};

/// Events asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

/// Writes the record of a run, as the store has it, if nothing is found in it.
pub(super) async fn export(
    station: &dyn Operator,
    run: TraceId,
    args: &RunExportArgs,
    settings: &Settings,
    out: &mut Output,
) -> Result<(), Error> {
    let (bundle, rating) = record(station, run, settings).await?;
    let findings_max = usize::try_from(settings.limits.mplp.findings_max).unwrap_or(usize::MAX);
    let (path, text, objects, findings) = match (&args.mplp, &args.learning) {
        (Some(path), _) => {
            let objects = bundle.items().len();
            let text = args.ndjson.then(|| lines(bundle.items()));
            let value = bundle.into_value();
            let findings = judge_bundle(&value, None, findings_max);
            (path, text.unwrap_or_else(|| format!("{value}\n")), objects, findings)
        }
        (None, Some(path)) => {
            let samples = learning::samples(&bundle, rating.as_ref());
            if samples.is_empty() {
                return Err(MplpError::NotEnded { run }.into());
            }
            let findings = judged_apart(&samples, findings_max);
            (path, lines(&samples), samples.len(), findings)
        }
        // The grammar asks for one of them.
        (None, None) => return Ok(()),
    };
    let subject = Subject::Run(run);
    write(&Export { subject, path, text, objects, findings, is_forced: args.force }, out)
}

/// Reads a run from the station, page by page, and makes its record; with how it is rated.
async fn record(
    station: &dyn Operator,
    run: TraceId,
    settings: &Settings,
) -> Result<(Bundle, Option<learning::Rating>), Error> {
    let made = RecordSettings {
        environment: settings.mplp_environment.as_str().into(),
        created_by: concat!("rl-console/", env!("CARGO_PKG_VERSION")).into(),
    };
    let mut detail = detail(station, run).await?;
    let limits: &limits::Runs = &settings.limits.runs;
    let mut translation = RunTranslation::new(&detail, limits, &made);
    let mut after = 0;
    loop {
        let query = Query::RunEvents { run, after, limit: PAGE_ROWS };
        let Page::RunEvents { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        after = rows.last().map_or(after, |row| row.number);
        for row in rows {
            translation.event(row);
        }
        if more {
            continue;
        }
        if detail.row.ended_at_ms.is_some() {
            break;
        }
        // One that ended meanwhile has more events.
        detail = self::detail(station, run).await?;
        if detail.row.ended_at_ms.is_none() {
            break;
        }
    }
    let bundle = translation.finish(&detail);
    let rating = detail.rating.map(|rating| learning::Rating { verdict: rating.verdict, note: rating.note });
    Ok((bundle, rating))
}

async fn detail(station: &dyn Operator, run: TraceId) -> Result<Box<RunDetail>, Error> {
    let Page::Run(found) = operator::query(station, Query::Run { run }).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    Ok(found.ok_or_else(|| RunError::Unknown { name: run.to_string(), is_tail: false })?)
}

fn lines(items: &[Item]) -> String {
    items.iter().fold(String::new(), |lines, item| lines + &item.object.to_string() + "\n")
}

/// What is found in objects of no bundle.
fn judged_apart(items: &[Item], findings_max: usize) -> Findings {
    let mut all = Findings::default();
    for item in items {
        let object: &Value = &item.object;
        let left = findings_max.saturating_sub(all.list.len());
        let found = judge(item.schema, object, RecordContext::default(), left);
        all.list.extend(found.list);
        all.is_cut |= found.is_cut;
    }
    all
}

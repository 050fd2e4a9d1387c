//! `session export`.

use crate::{
    cli::{
        args::SessionExportArgs,
        commands::{
            mplp::{Export, Subject, write},
            short_ids,
        },
        config::Settings,
        context::Context,
        error::Error,
        operator,
        session_error::SessionError,
    },
    mplp::{
        judge_bundle,
        lifecycle::{Bundle, RecordSettings},
    },
    port::{Operator, Page, Query, SessionDetail},
    station::mplp::SessionTranslation,
};

/// Records of a log asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

/// Writes the record of a session, as the store has it, if nothing is found in it.
pub(super) fn run(context: &mut Context, args: &SessionExportArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let session = short_ids::session(&station, &args.session).await?;
        let bundle = record(&station, &session, settings).await?;
        let findings_max = usize::try_from(settings.limits.mplp.findings_max).unwrap_or(usize::MAX);
        let objects = bundle.items().len();
        let value = bundle.into_value();
        let export = Export {
            subject: Subject::Session(&session),
            path: &args.mplp,
            text: format!("{value}\n"),
            objects,
            findings: judge_bundle(&value, None, findings_max),
            is_forced: args.force,
        };
        write(&export, out)
    })
}

/// Reads a session from the station, page by page, and makes its record.
async fn record(station: &dyn Operator, session: &str, settings: &Settings) -> Result<Bundle, Error> {
    let made = RecordSettings {
        environment: settings.mplp_environment.as_str().into(),
        created_by: concat!("rl-console/", env!("CARGO_PKG_VERSION")).into(),
    };
    let mut detail = detail(station, session).await?;
    let mut translation = SessionTranslation::new(&detail, settings.limits.macp.shown_text_bytes_max, &made);
    let mut after = 0;
    loop {
        let query = Query::SessionLog { session: session.to_owned(), after, limit: PAGE_ROWS };
        let Page::SessionLog { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        after = rows.last().map_or(after, |row| row.number);
        for row in &rows {
            translation.log(row);
        }
        if more && !rows.is_empty() {
            continue;
        }
        if detail.row.ending.is_some() {
            break;
        }
        // One that ended meanwhile has more records.
        detail = self::detail(station, session).await?;
        if detail.row.ending.is_none() {
            break;
        }
    }
    Ok(translation.finish(&detail.row))
}

async fn detail(station: &dyn Operator, session: &str) -> Result<Box<SessionDetail>, Error> {
    let query = Query::Session { session: session.to_owned() };
    let Page::Session(found) = operator::query(station, query).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    Ok(found.ok_or_else(|| SessionError::Unknown { session: session.to_owned() })?)
}

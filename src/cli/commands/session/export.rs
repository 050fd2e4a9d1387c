//! `session export`.

use crate::{
    cli::{
        args::SessionExportArgs,
        commands::{
            mplp::{Export, Subject, read_record, tell_export, write},
            short_ids,
        },
        context::Context,
        error::Error,
        operator,
        session_error::SessionError,
    },
    port::RecordOf,
};

/// Writes the record of a session, as the station makes it, if nothing is found in it.
pub(super) fn run(context: &mut Context, args: &SessionExportArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let session = short_ids::session(&station, &args.session).await?;
        let of = RecordOf::Session(session.clone());
        let unknown = || SessionError::Unknown { session: session.clone() };
        let record = read_record(&station, &of).await?.ok_or_else(unknown)?;
        let export = Export {
            subject: Subject::Session(&session),
            path: &args.mplp,
            text: record.bundle_text(),
            objects: record.len(),
            findings: record.findings,
            is_forced: args.force,
        };
        write(&export, out)?;
        tell_export(&station, &of, export.objects, export.findings.count).await;
        Ok(())
    })
}

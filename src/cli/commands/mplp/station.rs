//! `mplp station`.

use super::{Export, Subject, read_record, tell_export, write};
use crate::{
    cli::{args::MplpStationArgs, context::Context, error::Error, operator},
    port::RecordOf,
};

/// Writes the record of the station as it is now, if nothing is found in it.
pub(super) fn run(context: &mut Context, args: &MplpStationArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let of = RecordOf::Station;
        let record = read_record(&station, &of).await?.ok_or(Error::UnexpectedAnswer)?;
        let export = Export {
            subject: Subject::Station(true),
            path: &args.mplp,
            text: if args.ndjson { record.lines() } else { record.bundle_text() },
            objects: record.len(),
            findings: record.findings,
            is_forced: args.force,
        };
        write(&export, out)?;
        tell_export(&station, &of, export.objects, export.findings.count).await;
        Ok(())
    })
}

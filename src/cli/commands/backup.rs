//! `backup`: copies the station's database while it runs.

use serde::Serialize;

use crate::{
    cli::{args::BackupArgs, context::Context, error::Error, operator},
    port::{Command, Operator as _, Outcome},
    words::counted,
};

/// The output.
#[derive(Serialize)]
struct BackedUp {
    path: String,
    bytes: u64,
}

pub(in crate::cli) fn run(context: &mut Context, args: &BackupArgs) -> Result<(), Error> {
    let path = std::path::absolute(&args.file).map_err(Error::io(args.file.display().to_string()))?;
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(Command::Backup { path }).await?)
    })?;
    let Outcome::BackedUp { path, bytes } = outcome else { return Err(Error::UnexpectedAnswer) };
    let done = BackedUp { path: path.display().to_string(), bytes };
    context.out.row(&done, |done| format!("{} ({})", done.path, counted(done.bytes, "byte")))
}

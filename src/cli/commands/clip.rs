//! `clip`: saves what was, after the fact.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    cli::{args::ClipArgs, context::Context, error::Error, operator},
    port::{Command, Operator as _, Outcome},
    words::counted,
};

/// The output.
#[derive(Serialize)]
struct Clipped {
    path: String,
    bytes: u64,
    entries: u64,
}

pub(in crate::cli) fn run(context: &mut Context, args: &ClipArgs) -> Result<(), Error> {
    let absolute = |out: &PathBuf| std::path::absolute(out).map_err(Error::io(out.display().to_string()));
    let path = args.out.as_ref().map(absolute).transpose()?;
    let command = Command::Clip { seconds: args.seconds, path };
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(command).await?)
    })?;
    let Outcome::Recorded { path, bytes, entries, .. } = outcome else { return Err(Error::UnexpectedAnswer) };
    let done = Clipped { path: path.display().to_string(), bytes, entries };
    context.out.row(&done, |done| {
        let (entries, bytes) = (counted(done.entries, "entry"), counted(done.bytes, "byte"));
        format!("{}: {entries}, {bytes}", done.path)
    })
}

//! `mark`: marks a moment, on every console and in recordings.

use serde::Serialize;

use crate::{
    cli::{args::MarkArgs, context::Context, error::Error, operator},
    ids::Seq,
    port::{Command, Operator as _, Outcome},
};

/// The output.
#[derive(Serialize)]
struct Marked {
    entry: u64,
}

pub(in crate::cli) fn run(context: &mut Context, args: MarkArgs) -> Result<(), Error> {
    let command = Command::Mark { text: args.text, entry: args.entry.map(Seq) };
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(command).await?)
    })?;
    let Outcome::Marked { entry: Seq(entry) } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Marked { entry }, |done| format!("marked: entry {}", done.entry))
}

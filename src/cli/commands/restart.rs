//! `host restart`: has a running station start a host again that is down.

use serde::Serialize;

use crate::{
    cli::{args::RestartArgs, context::Context, error::Error, operator},
    port::{Command, Operator, Outcome},
};

/// The output.
#[derive(Serialize)]
struct Restarted {
    host: &'static str,
}

pub(in crate::cli) fn run(context: &mut Context, args: &RestartArgs) -> Result<(), Error> {
    let link = args.host;
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(Command::Restart { link }).await?)
    })?;
    let Outcome::Restarted { link } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Restarted { host: link.name() }, |row| format!("restarted {}", row.host))
}

//! `kick adapter`: closes the active adapter's connection.

use serde::Serialize;

use crate::{
    cli::{args::KickWhat, context::Context, error::Error, operator},
    ids::Peer,
    mpp::{Command, Outcome},
};

/// What is printed.
#[derive(Serialize)]
struct Kicked {
    peer: Peer,
}

pub(in crate::cli) fn run(context: &mut Context, what: &KickWhat) -> Result<(), Error> {
    let KickWhat::Adapter = what;
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::mpp(&station, Command::Kick).await
    })?;
    let Outcome::Kicked { peer } = outcome else { return Err(Error::StrangeAnswer) };
    context.out.row(&Kicked { peer }, |row| format!("{} is disconnected", row.peer))
}

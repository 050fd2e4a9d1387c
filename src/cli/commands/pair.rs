//! `pair`: makes the token that adapters connect with. It is shown once; only its hash is kept (ruling MPP 15).

use serde::Serialize;

use crate::{
    cli::{args::PairArgs, context::Context, error::Error, operator},
    mpp,
    port::PortError,
    station::pairing,
};

/// What is printed.
#[derive(Serialize)]
struct Paired<'a> {
    token: &'a str,
}

pub(in crate::cli) fn run(context: &mut Context, args: &PairArgs) -> Result<(), Error> {
    let data = context.settings.data()?;
    let token = pairing::pair(&data, args.rotate)?;
    let told = operator::block_on(async {
        let station = match operator::connect(&context.settings).await {
            Err(Error::Port(PortError::NoStation { .. })) => return Ok(()),
            station => station?,
        };
        operator::mpp(&station, mpp::Command::Pair { token_sha256: token.sha256() }).await.map(|_| ())
    });
    // The token is in force at the next start in any case, and cannot be shown again.
    context.out.row(&Paired { token: token.reveal() }, |paired| paired.token.to_owned())?;
    context.out.flush()?;
    told
}

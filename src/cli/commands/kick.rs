//! `kick adapter`, `kick peer`: closes a connection.

use serde::Serialize;

use crate::{
    cli::{args::KickWhat, context::Context, error::Error, operator},
    ids::{ConnectionId, Peer},
    mpp,
    port::{self, Operator},
};

/// The output about the adapter.
#[derive(Serialize)]
struct Kicked {
    peer: Peer,
}

/// The output about a peer of the bus.
#[derive(Serialize)]
struct KickedPeer {
    session: ConnectionId,
}

pub(in crate::cli) fn run(context: &mut Context, what: &KickWhat) -> Result<(), Error> {
    match what {
        KickWhat::Adapter => adapter(context),
        KickWhat::Peer { session } => peer(context, ConnectionId(*session)),
    }
}

fn adapter(context: &mut Context) -> Result<(), Error> {
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::mpp(&station, mpp::Command::Kick).await
    })?;
    let mpp::Outcome::Kicked { peer } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Kicked { peer }, |row| format!("{} is disconnected", row.peer))
}

fn peer(context: &mut Context, session: ConnectionId) -> Result<(), Error> {
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(port::Command::KickPeer { session }).await?)
    })?;
    let port::Outcome::PeerKicked { session } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&KickedPeer { session }, |row| format!("session {} is disconnected", row.session))
}

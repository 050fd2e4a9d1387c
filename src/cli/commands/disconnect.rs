//! `adapter disconnect`, `peer disconnect`: closes a connection.

use serde::Serialize;

use crate::{
    cli::{args::DisconnectPeerArgs, context::Context, error::Error, operator},
    ids::{ConnectionId, Peer},
    mpp,
    port::{self, Operator},
};

/// The output about the adapter.
#[derive(Serialize)]
struct Disconnected {
    peer: Peer,
}

/// The output about a peer of the bus.
#[derive(Serialize)]
struct DisconnectedPeer {
    session: ConnectionId,
}

pub(in crate::cli) fn adapter(context: &mut Context) -> Result<(), Error> {
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::mpp(&station, mpp::Command::Kick).await
    })?;
    let mpp::Outcome::Kicked { peer } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Disconnected { peer }, |row| format!("disconnected {}", row.peer))
}

pub(in crate::cli) fn peer(context: &mut Context, args: &DisconnectPeerArgs) -> Result<(), Error> {
    let session = ConnectionId(args.session);
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(port::Command::KickPeer { session }).await?)
    })?;
    let port::Outcome::PeerKicked { session } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&DisconnectedPeer { session }, |row| format!("disconnected session {}", row.session))
}

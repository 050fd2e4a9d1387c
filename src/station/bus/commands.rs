//! What an operator has the bus do.

use tokio::sync::oneshot;

use super::handle::{Bus, down};
use crate::{
    ids::{ConnectionId, Seq},
    port::{Outcome, PortError},
    rmp::host::Request,
    station::local::Operating,
};

/// Ends a connection.
pub(in crate::station) async fn kick(
    operating: Operating<'_>,
    bus: &Bus,
    session: ConnectionId,
) -> Result<Outcome, PortError> {
    let what = format!("disconnect peer {session}");
    let cause = operating.report(&what);
    let kicked = end(bus, session, cause).await;
    if let Err(error) = &kicked {
        operating.refused(&format!("{what}: {error}"));
    }
    kicked
}

async fn end(bus: &Bus, session: ConnectionId, cause: Seq) -> Result<Outcome, PortError> {
    let (answer, answered) = oneshot::channel();
    bus.ask(Request::Kick { session, cause: Some(cause), answer })?;
    match answered.await {
        Ok(true) => Ok(Outcome::PeerKicked { session }),
        Ok(false) => Err(PortError::NoSession { session }),
        Err(_) => Err(down("it has stopped")),
    }
}

//! What the CLI speaks through: a station's operator, without watching it.

use std::{path::Path, sync::Arc};

use super::{address::Address, session::Session};
use crate::{
    ids::ConnectionId,
    limits::Limits,
    port::{Answer, Command, Operator, Outcome, Page, PortError, Query},
    rmp::client::Client,
};

/// A session with a running station.
#[derive(Clone, Debug)]
pub struct OperatorClient {
    session: Arc<Session>,
}

impl OperatorClient {
    /// Connects to the station that holds a data folder, as its operator. Needs a runtime for as long as it
    /// lives.
    ///
    /// # Errors
    /// [`PortError::NoStation`] when none answers there.
    pub async fn connect(data: &Path) -> Result<Self, PortError> {
        Self::connect_to(&Address::of_data(data)?, &Limits::default()).await
    }

    /// Connects to an address, within limits of one's own.
    ///
    /// # Errors
    /// [`PortError::NoStation`] when none answers there, [`PortError::Forbidden`] when it does not know the
    /// token.
    pub async fn connect_to(address: &Address, limits: &Limits) -> Result<Self, PortError> {
        Ok(Self { session: Arc::new(Session::open(address, limits).await?) })
    }

    /// On a session of the bus that is open already, and stays so as long as this does.
    ///
    /// # Errors
    /// [`PortError::Forbidden`] where it is an agent's, [`PortError::Stopping`] where it is over.
    pub async fn over(client: Client, limits: &Limits) -> Result<Self, PortError> {
        Ok(Self { session: Arc::new(Session::over(client, limits).await?) })
    }
}

impl OperatorClient {
    /// This side's session on the bus.
    #[must_use]
    pub fn session(&self) -> ConnectionId {
        self.session.client().welcome().session
    }
}

impl Operator for OperatorClient {
    fn command(&self, command: Command) -> Answer<Outcome> {
        self.session.command(command)
    }

    fn query(&self, query: Query) -> Answer<Page> {
        self.session.query(query)
    }
}

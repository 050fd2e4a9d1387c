//! How subcommands reach a running station.

use std::future::Future;

use super::{config::Settings, error::Error};
use crate::{
    mpp,
    port::{Command, Operator, Outcome, Page, Query},
    station::{Address, OperatorClient},
};

/// Connects to the station of the data folder.
///
/// # Errors
/// [`PortError::NoStation`](crate::port::PortError::NoStation) when none runs.
pub(crate) async fn connect(settings: &Settings) -> Result<OperatorClient, Error> {
    Ok(OperatorClient::connect_to(&Address::of(settings.socket.as_deref(), &settings.data()?)?, &settings.limits).await?)
}

/// Runs a subcommand's own work on a runtime of one thread.
///
/// # Errors
/// The work's own, or that the system gives no runtime.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::io("the runtime"))?;
    runtime.block_on(work)
}

/// Has the bridge do something.
///
/// # Errors
/// Its refusal.
pub(crate) async fn mpp(station: &dyn Operator, command: mpp::Command) -> Result<mpp::Outcome, Error> {
    match station.command(Command::Mpp(command)).await? {
        Outcome::Mpp(outcome) => Ok(outcome),
        _ => Err(Error::StrangeAnswer),
    }
}

/// Asks for a page.
///
/// # Errors
/// The station's.
pub(crate) async fn query(station: &dyn Operator, query: Query) -> Result<Page, Error> {
    Ok(station.query(query).await?)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{collections::VecDeque, sync::Mutex};

    use super::*;
    use crate::port::{Answer, PortError};

    /// A station that answers from a script and keeps what it was asked.
    #[derive(Default)]
    pub(crate) struct Scripted {
        pub(crate) outcomes: Mutex<VecDeque<Result<Outcome, PortError>>>,
        pub(crate) pages: Mutex<VecDeque<Result<Page, PortError>>>,
        pub(crate) commands: Mutex<Vec<Command>>,
        pub(crate) queries: Mutex<Vec<Query>>,
    }

    impl Operator for Scripted {
        fn command(&self, command: Command) -> Answer<Outcome> {
            self.commands.lock().unwrap().push(command);
            let answer = self.outcomes.lock().unwrap().pop_front().unwrap_or(Err(PortError::Stopping));
            Box::pin(async { answer })
        }

        fn query(&self, query: Query) -> Answer<Page> {
            self.queries.lock().unwrap().push(query);
            let answer = self.pages.lock().unwrap().pop_front().unwrap_or(Err(PortError::Stopping));
            Box::pin(async { answer })
        }
    }

    impl Scripted {
        pub(crate) fn outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
            Self { outcomes: Mutex::new(outcomes.into_iter().map(Ok).collect()), ..Self::default() }
        }

        pub(crate) fn pages(pages: impl IntoIterator<Item = Page>) -> Self {
            Self { pages: Mutex::new(pages.into_iter().map(Ok).collect()), ..Self::default() }
        }
    }
}

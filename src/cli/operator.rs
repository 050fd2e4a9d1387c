//! How subcommands reach a running station.

use std::{
    future::Future,
    path::{Path, PathBuf},
};

use super::{
    config::Settings,
    error::Error,
    socket::{self, Candidate, ClientIdentity, Step},
};
use crate::{
    mpp,
    port::{Command, Operator, Outcome, Page, PortError, Query},
    station::{Address, BusDown, OperatorClient},
    store::holder,
};

/// Connects to the first station that answers at the places where the bus may be (rmp-v0 §12).
///
/// # Errors
/// [`PortError::NoStation`] when none runs, or where the bus of the one that does is down, why;
/// [`PortError::Replayed`] where a recording is named in its place.
pub(crate) async fn connect(settings: &Settings) -> Result<OperatorClient, Error> {
    // Nothing is done to a station in the name of a recording.
    if settings.asked.is_some() {
        return Err(PortError::Replayed.into());
    }
    match try_connect(settings).await {
        Err(Error::Port(PortError::NoStation { data })) => Err(no_station(settings, data)),
        reached => reached,
    }
}

async fn try_connect(settings: &Settings) -> Result<OperatorClient, Error> {
    let data = settings.data()?;
    for place in candidates(settings) {
        match OperatorClient::connect_to(&address(settings, &data, &place.path)?, &settings.limits).await {
            Err(PortError::NoStation { .. }) => {}
            // What nobody named may be another station's; so may what the folder's own has recorded, since.
            Err(PortError::OtherStation { .. }) if !place.step.is_named() => {}
            Err(PortError::OtherStation { socket, pid, .. }) if place.step == Step::Data => {
                if let Some(holder) = holder(&data) {
                    let why = format!("another station (process {pid}) is listening at {}", socket.display());
                    return Err(PortError::Unreached { data, pid: holder, why }.into());
                }
            }
            reached => return Ok(reached?),
        }
    }
    Err(PortError::NoStation { data }.into())
}

/// Where the bus may be; nowhere for a data folder that was named and in which nothing is recorded.
fn candidates(settings: &Settings) -> Vec<Candidate> {
    let places = ClientIdentity::of(settings).candidates().unwrap_or_default();
    places.into_iter().filter(|place| place.check().is_ok()).collect()
}

fn address(settings: &Settings, data: &Path, socket: &Path) -> Result<Address, PortError> {
    let mut address = Address::of(Some(socket), data)?;
    if let Some(name) = &settings.discovery.client {
        address.client = name.clone().into();
    }
    match &settings.discovery.token_file {
        Some(file) => address.with_token_of(file),
        None => Ok(address),
    }
}

/// Where the station is now, for who tries again and again: of several places the first at which somebody
/// listens.
///
/// # Errors
/// [`PortError::NoStation`] where none is said, [`PortError::File`] for a token that cannot be read.
pub(crate) fn find(settings: &Settings, data: &Path) -> Result<Address, PortError> {
    let places = candidates(settings);
    let no_station = || PortError::NoStation { data: data.to_path_buf() };
    let listens = |place: &Candidate| std::os::unix::net::UnixStream::connect(&place.path).is_ok();
    let at = if places.len() > 1 { places.iter().position(listens).unwrap_or(0) } else { 0 };
    address(settings, data, &places.get(at).ok_or_else(no_station)?.path)
}

/// Why there is nobody to talk to.
fn no_station(settings: &Settings, data: PathBuf) -> Error {
    if let Some(down) = BusDown::of(&data) {
        return down.error(&data);
    }
    let places = candidates(settings);
    match places.first() {
        Some(Candidate { step: Step::SocketPath | Step::SocketsDir, .. }) => socket::no_listener_at(places),
        _ => PortError::NoStation { data }.into(),
    }
}

impl BusDown {
    /// As who cannot reach the station is told.
    pub(crate) fn error(&self, data: &Path) -> Error {
        let Self { pid, why } = self;
        Error::Unreachable {
            message: format!("the bus of the station at {} (process {pid}) is down: {why}", data.display()),
            hint:
                "fix the cause, then run `host restart rmp` in the station's console, or restart the station"
                    .to_owned(),
        }
    }
}

/// Runs a subcommand's own work on a runtime of one thread.
///
/// # Errors
/// The work's own, or that the system gives no runtime.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    runtime.block_on(work)
}

/// Has the bridge do something.
///
/// # Errors
/// Its refusal.
pub(crate) async fn mpp(station: &dyn Operator, command: mpp::Command) -> Result<mpp::Outcome, Error> {
    match station.command(Command::Mpp(command)).await? {
        Outcome::Mpp(outcome) => Ok(outcome),
        _ => Err(Error::UnexpectedAnswer),
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
    use crate::port::Answer;

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

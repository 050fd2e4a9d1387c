//! One session with a station: questions, and their answers as they come.

use std::time::Duration;

use tokio::task::AbortHandle;

use super::{
    address::{Address, unreached},
    rpc::PendingRequests,
};
use crate::{
    ids::ConnectionId,
    limits::Limits,
    port::{
        Answer, Command, FileFault, Outcome, Page, PortError, Query, WorkbenchCommand,
        wire::{Question, Reply, Response, StationInfo},
    },
    rmp::{
        Kind, RawFrame, Refusal,
        client::{Client, Delivery, Error, Hello, Subscription},
        topic::OPERATOR,
    },
};

/// An open session with a station. It ends with this value.
#[derive(Debug)]
pub(super) struct Session {
    client: Client,
    exchange: PendingRequests,
    pump: AbortHandle,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.pump.abort();
        self.exchange.end();
    }
}

impl Session {
    /// Connects, and subscribes to the answers. Needs a runtime for as long as it lives.
    ///
    /// # Errors
    /// [`PortError::NoStation`], or why the station does not let this side in.
    pub(super) async fn open(address: &Address, limits: &Limits) -> Result<Self, PortError> {
        let Address { data, socket, token, .. } = address;
        let hello = Hello {
            client: address.client.clone().into_owned(),
            kind: Kind::Tui,
            token: token.clone(),
            only_to: address.only_to(),
        };
        let no_station = || PortError::NoStation { data: data.clone() };
        let client =
            Client::connect_with(socket, hello, limits.client).await.map_err(|error| match error {
                Error::SessionRefused(refused) if refused.refusal() == Some(Refusal::Unauthorized) => {
                    PortError::Stranger
                }
                Error::SessionRefused(refused) if refused.refusal() == Some(Refusal::Busy) => {
                    PortError::Busy { what: refused.message.into() }
                }
                Error::SessionRefused(refused) => PortError::BadRequest(refused.to_string()),
                Error::OfAnother { path, uid } => PortError::File {
                    what: format!("the socket {}", path.display()),
                    why: format!("another user (uid {uid}) is listening there; no token was sent"),
                    fault: FileFault::Other,
                },
                Error::OfAnotherProcess { path, process } => {
                    PortError::OtherStation { data: data.clone(), socket: path, pid: process }
                }
                Error::TimedOut { ms } => PortError::TimedOut { ms },
                Error::Unreachable { path, why } => unreached(data, || match why.kind() {
                    std::io::ErrorKind::NotFound => format!("its socket {} is missing", path.display()),
                    std::io::ErrorKind::ConnectionRefused => {
                        format!("nothing is listening on its socket {}", path.display())
                    }
                    _ => format!("{}: {why}", path.display()),
                }),
                Error::Closed(_) => no_station(),
                error => PortError::BadRequest(error.to_string()),
            })?;
        Self::over(client, limits)
            .await
            .map_err(|error| if error == PortError::Stopping { no_station() } else { error })
    }

    /// By a session on the bus that is open.
    ///
    /// # Errors
    /// [`PortError::Forbidden`] to an agent's, [`PortError::Stopping`] when it is over.
    pub(super) async fn over(client: Client, limits: &Limits) -> Result<Self, PortError> {
        if client.welcome().kind == Kind::Agent {
            return Err(foreign_client());
        }
        let answers = client.subscribe(OPERATOR).await.map_err(|error| match error {
            Error::Closed(_) => PortError::Stopping,
            error => PortError::BadRequest(error.to_string()),
        })?;
        let exchange = PendingRequests::new(limits.port);
        let pump = tokio::spawn(pump(answers, exchange.clone())).abort_handle();
        Ok(Self { client, exchange, pump })
    }

    /// What the token makes of this side.
    pub(super) fn kind(&self) -> Kind {
        self.client.welcome().kind
    }

    /// Its number.
    pub(super) fn number(&self) -> ConnectionId {
        self.client.welcome().session
    }

    /// The session on the bus.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Asks, and waits for the whole answer.
    pub(super) fn ask(
        &self,
        question: Question,
        waits: Duration,
    ) -> impl Future<Output = Result<Response, PortError>> + Send + use<> {
        self.exchange.clone().ask(self.client.clone(), question, waits)
    }

    /// Asks which station this is.
    pub(super) async fn about(&self) -> Result<StationInfo, PortError> {
        match reply(self.ask(Question::About, Duration::ZERO).await?)? {
            Reply::About(about) => Ok(about),
            _ => Err(unexpected_answer()),
        }
    }

    /// As [`Operator::command`](crate::port::Operator::command).
    pub(super) fn command(&self, command: Command) -> Answer<Outcome> {
        let waits = match &command {
            Command::Plugin(crate::plugin::Command::Invoke { timeout_ms, .. }) => {
                Duration::from_millis(*timeout_ms)
            }
            // A door's connection is made, and its hello answered, before it is open.
            Command::Workbench(WorkbenchCommand::Open { .. }) => Duration::from_secs(10),
            Command::Workbench(
                WorkbenchCommand::Send { wait_ms, .. } | WorkbenchCommand::SendAll { wait_ms, .. },
            ) => Duration::from_millis(*wait_ms),
            _ => Duration::ZERO,
        };
        let newer = match &command {
            Command::Workbench(_) => Some("inject frames"),
            Command::Gate(_) => Some("hold frames"),
            _ => None,
        };
        let answer = self.ask_newer(Question::Command(command), waits, newer);
        Box::pin(async move {
            match answer.await? {
                Reply::Outcome(outcome) => Ok(outcome),
                _ => Err(unexpected_answer()),
            }
        })
    }

    /// As [`Operator::query`](crate::port::Operator::query).
    pub(super) fn query(&self, query: Query) -> Answer<Page> {
        let waits = match &query {
            Query::InvocationWhen { timeout_ms, .. } => Duration::from_millis(*timeout_ms),
            _ => Duration::ZERO,
        };
        let newer = match &query {
            Query::Lifecycle { .. } => Some("make lifecycle records"),
            Query::Judge { .. } => Some("judge frames"),
            Query::ClipHead { .. } | Query::ClipEntries { .. } => Some("send clips"),
            Query::GateRules | Query::Intercepted | Query::InterceptedFrame { .. } => Some("hold frames"),
            _ => None,
        };
        let answer = self.ask_newer(Question::Query(query), waits, newer);
        Box::pin(async move {
            match answer.await? {
                Reply::Page(page) => Ok(page),
                _ => Err(unexpected_answer()),
            }
        })
    }

    /// Asks what an older station may not know, which is told of by its version then.
    fn ask_newer(&self, question: Question, waits: Duration, newer: Option<&'static str>) -> Answer<Reply> {
        let answer = self.ask(question, waits);
        let about = newer.map(|what| (what, self.ask(Question::About, Duration::ZERO)));
        Box::pin(async move {
            match (answer.await.and_then(reply), about) {
                (Err(error), Some((what, about))) if is_unknown(&error) => {
                    match about.await.and_then(reply)? {
                        Reply::About(about) => Err(older(error, &about, what)),
                        _ => Err(unexpected_answer()),
                    }
                }
                (answered, _) => answered,
            }
        })
    }
}

/// Whether a station did not know what it was asked.
fn is_unknown(error: &PortError) -> bool {
    matches!(error, PortError::BadRequest(why) if why.contains("unknown variant"))
}

/// A station that does not know a question is told of by its version.
pub(super) fn older(error: PortError, about: &StationInfo, what: &str) -> PortError {
    if !is_unknown(&error) {
        return error;
    }
    let (name, version, what) = (about.name.clone(), about.version.clone(), what.to_owned());
    PortError::OlderStation { name, version, what }
}

/// An answer in words that is no refusal.
pub(super) fn reply(answered: Response) -> Result<Reply, PortError> {
    match answered {
        Response::Reply(reply) => match *reply {
            Reply::Error(error) => Err(error),
            reply => Ok(reply),
        },
        Response::Snapshot(_) => Err(unexpected_answer()),
    }
}

pub(super) fn unexpected_answer() -> PortError {
    PortError::BadRequest("unexpected answer from the station".to_owned())
}

fn foreign_client() -> PortError {
    PortError::Forbidden {
        kind: "client without a token of this station".to_owned(),
        what: "ask it".to_owned(),
    }
}

/// The body of a message that came.
pub(super) fn body(delivery: &Delivery) -> &[u8] {
    RawFrame::split(&delivery.wire).map_or(&[], |raw| raw.body)
}

/// Hands the parts of answers to who waits for them.
async fn pump(mut answers: Subscription, exchange: PendingRequests) {
    let mut deliveries = Vec::new();
    while answers.next_batch(&mut deliveries).await > 0 {
        for delivery in deliveries.drain(..) {
            exchange.on_part(delivery.header().trace_id, body(&delivery));
        }
    }
    exchange.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    #[test]
    fn a_station_that_does_not_know_a_question_is_told_of_by_its_name_and_version() {
        let about = StationInfo {
            name: "friday-night".to_owned(),
            data: "/data".to_owned(),
            pid: 7,
            start: "a".to_owned(),
            version: "0.1.0".to_owned(),
            now: Now::default(),
        };
        // What a station says that reads a question of a later version.
        let why =
            serde_json::from_str::<Question>(r#"{"query":{"of_tomorrow":{}}}"#).unwrap_err().to_string();
        let error = PortError::BadRequest(why);
        assert!(is_unknown(&error), "{error}");
        let told = older(error, &about, "make lifecycle records");
        let expected = "friday-night runs rl-console 0.1.0, which cannot make lifecycle records";
        assert_eq!(told.to_string(), expected);
        let other = PortError::BadRequest("filter, at byte 3".to_owned());
        assert_eq!(older(other.clone(), &about, ""), other);
    }
}

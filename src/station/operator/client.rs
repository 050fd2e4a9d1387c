//! The other end of the operator socket: what the CLI speaks through.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
    sync::Mutex,
};

use super::wire::{Request, Response, socket_path};
use crate::port::{Answer, Command, Operator, Outcome, Page, PortError, Query};

/// How long an answer may take beyond what the question itself waits for.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// A connection to a running station. Requests are answered in order, one at a time.
#[derive(Clone, Debug)]
pub struct OperatorClient {
    data: PathBuf,
    stream: Arc<Mutex<BufReader<UnixStream>>>,
}

impl OperatorClient {
    /// Connects to the station that holds a data folder.
    ///
    /// # Errors
    /// [`PortError::NoStation`] when none answers there.
    pub async fn connect(data: &Path) -> Result<Self, PortError> {
        let stream = UnixStream::connect(socket_path(data)).await.map_err(|_| PortError::NoStation { data: data.to_path_buf() })?;
        Ok(Self { data: data.to_path_buf(), stream: Arc::new(Mutex::new(BufReader::new(stream))) })
    }

    fn ask(&self, request: Request, waits: Duration) -> Answer<Response> {
        let (data, stream) = (self.data.clone(), Arc::clone(&self.stream));
        Box::pin(async move {
            let limit = waits + ANSWER_MAX;
            let exchange = async {
                let mut stream = stream.lock().await;
                let mut line = serde_json::to_vec(&request).map_err(|error| PortError::BadRequest(error.to_string()))?;
                line.push(b'\n');
                let gone = |_| PortError::NoStation { data: data.clone() };
                stream.get_mut().write_all(&line).await.map_err(gone)?;
                line.clear();
                if stream.read_until(b'\n', &mut line).await.map_err(gone)? == 0 {
                    return Err(PortError::Stopping);
                }
                serde_json::from_slice(&line).map_err(|error| PortError::BadRequest(error.to_string()))
            };
            let timed_out = PortError::TimedOut { ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) };
            match tokio::time::timeout(limit, exchange).await.unwrap_or(Err(timed_out))? {
                Response::Error(error) => Err(error),
                response => Ok(response),
            }
        })
    }
}

impl Operator for OperatorClient {
    fn command(&self, command: Command) -> Answer<Outcome> {
        let answer = self.ask(Request::Command(command), Duration::ZERO);
        Box::pin(async move {
            match answer.await? {
                Response::Outcome(outcome) => Ok(outcome),
                Response::Page(_) | Response::Error(_) => Err(PortError::BadRequest("a page answers a command".to_owned())),
            }
        })
    }

    fn query(&self, query: Query) -> Answer<Page> {
        let waits = match &query {
            Query::InvocationWhen { timeout_ms, .. } => Duration::from_millis(*timeout_ms),
            _ => Duration::ZERO,
        };
        let answer = self.ask(Request::Query(query), waits);
        Box::pin(async move {
            match answer.await? {
                Response::Page(page) => Ok(page),
                Response::Outcome(_) | Response::Error(_) => Err(PortError::BadRequest("an outcome answers a query".to_owned())),
            }
        })
    }
}

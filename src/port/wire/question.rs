//! Questions: who may ask them, and their answers.

use serde::{Deserialize, Serialize};

use super::bytes::{WireError, envelope, expect_version, payload};
use crate::{
    mpp,
    port::{Command, Outcome, Page, PortError, Query},
    rmp::Kind,
    runs,
    time::Now,
};

/// `v` of every payload of this module.
pub const VERSION: u64 = 1;

/// The type of a question's body.
const REQUEST_TYPE: &str = "intent.operator.request.v1";

/// What an operator asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Has something done.
    Command(Command),
    /// Asks for a page.
    Query(Query),
    /// Asks for the state at one moment.
    Snapshot,
    /// Asks which station this is.
    About,
}

/// What it is answered, the snapshot apart: that comes in its recorded form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It is done.
    Outcome(Outcome),
    /// The page.
    Page(Page),
    /// The station.
    About(StationInfo),
    /// Nothing was done: why.
    Error(PortError),
}

/// Which station it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StationInfo {
    /// What it is called: the data folder's name.
    pub name: String,
    /// The data folder, as far as it is text.
    pub data: String,
    /// Its process.
    pub pid: u32,
    /// Drawn anew at every start: places in the tap and monotonic times of two starts have nothing to do
    /// with each other.
    pub start: String,
    /// Its version of rl-console.
    pub version: String,
    /// What its clock said when it was asked.
    pub now: Now,
}

/// The body of a question.
///
/// # Errors
/// [`WireError::TooLong`] beyond so many bytes.
pub fn write_question(question: &Question, bytes_max: u64) -> Result<Vec<u8>, WireError> {
    #[derive(Serialize)]
    struct Payload<'a> {
        v: u64,
        json: &'a str,
    }
    let json = serde_json::to_string(question).map_err(|error| WireError::Malformed(error.to_string()))?;
    let body = envelope(REQUEST_TYPE, &Payload { v: VERSION, json: &json });
    let bytes = body.len() as u64;
    if bytes > bytes_max {
        return Err(WireError::TooLong {
            bytes,
            bytes_max,
            limit: "the station's limits.rmp.body_bytes_max",
        });
    }
    Ok(body)
}

/// Reads the body of a question.
///
/// # Errors
/// [`PortError::BadRequest`] says what is not understood.
pub fn read_question(body: &[u8]) -> Result<Question, PortError> {
    #[derive(Deserialize)]
    struct Payload<'a> {
        v: u64,
        json: &'a str,
    }
    let bad = |why: String| PortError::BadRequest(why);
    let Payload { v, json } = payload(body).map_err(|error| bad(error.to_string()))?;
    expect_version(v).map_err(|error| bad(error.to_string()))?;
    serde_json::from_str(json).map_err(|error| bad(error.to_string()))
}

/// Whether a session of this kind may ask it (ruling RMP 6).
///
/// # Errors
/// [`PortError::Forbidden`] says what it may not.
pub fn may_ask(kind: Kind, question: &Question) -> Result<(), PortError> {
    let forbidden =
        |what: &str| Err(PortError::Forbidden { kind: kind.name().to_owned(), what: what.to_owned() });
    match (kind, question) {
        (
            Kind::Viewer,
            Question::Command(_)
            | Question::Query(
                Query::Judge { .. }
                | Query::InterceptedFrame { .. }
                | Query::Intercepted
                | Query::ClipHead { .. }
                | Query::ClipEntries { .. },
            ),
        ) => forbidden("its token is read-only"),
        (Kind::Ui | Kind::Tui | Kind::Station, _)
        | (Kind::Viewer, Question::Query(_) | Question::Snapshot | Question::About)
        | (
            Kind::Cue,
            Question::Command(
                Command::Mpp(mpp::Command::Enqueue { .. }) | Command::Runs(runs::Command::Submit { .. }),
            )
            | Question::About,
        ) => Ok(()),
        (Kind::Cue, _) => forbidden("its token only allows enqueueing and submitting"),
        (Kind::Agent, _) => forbidden("it sent no token of the station"),
    }
}

//! How a run ended.

use serde::Serialize;

use crate::{
    cli::{run_error::RunError, table::visible},
    ids::TraceId,
    runs::{EventKind, RunState, payload::RunEvent},
};

/// The end of a run, as scripts read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename = "ended")]
pub(super) struct Ended {
    pub(super) run: TraceId,
    pub(super) state: RunState,
    /// What there is to say to it.
    pub(super) message: String,
}

impl Ended {
    /// The end that an event tells of: the last one says whether the run succeeded (ruling RMP 11).
    pub(super) fn of(run: TraceId, event: &RunEvent) -> Option<Self> {
        let success = event.meta.success.filter(|_| event.kind == EventKind::Status)?;
        let state = event.meta.state.as_deref().and_then(RunState::from_name).filter(|state| state.is_end());
        let state = state.unwrap_or(if success { RunState::Succeeded } else { RunState::Failed });
        Some(Self { run, state, message: event.message.clone() })
    }

    /// The line for people.
    pub(super) fn line(&self) -> String {
        visible(&format!("{} {}: {}", self.run, self.state.name(), self.message))
    }

    /// What the exit code is made of.
    pub(super) fn verdict(self) -> Result<(), RunError> {
        let Self { run, state, message: why } = self;
        match state {
            RunState::Succeeded => Ok(()),
            RunState::Cancelled => Err(RunError::Cancelled { run, why }),
            RunState::Failed | RunState::Running | RunState::Cancelling => Err(RunError::Failed { run, why }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::payload::EventMeta;

    fn ended(kind: EventKind, state: Option<&str>, success: Option<bool>) -> Option<RunState> {
        let meta = EventMeta { success, state: state.map(str::to_owned), ..EventMeta::default() };
        let event = RunEvent { kind, level: None, message: "over".to_owned(), meta };
        Ended::of(TraceId(uuid::Uuid::nil()), &event).map(|ended| ended.state)
    }

    #[test]
    fn a_status_that_says_whether_it_succeeded_is_the_end() {
        use EventKind::{Log, Status};
        assert_eq!(ended(Status, Some("succeeded"), Some(true)), Some(RunState::Succeeded));
        assert_eq!(ended(Status, Some("cancelled"), Some(false)), Some(RunState::Cancelled));
        assert_eq!(
            ended(Status, None, Some(false)),
            Some(RunState::Failed),
            "without a state, success alone decides"
        );
        assert_eq!(ended(Status, Some("completed"), None), None);
        assert_eq!(ended(Log, None, Some(true)), None);
    }

    #[test]
    fn each_end_has_its_exit_code() {
        let exit = |state| {
            let ended = Ended { run: TraceId(uuid::Uuid::nil()), state, message: String::new() };
            ended.verdict().map_err(|error| crate::cli::error::Error::from(error).exit() as u8)
        };
        assert_eq!(exit(RunState::Succeeded), Ok(()));
        assert_eq!(exit(RunState::Failed), Err(1));
        assert_eq!(exit(RunState::Cancelled), Err(5));
    }
}

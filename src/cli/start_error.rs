//! Why a station did not start, as scripts and people are told of it.

use super::error::Exit;
use crate::station::StartError;

/// The exit code.
pub(super) fn exit(error: &StartError) -> Exit {
    match error {
        StartError::Held { .. } => Exit::NoStation,
        StartError::Pack { .. } | StartError::Failed(_) => Exit::Refused,
    }
}

/// The machine-readable code.
pub(super) fn code(error: &StartError) -> &'static str {
    match error {
        StartError::Held { .. } => "held",
        StartError::Pack { .. } => "bad_pack",
        StartError::Failed(_) => "not_started",
    }
}

/// What to do about it.
pub(super) fn hint(error: &StartError) -> String {
    match error {
        StartError::Held { .. } => {
            "open the running station with `rl-console attach`, or stop it with `rl-console stop`; for a \
             second station choose another folder with --data"
                .to_owned()
        }
        StartError::Pack { path, errors } => match errors.first() {
            Some(first) => format!("{}; `rl-console pack check` shows every error", first.at(path)),
            None => "`rl-console pack check` shows every error with its line".to_owned(),
        },
        StartError::Failed(_) => "`rl-console doctor` checks the data folder".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{error::Error, reach::Reach, report::rendered};

    #[test]
    fn a_station_that_runs_is_attached_to_and_not_killed() {
        let held = Error::from(StartError::Held { data: "/my show".into(), pid: Some(7) });
        let reach = Reach { station: "--data '/my show' ".to_owned(), ..Reach::default() };
        let hint = rendered(&held, false, &reach);
        assert!(hint.contains("`rl-console --data '/my show' attach`"), "{hint}");
        assert!(!hint.contains("kill"), "{hint}");
    }
}

//! What a message was answered with, as it is printed.

use serde::Serialize;

use crate::{
    cli::{error::Error, output::Output, session_error::SessionError, table::visible},
    macp::{
        SessionState,
        proto::v1::{Ack, SessionState as WireState},
    },
    time::Wall,
};

/// An acknowledgement as scripts read it.
#[derive(Debug, Serialize)]
pub(crate) struct Acked {
    ok: bool,
    duplicate: bool,
    session_id: String,
    message_id: String,
    accepted_at_unix_ms: i64,
    /// Nothing where there is no such session.
    session_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal>,
}

#[derive(Debug, Serialize)]
struct Refusal {
    code: String,
    message: String,
}

impl From<Ack> for Acked {
    fn from(ack: Ack) -> Self {
        let session_state = state_name(ack.session_state);
        let error = (!ack.ok).then(|| ack.error.unwrap_or_default());
        Self {
            ok: ack.ok,
            duplicate: ack.duplicate,
            session_id: ack.session_id,
            message_id: ack.message_id,
            accepted_at_unix_ms: ack.accepted_at_unix_ms,
            session_state,
            error: error.map(|error| Refusal { code: error.code, message: error.message }),
        }
    }
}

impl Acked {
    /// What a runtime answers who cancels a session that has ended.
    pub(crate) fn of_ended(session: &str, state: SessionState, at: Wall) -> Self {
        Self {
            ok: true,
            duplicate: false,
            session_id: session.to_owned(),
            message_id: String::new(),
            accepted_at_unix_ms: i64::try_from(at.0).unwrap_or(i64::MAX),
            session_state: Some(state.name()),
            error: None,
        }
    }
}

/// The state of a session, as answers have it.
pub(crate) fn state_name(state: i32) -> Option<&'static str> {
    let state = match WireState::try_from(state).ok()? {
        WireState::Unspecified => return None,
        WireState::Open => SessionState::Open,
        WireState::Resolved => SessionState::Resolved,
        WireState::Expired => SessionState::Expired,
    };
    Some(state.name())
}

impl Acked {
    /// Prints what became of `what`; a refused one for scripts alone, as people are told why.
    ///
    /// # Errors
    /// [`SessionError::Refused`].
    pub(crate) fn print(self, what: &str, out: &mut Output) -> Result<(), Error> {
        if self.ok || out.is_json() {
            out.row(&self, |acked| visible(&acked.line(what)))?;
            out.flush()?;
        }
        match self.error {
            None => Ok(()),
            Some(Refusal { code, message }) => Err(SessionError::Refused {
                code,
                why: message,
                session: self.session_id,
                state: self.session_state,
            }
            .into()),
        }
    }

    /// Prints what became of a session that was to be cancelled, for a reason or for none, and stood like
    /// this before.
    ///
    /// # Errors
    /// [`SessionError::Refused`].
    pub(crate) fn print_cancelled(
        self,
        before: Option<&str>,
        has_reason: bool,
        out: &mut Output,
    ) -> Result<(), Error> {
        let had_ended = before.filter(|state| *state != SessionState::Open.name()).map(str::to_owned);
        if !self.ok || out.is_json() {
            return self.print("CancelSession", out);
        }
        out.row(&self, |acked| {
            visible(&match &had_ended {
                Some(state) => {
                    // A runtime tells a cancelled session as an expired one.
                    let ended =
                        if state == SessionState::Expired.name() { "expired or cancelled" } else { state };
                    let lost = if has_reason { ", reason not stored" } else { "" };
                    format!("{}  already ended ({ended}): unchanged{lost}", acked.session_id)
                }
                None if acked.session_state == Some(SessionState::Expired.name()) => {
                    format!("{}  cancelled", acked.session_id)
                }
                None => acked.line("CancelSession"),
            })
        })?;
        out.flush()
    }

    fn line(&self, what: &str) -> String {
        let became = if self.duplicate { "duplicate" } else { "accepted" };
        let session = if self.session_id.is_empty() { "-" } else { &self.session_id };
        let parts = [session, what, became, self.session_state.unwrap_or("-"), &self.message_id];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::output::tests::Printed, macp::proto::v1::MacpError};

    fn ack(error: Option<MacpError>) -> Ack {
        Ack {
            ok: error.is_none(),
            duplicate: false,
            message_id: "m1".to_owned(),
            session_id: "s1".to_owned(),
            accepted_at_unix_ms: 7,
            session_state: 1,
            error,
        }
    }

    #[test]
    fn people_read_a_line_and_scripts_the_whole_answer() {
        let (people, scripts) = (Printed::default(), Printed::default());
        Acked::from(ack(None)).print("Vote of bob", &mut people.output(false)).unwrap();
        assert_eq!(people.text(), "s1  Vote of bob  accepted  open  m1\n");
        let again = Ack { duplicate: true, session_state: 2, ..ack(None) };
        Acked::from(again).print("Vote of bob", &mut scripts.output(true)).unwrap();
        let line = r#"{"ok":true,"duplicate":true,"session_id":"s1","message_id":"m1","accepted_at_unix_ms":7,"session_state":"resolved"}"#;
        assert_eq!(scripts.text(), format!("{line}\n"));
    }

    #[test]
    fn a_cancel_of_what_had_ended_says_that_nothing_was_changed() {
        let said = |before, state, has_reason| {
            let people = Printed::default();
            Acked::from(Ack { session_state: state, ..ack(None) })
                .print_cancelled(before, has_reason, &mut people.output(false))
                .unwrap();
            people.text()
        };
        assert_eq!(said(Some("open"), 3, true), "s1  cancelled\n");
        assert_eq!(said(None, 3, false), "s1  cancelled\n");
        let kept = "unchanged, reason not stored\n";
        assert_eq!(said(Some("resolved"), 2, true), format!("s1  already ended (resolved): {kept}"));
        assert_eq!(said(Some("expired"), 3, false), "s1  already ended (expired or cancelled): unchanged\n");
    }

    #[test]
    fn a_refused_one_is_an_error_with_its_code() {
        let refused = MacpError {
            code: "SESSION_NOT_FOUND".to_owned(),
            message: "none".to_owned(),
            ..MacpError::default()
        };
        let (people, scripts) = (Printed::default(), Printed::default());
        let error =
            Acked::from(ack(Some(refused.clone()))).print("Vote", &mut people.output(false)).unwrap_err();
        assert_eq!((error.code(), error.exit() as u8, people.text().as_str()), ("session_not_found", 1, ""));
        Acked::from(Ack { session_state: 0, ..ack(Some(refused)) })
            .print("Vote", &mut scripts.output(true))
            .unwrap_err();
        assert!(
            scripts
                .text()
                .contains(r#""session_state":null,"error":{"code":"SESSION_NOT_FOUND","message":"none"}"#)
        );
    }
}

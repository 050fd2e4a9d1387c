//! What goes wrong on the bus, as scripts and people are told of it.

use super::error::Exit;
use crate::rmp::{Code, Refusal, client};

/// What the station refused, where it says that by a name of the protocol.
fn refusal(error: &client::Error) -> Option<Refusal> {
    match error {
        client::Error::Refused(refused) | client::Error::SessionRefused(refused) => refused.refusal(),
        _ => None,
    }
}

/// The exit code.
pub(super) fn exit(error: &client::Error) -> Exit {
    match (error, refusal(error)) {
        (client::Error::Unreachable { .. } | client::Error::Closed(_), _) => Exit::NoStation,
        (client::Error::TimedOut { .. }, _) => Exit::TimedOut,
        (client::Error::Send(client::SendError::Topic { .. }), _) => Exit::Usage,
        (
            client::Error::Send(client::SendError::NotOneFrame { .. } | client::SendError::TooLarge { .. }),
            _,
        ) => Exit::NotValid,
        // A frame that came too late, or again, is none that is not valid.
        (_, Some(Refusal::Fault(code))) if !matches!(code, Code::Expired | Code::Duplicate) => Exit::NotValid,
        _ => Exit::Refused,
    }
}

/// The machine-readable code.
pub(super) fn code(error: &client::Error) -> &'static str {
    match (error, refusal(error)) {
        (client::Error::Unreachable { .. }, _) => "unreachable",
        (client::Error::Closed(_), _) => "disconnected",
        (client::Error::OfAnother { .. } | client::Error::OfAnotherProcess { .. }, _) => "foreign_socket",
        (client::Error::TimedOut { .. }, _) => "timed_out",
        (client::Error::Busy { .. }, _) | (_, Some(Refusal::Busy)) => "busy",
        (client::Error::Send(client::SendError::Topic { .. }), _) | (_, Some(Refusal::InvalidTopic)) => {
            "invalid_topic"
        }
        (client::Error::Send(_), _) => "invalid_frame",
        (_, Some(Refusal::Forbidden)) => "forbidden",
        (_, Some(Refusal::NotSubscribed)) => "not_subscribed",
        (_, Some(Refusal::Unauthorized)) => "unauthorized",
        (_, Some(Refusal::Fault(Code::Expired))) => "expired",
        (_, Some(Refusal::Fault(Code::Duplicate))) => "duplicate",
        (_, Some(Refusal::Fault(_))) => "invalid_frame",
        (client::Error::Refused(_) | client::Error::SessionRefused(_), None) => "refused",
    }
}

/// What to do about it.
pub(super) fn hint(error: &client::Error) -> String {
    let hint = match (error, refusal(error)) {
        (client::Error::Closed(client::CloseReason::ByStation(Some(_))), _) => {
            "connect again; `sim agent --reconnect` reconnects automatically"
        }
        (client::Error::Unreachable { .. } | client::Error::Closed(_), _) => {
            "`rl-console ls health` shows the station's state"
        }
        (client::Error::OfAnother { .. }, _) => {
            "choose the socket of your own station with --socket, or its data folder with --data"
        }
        (client::Error::OfAnotherProcess { .. }, _) => {
            "choose that station's data folder with --data, or one of its tokens with --token-file"
        }
        (client::Error::TimedOut { .. }, _) => {
            "check the station with `rl-console doctor`; `rl-console stop --force` terminates one that hangs"
        }
        (client::Error::Busy { .. }, _) | (_, Some(Refusal::Busy)) => {
            "try again in a moment; the limits are under `limits.rmp`"
        }
        (client::Error::Send(client::SendError::Topic { .. }), _) | (_, Some(Refusal::InvalidTopic)) => {
            "1 to 16 segments of A-Z a-z 0-9 . _ : - with / between them; patterns may end in /* or /**"
        }
        (
            client::Error::Refused(refused) | client::Error::SessionRefused(refused),
            Some(Refusal::Forbidden),
        ) if refused.message.contains("only the station") => {
            "choose another topic: rlp/sys/** and run events are reserved for the station"
        }
        (
            client::Error::Refused(refused) | client::Error::SessionRefused(refused),
            Some(Refusal::Forbidden),
        ) if refused.message.contains("this session is agent") => {
            "connect with --as tui, ui or viewer, which presents the token of that kind from the data folder"
        }
        (_, Some(Refusal::Forbidden)) => {
            "permissions depend on the token, not on --as: choose another token with --token-file, or none \
             with --as agent"
        }
        (_, Some(Refusal::Unauthorized)) => {
            "the tokens are in the station's data folder: choose it with --data, or a token with \
             --token-file"
        }
        (_, Some(Refusal::Fault(Code::Expired))) => {
            "the frame expired (created_at_ms + ttl_ms): create a new one"
        }
        (client::Error::Send(_), _) | (_, Some(Refusal::Fault(_))) => {
            "inspect the frame with `rl-console decode`"
        }
        (client::Error::Refused(_) | client::Error::SessionRefused(_), _) => "see the station's log",
    };
    hint.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_station_alone_publishes_no_other_kind_is_advised() {
        let forbidden = |message: &str| {
            hint(&client::Error::Refused(client::RefusalReply {
                code: "Forbidden".into(),
                message: message.into(),
            }))
        };
        assert!(!forbidden("only the station publishes there, and this session is ui").contains("--as"));
        let hint = forbidden("only ui and tui decide on actions, and this session is agent");
        assert!(hint.contains("--as tui") && !hint.contains("cue"), "{hint}");
        let hint = forbidden("a viewer is read-only");
        assert!(hint.contains("depend on the token, not on --as"), "{hint}");
    }

    #[test]
    fn a_refusal_is_told_by_its_name_and_a_bad_frame_has_its_own_exit_code() {
        let refused = |code: &str| {
            client::Error::Refused(client::RefusalReply { code: code.into(), message: "no".into() })
        };
        let table = [
            (refused("Forbidden"), Exit::Refused, "forbidden"),
            (refused("InvalidTopic"), Exit::Refused, "invalid_topic"),
            (refused("Unauthorized"), Exit::Refused, "unauthorized"),
            (refused("Expired"), Exit::Refused, "expired"),
            (refused("Duplicate"), Exit::Refused, "duplicate"),
            (refused("InvalidMagic"), Exit::NotValid, "invalid_frame"),
            (refused("BodyTypeMismatch"), Exit::NotValid, "invalid_frame"),
            (refused("SomethingNew"), Exit::Refused, "refused"),
            (
                client::Error::Send(client::SendError::NotOneFrame { bytes: 1 }),
                Exit::NotValid,
                "invalid_frame",
            ),
            (client::Error::Closed(client::CloseReason::ByClient), Exit::NoStation, "disconnected"),
            (client::Error::TimedOut { ms: 1 }, Exit::TimedOut, "timed_out"),
            (client::Error::Busy { answers_max: 1 }, Exit::Refused, "busy"),
        ];
        for (error, exit_code, name) in table {
            assert_eq!((exit(&error), code(&error)), (exit_code, name), "{error:?}");
            assert!(!hint(&error).is_empty());
        }
    }
}

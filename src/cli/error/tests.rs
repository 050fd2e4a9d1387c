use super::*;
use crate::{cli::config::ConfigFault, mpp::Refusal, port::FileFault, tap::entry::Link};

fn refused() -> PortError {
    PortError::Refused(Refusal::UnknownEvent { event: "give_itme".into(), nearest: Some("give_item".into()) })
}

#[test]
fn every_error_has_its_exit_code_and_its_code() {
    let id = InvocationId(4);
    let data = std::path::PathBuf::from("/d");
    let io = || io::Error::other("no");
    let text = String::new;
    let table = [
        (Error::usage("a", "b"), 2, "usage"),
        (ConfigError::from(ConfigFault { location: text(), what: text(), hint: text() }).into(), 2, "config"),
        (refused().into(), 1, "unknown_event"),
        (PortError::Busy { what: text() }.into(), 1, "busy"),
        (PortError::HostDown { link: Link::Rmp, why: text() }.into(), 1, "host_down"),
        (PortError::HostUp { link: Link::Rmp }.into(), 1, "host_up"),
        (PortError::NoStation { data: data.clone() }.into(), 3, "no_station"),
        (PortError::Unreached { data: data.clone(), pid: 7, why: text() }.into(), 3, "unreached"),
        (PortError::TimedOut { ms: 1 }.into(), 4, "timed_out"),
        (PortError::File { what: text(), why: text(), fault: FileFault::Other }.into(), 1, "file"),
        (PortError::File { what: text(), why: text(), fault: FileFault::Exists }.into(), 1, "exists"),
        (PortError::File { what: text(), why: text(), fault: FileFault::NoRoom }.into(), 1, "no_room"),
        (PortError::Recording(text()).into(), 1, "recording"),
        (PortError::Trigger(text()).into(), 1, "trigger"),
        (PortError::BadRequest(text()).into(), 1, "bad_request"),
        (PortError::Store(text()).into(), 1, "store"),
        (PortError::Stopping.into(), 3, "stopping"),
        (StartError::Held { data: data.clone(), pid: Some(7) }.into(), 3, "held"),
        (StartError::Pack { path: data.clone(), errors: Vec::new() }.into(), 1, "bad_pack"),
        (StartError::Failed(text()).into(), 1, "not_started"),
        (ConsoleError::NotATerminal { what: "stdin" }.into(), 1, "console"),
        (Error::NoScreen { what: "stdin", hint: text() }, 1, "console"),
        (PairError::AlreadyPaired.into(), 1, "already_paired"),
        (PairError::File { path: std::path::PathBuf::new(), error: io() }.into(), 1, "file"),
        (PairError::Random(text()).into(), 1, "random"),
        (PairError::Damaged(std::path::PathBuf::new()).into(), 1, "damaged"),
        (Error::Pack { path: text(), errors: 1, first: text() }, 1, "bad_pack"),
        (Error::Line { line: 1, cause: Box::new(refused().into()), also: 0 }, 1, "unknown_event"),
        (Error::NotAnInvocation(text()), 1, "bad_line"),
        (Error::Some { first: refused(), also: 2 }, 1, "unknown_event"),
        (Error::WaitedTooLong { id, state: RowState::Pending, ms: 5 }, 4, "timed_out"),
        (
            Error::EndedOtherwise { id, state: RowState::Failed, wanted: RowState::Done, reason: None },
            5,
            "other_state",
        ),
        (
            Error::Frames { invalid: 1, all: 1, first: Box::new((&crate::rmp::Error::InvalidTtl).into()) },
            6,
            "invalid_frame",
        ),
        (
            Error::FrameRefused { number: 1, error: Box::new((&crate::rmp::Error::InvalidTtl).into()) },
            6,
            "invalid_frame",
        ),
        (Error::Input { what: text(), message: text(), hint: text() }, 1, "bad_input"),
        (Error::Doctor { failed: 1, all: 2 }, 1, "doctor"),
        (Error::PluginCheck { failed: 1, all: 2 }, 1, "plugin_check"),
        (Error::Adapter { message: text(), hint: text() }, 1, "adapter_refused"),
        (MplpError::Findings { broken: 1, all: 2 }.into(), 1, "findings"),
        (MplpError::NotJudged { count: 1 }.into(), 2, "not_judged"),
        (Error::Unreachable { message: text(), hint: text() }, 3, "unreachable"),
        (client::Error::TimedOut { ms: 1 }.into(), 4, "timed_out"),
        (Error::Io { what: text(), why: io() }, 1, "file"),
        (Error::UnexpectedAnswer, 1, "bad_answer"),
        (Error::Output(io()), 1, "output"),
        (Error::Output(io::ErrorKind::BrokenPipe.into()), 0, "output"),
    ];
    for (error, exit, code) in table {
        assert_eq!((error.exit() as u8, error.code()), (exit, code), "{error:?}");
    }
}

#[test]
fn a_batch_says_which_line_and_how_many_more() {
    let error = Error::Line { line: 12, cause: Box::new(refused().into()), also: 3 };
    assert_eq!(error.to_string(), "line 12: the pack has no event `give_itme` (and 3 more refused)");
}

#[test]
fn an_end_in_another_state_says_why() {
    let reason = Some("item not found".to_owned());
    let error = Error::EndedOtherwise {
        id: InvocationId(4),
        state: RowState::Failed,
        wanted: RowState::Done,
        reason,
    };
    assert_eq!(error.to_string(), "invocation 4 ended failed, not done: item not found");
}

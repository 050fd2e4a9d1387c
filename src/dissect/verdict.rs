//! How an entry went, in lines: the verdict, and of a breach its clause and what to do about it.

use crate::{
    dissect::{
        Breach, Subject, clause_text, macp::message::occurs, mpp::refusal_remedy, rmp::frame::error_of,
    },
    tap::entry::{Frame, Head, Transition, Verdict, What, macp, mpp, mpp::CloseCause, rmp},
    words::counted,
};

/// How it went, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Neutral,
}

/// The verdict, and for a breach its clause and what to do, a line each.
pub(crate) fn verdict(subject: &Subject) -> Vec<(Tone, String)> {
    let breach = match &subject.entry.what {
        What::Frame(frame) => match &frame.verdict {
            Verdict::Sent if answer_of(frame).is_some() => return vec![answer_verdict(frame)],
            Verdict::Sent => return vec![(Tone::Good, "sent: it went into the write buffer".to_owned())],
            Verdict::Mpp(mpp::Verdict::Accepted) => return vec![(Tone::Good, "taken".to_owned())],
            Verdict::Mpp(mpp::Verdict::TooLate) => {
                return vec![(
                    Tone::Neutral,
                    "too late: its connection was closed already, and nobody looked at it".to_owned(),
                )];
            }
            Verdict::Mpp(mpp::Verdict::Refused(fault)) => Breach::from(*fault),
            Verdict::Rmp(rmp::Verdict::Refused(refusal)) => Breach::Bus(*refusal),
            Verdict::Rmp(verdict) => return bus_verdict(verdict),
            Verdict::Macp(verdict) => return macp_verdict(*verdict),
        },
        What::Transition(Transition::Mpp(mpp::Transition::Disconnected { cause, .. })) => match cause {
            CloseCause::Fault(fault) => Breach::from(*fault),
            CloseCause::HelloTimeout => Breach::HelloTimeout,
            _ => return plain_verdict(subject),
        },
        What::Transition(Transition::Rmp(rmp::Transition::Disconnected { cause, .. })) => match cause {
            rmp::CloseCause::Refused(refusal) => Breach::Bus(*refusal),
            rmp::CloseCause::HelloTimeout => Breach::BusHelloTimeout,
            _ => return plain_verdict(subject),
        },
        _ => return plain_verdict(subject),
    };
    let mut lines = vec![(Tone::Bad, breach.text())];
    if let Some((_, error)) = error_of(subject) {
        lines.push((Tone::Bad, format!("{error}: {} belongs there", error.expected())));
    }
    lines.push((Tone::Neutral, format!("{}: {}", breach.clause(), clause_text(breach.clause()))));
    match breach {
        Breach::Hello(reason) => {
            let (words, command) = refusal_remedy(reason);
            let command = command.map_or_else(String::new, |command| format!(" rl-console {command}"));
            lines.push((Tone::Neutral, format!("To do: {words}{command}")));
        }
        _ => lines.extend(breach.remedy().map(|words| (Tone::Neutral, format!("To do: {words}")))),
    }
    lines
}

/// What the runtime made of a call.
fn macp_verdict(verdict: macp::Verdict) -> Vec<(Tone, String)> {
    match verdict {
        macp::Verdict::Accepted => vec![(Tone::Good, "taken".to_owned())],
        macp::Verdict::Duplicate => {
            vec![(Tone::Good, "a duplicate: it was taken before, and changes nothing".to_owned())]
        }
        macp::Verdict::Refused(fault) => vec![
            (Tone::Bad, format!("{}: {}", fault.code().name(), fault.name())),
            (Tone::Neutral, format!("macp-v1, Error Codes: {}", occurs(fault))),
        ],
        macp::Verdict::Declined(status) => {
            vec![(Tone::Bad, format!("the call ends with the status {}", status.name()))]
        }
    }
}

/// What an answer of the runtime says.
const fn answer_of(frame: &Frame) -> Option<macp::Answered> {
    match &frame.head {
        Head::Macp(head) => head.answer,
        Head::Mpp(_) | Head::Rmp(_) => None,
    }
}

fn answer_verdict(frame: &Frame) -> (Tone, String) {
    match answer_of(frame) {
        Some(macp::Answered::Refused(code)) => {
            (Tone::Neutral, format!("sent: the message is rejected, {}", code.name()))
        }
        Some(macp::Answered::Status(status)) => {
            (Tone::Neutral, format!("sent: the call ends with the status {}", status.name()))
        }
        Some(macp::Answered::Duplicate) => {
            (Tone::Good, "sent: the message had been accepted before".to_owned())
        }
        Some(macp::Answered::Ok) | None => (Tone::Good, "sent: it is done, or accepted".to_owned()),
    }
}

/// What the broker made of a frame.
fn bus_verdict(verdict: &rmp::Verdict) -> Vec<(Tone, String)> {
    match verdict {
        rmp::Verdict::Accepted => vec![(Tone::Good, "taken".to_owned())],
        rmp::Verdict::Published { subscribers, dropped: 0 } => {
            vec![(Tone::Good, format!("taken, for {}", counted(*subscribers, "subscription")))]
        }
        rmp::Verdict::Published { subscribers, dropped } => {
            vec![(
                Tone::Neutral,
                format!(
                    "taken, for {}; {dropped} more had it already or had no room",
                    counted(*subscribers, "subscription")
                ),
            )]
        }
        rmp::Verdict::Refused(refusal) => vec![(Tone::Bad, refusal.name().to_owned())],
        rmp::Verdict::TooLate => vec![(
            Tone::Neutral,
            "too late: its connection was closed already, and nobody looked at it".to_owned(),
        )],
    }
}

fn plain_verdict(subject: &Subject) -> Vec<(Tone, String)> {
    let words = match &subject.entry.what {
        What::Transition(_) => "a state changed",
        What::Committed { .. } => "what was to be durable is",
        What::Unsent { .. } => "a connection closed before this could leave",
        What::Loss { .. } => "entries were lost before this console read them",
        What::Frame(_) => "a frame",
    };
    vec![(Tone::Neutral, words.to_owned())]
}

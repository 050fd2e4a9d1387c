//! What is told of an entry beside what its bytes say: the verdict, the clause that was broken and what to
//! do, where it comes from, what caused it and what it caused.

use std::fmt::Write as _;

use super::{
    decoder::{Subject, decoder_of},
    macp::occurs,
    node::{Grower, Kind, Node, Text, Tree},
    rmp::error_of,
    told::name_of,
};
use crate::{
    console::model::{Breach, Kept, clause_text, refusal_remedy},
    ids::Seq,
    tap::entry::{
        Direction, Entry, Frame, Head, Redaction, Transition, Verdict, What, macp,
        mpp::{self, CloseCause},
        rmp,
    },
    words::counted,
};

/// Effects that are listed.
const EFFECTS_MAX: usize = 1_000;

/// How it went, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    Wrong,
    Plain,
}

/// The verdict, and for a breach its clause and what to do, a line each.
pub(crate) fn verdict(subject: &Subject) -> Vec<(Mood, String)> {
    let breach = match &subject.entry.what {
        What::Frame(frame) => match &frame.verdict {
            Verdict::Sent if answer_of(frame).is_some() => return vec![of_answer(frame)],
            Verdict::Sent => return vec![(Mood::Well, "sent: it went into the write buffer".to_owned())],
            Verdict::Mpp(mpp::Verdict::Accepted) => return vec![(Mood::Well, "taken".to_owned())],
            Verdict::Mpp(mpp::Verdict::TooLate) => {
                return vec![(
                    Mood::Plain,
                    "too late: its connection was closed already, and nobody looked at it".to_owned(),
                )];
            }
            Verdict::Mpp(mpp::Verdict::Refused(fault)) => Breach::from(*fault),
            Verdict::Rmp(rmp::Verdict::Refused(refusal)) => Breach::Bus(*refusal),
            Verdict::Rmp(verdict) => return of_bus(verdict),
            Verdict::Macp(verdict) => return of_macp(*verdict),
        },
        What::Transition(Transition::Mpp(mpp::Transition::Disconnected { cause, .. })) => match cause {
            CloseCause::Fault(fault) => Breach::from(*fault),
            CloseCause::HelloTimeout => Breach::HelloTimeout,
            _ => return plain(subject),
        },
        What::Transition(Transition::Rmp(rmp::Transition::Disconnected { cause, .. })) => match cause {
            rmp::CloseCause::Refused(refusal) => Breach::Bus(*refusal),
            rmp::CloseCause::HelloTimeout => Breach::BusHelloTimeout,
            _ => return plain(subject),
        },
        _ => return plain(subject),
    };
    let mut lines = vec![(Mood::Wrong, breach.words())];
    if let Some((_, error)) = error_of(subject) {
        lines.push((Mood::Wrong, format!("{error}: {} belongs there", error.expected())));
    }
    lines.push((Mood::Plain, format!("{}: {}", breach.clause(), clause_text(breach.clause()))));
    match breach {
        Breach::Hello(reason) => {
            let (words, command) = refusal_remedy(reason);
            let command = command.map_or_else(String::new, |command| format!(" rl-console {command}"));
            lines.push((Mood::Plain, format!("To do: {words}{command}")));
        }
        _ => lines.extend(breach.remedy().map(|words| (Mood::Plain, format!("To do: {words}")))),
    }
    lines
}

/// What the runtime made of a call.
fn of_macp(verdict: macp::Verdict) -> Vec<(Mood, String)> {
    match verdict {
        macp::Verdict::Accepted => vec![(Mood::Well, "taken".to_owned())],
        macp::Verdict::Duplicate => {
            vec![(Mood::Well, "a duplicate: it was taken before, and changes nothing".to_owned())]
        }
        macp::Verdict::Refused(fault) => vec![
            (Mood::Wrong, format!("{}: {}", fault.code().name(), fault.name())),
            (Mood::Plain, format!("macp-v1, Error Codes: {}", occurs(fault))),
        ],
        macp::Verdict::Declined(status) => {
            vec![(Mood::Wrong, format!("the call ends with the status {}", status.name()))]
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

fn of_answer(frame: &Frame) -> (Mood, String) {
    match answer_of(frame) {
        Some(macp::Answered::Refused(code)) => {
            (Mood::Plain, format!("sent: the message is rejected, {}", code.name()))
        }
        Some(macp::Answered::Status(status)) => {
            (Mood::Plain, format!("sent: the call ends with the status {}", status.name()))
        }
        Some(macp::Answered::Duplicate) => {
            (Mood::Well, "sent: the message had been accepted before".to_owned())
        }
        Some(macp::Answered::Ok) | None => (Mood::Well, "sent: it is done, or accepted".to_owned()),
    }
}

/// What the broker made of a frame.
fn of_bus(verdict: &rmp::Verdict) -> Vec<(Mood, String)> {
    match verdict {
        rmp::Verdict::Accepted => vec![(Mood::Well, "taken".to_owned())],
        rmp::Verdict::Published { subscribers, dropped: 0 } => {
            vec![(Mood::Well, format!("taken, for {}", counted(*subscribers, "subscription")))]
        }
        rmp::Verdict::Published { subscribers, dropped } => {
            vec![(
                Mood::Plain,
                format!(
                    "taken, for {}; {dropped} more had it already or had no room",
                    counted(*subscribers, "subscription")
                ),
            )]
        }
        rmp::Verdict::Refused(refusal) => vec![(Mood::Wrong, refusal.name().to_owned())],
        rmp::Verdict::TooLate => vec![(
            Mood::Plain,
            "too late: its connection was closed already, and nobody looked at it".to_owned(),
        )],
    }
}

fn plain(subject: &Subject) -> Vec<(Mood, String)> {
    let words = match &subject.entry.what {
        What::Transition(_) => "a state changed",
        What::Committed { .. } => "what was to be durable is",
        What::Unsent { .. } => "a connection closed before this could leave",
        What::Loss { .. } => "entries were lost before this console read them",
        What::Frame(_) => "a frame",
    };
    vec![(Mood::Plain, words.to_owned())]
}

/// An entry in a few words that anybody may see.
pub(crate) fn summary(entry: &Entry) -> String {
    let mut words = match &entry.what {
        What::Frame(frame) => match frame.direction {
            Direction::Inbound => format!("in {}", name_of(&entry.what)),
            Direction::Outbound => format!("out {}", name_of(&entry.what)),
        },
        _ => name_of(&entry.what).to_owned(),
    };
    if let Some(id) = entry.invocation() {
        let _ = write!(words, " {id}");
    }
    if let What::Frame(frame) = &entry.what
        && matches!(
            frame.verdict,
            Verdict::Mpp(mpp::Verdict::Refused(_))
                | Verdict::Rmp(rmp::Verdict::Refused(_))
                | Verdict::Macp(macp::Verdict::Refused(_) | macp::Verdict::Declined(_))
        )
    {
        words.push_str(", refused");
    }
    words
}

/// What is known of the entries around one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Around {
    /// Whether the entry itself is kept still.
    pub(crate) is_kept: bool,
    /// What caused it: nothing when it had a cause that is not kept any more.
    pub(crate) cause: Option<String>,
    /// What it caused, in order.
    pub(crate) effects: Vec<(Seq, String)>,
    /// Effects beyond those that are listed.
    pub(crate) more: u64,
    /// The index up to which effects were looked for.
    scanned: Option<u64>,
}

impl Around {
    /// Looks at what came since the last time; whether something is different.
    pub(crate) fn follow(&mut self, subject: &Subject, kept: &Kept) -> bool {
        let before = (self.is_kept, self.cause.is_some(), self.effects.len(), self.more);
        let index = kept.index_of(subject.seq());
        self.is_kept = index.is_some();
        let from =
            self.scanned.unwrap_or_else(|| index.map_or(kept.first(), |index| index + 1)).max(kept.first());
        for (_, found) in kept.range(from..kept.end()) {
            if found.entry.cause != Some(subject.seq()) {
                continue;
            }
            if self.effects.len() < EFFECTS_MAX {
                self.effects.push((found.entry.seq, summary(found.entry)));
            } else {
                self.more += 1;
            }
        }
        let is_first = self.scanned.replace(kept.end()).is_none();
        self.cause = subject.entry.cause.and_then(|cause| kept.at(cause)).map(|found| summary(found.entry));
        is_first || before != (self.is_kept, self.cause.is_some(), self.effects.len(), self.more)
    }

    /// The account of an entry as a tree; `until` is the moment at which time is stopped.
    pub(crate) fn tree(&self, subject: &Subject, time: String, until: Option<Seq>) -> Tree {
        let entry = &subject.entry;
        let mut grower = Grower::new(2 * EFFECTS_MAX);
        grower.open(Node::new(Text::words("entry"), Kind::Group, 0..0));
        let number = Node::fact("number", entry.seq.to_string());
        grower.leaf(if self.is_kept {
            number
        } else {
            number.noted("it is not kept any more: what is shown is a copy")
        });
        grower.leaf(Node::fact("at", time));
        grower.leaf(Node::fact("link", entry.link.name()));
        if let What::Frame(frame) = &entry.what {
            let way = match frame.direction {
                Direction::Inbound => "in, from",
                Direction::Outbound => "out, to",
            };
            grower.leaf(Node::fact("way", format!("{way} {}", frame.peer)));
        }
        grower.leaf(Node::fact("read as", decoder_of(subject).name()));
        grower.leaf(Node::fact("bytes", length(subject)));
        grower.leaf(Node::fact(
            "trace",
            entry.trace.map_or_else(|| "none".to_owned(), |trace| trace.to_string()),
        ));
        if let Some(cause) = entry.cause {
            let mut node = Node {
                goes_to: Some(cause),
                ..Node::fact("caused by", self.cause.clone().unwrap_or_else(|| format!("entry {cause}")))
            };
            if self.cause.is_none() {
                node = node.noted("it is no longer kept");
            }
            grower.leaf(node);
        } else {
            grower.leaf(Node::fact("caused by", "nothing that the tap knows"));
        }
        grower.open(Node {
            value: Text::words(self.count(until)),
            ..Node::new(Text::words("caused"), Kind::Group, 0..0)
        });
        for (seq, words) in &self.effects {
            let mut node =
                Node { goes_to: Some(*seq), ..Node::new(Text::words(seq.to_string()), Kind::Text, 0..0) };
            node.value = Text::words(words.clone());
            if until.is_some_and(|until| *seq > until) {
                node = node.noted("later than the moment that is shown");
            }
            grower.leaf(node);
        }
        if self.more > 0 {
            grower.leaf(Node::fact("", format!("and {} more", self.more)));
        }
        grower.grown()
    }

    fn count(&self, until: Option<Seq>) -> String {
        let all = self.effects.len() as u64 + self.more;
        let later = until.map_or(0, |until| self.effects.iter().filter(|(seq, _)| *seq > until).count());
        match (all, later) {
            (0, _) => "nothing that is kept".to_owned(),
            (all, 0) => counted(all, "entry"),
            (all, later) => {
                format!("{}, {later} of them later than the moment that is shown", counted(all, "entry"))
            }
        }
    }
}

fn length(subject: &Subject) -> String {
    let kept = subject.bytes.len();
    match subject.frame() {
        Some(frame) if frame.redaction == Redaction::Withheld => {
            format!("{} on the wire, withheld", frame.wire_bytes)
        }
        Some(frame) if subject.cut_bytes() > 0 => {
            format!("{} on the wire, {kept} of them kept", frame.wire_bytes)
        }
        Some(_) => format!("{kept} on the wire"),
        None if kept == 0 => "none".to_owned(),
        None => format!("{kept} of text beside it"),
    }
}

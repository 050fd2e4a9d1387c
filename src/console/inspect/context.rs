//! What is told of an entry beside what its bytes say: the verdict, the clause that was broken and what to
//! do, where it comes from, what caused it and what it caused.

use std::fmt::Write as _;

use super::{
    decoder::{Subject, decoder_of},
    macp::occurs,
    node::{Kind, Node, Text, Tree, TreeBuilder},
    rmp::error_of,
    transition_decoder::name_of,
};
use crate::{
    console::model::{Breach, EntryBuffer, clause_text, refusal_remedy},
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
pub(crate) struct Context {
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

impl Context {
    /// Looks at what came since the last time; whether something is different.
    pub(crate) fn follow(&mut self, subject: &Subject, kept: &EntryBuffer) -> bool {
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
        let mut builder = TreeBuilder::new(2 * EFFECTS_MAX);
        builder.open(Node::new(Text::literal("entry"), Kind::Group, 0..0));
        let number = Node::fact("number", entry.seq.to_string());
        builder.leaf(if self.is_kept {
            number
        } else {
            number.with_note("it is not kept any more: what is shown is a copy")
        });
        builder.leaf(Node::fact("at", time));
        builder.leaf(Node::fact("link", entry.link.name()));
        if let What::Frame(frame) = &entry.what {
            let way = match frame.direction {
                Direction::Inbound => "in, from",
                Direction::Outbound => "out, to",
            };
            builder.leaf(Node::fact("way", format!("{way} {}", frame.peer)));
        }
        builder.leaf(Node::fact("read as", decoder_of(subject).name()));
        builder.leaf(Node::fact("bytes", length(subject)));
        builder.leaf(Node::fact(
            "trace",
            entry.trace.map_or_else(|| "none".to_owned(), |trace| trace.to_string()),
        ));
        if let Some(cause) = entry.cause {
            let mut node = Node {
                target_seq: Some(cause),
                ..Node::fact("caused by", self.cause.clone().unwrap_or_else(|| format!("entry {cause}")))
            };
            if self.cause.is_none() {
                node = node.with_note("it is no longer kept");
            }
            builder.leaf(node);
        } else {
            builder.leaf(Node::fact("caused by", "nothing that the tap knows"));
        }
        builder.open(Node {
            value: Text::literal(self.count(until)),
            ..Node::new(Text::literal("caused"), Kind::Group, 0..0)
        });
        for (seq, words) in &self.effects {
            let mut node = Node {
                target_seq: Some(*seq),
                ..Node::new(Text::literal(seq.to_string()), Kind::Text, 0..0)
            };
            node.value = Text::literal(words.clone());
            if until.is_some_and(|until| *seq > until) {
                node = node.with_note("later than the moment that is shown");
            }
            builder.leaf(node);
        }
        if self.more > 0 {
            builder.leaf(Node::fact("", format!("and {} more", self.more)));
        }
        builder.finish()
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

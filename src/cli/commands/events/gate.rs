//! What is told of the gate.

use serde::Serialize;

use super::event::By;
use crate::{
    dissect::{gate::words, kind_of},
    ids::Peer,
    port::Way,
    tap::entry::{
        Direction, Link,
        gate::{Intercepted, Passed, Passing},
        station::Level,
    },
    words::format,
};

/// What happened at the gate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli::commands) enum GateEvent {
    /// A frame was stopped.
    Intercepted {
        frame: u64,
        rule: u64,
        link: Link,
        direction: Way,
        peer: Peer,
        head: &'static str,
        bytes: u32,
        /// After which it goes by itself; absent of what goes at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        hold_ms: Option<u64>,
    },
    /// It left.
    Passed {
        frame: u64,
        link: Link,
        how: Passing,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
}

impl GateEvent {
    /// That a frame was stopped.
    pub(super) fn of_intercepted(link: Link, it: &Intercepted) -> Self {
        let frame = &it.frame;
        Self::Intercepted {
            frame: it.number,
            rule: it.rule,
            link,
            direction: match frame.direction {
                Direction::Inbound => Way::In,
                Direction::Outbound => Way::Out,
            },
            peer: frame.peer.clone(),
            head: kind_of(&frame.head),
            bytes: frame.wire_bytes,
            hold_ms: it.hold_ms,
        }
    }

    /// What became of it.
    pub(super) fn of_passed(link: Link, it: &Passed) -> Self {
        Self::Passed { frame: it.number, link, how: it.how, by: it.by.as_ref().map(By::of) }
    }

    /// In words, without its time.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Intercepted { frame, rule, link, direction, peer, head, bytes, hold_ms } => {
                let link = link.name();
                let peer = match direction {
                    Way::In => format!("from {peer}"),
                    Way::Out => format!("to {peer}"),
                };
                let held = hold_ms.map_or_else(String::new, |ms| format!(", held for {ms} ms at most"));
                let bytes = format::bytes(u64::from(*bytes));
                format!("frame {frame} intercepted by rule {rule}: {link} {head} {peer}, {bytes}{held}")
            }
            Self::Passed { frame, how, by, .. } => {
                let by = by.as_ref().map_or_else(String::new, By::suffix);
                format!("frame {frame} {}{by}", words(*how))
            }
        }
    }

    /// How much it matters.
    pub(super) const fn level(&self) -> Level {
        match self {
            Self::Intercepted { .. } | Self::Passed { how: Passing::Dropped | Passing::Cut, .. } => {
                Level::Warn
            }
            Self::Passed { .. } => Level::Info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Event, *};
    use crate::{
        ids::ConnectionId,
        mpp::{FrameType, Head},
        rmp::Kind,
        tap::entry::{Frame, Head as AnyHead, Redaction, Verdict, station::OperatedBy},
    };

    fn json(event: &GateEvent) -> String {
        serde_json::to_string(&Event::Gate(event.clone())).unwrap()
    }

    #[test]
    fn a_frame_that_is_stopped_is_told_with_its_rule_and_how_long_it_is_held() {
        let frame = Frame {
            direction: Direction::Inbound,
            peer: Peer::new("127.0.0.1:5"),
            head: AnyHead::Mpp(Head { kind: Some(FrameType::Done), ..Head::default() }),
            verdict: Verdict::Sent,
            wire_bytes: 41,
            redaction: Redaction::None,
            origin: None,
        };
        let mut it = Intercepted { number: 3, rule: 1, hold_ms: Some(30_000), frame };
        let event = GateEvent::of_intercepted(Link::Mpp, &it);
        let expected = r#"{"event":"intercepted","frame":3,"rule":1,"link":"mpp","direction":"in","peer":"127.0.0.1:5","head":"done","bytes":41,"hold_ms":30000}"#;
        assert_eq!(json(&event), expected);
        let text =
            "frame 3 intercepted by rule 1: mpp done from 127.0.0.1:5, 41 B, held for 30000 ms at most";
        assert_eq!(Event::Gate(event).text(), text);
        (it.hold_ms, it.frame.direction) = (None, Direction::Outbound);
        let fault = GateEvent::of_intercepted(Link::Mpp, &it);
        assert!(!json(&fault).contains("hold_ms") && json(&fault).contains(r#""direction":"out""#));
        assert!(fault.text().ends_with("mpp done to 127.0.0.1:5, 41 B"), "{}", fault.text());
    }

    #[test]
    fn what_became_of_it_is_told_with_who_decided() {
        let by = OperatedBy { kind: Kind::Tui, client: "rl-console".into(), session: Some(ConnectionId(16)) };
        let edited = Passed { number: 3, how: Passing::Edited, by: Some(by) };
        let event = GateEvent::of_passed(Link::Rmp, &edited);
        let expected = r#"{"event":"passed","frame":3,"link":"rmp","how":"edited","by":{"kind":"tui","client":"rl-console","session":16}}"#;
        assert_eq!(json(&event), expected);
        assert_eq!(event.text(), "frame 3 edited, by rl-console (session 16)");
        let late = GateEvent::of_passed(Link::Rmp, &Passed { number: 4, how: Passing::TimedOut, by: None });
        assert_eq!(json(&late), r#"{"event":"passed","frame":4,"link":"rmp","how":"timed_out"}"#);
        assert_eq!((late.text().as_str(), late.level()), ("frame 4 passed: held too long", Level::Info));
    }
}

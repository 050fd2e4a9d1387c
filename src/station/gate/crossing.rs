//! Which types of frames cross the gate, by link and direction.

use crate::{
    gate::Matcher,
    ids::{Peer, PluginId, Seq},
    macp::{self, Rpc},
    mpp::FrameType,
    plugin,
    tap::{
        EntryRef,
        entry::{
            Direction, Entry, Frame, Head, Link, Redaction, Verdict, What, mpp,
            rmp::{self, FrameKind},
        },
    },
    time::Now,
};

/// Whether any frame crosses the gate there that a matcher finds, which asks for the link, the direction and
/// the type alone.
pub(super) fn is_any(matcher: &Matcher, links: &[Link], only: Option<Direction>, now: Now) -> bool {
    let ways = [Direction::Inbound, Direction::Outbound].into_iter();
    let ways = ways.filter(|way| only.is_none_or(|only| only == *way));
    let mut all = ways.flat_map(|way| links.iter().map(move |link| (*link, way)));
    all.any(|(link, way)| {
        heads(link, way).into_iter().any(|head| {
            let entry = entry(link, way, head, now);
            matcher(EntryRef { entry: &entry, bytes: &[] }, now)
        })
    })
}

/// A head of each type that crosses it. No handshake does. What comes may be of no type that there is, and of
/// an adapter one that only the bridge sends.
fn heads(link: Link, direction: Direction) -> Vec<Head> {
    let comes = direction == Direction::Inbound;
    match link {
        Link::Mpp => {
            let crosses = |kind: &FrameType| match kind {
                FrameType::Hello | FrameType::HelloAck => false,
                FrameType::Pull
                | FrameType::Ack
                | FrameType::Applied
                | FrameType::Done
                | FrameType::Failed
                | FrameType::Log
                | FrameType::StateWrite => comes,
                FrameType::Invocation | FrameType::Heartbeat | FrameType::ProtocolError => true,
            };
            let kinds = FrameType::ALL.into_iter().filter(crosses).map(Some).chain([None]);
            kinds.map(|kind| Head::Mpp(mpp::Head { kind, ..mpp::Head::default() })).collect()
        }
        Link::Rmp => {
            let crosses = |kind: &FrameKind| match kind {
                FrameKind::Hello | FrameKind::Welcome => false,
                FrameKind::Subscribe | FrameKind::Unsubscribe | FrameKind::Publish | FrameKind::Ping => comes,
                FrameKind::Ok | FrameKind::Error | FrameKind::Deliver | FrameKind::Pong => !comes,
            };
            let kinds = FrameKind::ALL.into_iter().filter(crosses).map(Some).chain([None]);
            kinds.map(|kind| Head::Rmp(rmp::Head { kind, ..rmp::Head::default() })).collect()
        }
        Link::Macp => {
            let calls = Rpc::ALL.into_iter().filter(|rpc| *rpc != Rpc::Initialize);
            calls.map(|rpc| Head::Macp(macp::Head::new(rpc))).collect()
        }
        Link::Plugin => {
            let message = |id: Option<&str>, is_answer| {
                let head = plugin::Head::new(PluginId::new(""));
                Head::Plugin(plugin::Head { id: id.map(Into::into), is_answer, ..head })
            };
            vec![message(None, false), message(Some("1"), false), message(Some("1"), true)]
        }
        _ => Vec::new(),
    }
}

fn entry(link: Link, direction: Direction, head: Head, now: Now) -> Entry {
    let frame = Frame {
        direction,
        peer: Peer::new(""),
        head,
        verdict: Verdict::Sent,
        wire_bytes: 0,
        redaction: Redaction::None,
        origin: None,
    };
    Entry { seq: Seq(0), at: now, link, trace: None, cause: None, what: What::Frame(frame) }
}

#[cfg(test)]
mod tests {
    use super::super::matcher::read;
    use super::*;

    /// Whether a rule with this filter may have something to do.
    fn may(filter: &str, only: Option<Direction>) -> bool {
        let rule = read(filter, Now::at_ms(0)).unwrap();
        rule.may_match(&rule.links, only, Now::at_ms(0))
    }

    #[test]
    fn a_rule_for_handshakes_or_for_the_other_way_has_nothing_to_do() {
        let (comes, leaves) = (Some(Direction::Inbound), Some(Direction::Outbound));
        for (filter, only) in [
            ("kind:hello", None),
            ("link:mpp kind=hello_ack", None),
            ("link:rmp (kind:Hello or kind:Welcome)", None),
            ("link:macp kind:Initialize", None),
            ("link:mpp kind:pull", leaves),
            ("link:mpp kind:pull dir:out queue:main", None),
            ("link:rmp kind:Deliver", comes),
            ("link:rmp kind:Publish topic:a/*", leaves),
            ("dir:in", leaves),
            ("link:station", None),
        ] {
            assert!(!may(filter, only), "{filter}");
        }
        for (filter, only) in [
            ("kind:hello or kind:pull", comes),
            ("link:mpp kind:heartbeat", leaves),
            ("link:mpp kind:invocation", comes),
            ("link:rmp not kind:Publish", leaves),
            ("link:macp kind:Send", leaves),
            ("link:plugin kind:request", leaves),
            ("topic:a/*", leaves),
            ("hello", None),
            ("kind:hello or hello", None),
        ] {
            assert!(may(filter, only), "{filter}");
        }
    }
}

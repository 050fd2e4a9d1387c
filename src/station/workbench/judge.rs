//! Asks the core that would take a frame what it would make of it, and puts that into words.

use bytes::Bytes;

use super::{
    control::{PeerDoor, with_station},
    door::Door,
};
use crate::{
    dissect::{Subject, findings_in, frame_json::LENT_TOKEN, frame_verdict, kind_of, verdict},
    gate::HeldView,
    ids::{ConnectionId, Peer, Seq},
    judged::{Judged, Pending},
    macp, mpp, plugin,
    port::{AnswerRow, DoorSpec, GateError, JudgedRow, PassedOverRow, PortError, Stand, WorkbenchError},
    rmp,
    station::{bus, gate::is_whole, host::host_down, local::Inner, past::beside, plugins},
    tap::{
        Tap,
        entry::{Direction, Entry, Frame, Head, Link, Redaction, Verdict, What, mpp::HelloReason},
    },
    time::Now,
    words::hex,
};

/// Judges the first frame of some bytes; what is behind it is not looked at.
pub(in crate::station) async fn judge(
    inner: &Inner,
    stand: Stand,
    bytes: Vec<u8>,
) -> Result<JudgedRow, PortError> {
    let max = inner.limits.workbench.send_bytes_max;
    if bytes.len() as u64 > max {
        let bytes = bytes.len() as u64;
        return Err(PortError::Workbench(WorkbenchError::TooLong { bytes, max }));
    }
    let bytes = Bytes::from(bytes);
    match stand {
        Stand::New(spec) => {
            let (link, judged) = by_spec(inner, &spec, None, &bytes).await?;
            let mut row = in_words(inner, link, judged, bytes).await?;
            if row.code.as_deref() == Some(HelloReason::AlreadyConnected.name()) {
                row.says.push(format!("To do: {}", WorkbenchError::AlreadyConnected.hint()));
            }
            Ok(row)
        }
        Stand::Intercepted(number) => {
            let held = inner.gate.held().into_iter().find(|held| held.number == number);
            let held = held.ok_or(PortError::Gate(GateError::NotIntercepted { frame: number }))?;
            let judged = in_place_of(inner, &held, &bytes).await?;
            let mut row = in_words(inner, held.link, judged, bytes.clone()).await?;
            let limits = inner.limits;
            row.not_whole = beside(move || is_whole(&limits, &held, &bytes).err()).await?;
            Ok(row)
        }
        Stand::Door(number) => {
            let door = inner.workbench.door(&inner.status, number).map_err(PortError::Workbench)?;
            // What was begun there is in front of it.
            let begun = door.unfinished();
            let whole = if begun.is_empty() { bytes.clone() } else { [&begun[..], &bytes].concat().into() };
            let (link, judged) = by_spec(inner, &door.spec, Some(&door), &whole).await?;
            let mut row = in_words(inner, link, judged, whole).await?;
            row.taken_bytes = row.taken_bytes.saturating_sub(begun.len() as u64);
            Ok(row)
        }
    }
}

/// Asks the core that takes what the gate holds, on the connection that it came by.
async fn in_place_of(inner: &Inner, held: &HeldView, bytes: &Bytes) -> Result<Judged, PortError> {
    let Frame { peer, head, direction, .. } = &held.frame;
    let mut judged = match (head, direction) {
        (Head::Mpp(_), Direction::Inbound) => {
            at_bridge(inner, BridgePlace::Peer(peer.to_string()), bytes).await?
        }
        (Head::Mpp(_), Direction::Outbound) => {
            at_bridge(inner, BridgePlace::Adapter(mpp::Stand::Towards), bytes).await?
        }
        (Head::Rmp(unit), direction) => {
            let gone = || PortError::Workbench(WorkbenchError::PeerGone { peer: peer.to_string() });
            let session = unit.session.ok_or_else(gone)?;
            let stand = match direction {
                Direction::Inbound => rmp::Stand::Connection(session),
                Direction::Outbound => rmp::Stand::Towards(session),
            };
            bus::judge(&inner.hosts.bus, stand, bytes.clone()).await?
        }
        (Head::Macp(of), Direction::Inbound) => {
            call(inner, macp::Stand { rpc: of.rpc, peer: Some(peer.clone()) }, bytes).await?
        }
        // Its caller reads it: no core does.
        (Head::Macp(_), Direction::Outbound) => {
            let mut judged = Judged::certain(head.clone(), Verdict::Sent);
            judged.taken_bytes = bytes.len();
            judged.receiver(|| peer.to_string());
            judged.the_peers()
        }
        (Head::Plugin(of), Direction::Inbound) => {
            at_plugin(inner, plugin::Stand::From(of.plugin.clone()), bytes).await?
        }
        (Head::Plugin(of), Direction::Outbound) => {
            at_plugin(inner, plugin::Stand::To(of.plugin.clone()), bytes).await?
        }
    };
    if *direction == Direction::Outbound && judged.is_harmful && is_the_same(head, &judged.head) {
        // What is foreseen of a second one is none of the first, which has not left yet.
        (judged.is_harmful, judged.effect) = (false, None);
    }
    Ok(judged)
}

/// Whether it is the frame that the station itself was about to send, with other values.
fn is_the_same(held: &Head, edited: &Head) -> bool {
    match (held, edited) {
        (Head::Mpp(held), Head::Mpp(edited)) => (held.kind, held.id) == (edited.kind, edited.id),
        (Head::Plugin(held), Head::Plugin(edited)) => {
            let is_same_method = held.is_answer || held.method == edited.method;
            (held.is_answer, &held.id) == (edited.is_answer, &edited.id) && is_same_method
        }
        _ => false,
    }
}

async fn call(inner: &Inner, stand: macp::Stand, bytes: &Bytes) -> Result<Judged, PortError> {
    let judged = inner.hosts.sessions.handle()?.judge(&stand, bytes).await;
    judged.ok_or_else(|| host_down(Link::Macp, "it has failed"))
}

/// A judgement in words, made on another thread: who asks may have but one, and it reads all of the bytes.
async fn in_words(inner: &Inner, link: Link, judged: Judged, bytes: Bytes) -> Result<JudgedRow, PortError> {
    let (now, tap) = (inner.clock.now(), inner.tap.clone());
    let is_rehearsal = inner.status.is_rehearsal();
    let row = move || JudgedRow { is_rehearsal, ..row(link, judged, &bytes, now) };
    beside(move || without_tokens(&tap, row())).await
}

/// Asks the core of what a door leads to; where it is not open, as the first through it.
async fn by_spec(
    inner: &Inner,
    spec: &DoorSpec,
    door: Option<&Door>,
    bytes: &Bytes,
) -> Result<(Link, Judged), PortError> {
    let peer = door.map(|door| door.peer.as_str());
    let judged = match spec {
        DoorSpec::Adapter { hello } => {
            let place = match peer {
                Some(peer) => BridgePlace::Peer(peer.to_owned()),
                None if *hello => BridgePlace::Stand(mpp::Stand::Greeted),
                None => BridgePlace::Stand(mpp::Stand::Newcomer),
            };
            at_bridge(inner, place, bytes).await?
        }
        DoorSpec::AsAdapter => at_bridge(inner, BridgePlace::Adapter(mpp::Stand::Connection), bytes).await?,
        DoorSpec::ToAdapter => at_bridge(inner, BridgePlace::Adapter(mpp::Stand::Towards), bytes).await?,
        DoorSpec::Peer { dialect, kind, client } => {
            let stand = match door.and_then(Door::session) {
                Some(session) => rmp::Stand::Connection(session),
                None => rmp::Stand::Newcomer { dialect: *dialect, kind: *kind },
            };
            let judged = bus::judge(&inner.hosts.bus, stand, bytes.clone()).await?;
            let through = PeerDoor { dialect: *dialect, kind: *kind, client, open: door };
            with_station(inner, through, judged, bytes).await?
        }
        DoorSpec::ToPeer { session } => {
            let judged = bus::judge(&inner.hosts.bus, rmp::Stand::Towards(*session), bytes.clone()).await?;
            if matches!(judged.verdict, Ok(Verdict::Rmp(rmp::Verdict::TooLate))) {
                return Err(PortError::Workbench(WorkbenchError::PeerGone {
                    peer: format!("session {session}"),
                }));
            }
            judged
        }
        DoorSpec::Call { rpc } => {
            call(inner, macp::Stand { rpc: *rpc, peer: peer.map(Peer::new) }, bytes).await?
        }
        DoorSpec::AsPlugin { plugin } => at_plugin(inner, plugin::Stand::From(plugin.clone()), bytes).await?,
        DoorSpec::ToPlugin { plugin } => at_plugin(inner, plugin::Stand::To(plugin.clone()), bytes).await?,
    };
    Ok((spec.link(), judged))
}

/// Where a frame would stand at the bridge.
enum BridgePlace {
    /// On the connection of this address.
    Peer(String),
    /// On the adapter's connection, whichever that is.
    Adapter(fn(ConnectionId) -> mpp::Stand),
    /// On one that is not there.
    Stand(mpp::Stand),
}

async fn at_bridge(inner: &Inner, place: BridgePlace, bytes: &Bytes) -> Result<Judged, PortError> {
    let (now, bytes) = (inner.clock.now(), bytes.clone());
    // Through a door of its own it will be a token that is lent.
    let lending = (!matches!(place, BridgePlace::Adapter(_))).then_some(LENT_TOKEN);
    let judge = move |bridge: &mpp::Bridge| {
        let stand = match place {
            BridgePlace::Stand(stand) => stand,
            BridgePlace::Adapter(way) => way(bridge.adapter().ok_or_else(|| "adapter".to_owned())?),
            BridgePlace::Peer(peer) => mpp::Stand::Connection(bridge.connection_of(&peer).ok_or(peer)?),
        };
        Ok(bridge.judge_lending(now, &stand, &bytes, lending))
    };
    let judged = inner.running().await?.with_bridge(judge).await?;
    judged.map_err(|peer| PortError::Workbench(WorkbenchError::PeerGone { peer }))
}

async fn at_plugin(inner: &Inner, stand: plugin::Stand, bytes: &Bytes) -> Result<Judged, PortError> {
    let (plugin::Stand::From(plugin) | plugin::Stand::To(plugin)) = stand.clone();
    let judged = inner.hosts.plugins.handle()?.judge(stand, bytes.clone()).await;
    judged
        .map_err(plugins::not_asked)?
        .map_err(|_| PortError::Workbench(WorkbenchError::PeerGone { peer: format!("plugin {plugin}") }))
}

/// Texts may repeat what the bytes say.
fn without_tokens(tap: &Tap, mut row: JudgedRow) -> JudgedRow {
    let texts = row.effect.iter_mut().chain(&mut row.ends).chain(&mut row.got).chain(&mut row.says);
    let texts = texts.chain(&mut row.findings);
    for text in texts {
        if let std::borrow::Cow::Owned(masked) = tap.text_without_tokens(text) {
            *text = masked;
        }
    }
    row
}

fn row(link: Link, judged: Judged, bytes: &[u8], now: Now) -> JudgedRow {
    let kind = Some(kind_of(&judged.head)).filter(|kind| *kind != "?").map(str::to_owned);
    let shortfall = judged.shortfall.clone();
    let mut row = JudgedRow {
        link: link.name().to_owned(),
        kind,
        verdict: "pending".to_owned(),
        code: None,
        clause: None,
        says: Vec::new(),
        findings: Vec::new(),
        expected: shortfall.as_ref().map(|it| it.expected.clone()),
        got: shortfall.as_ref().map(|it| it.got.clone()),
        byte: shortfall.as_ref().map(|it| it.byte as u64),
        missing_bytes: None,
        not_whole: None,
        if_cut: None,
        answers: judged.answers.iter().map(answer).collect(),
        ends: judged.ends.clone(),
        to: judged.to.clone(),
        to_count: judged.to_count,
        passed_over: Vec::new(),
        passed_over_count: judged.passed_over_count,
        effect: judged.effect.clone(),
        is_harmful: judged.is_harmful,
        is_rehearsal: false,
        holds_until_ms: judged.holds_until.map(|until| until.wall),
        certainty: judged.certainty,
        doubts: judged.doubts.clone(),
        taken_bytes: judged.taken_bytes as u64,
        at_ms: now.wall,
    };
    let passed_over = judged.passed_over.iter();
    row.passed_over =
        passed_over.map(|it| PassedOverRow { name: it.name.clone(), why: it.why.to_owned() }).collect();
    match judged.verdict {
        Err(Pending { missing_bytes, if_cut }) => {
            (row.missing_bytes, row.if_cut) = (missing_bytes, Some(if_cut.to_owned()));
        }
        Ok(verdict_of) => {
            let direction = match verdict_of {
                Verdict::Sent => Direction::Outbound,
                _ => Direction::Inbound,
            };
            let frame = Frame {
                direction,
                peer: Peer::new("workbench"),
                head: judged.head,
                verdict: verdict_of,
                wire_bytes: u32::try_from(judged.taken_bytes).unwrap_or(u32::MAX),
                redaction: Redaction::None,
                origin: None,
            };
            let taken = bytes.get(..judged.taken_bytes).unwrap_or(bytes);
            describe(&mut row, link, frame, taken, now);
        }
    }
    row
}

/// The verdict in words, as the inspector says it of a captured frame.
fn describe(row: &mut JudgedRow, link: Link, frame: Frame, bytes: &[u8], now: Now) {
    let what = What::Frame(frame);
    let entry = Entry { seq: Seq(0), at: now, link, trace: None, cause: None, what };
    if let Some(of) = frame_verdict(&entry) {
        of.word.clone_into(&mut row.verdict);
        row.code = of.code.map(str::to_owned);
        row.clause = of.clause.map(str::to_owned);
    }
    let subject = Subject { entry, bytes: bytes.into() };
    row.says = verdict(&subject).into_iter().map(|(_, line)| line).collect();
    row.findings = findings_in(subject.entry_ref());
}

fn answer(answer: &crate::judged::Answer) -> AnswerRow {
    AnswerRow { kind: kind_of(&answer.head).to_owned(), hex: hex(&answer.bytes) }
}

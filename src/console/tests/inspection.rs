//! A story of entries that cause each other, and what opens them in the inspector.

use super::test_console::{TestConsole, applied, connected, dispatched, done, enqueued};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        inspect,
        inspect::Inspector,
        ui::{effect::Effect, state::Focus},
    },
    ids::{InvocationId, RefundId, Seq, TraceId},
    tap::{
        Draft,
        entry::{
            Direction, Frame, Head, Link, Redaction, Transition, Verdict, What, mpp as events,
            mpp::{CloseCause, ErrorCode, FailedBy, Fault, FrameType, RefundStatus, RowState, Violation},
        },
    },
    time::Now,
};

pub(super) const ENDED: Fault =
    Fault::Protocol { code: ErrorCode::UnexpectedStateTransition, violation: Violation::AlreadyEnded };
pub(super) const PEER: &str = "127.0.0.1:50312";

/// Emits an entry that another caused.
pub(super) fn emit(
    stage: &mut TestConsole,
    what: What,
    bytes: &[u8],
    cause: Option<Seq>,
    is_work: bool,
) -> Seq {
    let trace = is_work.then(|| TraceId(uuid::Uuid::from_u128(0xb52e)));
    let seq = stage.tap.emit(Draft { at: Now::at_ms(stage.ms), link: Link::Mpp, trace, cause, what, bytes });
    stage.fold();
    stage.pass(7);
    seq
}

pub(super) fn frame(
    stage: &mut TestConsole,
    direction: Direction,
    verdict: Verdict,
    head: (FrameType, Option<u64>),
    bytes: &str,
    cause: Option<Seq>,
) -> Seq {
    let (kind, id) = head;
    let frame = Frame {
        direction,
        peer: PEER.into(),
        head: Head::Mpp(events::Head {
            kind: Some(kind),
            id: id.map(InvocationId),
            ..events::Head::default()
        }),
        verdict,
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    emit(stage, What::Frame(frame), bytes.as_bytes(), cause, id.is_some())
}

pub(super) fn changed(
    stage: &mut TestConsole,
    transition: events::Transition,
    text: &str,
    cause: Option<Seq>,
) -> Seq {
    let is_work = transition.invocation().is_some();
    emit(stage, What::Transition(Transition::Mpp(transition)), text.as_bytes(), cause, is_work)
}

/// The entries of an invocation that failed, and of the frame that its adapter sent once too often.
pub(super) struct Story {
    pub(super) stage: TestConsole,
    pub(super) pull: Seq,
    pub(super) invocation: Seq,
    pub(super) failed_frame: Seq,
    pub(super) failed: Seq,
    pub(super) refund: Seq,
    pub(super) refused: Seq,
}

pub(super) fn story(columns: u16, rows: u16) -> Story {
    let accepted = || Verdict::Mpp(events::Verdict::Accepted);
    let mut stage = TestConsole::of_size(columns, rows);
    stage.resync(connected());
    for id in 1..=3 {
        stage.mpp(enqueued(id, "default"), "");
        stage.mpp(dispatched(id, "default"), "");
        stage.mpp(applied(id, "default", true), "");
        stage.mpp(done(id, "default"), "");
    }
    let id = InvocationId(7);
    let s = &mut stage;
    let pull = frame(
        s,
        Direction::Inbound,
        accepted(),
        (FrameType::Pull, None),
        "{\"mpp\":2,\"type\":\"pull\",\"queue\":\"boss\"}\n",
        None,
    );
    changed(s, events::Transition::Parked { queue: "boss".into() }, "", Some(pull));
    changed(s, enqueued(7, "boss"), "", None);
    changed(s, dispatched(7, "boss"), "", Some(pull));
    let sent = r#"{"mpp":2,"type":"invocation","id":7,"queue":"boss","event":"give_item","params":{"item_id":4,"count":1,"to":"PPARAMS"}}"#;
    let invocation = frame(
        s,
        Direction::Outbound,
        Verdict::Sent,
        (FrameType::Invocation, Some(7)),
        &format!("{sent}\n"),
        Some(pull),
    );
    let said = "{\"mpp\":2,\"type\":\"failed\",\"id\":7,\"reason\":\"PREASON: no such item in the inventory\",\"refund\":true,\"mood\":\"PUNKNOWN\"}\n";
    let failed_frame = frame(s, Direction::Inbound, accepted(), (FrameType::Failed, Some(7)), said, None);
    let failed = events::Transition::Failed {
        id,
        queue: "boss".into(),
        event: "give_item".into(),
        from: RowState::Dispatched,
        cleared: true,
        by: FailedBy::Adapter,
    };
    let failed = changed(s, failed, "PREASON: no such item in the inventory", Some(failed_frame));
    let refund =
        events::Transition::RefundRecorded { refund: RefundId(1), id, status: RefundStatus::Requested };
    let refund = changed(s, refund, "", Some(failed_frame));
    let verdict = Verdict::Mpp(events::Verdict::Refused(ENDED));
    let refused = frame(
        s,
        Direction::Inbound,
        verdict,
        (FrameType::Done, Some(7)),
        "{\"mpp\":2,\"type\":\"done\",\"id\":7}\n",
        None,
    );
    let told = r#"{"mpp":2,"type":"protocol_error","code":"UNEXPECTED_STATE_TRANSITION","message":"the invocation has ended"}"#;
    frame(
        s,
        Direction::Outbound,
        Verdict::Sent,
        (FrameType::ProtocolError, None),
        &format!("{told}\n"),
        Some(refused),
    );
    let gone =
        events::Transition::Disconnected { peer: PEER.into(), active: true, cause: CloseCause::Fault(ENDED) };
    changed(s, gone, "", Some(refused));
    Story { stage, pull, invocation, failed_frame, failed, refund, refused }
}

pub(super) fn open(stage: &mut TestConsole, seq: Seq) -> Vec<Effect> {
    inspect::inspect(&mut stage.ui, &stage.view, seq)
}

/// The entry that is looked at.
pub(super) fn at(stage: &TestConsole) -> Option<Seq> {
    stage.ui.top().map(|inspector: &Inspector| inspector.subject.seq())
}

pub(super) fn focus(stage: &mut TestConsole, view: ViewId, pane: PaneId) {
    stage.ui.show(view);
    stage.ui.focus = Focus::Pane(pane);
    stage.ui.zoomed = Some(pane);
}

pub(super) fn inspected(columns: u16, rows: u16, of: fn(&Story) -> Seq) -> TestConsole {
    let mut story = story(columns, rows);
    let seq = of(&story);
    open(&mut story.stage, seq);
    story.stage
}

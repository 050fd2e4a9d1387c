//! Peers of the bus by name: where names begin alike, in the log and without a name.

use crossterm::event::KeyCode;

use super::bus_samples::{bus, frame};
use crate::{
    console::{input::pane_id::PaneId, systems::bus::confirmations::KickPeer, ui::state::Focus},
    ids::ConnectionId,
    rmp,
    rmp::{Code, Dialect, FrameKind, Head, Kind, Refusal, Transition as T, Verdict},
    tap::entry::{Direction, Verdict as AnyVerdict},
};

#[test]
fn names_that_begin_alike_are_told_apart_by_their_ends_and_a_peer_is_named_when_it_is_disconnected() {
    let mut stage = bus(160, 50);
    for number in 10..14 {
        stage.join(
            ConnectionId(number),
            &format!("agent-witness-of-friday-{number}"),
            Kind::Agent,
            Dialect::Frames,
        );
        stage.rmp(T::Subscribed { session: ConnectionId(number), sub: 1, topic: "bulk/x".into() }, "");
    }
    for (columns, rows) in [(160, 50), (80, 24)] {
        (stage.ui.columns, stage.ui.rows) = (columns, rows);
        stage.ui.focus = Focus::Pane(PaneId::Subscribers);
        let text = stage.text();
        assert!((10..14).all(|number| text.contains(&format!("ay-{number} "))), "{text}");
    }
    let asked = KickPeer { session: ConnectionId(5), client: "overlay".to_owned() };
    let outcome = Ok(crate::port::Outcome::PeerKicked { session: ConnectionId(5) });
    stage.event(crate::console::ui::event::Event::CommandAnswered { on_outcome: Box::new(asked), outcome });
    assert!(stage.text().contains("overlay disconnected from the bus (session 5)"), "{}", stage.text());
}

#[test]
fn many_clients_that_come_and_go_push_nothing_else_out_of_the_log() {
    let mut stage = bus(160, 50);
    stage
        .station(crate::tap::entry::station::Transition::Operated { by: None, command: None }, "kick peer 9");
    for number in 100..700 {
        let session = ConnectionId(number);
        stage.join(session, &format!("agent-{number}-of-7"), Kind::Agent, Dialect::Frames);
        stage.pass(5);
        stage.rmp(T::Disconnected { session, cause: rmp::CloseCause::PeerClosed }, "");
    }
    let said: Vec<_> = stage.model.journal.notices.iter().map(|notice| notice.text.to_string()).collect();
    assert!(said.iter().any(|text| text.contains("kick peer 9")), "{said:?}");
    assert!(said.iter().any(|text| text.starts_with("×600 agent-699-of-7 connected: agent")), "{said:?}");
    assert!(said.len() < 100, "{}", said.len());
}

#[test]
fn who_has_said_no_name_is_named_once() {
    let mut stage = bus(160, 50);
    let head = Head {
        kind: Some(FrameKind::Publish),
        session: Some(ConnectionId(6)),
        msg_id: Some(9),
        ..Head::default()
    };
    let verdict = AnyVerdict::Rmp(Verdict::Refused(Refusal::Fault(Code::InvalidTtl)));
    stage.rmp_frame(
        Direction::Inbound,
        &head,
        verdict,
        &frame(8, 9, r#"{"type":"intent.x.v1","payload":{}}"#),
    );
    stage.char('9');
    stage.ui.focus = Focus::Pane(PaneId::Violations);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    assert!(text.contains("session 6 (uid 1000 pid 4711) at "), "{text}");
}

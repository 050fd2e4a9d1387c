//! Who gets a place, and who is turned away (ruling RMP 1; admission).

use rl_console::{
    admission::{Origin, Plan, TurnedAway},
    ids::ConnectionId,
    limits,
    rmp::{CloseCause, Dialect, broker::Input},
};

use super::test_broker::TestBroker;

fn small() -> TestBroker {
    TestBroker::with(limits::Rmp { connections_max: 8, ..limits::Rmp::default() })
}

fn process(pid: i32) -> Origin {
    Origin::Process { uid: 1, pid }
}

#[test]
fn the_oldest_without_a_hello_makes_room_and_is_told_busy() {
    let mut fixture = small();
    let silent: Vec<_> = (1..=8).map(|id| fixture.connect(id)).collect();
    assert_eq!(fixture.broker.admission_plan(Origin::Unknown), Plan::Evicts(silent[0]));
    fixture.connect(9);
    let told = &fixture.hear(silent[0])[0];
    assert_eq!((told.name(), told.error()), ("Error".to_owned(), (0, "Busy".to_owned())));
    assert_eq!(fixture.closed, [(silent[0], CloseCause::MadeRoom)]);
}

#[test]
fn a_process_has_a_quarter_and_another_one_has_its_own() {
    let mut fixture = small();
    let mine: Vec<_> = (1..=2).map(|id| fixture.connect_from(id, process(7))).collect();
    fixture.connect_from(3, process(7));
    assert_eq!(fixture.closed, [(mine[0], CloseCause::MadeRoom)], "its own oldest makes room");
    fixture.connect_from(4, process(8));
    assert_eq!(fixture.closed.len(), 1);
}

#[test]
fn who_shows_no_token_in_the_operators_room_goes_after_a_second() {
    let mut fixture = small();
    for id in 1..=8 {
        fixture.agent(id);
    }
    let silent = fixture.connect(9);
    fixture.operator(10);
    fixture.wait(999);
    assert!(fixture.closed.is_empty());
    fixture.wait(1);
    assert_eq!(fixture.closed, [(silent, CloseCause::NoToken)]);
    assert_eq!(fixture.hear(silent)[0].error(), (0, "Busy".to_owned()));
    let counts = fixture.broker.tally().turned_away();
    assert_eq!(counts[TurnedAway::NoToken.index()], 1);
    assert_eq!(fixture.closed[0].1.turned_away(), Some(TurnedAway::NoToken), "it is told as it is counted");
    fixture.wait(20_000);
    assert_eq!(fixture.closed.len(), 1, "the operator stays");
}

#[test]
fn a_frame_that_is_turned_away_ends_its_connection_busy_in_frames_alone() {
    let mut fixture = small();
    let (frames, json) = (fixture.agent(1), fixture.tool(2));
    fixture.hear_bytes(json);
    for (session, dialect, why, cause) in [
        (frames, Dialect::Frames, TurnedAway::FrameTime, CloseCause::FrameTimeout),
        (json, Dialect::Json, TurnedAway::ReceivingBytes, CloseCause::ReceivingFull),
    ] {
        fixture.put(Input::TurnedAway { session, dialect, why }, 0);
        assert_eq!(fixture.closed.last(), Some(&(session, cause)));
    }
    assert_eq!(fixture.hear(frames)[0].error(), (0, "Busy".to_owned()));
    assert!(fixture.hear_bytes(json).is_empty());
    fixture.put(
        Input::TurnedAway { session: ConnectionId(77), dialect: Dialect::Frames, why: TurnedAway::FrameTime },
        0,
    );
    assert_eq!(fixture.closed.len(), 2, "one that is not there");
}

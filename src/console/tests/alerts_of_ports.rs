//! What the operator is told of whom the ports turn away.

use crossterm::event::KeyCode;

use super::{
    alerts::{PEER, alerts, holding, pass_s, well},
    test_console::TestConsole,
};
use crate::{
    admission::TurnedAway,
    ids::ConnectionId,
    macp,
    station::{
        alerts::{Cause, TURNED_AWAY},
        bridge, bus, sessions,
    },
    tap::entry::{
        mpp::{CloseCause, Transition},
        station,
    },
};

#[test]
fn connections_that_are_turned_away_alert_and_light_the_chip_for_as_long_as_it_goes_on() {
    type TurnAway = fn(&mut TestConsole);
    let ports: [(&str, TurnAway, Cause, &str); 4] = [
        (
            "MPP",
            |stage| {
                let cause = CloseCause::MadeRoom;
                stage.mpp(Transition::Disconnected { peer: PEER.into(), active: false, cause }, "");
            },
            bridge::alerts::TURNED_AWAY.of("made_room"),
            "5 connections to the bridge port rejected: ",
        ),
        (
            "RMP",
            |stage| {
                let (session, cause) = (ConnectionId(9), crate::rmp::CloseCause::MadeRoom);
                stage.rmp(crate::rmp::Transition::Connected { session, peer: PEER.into() }, "");
                stage.rmp(crate::rmp::Transition::Disconnected { session, cause }, "");
            },
            bus::alerts::TURNED_AWAY.of("made_room"),
            "5 connections to the bus rejected: ",
        ),
        (
            "MACP",
            |stage| {
                let cause = macp::TurnAwayCause::MadeRoom;
                stage.macp(macp::Transition::TurnedAway { peer: PEER.into(), cause }, "");
            },
            sessions::alerts::TURNED_AWAY.of("made_room"),
            "the MACP port rejected 5: ",
        ),
        (
            "STORE",
            |stage| {
                let turned_away = station::Transition::TurnedAway { why: TurnedAway::MadeRoom, count: 1 };
                stage.station(turned_away, "127.0.0.1");
            },
            TURNED_AWAY.of("made_room"),
            "5 connections to the metrics port rejected: ",
        ),
    ];
    for (chip, turn_away, cause, said) in ports {
        let mut stage = well(160, 50);
        let is_lit = |stage: &mut TestConsole| stage.text().contains(&format!("{chip} ◐"));
        for n in 0..5 {
            assert!(alerts(&stage).is_empty(), "{chip}: {n} are not worth it");
            assert!(!is_lit(&mut stage), "{}", stage.text());
            turn_away(&mut stage);
            pass_s(&mut stage, 1);
        }
        let raised = alerts(&stage);
        assert_eq!(raised[0], cause);
        assert!(raised[0].text.starts_with(said), "{raised:?}");
        assert!(raised[0].text.contains(".connections_max"), "{raised:?}");
        assert!(raised[0].text.contains("most are from 127.0.0.1"), "{raised:?}");
        assert!(is_lit(&mut stage), "{}", stage.text());
        stage.char('a');
        let remedy = if chip == "MACP" { "have clients share connections" } else { "stop the client that" };
        assert!(stage.text().contains(remedy), "{}", stage.text());
        assert!(stage.text().contains("ls clients"), "{}", stage.text());
        stage.key(KeyCode::Esc);
        pass_s(&mut stage, 60);
        assert!(holding(&stage).is_empty() && !is_lit(&mut stage), "it passed: {}", stage.text());
    }
}

#[test]
fn one_that_finds_no_place_is_an_alert() {
    let mut stage = well(160, 50);
    let cause = macp::TurnAwayCause::TooManyConnections;
    stage.macp(macp::Transition::TurnedAway { peer: PEER.into(), cause }, "");
    stage.mpp(
        Transition::Disconnected { peer: PEER.into(), active: false, cause: CloseCause::TooManyOfPeer },
        "",
    );
    pass_s(&mut stage, 1);
    let raised = alerts(&stage);
    for subject in ["too_many_connections", "peer_share"] {
        assert!(raised.iter().any(|alert| *alert.subject == *subject), "{raised:?}");
    }
}

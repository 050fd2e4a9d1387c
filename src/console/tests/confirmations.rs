//! What a question is bound to, when that went away while it was open.

use super::{
    steps::{commands, pending_list},
    test_console::{TestConsole, connected, dispatched, done, show},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        ui::{effect::Effect, state::Focus},
    },
    ids::{InvocationId, SessionId},
    mpp,
    port::Command,
    tap::entry::{
        mpp::{CloseCause, Transition},
        station,
    },
};

#[test]
fn an_adapter_that_came_meanwhile_is_not_dropped_in_anothers_place() {
    let mut stage = show(80, 24);
    stage.char('K');
    assert!(stage.text().contains("127.0.0.1:50312 will be disconnected"), "{}", stage.text());
    stage.mpp(
        Transition::Disconnected {
            peer: "127.0.0.1:50312".into(),
            active: true,
            cause: CloseCause::PeerClosed,
        },
        "",
    );
    stage.mpp(
        Transition::Handshaken { peer: "127.0.0.1:50999".into(), session_id: SessionId(43), persisted: 0 },
        "",
    );
    assert!(stage.text().contains("It has already disconnected."), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("127.0.0.1:50312 has already disconnected"), "{}", stage.text());
    // Asked again, it is bound to the one that is there now.
    stage.char('K');
    assert!(stage.text().contains("127.0.0.1:50999 will be disconnected"), "{}", stage.text());
    assert_eq!(commands(stage.char('y')), [mpp::Command::Kick]);
}

#[test]
fn a_recording_that_began_meanwhile_is_not_stopped_in_anothers_place() {
    let mut stage = TestConsole::of_size(80, 24);
    stage.resync(connected());
    stage.station(station::Transition::RecordingStarted, "/data/one.mcap");
    stage.ctrl('r');
    assert!(stage.text().contains("/data/one.mcap holds"), "{}", stage.text());
    stage.station(station::Transition::RecordingStarted, "/data/one.2.mcap");
    assert!(stage.text().contains("/data/one.2.mcap holds"), "it is the same one: {}", stage.text());
    stage.station(station::Transition::RecordingStopped { bytes: 1 }, "/data/one.2.mcap");
    stage.pass(1);
    stage.station(station::Transition::RecordingStarted, "/data/two.mcap");
    assert!(stage.text().contains("/data/one.mcap has already ended."), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
    assert!(stage.text().contains("not stopped: /data/one.mcap has already ended"), "{}", stage.text());
    stage.ctrl('r');
    let effects = stage.char('y');
    assert!(matches!(&effects[..], [Effect::Command { command: Command::RecordStop, .. }]), "{effects:?}");
    assert_eq!(stage.ui.overlays.len(), 0);
}

#[test]
fn a_row_that_has_ended_meanwhile_is_told_in_its_question_also_while_time_is_stopped() {
    for is_stopped in [false, true] {
        let mut stage = pending_list(43..=45, false);
        if is_stopped {
            stage.char(' ');
        }
        stage.char('x');
        assert!(!stage.text().contains("meanwhile"), "{}", stage.text());
        stage.mpp(dispatched(43, "default"), "");
        assert!(
            stage.text().contains("It was dispatched meanwhile: the cancellation will be"),
            "{}",
            stage.text()
        );
        stage.mpp(done(43, "default"), "");
        assert!(
            stage.text().contains("It has ended meanwhile: the cancellation will be"),
            "{}",
            stage.text()
        );
        assert_eq!(stage.ui.time.is_stopped(), is_stopped);
        // The station holds it against what is true then.
        assert!(matches!(
            &commands(stage.char('y'))[..],
            [mpp::Command::Cancel { ids, .. }] if ids[..] == [InvocationId(43)]
        ));
        assert_eq!(stage.ui.time.is_stopped(), is_stopped);
    }
}

#[test]
fn marked_rows_that_went_away_meanwhile_are_left_out_also_while_time_is_stopped() {
    for is_stopped in [false, true] {
        let mut stage = pending_list(43..=45, false);
        if is_stopped {
            stage.char(' ');
        }
        stage.char('v');
        stage.char('v');
        stage.char('x');
        stage.mpp(done(43, "default"), "");
        assert!(stage.text().contains("1 no longer pending, skipped: 1 done."), "{}", stage.text());
        assert!(matches!(
            &commands(stage.char('y'))[..],
            [mpp::Command::Cancel { ids, .. }] if ids[..] == [InvocationId(44)]
        ));
    }
}

#[test]
fn a_row_that_was_settled_meanwhile_is_told_in_its_question_also_while_time_is_stopped() {
    for is_stopped in [false, true] {
        let mut stage = show(160, 50);
        stage.mpp(Transition::Orphaned { id: InvocationId(46), queue: "boss".into() }, "");
        stage.ui.focus = Focus::Pane(PaneId::InFlight);
        stage.key(crossterm::event::KeyCode::Home);
        if is_stopped {
            stage.char(' ');
        }
        while !stage.text().contains("Settle 46?") {
            stage.char('E');
            stage.key(crossterm::event::KeyCode::Down);
        }
        stage.mpp(done(46, "boss"), "");
        assert!(
            stage.text().contains("It has ended meanwhile: settling will be refused."),
            "{}",
            stage.text()
        );
        assert_eq!(stage.ui.time.is_stopped(), is_stopped);
    }
}

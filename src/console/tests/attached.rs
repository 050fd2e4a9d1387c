//! A console on the station of another process: what the header says of it, and what keys do.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::{
    runs_samples::with_runs,
    test_console::{TestConsole, connected, show},
};
use crate::{
    console::{draw::glyphs::Glyphs, ui::effect::Effect},
    ids::ConnectionId,
    port::{Attachment, PreviousSession, Reachability},
    rmp::{Dialect, Kind},
    tap::entry::station::{Level, OperatedBy, Transition},
    time::Now,
};

fn attachment(kind: Kind) -> Attachment {
    Attachment {
        name: Arc::from("friday-night"),
        pid: 4_711,
        session: Some(ConnectionId(3)),
        kind,
        reachability: Reachability::Attached,
        previous: None,
    }
}

pub(super) fn lost(stage: &TestConsole) -> Attachment {
    let reach =
        Reachability::Lost { since: Now::at_ms(stage.ms), why: Arc::from("no station is running for /data") };
    Attachment { reachability: reach, ..attachment(Kind::Tui) }
}

fn attached(columns: u16, rows: u16, kind: Kind) -> TestConsole {
    let mut stage = show(columns, rows);
    stage.model.set_attachment(Some(attachment(kind)), Now::at_ms(stage.ms));
    stage
}

/// One that may only look.
pub(super) fn viewer(columns: u16, rows: u16) -> TestConsole {
    attached(columns, rows, Kind::Viewer)
}

fn header(stage: &mut TestConsole) -> String {
    stage.text().lines().next().unwrap_or_default().trim_end().to_owned()
}

#[test]
fn a_bookmark_of_who_may_only_look_stays_in_the_console() {
    let mut stage = viewer(160, 50);
    assert_eq!(stage.char('m'), []);
    assert_eq!(stage.ui.bookmarks.len(), 1);
    let said = stage.ui.message.as_ref().unwrap();
    assert!(said.text.starts_with("bookmark 1 set"), "{}", said.text);
    let mut stage = attached(160, 50, Kind::Tui);
    assert!(matches!(stage.char('m')[..], [Effect::Command { .. }]), "others mark the moment for all");
}

#[test]
fn the_header_says_whose_station_it_is_and_whether_it_answers() {
    let mut all = Vec::new();
    for (columns, rows) in [(80, 24), (120, 30), (160, 50), (220, 50)] {
        let mut stage = attached(columns, rows, Kind::Tui);
        all.push(header(&mut stage));
        stage.view.glyphs = Glyphs::of(true);
        all.push(header(&mut stage));
        stage.view.glyphs = Glyphs::of(false);
        let gone = lost(&stage);
        stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
        stage.pass(12_000);
        all.push(header(&mut stage));
        all.push(header(&mut attached(columns, rows, Kind::Viewer)));
    }
    insta::with_settings!({snapshot_path => "../../../tests/it/snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("console_attached_headers", all.join("\n"));
    });
}

#[test]
fn q_detaches_without_a_question_whatever_is_in_flight() {
    let mut stage = show(80, 24);
    assert_eq!(stage.char('q'), [], "it is asked, for work is in flight");
    assert_eq!(attached(80, 24, Kind::Tui).char('q'), [Effect::Quit]);
}

#[test]
fn a_read_only_console_says_why_a_key_does_nothing() {
    let mut stage = attached(160, 50, Kind::Viewer);
    for key in ['H', 'D', 'n', 'K'] {
        assert_eq!(stage.char(key), [], "{key}");
        assert!(stage.text().contains("read-only token"), "{key}\n{}", stage.text());
        stage.key(KeyCode::Esc);
    }
    assert_eq!(stage.ctrl('x'), []);
}

#[test]
fn while_the_station_is_lost_nothing_is_done_and_everything_can_be_looked_at() {
    let mut stage = attached(160, 50, Kind::Tui);
    let gone = lost(&stage);
    stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
    assert_eq!(stage.char('H'), []);
    assert!(
        stage.text().contains("the station does not answer: no station is running for /data"),
        "{}",
        stage.text()
    );
    assert!(!stage.text().contains("LIVE"));
    stage.pass(3_000);
    stage.model.set_attachment(Some(attachment(Kind::Tui)), Now::at_ms(stage.ms));
    assert!(stage.text().contains("LIVE"));
    stage.char('9');
    assert!(stage.text().contains("reattached to friday-night"), "{}", stage.text());
}

#[test]
fn a_station_that_was_stopped_in_order_is_not_lost_and_says_who_stopped_it() {
    for (by, words) in [
        (
            Some(OperatedBy { kind: Kind::Ui, client: "ops".into(), session: Some(ConnectionId(7)) }),
            "by ops ",
        ),
        (None, ""),
    ] {
        let mut stage = attached(160, 50, Kind::Tui);
        stage.station(Transition::Stopping { by }, "");
        let at = stage.view.zone.clone();
        let at = crate::words::format::time_of_day(Now::at_ms(stage.ms).wall, &at);
        let gone = lost(&stage);
        stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
        stage.pass(9_000);
        let header = header(&mut stage);
        assert!(header.contains(&format!("STOPPED {words}{at}")) && !header.contains("LOST"), "{header}");
    }
}

#[test]
fn a_station_that_was_started_again_is_going_down_no_more() {
    let mut stage = attached(160, 50, Kind::Tui);
    stage.station(Transition::Notice { level: Level::Info }, "so long");
    stage.station(Transition::Stopping { by: None }, "");
    assert!(header(&mut stage).contains("STOPPING"));
    let mut again = connected();
    again.station.started_at = Now::at_ms(stage.ms + 5_000);
    stage.pass(6_000);
    stage.resync(again);
    assert!(header(&mut stage).contains("LIVE"), "{}", header(&mut stage));
}

#[test]
fn chips_of_a_station_that_does_not_answer_say_that_nobody_knows_and_this_console_stays_who_it_is() {
    let mut stage = attached(160, 50, Kind::Tui);
    stage.join(ConnectionId(3), "rl-console", Kind::Tui, Dialect::Frames);
    let gone = Attachment { session: None, ..lost(&stage) };
    stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
    stage.pass(9_000);
    let chips = stage.text().lines().nth(1).unwrap_or_default().to_owned();
    assert!(
        chips.contains("MPP ?")
            && chips.contains("RMP ?")
            && chips.contains("STORE ?")
            && !chips.contains('●'),
        "{chips}"
    );
    stage.char('3');
    let text = stage.text();
    assert!(text.contains("this console") && !text.contains("console 4003"), "{text}");
}

#[test]
fn a_station_that_is_late_with_its_sign_of_life_is_silent_and_not_live() {
    let mut stage = attached(80, 24, Kind::Tui);
    let since = Now::at_ms(stage.ms);
    stage.model.set_attachment(
        Some(Attachment { reachability: Reachability::Silent { since }, ..attachment(Kind::Tui) }),
        since,
    );
    stage.pass(3_000);
    let head = header(&mut stage);
    assert!(head.contains("◐ SILENT 3.0s") && !head.contains("LIVE"), "{head}");
    assert_eq!(stage.view.now, since, "what is shown is as old as what was heard last");
    stage.char('K');
    assert!(!stage.text().contains("does not answer"), "it may only be slow: {}", stage.text());
}

#[test]
fn a_console_that_was_cut_off_says_by_whom_however_soon_it_is_back() {
    let mut stage = attached(160, 50, Kind::Tui);
    let cut = Some(PreviousSession::Ended(Arc::from(
        "the station closed the session: an operator ended this session; it may connect again",
    )));
    let again = Attachment { session: Some(ConnectionId(8)), previous: cut, ..attachment(Kind::Tui) };
    let before = stage.model.attachment.clone();
    assert!(stage.model.set_attachment(Some(again.clone()), Now::at_ms(stage.ms)));
    let (level, told) = stage.model.displaced_notice(before.as_ref()).unwrap();
    assert_eq!(level, Level::Error);
    assert!(
        told.starts_with("connection lost, now reattached: ") && told.contains("an operator ended"),
        "{told}"
    );
    assert!(!stage.model.set_attachment(Some(again), Now::at_ms(stage.ms)));
    stage.char('9');
    assert!(stage.text().contains("connection lost, now reattached"), "{}", stage.text());
}

#[test]
fn a_console_whose_station_was_started_again_says_so_once_and_blames_nobody() {
    for is_missed in [false, true] {
        let mut stage = attached(160, 50, Kind::Tui);
        if !is_missed {
            let gone = lost(&stage);
            stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
            assert_eq!(stage.model.displaced_notice(Some(&attachment(Kind::Tui))), None, "nobody knows yet");
            stage.pass(3_000);
        }
        // The sessions of another start have their numbers from the beginning.
        let again =
            Attachment { pid: 26_895, previous: Some(PreviousSession::Restarted), ..attachment(Kind::Tui) };
        let before = stage.model.attachment.clone();
        stage.model.set_attachment(Some(again.clone()), Now::at_ms(stage.ms));
        let told = stage.model.displaced_notice(before.as_ref());
        assert_eq!(
            told,
            Some((Level::Warn, "the station was restarted (pid 26895)".to_owned())),
            "{is_missed}"
        );
        stage.char('9');
        let times = stage.text().matches("the station was restarted (pid 26895)").count();
        assert!(times > 0, "{}", stage.text());
        let silent = Attachment {
            reachability: Reachability::Silent { since: Now::at_ms(stage.ms) },
            ..again.clone()
        };
        stage.model.set_attachment(Some(silent.clone()), Now::at_ms(stage.ms));
        assert_eq!(stage.model.displaced_notice(Some(&again)), None, "it is told once");
        stage.model.set_attachment(Some(again), Now::at_ms(stage.ms));
        assert_eq!(stage.model.displaced_notice(Some(&silent)), None, "it is told once");
        let text = stage.text();
        assert_eq!(text.matches("the station was restarted (pid 26895)").count(), times, "{text}");
        assert!(!text.contains("cut off"), "{text}");
    }
}

#[test]
fn approvals_of_a_station_that_is_gone_are_not_offered_in_the_tray() {
    let mut stage = with_runs(attached(160, 50, Kind::Tui));
    stage.tick();
    stage.char('a');
    assert!(stage.text().contains("Approvals: 1 pending"), "{}", stage.text());
    let gone = lost(&stage);
    stage.model.set_attachment(Some(gone), Now::at_ms(stage.ms));
    let text = stage.text();
    for words in ["Approvals", "needs approval for node", "approve  "] {
        assert!(!text.contains(words), "{words}: {text}");
    }
}

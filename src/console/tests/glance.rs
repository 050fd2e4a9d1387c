//! What is seen at a glance is true: the words of chips, and the titles of panes.

use crossterm::event::KeyCode;

use super::test_console::{TestConsole, connected, done};
use crate::{
    console::{input::pane_id::PaneId, ui::state::Focus},
    port::HostState,
    rmp,
    tap::entry::Link,
};

/// A chip's word is the reason for its sign, and the one that `ls health` has.
#[test]
fn the_word_of_a_chip_is_the_reason_for_its_sign() {
    let mut stage = TestConsole::of_size(160, 50);
    let mut snapshot = connected();
    snapshot.mpp.queues.values_mut().next().unwrap().brake.held = true;
    snapshot.station.disk_low = Some(0);
    snapshot.station.hosts[Link::Macp.index()] = HostState::Down("127.0.0.1:50051 is taken".into());
    let span = rmp::DropSpan { at: stage.view.clock, dropped: [0, 0, 3] };
    snapshot.rmp.recent_drops.push_back(span);
    stage.resync(snapshot);
    let chips = stage.text().lines().nth(1).unwrap().to_owned();
    for chip in ["MPP ◐ 1 held", "RMP ◐ 3 drops/min", "MACP ○ port taken", "STORE ◐ disk 0 B"] {
        assert!(chips.contains(chip), "{chip}: {chips}");
    }
    stage.pass(60_000);
    let chips = stage.text().lines().nth(1).unwrap().to_owned();
    assert!(chips.contains("RMP ●"), "a minute later: {chips}");
}

/// Nobody works in it, and what came since is said in its title.
#[test]
fn a_pane_of_the_deck_that_does_not_show_its_head_says_how_much_is_newer() {
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    for id in 1..=40 {
        stage.pass(1_000);
        stage.mpp(done(id, "default"), "");
    }
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    for _ in 0..39 {
        stage.key(KeyCode::Down);
    }
    assert!(!stage.text().contains("newer"), "who works in it sees it at its frame");
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.pass(1_000);
    stage.mpp(done(41, "default"), "");
    let text = stage.text();
    let title = text.lines().find(|line| line.contains("Recent")).unwrap();
    assert!(title.contains(" newer"), "{text}");
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage.key(KeyCode::Home);
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    assert!(!stage.text().contains("newer"), "it shows its head again");
}

//! What is seen at a glance is true: the words of chips, and the titles of panes.

use crossterm::event::KeyCode;

use super::{
    bus_samples::with_drops,
    runs_samples::with_runs,
    sessions_samples::with_sessions,
    test_console::{TestConsole, connected, done, show},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        ui::{
            pane::{PaneContext, Room},
            state::Focus,
        },
    },
    port::HostState,
    rmp,
    tap::entry::Link,
    tap::entry::station::Transition,
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

#[test]
fn counts_since_the_start_beside_others_say_so() {
    let mut stage = with_runs(show(160, 50));
    let text = stage.text();
    let chips = text.lines().nth(1).unwrap();
    assert!(chips.contains("1▶ since start 1✓ 1✗"), "{chips}");
    assert!(text.contains("Queues, fail since start"), "beside rates of the last minute: {text}");
    let mut stage = TestConsole::of_size(160, 50);
    stage.resync(connected());
    let text = stage.text();
    let chips = text.lines().nth(1).unwrap();
    assert!(!chips.contains("since") && !text.contains("fail since"), "of nothing there is no span: {text}");
}

#[test]
fn chips_of_what_ended_say_of_which_span_it_is() {
    let stage = with_runs(show(160, 50));
    let cx = PaneContext { model: &stage.model, ui: &stage.ui, view: &stage.view };
    let figure = |pane: PaneId, room| pane.pane().chip.unwrap()(&cx, room).figure;
    let ended = stage.model.ended().count();
    let recent = figure(PaneId::Recent, Room::Narrow);
    assert!(recent.ends_with(&format!(" of last {ended}")), "{recent}");
    let history = figure(PaneId::History, Room::Narrow);
    assert!(history.ends_with(" since start"), "{history}");
    let tight = figure(PaneId::History, Room::Tight);
    assert!(history.starts_with(&tight) && history != tight, "there it has no room: {tight}");
    let mut stage = super::runs_samples::runs(160, 50);
    let text = stage.text();
    assert!(text.lines().nth(1).unwrap().contains("history 3 stored"), "{text}");
}

#[test]
fn drops_of_topics_say_since_when_they_are_counted() {
    let mut stage = with_drops(show(160, 50));
    stage.char('3');
    let text = stage.text();
    assert!(text.contains(", drops since start"), "beside rates of the last seconds: {text}");
}

/// The rows of the lists are what chips, titles and the header count.
#[test]
fn a_number_of_one_thing_is_the_same_wherever_it_is_seen() {
    let mut stage = with_runs(with_sessions(show(160, 50)));
    let (macp, runs, mpp) =
        (stage.model.macp().unwrap(), stage.model.runs().unwrap(), stage.model.mpp().unwrap());
    let sessions = macp.sessions.values().filter(|view| view.end.is_none()).count();
    let running = runs.runs.iter().filter(|view| view.ended_at.is_none()).count();
    let asks = runs.asks.len();
    let flying = mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count();
    assert_eq!((sessions, running, asks, flying), (2, 1, 1, 2));
    let text = stage.text();
    let lines: Vec<_> = text.lines().collect();
    let (header, chips) = (lines[0], lines[1]);
    assert!(header.contains(&format!("? {asks} approval ")), "{header}");
    for (chip, title) in [
        (format!("2q {flying}▶"), format!("In flight {flying}")),
        (format!("{sessions} open"), format!("Sessions {sessions} open")),
        (format!("{running}▶ since start"), format!("Runs {running} open")),
    ] {
        assert!(chips.contains(&chip) && text.contains(&title), "{chip}, {title}: {text}");
    }
}

#[test]
fn the_chip_of_the_store_has_the_room_that_there_is_now() {
    let mut stage = show(160, 50);
    stage.station(Transition::DiskLow { free_bytes: 9 << 20 }, "");
    assert!(stage.text().contains("STORE ◐ disk 9 MiB"), "{}", stage.text());
    let lines = stage.model.journal.notices.len();
    stage.station(Transition::DiskFree { free_bytes: 3 << 20 }, "");
    assert!(stage.text().contains("STORE ◐ disk 3 MiB"), "{}", stage.text());
    assert_eq!(stage.model.journal.notices.len(), lines, "a figure is no news");
    stage.station(Transition::DiskOk { free_bytes: 9 << 30 }, "");
    assert!(stage.text().contains("STORE ●"), "{}", stage.text());
}

//! A recording on a screen: what the header says, the time bar, and what the keys ask of the replay.

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    answers::{asked as asked_pages, asked_by},
    runs_samples::runs,
    test_console::{TestConsole, done, enqueued, show},
    views::bridge,
};
use crate::{
    console::{
        draw::glyphs::Glyphs,
        input::{pane_id::PaneId, view_id::ViewId},
        settings::SavedBookmarks,
        ui::{
            bookmark_file,
            effect::{Effect, PanePage},
            event::Event,
            state::Focus,
        },
    },
    ids::Seq,
    port::{BarPart, PortError, Query, ReplayAct, ReplayBar, ReplayPlace, ReplaySpan, ReplayView, Speed},
    tap::entry::station::Transition,
    time::{Now, Wall},
    words::format,
};

/// A console on a recording of 100 s, at its middle.
fn replayed() -> TestConsole {
    let mut stage = show(160, 50);
    let at = Now::at_ms(stage.ms);
    stage.view.replay = Some(ReplayView {
        generation: 1,
        at,
        passed: Duration::from_secs(50),
        since: at.mono,
        speed: Speed::parse("4").unwrap(),
        renewed: 0,
        is_held: false,
        is_seeking: false,
        first: at.before(Duration::from_secs(50)),
        last: at.after(Duration::from_secs(50)),
        span: ReplaySpan {
            first: at.before(Duration::from_secs(50)).wall,
            last: at.after(Duration::from_secs(50)).wall,
            lasts: Duration::from_secs(100),
        },
        refused: None,
        lost: 0,
        unrecorded: None,
        bar: Arc::new(ReplayBar::with_parts(10)),
    });
    stage
}

fn asked(effects: &[Effect]) -> Vec<ReplayAct> {
    let of_replay = |effect: &Effect| match effect {
        Effect::Replay(act) => Some(*act),
        _ => None,
    };
    effects.iter().filter_map(of_replay).collect()
}

fn header(stage: &mut TestConsole) -> String {
    stage.text().lines().next().unwrap().to_owned()
}

#[test]
fn the_header_says_what_was_lost_and_where_nothing_is_recorded() {
    let mut stage = replayed();
    let at = Now::at_ms(stage.ms).wall;
    stage.view.replay.as_mut().unwrap().lost = 32;
    let lost = header(&mut stage);
    assert!(lost.contains("loss 32") && !lost.contains("not recorded"), "{lost}");
    let hour_later = Wall(at.0 + 3_600_000);
    stage.view.replay.as_mut().unwrap().unrecorded = Some((at, hour_later));
    let unrecorded = header(&mut stage);
    let time = |wall| format::time_of_day(wall, &stage.view.zone);
    let wanted = format!("not recorded: {} to {}", time(at), time(hour_later));
    assert!(unrecorded.contains(&wanted) && !unrecorded.contains("alert"), "{unrecorded}");
}

#[test]
fn the_header_says_that_it_is_a_recording_and_where() {
    let mut stage = replayed();
    let playing = header(&mut stage);
    assert!(playing.contains("REPLAY ") && playing.contains(" ×4"), "{playing}");
    assert!(!playing.contains("LIVE") && !playing.contains(" ‖ "), "{playing}");
    stage.view.replay.as_mut().unwrap().is_held = true;
    let held = header(&mut stage);
    assert!(held.contains("REPLAY ‖ "), "{held}");
    // On the line of messages there is its time from one end to the other.
    let text = stage.text();
    let bar = text.lines().rev().nth(1).unwrap();
    let middle = bar.chars().position(|it| it == '|').unwrap();
    assert!(bar.contains('▁') && (55..61).contains(&middle), "{middle}: {bar}");
}

#[test]
fn header_and_chips_of_a_recording_are_of_what_was_stepped_back_to() {
    let mut stage = replayed();
    stage.station(Transition::Stopping { by: None }, "");
    assert!(header(&mut stage).contains("STOPPING"));
    stage.char(',');
    assert!(stage.ui.time.is_stopped() && !header(&mut stage).contains("STOPPING"));
    assert!(!stage.text().contains("NOW:"), "{}", stage.text());
    // A station goes on meanwhile.
    stage.view.replay = None;
    assert!(header(&mut stage).contains("STOPPING") && stage.text().contains("NOW:"));
}

/// The line of messages, where the time bar is, from column 10 to column 149.
fn bar(stage: &mut TestConsole) -> Vec<char> {
    stage.text().lines().rev().nth(1).unwrap().chars().collect()
}

fn click(stage: &mut TestConsole, column: u16) -> Vec<ReplayAct> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    asked(&stage.event(Event::Mouse(MouseEvent { kind, column, row: 48, modifiers: KeyModifiers::NONE })))
}

#[test]
fn a_click_on_the_time_bar_goes_there_by_the_time_of_the_recording() {
    let mut stage = replayed();
    let after = |ms| [ReplayAct::Seek(ReplayPlace::After(Duration::from_millis(ms)))];
    assert_eq!(click(&mut stage, 10), after(0));
    assert_eq!(click(&mut stage, 149), after(100_000));
    let [ReplayAct::Seek(ReplayPlace::After(near))] = click(&mut stage, 45)[..] else { unreachable!() };
    assert!((24_500..25_500).contains(&near.as_millis()), "{near:?}");
    assert!(click(&mut stage, 5).is_empty(), "its time is no place");
    // Whatever the wall clock was set to meanwhile.
    let column = bar(&mut stage).iter().position(|it| *it == '|');
    let replay = stage.view.replay.as_mut().unwrap();
    replay.last.wall = Wall(replay.first.wall.0 - 1_000);
    assert_eq!(bar(&mut stage).iter().position(|it| *it == '|'), column);
    assert_eq!(click(&mut stage, 149), after(100_000));
    // From what was stepped back to, too.
    stage.char(',');
    assert!(stage.ui.time.is_stopped());
    assert_eq!(click(&mut stage, 10), after(0));
    assert!(!stage.ui.time.is_stopped());
}

#[test]
fn losses_faults_and_marks_have_signs_of_their_own_in_the_time_bar() {
    let mut stage = replayed();
    let mut parts = ReplayBar::with_parts(140);
    parts.note(BarPart { lost: 1, ..BarPart::default() }, (10, 10), 140);
    parts.note(BarPart { faults: 1, ..BarPart::default() }, (20, 20), 140);
    parts.note(BarPart { marks: 1, ..BarPart::default() }, (30, 30), 140);
    stage.view.replay.as_mut().unwrap().bar = Arc::new(parts);
    stage.char('m');
    stage.ui.message = None;
    let mut signs = |ascii| {
        stage.view.glyphs = Glyphs::of(ascii);
        let bar = bar(&mut stage);
        [20, 30, 40].map(|column: usize| bar[column])
    };
    assert_eq!((signs(false), signs(true)), (['?', '✗', '◆'], ['?', 'x', 'm']));
}

#[test]
fn a_bookmark_is_in_the_time_bar_where_the_recording_has_it() {
    let mut stage = replayed();
    let first = stage.view.replay.as_ref().unwrap().first.wall;
    let bookmark = |after_ms: &str| {
        format!(
            r#"{{"version":1,"marks":[{{"at_ms":{},{after_ms}"entry":1,"view":"Wire"}}]}}"#,
            first.0 + 25_000
        )
    };
    for (after_ms, column) in [(r#""after_ms":75000,"#, 114), ("", 44)] {
        let saved = saved(Ok(Some(bookmark(after_ms))));
        assert!(bookmark_file::restore(&mut stage.ui, &saved, Now::at_ms(0)));
        assert_eq!(bar(&mut stage).iter().position(|it| *it == '★'), Some(column), "{after_ms}");
    }
}

#[test]
fn what_the_station_waits_for_is_in_the_header_of_a_recording_over_it() {
    let mut stage = replayed();
    stage.view.present = vec!["▲ 2 alerts".to_owned(), "? 1 approval".to_owned()];
    let header = header(&mut stage);
    assert!(header.contains("(NOW: ▲ 2 alerts  ? 1 approval)"), "{header}");
}

#[test]
fn what_is_for_a_station_alone_says_how_to_do_it_there() {
    let mut stage = replayed();
    assert!(stage.char('x').is_empty());
    let refused = "this is a replay of the past: nothing can be done in it; ";
    let hint = said(&stage).strip_prefix(refused).unwrap_or_else(|| panic!("{}", said(&stage)));
    assert!(hint.contains("`rl-console attach`"), "{hint}");
    stage.view.is_over_station = true;
    stage.char('x');
    assert_eq!(
        said(&stage).strip_prefix(refused),
        Some("q returns to the console of the station, where it can")
    );
}

#[test]
fn help_lists_what_can_be_done_in_a_replay() {
    let mut stage = replayed();
    stage.char('?');
    let help = stage.text();
    assert!(help.contains("replay faster"), "{help}");
    assert!(!help.contains("cancel"), "{help}");
    stage.key(KeyCode::Esc);
    stage.view.replay = None;
    stage.char('?');
    let live = stage.text();
    assert!(live.contains("cancel"), "{live}");
}

#[test]
fn keys_move_the_replay() {
    let mut stage = replayed();
    let of = |act| vec![act];
    let seek = |place| vec![ReplayAct::Seek(place)];
    assert_eq!(asked(&stage.char(' ')), of(ReplayAct::Toggle));
    assert_eq!(asked(&stage.char(']')), of(ReplayAct::Faster));
    assert_eq!(asked(&stage.char('[')), of(ReplayAct::Slower));
    assert_eq!(asked(&stage.key(KeyCode::End)), seek(ReplayPlace::End));
    assert_eq!(asked(&stage.char('.')), seek(ReplayPlace::NextEntry));
    assert_eq!(asked(&stage.char('>')), seek(ReplayPlace::By(1_000_000_000)));
    assert_eq!(asked(&stage.char(')')), seek(ReplayPlace::By(10_000_000_000)));
    assert!(matches!(asked(&stage.char('}'))[..], [ReplayAct::Seek(ReplayPlace::NextNote(_))]));
    assert!(!stage.ui.time.is_stopped());
    stage.char('@');
    stage.write("seq:7");
    assert_eq!(asked(&stage.key(KeyCode::Enter)), seek(ReplayPlace::Seq(Seq(7))));
    assert_eq!(stage.char('q'), [Effect::Quit], "without asking");
}

#[test]
fn a_place_outside_of_the_recording_moves_nothing_and_says_what_there_is() {
    let mut stage = replayed();
    for outside in ["+999s", "-999s"] {
        stage.char('@');
        stage.write(outside);
        assert!(asked(&stage.key(KeyCode::Enter)).is_empty(), "{outside}");
        assert!(stage.text().contains("the recording has"), "{outside}");
        stage.key(KeyCode::Esc);
    }
}

#[test]
fn a_step_back_goes_through_what_is_kept_and_playing_continues_from_there() {
    let mut stage = replayed();
    for id in [1, 2] {
        stage.pass(100);
        stage.mpp(enqueued(id, "default"), "");
        stage.pass(100);
        stage.mpp(done(id, "default"), "");
    }
    let last = stage.ui.time.current().unwrap();
    assert_eq!(asked(&stage.char(',')), [ReplayAct::Hold]);
    assert!(stage.ui.time.is_stopped());
    let shown = stage.ui.time.current().unwrap();
    assert_eq!(shown.next(), last);
    assert_eq!(asked(&stage.char('.')), [ReplayAct::Hold], "what is kept is stepped through");
    assert_eq!(asked(&stage.char('.')), [ReplayAct::Seek(ReplayPlace::NextEntry)], "then the files");
    assert!(!stage.ui.time.is_stopped());
    stage.char(',');
    assert_eq!(asked(&stage.char(' ')), [ReplayAct::PlayFrom(shown)]);
    assert!(!stage.ui.time.is_stopped());
    // Before all that is kept, the files are asked.
    let mut found = Vec::new();
    for _ in 0..10_000 {
        found = asked(&stage.char(','));
        if found != [ReplayAct::Hold] {
            break;
        }
    }
    assert!(matches!(found[..], [ReplayAct::Seek(ReplayPlace::Before(_))]), "{found:?}");
}

/// What was kept last.
fn kept(effects: &[Effect]) -> String {
    let saved = |effect: &Effect| match effect {
        Effect::SaveBookmarks(text) => Some(text.clone()),
        _ => None,
    };
    effects.iter().rev().find_map(saved).unwrap()
}

fn saved(text: Result<Option<String>, String>) -> SavedBookmarks {
    SavedBookmarks { file: "night.marks.json".into(), text, keeper: None }
}

fn said(stage: &TestConsole) -> &str {
    stage.ui.message.as_ref().map_or("", |message| message.text.as_str())
}

#[test]
fn bookmarks_of_a_recording_are_kept_and_are_there_again() {
    let mut stage = replayed();
    stage.ui.focus = Focus::Pane(PaneId::Queues);
    stage.key(KeyCode::Down);
    let effects = stage.char('m');
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Command { .. })), "no mark: {effects:?}");
    let first = stage.ui.time.current().unwrap();
    stage.mpp(enqueued(100, "default"), "");
    stage.ui.show(ViewId::Journal);
    let text = kept(&stage.char('m'));

    // In another console, which has read the same entries.
    let mut stage = replayed();
    stage.mpp(enqueued(100, "default"), "");
    assert!(bookmark_file::restore(&mut stage.ui, &saved(Ok(Some(text.clone()))), Now::at_ms(0)));
    assert_eq!(bookmark_file::write(&stage.ui.bookmarks), text);
    stage.char('\'');
    assert_eq!((stage.ui.view, said(&stage).starts_with("bookmark 2 of 2")), (ViewId::Journal, true));
    stage.char('\'');
    assert!(said(&stage).starts_with("bookmark 1 of 2"), "{}", said(&stage));
    assert!(!said(&stage).contains("no longer"), "{}", said(&stage));
    assert_eq!((stage.ui.view, stage.ui.focus), (ViewId::Deck, Focus::Pane(PaneId::Queues)));
    assert_eq!(stage.ui.time.current(), Some(first));
    let past = stage.ui.time.visible_model().unwrap();
    let selected = stage.ui.selected(PaneId::Queues, &past).unwrap();
    let bookmark = stage.ui.bookmarks.iter().next().unwrap();
    assert!(bookmark.record.as_ref().unwrap().is_of(&selected), "its record is selected");
    // It is known as the one that is there: again, it goes.
    let text = kept(&stage.char('m'));
    assert_eq!(bookmark_file::read(&text, 100).unwrap().len(), 1);
    // Where its moment is not kept here, the files have it.
    stage.ui.time = crate::console::model::Timeline::new(&stage.ui.limits.console);
    stage.ui.time.anchor(&stage.model, false);
    assert!(matches!(asked(&stage.char('\''))[..], [ReplayAct::Seek(ReplayPlace::Seq(_))]));
    stage.event(Event::Tick);
    assert!(stage.ui.awaited.is_some(), "the place before is shown still");
    stage.ui.forget_entries();
    stage.event(Event::Tick);
    assert!(stage.ui.awaited.is_none(), "there, its record is selected");
}

#[test]
fn bookmarks_that_cannot_be_read_are_reported_and_there_are_none() {
    for text in [Ok(Some("{}".to_owned())), Err("larger than 9 bytes".to_owned())] {
        let mut stage = replayed();
        assert!(!bookmark_file::restore(&mut stage.ui, &saved(text), Now::at_ms(stage.ms)));
        let said = said(&stage);
        assert!(said.starts_with("night.marks.json: ") && said.contains("left as it is"), "{said}");
        assert!(stage.ui.bookmarks.is_empty());
    }
    let mut stage = replayed();
    assert!(bookmark_file::restore(&mut stage.ui, &saved(Ok(None)), Now::at_ms(0)), "none was kept yet");
}

#[test]
fn a_live_console_has_no_speed() {
    let mut stage = show(160, 50);
    assert!(stage.char(']').is_empty());
    assert!(stage.ui.message.as_ref().unwrap().text.contains("rl-console replay FILE"));
}

#[test]
fn lists_and_what_is_read_of_a_record_are_asked_for_again_at_another_place() {
    let mut stage = bridge(160, 50);
    assert!(asked_by(PaneId::Refunds, &stage.key(KeyCode::Down)).is_none());
    stage.ui.forget_entries();
    let effects = stage.key(KeyCode::Down);
    for pane in [PaneId::History, PaneId::Refunds, PaneId::State] {
        assert!(asked_by(pane, &effects).is_some(), "{pane:?}");
    }
}

#[test]
fn what_a_recording_does_not_have_is_said_in_the_panes_with_what_to_do() {
    let mut stage = runs(160, 50);
    stage.view.replay.clone_from(&replayed().view.replay);
    stage.ui.forget_entries();
    let effects = stage.event(Event::Tick);
    for (pane, serial, query) in asked_pages(&effects) {
        let page = Err(match query {
            Query::RunArtifacts { .. } => PortError::NotRecorded { what: "the artifacts of runs".to_owned() },
            _ => PortError::NotOnScreen { what: "it".to_owned(), command: "run events".to_owned() },
        });
        stage.event(Event::QueryAnswered { on_page: Box::new(PanePage { pane, serial }), page });
    }
    let text = stage.text();
    assert!(text.contains("a recording does not have the artifacts of runs"), "{text}");
}

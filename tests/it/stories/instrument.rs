//! Finding out: what failed and why, what caused what, what was a moment ago, and what must not be seen.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use crate::{
    real::{Adapter, json, screen::Terminal},
    terminal::{console, mpp_addr},
};

/// Gives one piece of work and lets the adapter do it, or fail it for a reason; its id.
fn work(folder: &Path, adapter: &mut Adapter, give: &[&str], reason: Option<&str>) -> u64 {
    json(folder, &[&["invoke"], give].concat());
    adapter.send(super::PULL).unwrap();
    let id = adapter.receive().unwrap()["id"].as_u64().unwrap();
    let answers = if let Some(reason) = reason {
        vec![format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"{reason}"}}"#)]
    } else {
        let applied = format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#);
        vec![applied, format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)]
    };
    for answer in answers {
        adapter.send(&answer).unwrap();
    }
    id
}

/// Goes to Recent of the Deck, once a row has ended. The first steps, a pane of their own, are gone by then.
fn to_recent(terminal: &mut Terminal) {
    let has_ended = |screen: &str| screen.contains("✓ done") || screen.contains("✗ failed");
    terminal.wait("a row that ended", |screen| has_ended(screen) && !screen.contains("Getting started"));
    terminal.keys("1\t\t");
    terminal.shows("▸ Recent");
}

#[test]
fn find_the_invocation_that_failed_and_why() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    let reasons = [None, None, Some("the bag is full: no slot for item 4"), None, None];
    let ids = reasons.map(|reason| {
        work(folder.path(), &mut adapter, &["give_item", "--params", r#"{"item_id":4}"#], reason)
    });
    let failed = ids[2];
    to_recent(&mut terminal);
    terminal.wait("all have ended", |screen| {
        screen.matches("✓ done").count() == 4 && screen.contains("✗ failed")
    });
    // One of many: the filter leaves it alone.
    terminal.keys("/state:failed");
    terminal.wait("it alone", |screen| screen.contains("✗ failed") && !screen.contains("✓ done"));
    terminal.keys("\r");
    terminal
        .wait("the filter is kept", |screen| screen.contains("state:failed") && screen.contains("1 of 5"));
    // Its details tell why; what they tell of comes from the entries of the tap.
    terminal.keys("\r");
    let details = terminal.wait("its details", |screen| {
        screen.contains(&format!("Invocation {failed}")) && screen.contains("\"item_id\":4")
    });
    assert!(details.contains("the bag is full: no slot for item 4"), "{details}");
    // The change of state, and the frame that it came from: with the bytes as the adapter sent them.
    terminal.keys("c");
    terminal.wait("the change", |screen| {
        screen.contains("state change") && screen.contains(&format!("failed {failed}"))
    });
    terminal.keys("c");
    let frame =
        terminal.wait("the frame", |screen| screen.contains("in from") || screen.contains("in, from"));
    assert!(frame.contains(&format!("in failed {failed}")), "{frame}");
    assert!(frame.contains("the bag is full") && frame.contains("7b 22 6d 70 70 22 3a 32"), "{frame}");
}

#[test]
fn what_caused_this_and_what_did_it_cause() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    let id = work(folder.path(), &mut adapter, &["heal_party"], Some("no party"));
    to_recent(&mut terminal);
    terminal.wait("it failed", |screen| screen.contains("✗ failed"));
    // From the record to the entry that told of it last, and up to the frame that caused that.
    terminal.keys("c");
    terminal.wait("the change", |screen| {
        screen.contains("state change") && screen.contains(&format!("caused by   in failed {id}"))
    });
    terminal.keys("c");
    let frame = terminal.wait("the frame", |screen| {
        screen.contains("in, from") && screen.contains(&format!("in failed {id}"))
    });
    assert!(frame.contains("none recorded") && frame.contains("no party"), "{frame}");
    terminal.keys("c");
    terminal.shows("no cause recorded");
    // Down again, by what it caused; and back by the way that was come.
    terminal.keys("C");
    terminal.wait("the effect", |screen| {
        screen.contains("state change") && screen.contains(&format!("caused by   in failed {id}"))
    });
    terminal.keys("\x7f");
    terminal.wait("the frame again", |screen| {
        screen.contains("in, from") && screen.contains(&format!("in failed {id}"))
    });
    // The work from its beginning: the one before, until there is none.
    let mut seen = Vec::new();
    for _ in 0..12 {
        terminal.wait_stable("N");
        let screen = terminal.shows("decoded as");
        seen.push(screen.lines().nth(2).unwrap_or_default().to_owned());
        if screen.contains("no earlier entry of its trace is kept") {
            break;
        }
    }
    let all = seen.join("\n");
    for step in [format!("out invocation {id}"), format!("dispatched {id}"), format!("enqueued {id}")] {
        assert!(all.contains(&step), "{step} is not among:\n{all}");
    }
}

#[test]
fn rows_flow_on_while_the_show_goes_on_air_and_off_again() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    let login = "xXkrakenXx";
    let give: [&str; 5] = ["give_item", "--params", r#"{"item_id":4}"#, "--user", login];
    let reason = format!("{login} has no bag");
    let (is_over, given) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..2_000 {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                work(folder.path(), &mut adapter, &give, Some(&reason));
                given.fetch_add(1, Ordering::SeqCst);
            }
        });
        // Whatever fails from here on, the rows end with it.
        let _over = DoneFlag(&is_over);
        terminal.wait("a login is on the screen", |screen| screen.contains(login));
        terminal.keys("O");
        terminal.wait("it is gone", |screen| screen.contains("ON AIR") && !screen.contains(login));
        terminal.record_frames();
        let before = given.load(Ordering::SeqCst);
        let have_come = (0..3_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            given.load(Ordering::SeqCst) >= before + 20
        });
        assert!(have_come, "rows flow on");
        terminal.wait_stable("\t\t\r");
        terminal.wait_stable("\x1b");
        let (frames, _) = terminal.recorded_frames();
        assert!(frames.len() > 5, "and are drawn: {}", frames.len());
        for frame in &frames {
            let first = frame.lines().next().unwrap_or_default();
            assert!(first.contains("ON AIR") && !frame.contains(login), "{frame}");
        }
        terminal.keys("O");
        terminal.shows("Go off air?");
        terminal.keys("y");
        terminal.wait("off air again", |screen| screen.contains(login) && !screen.contains("ON AIR"));
    });
}

/// Says that it is over when it is dropped.
struct DoneFlag<'a>(&'a AtomicBool);

impl Drop for DoneFlag<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn stop_time_during_a_burst_look_around_go_live() {
    let (folder, token, mut terminal) = console(160, 50);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    let (is_over, is_stopped) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..2_000 {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                // What comes after the stop is told apart from what came before.
                let give: &[&str] = if is_stopped.load(Ordering::SeqCst) {
                    &["give_item", "--params", r#"{"item_id":4}"#]
                } else {
                    &["heal_party"]
                };
                work(folder.path(), &mut adapter, give, None);
            }
        });
        let _over = DoneFlag(&is_over);
        terminal.wait("the burst", |screen| screen.matches("✓ done").count() > 2);
        to_recent(&mut terminal);
        terminal.keys(" ");
        let stopped = terminal.shows("PAUSED");
        is_stopped.store(true, Ordering::SeqCst);
        // The time bar has what comes meanwhile.
        let body = |screen: &str| {
            let lines: Vec<&str> = screen.lines().skip(2).collect();
            let end = lines.len();
            [&lines[..end - 2], &lines[end - 1..]].concat().join("\n")
        };
        // Traffic goes on and is counted; the screen holds.
        let later = terminal.wait("what waits", |screen| waiting(screen) > 40);
        assert_eq!(body(&later), body(&stopped));
        for (key, name) in [("8", "[8 Wire]"), ("9", "[9 Journal]"), ("1", "[1 Deck]")] {
            terminal.keys(key);
            let screen = terminal.wait(name, |screen| screen.contains(name) && screen.contains("PAUSED"));
            assert!(!screen.contains("give_item"), "it came later than what is looked at:\n{screen}");
        }
        // A step back and on again, and what is selected is decoded as it was.
        let before = waiting(&terminal.shows("PAUSED"));
        terminal.keys(",");
        terminal.wait("an entry further back", |screen| waiting(screen) > before);
        terminal.keys(".\r");
        let details = terminal.wait("what was selected", |screen| {
            screen.contains("Invocation ") && screen.contains("heal_party")
        });
        assert!(details.contains("PAUSED"), "{details}");
        terminal.wait_stable("\x1b");
        terminal.keys("\x1b[F");
        terminal.wait("live, with all that came", |screen| {
            screen.contains("LIVE") && screen.contains("give_item")
        });
    });
}

/// How many entries the first line says are waiting.
fn waiting(screen: &str) -> u64 {
    let first = screen.lines().next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("waiting")).unwrap_or(0);
    at.checked_sub(1).and_then(|at| words[at].replace('_', "").parse().ok()).unwrap_or(0)
}

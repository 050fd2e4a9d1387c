//! Exports: what a pane shows, in a file.

use std::{fs, path::Path};

use crossterm::event::KeyCode;

use super::{
    steps::pending_list,
    test_console::{TestConsole, show},
};
use crate::{
    console::{
        app::BackgroundJobs,
        draw::class::MaskPolicy,
        input::pane_id::PaneId,
        settings::Shell,
        ui::{
            effect::Effect,
            state::{Focus, Ui},
        },
    },
    ids::InvocationId,
};

/// Types a line into the palette and does what the loop does with what it wants.
fn run(stage: &mut TestConsole, line: &str) -> String {
    stage.char(':');
    stage.write(line);
    let effects = stage.key(KeyCode::Enter);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut jobs = BackgroundJobs::new(Shell::default());
    for effect in effects {
        if let Effect::Export(job) = effect {
            let written = runtime.block_on(jobs.export(*job));
            stage.event(written);
        }
    }
    stage.ui.message.as_ref().map_or_else(String::new, |message| message.text.clone())
}

fn recent() -> TestConsole {
    let mut stage = show(160, 50);
    stage.ui.focus = Focus::Pane(PaneId::Recent);
    stage
}

fn line_of(folder: &Path, name: &str) -> (String, String) {
    let path = folder.join(name).display().to_string();
    (format!("export {path}"), path)
}

#[test]
fn the_rows_that_a_pane_shows_are_saved_with_its_filter_order_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = recent();
    stage.char('/');
    stage.write("id>37");
    stage.key(KeyCode::Enter);
    let (line, path) = line_of(folder.path(), "recent.txt");
    assert_eq!(run(&mut stage, &line), format!("exported 4 rows to {path}"));
    assert!(stage.ui.palette.is_none() && stage.text().contains("exported 4 rows to"), "{}", stage.text());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 5, "{text}");
    let screen = stage.text();
    let head = lines[0].join(" ");
    let shown: Vec<String> =
        screen.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(shown.iter().any(|line| line.contains(&head)), "{head}: {screen}");
    // As NDJSON, with the names that lists have.
    let (line, path) = line_of(folder.path(), "recent.ndjson");
    assert_eq!(run(&mut stage, &line), format!("exported 4 rows to {path}"));
    let text = fs::read_to_string(&path).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<u64> = rows.iter().filter_map(|row| row["id"].as_u64()).collect();
    assert_eq!(ids, [41, 40, 39, 38], "{text}");
    assert_eq!((&rows[0]["state"], &rows[0]["event"]), (&"failed".into(), &"give_item".into()), "{text}");
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_asked_for_and_an_error_names_path_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = recent();
    let (line, path) = line_of(folder.path(), "kept.txt");
    fs::write(&path, "mine").unwrap();
    let said = run(&mut stage, &line);
    assert_eq!(said, format!("not exported: {path} already exists; `export! {path}` replaces it"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(run(&mut stage, &format!("export! {path}")), format!("exported 41 rows to {path}"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 42);
    let (line, path) = line_of(folder.path(), "no-folder/x.txt");
    let said = run(&mut stage, &line);
    assert!(said.starts_with(&format!("not exported to {path}: No such file or directory")), "{said}");
    // Without a file it is asked for, and from a chip nothing is exported.
    stage.char(':');
    stage.write("export");
    assert!(stage.text().contains("Save what the focused pane shows to FILE."), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(
        stage.ui.palette.as_ref().map(|palette| palette.text().to_owned()),
        Some("export ".to_owned())
    );
    stage.key(KeyCode::Esc);
    stage.ui.focus = Focus::Chips(0);
    assert_eq!(run(&mut stage, "export x.txt"), "no pane focused; Tab moves to one");
}

#[test]
fn what_is_masked_on_the_screen_is_masked_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = recent();
    let both = |stage: &mut TestConsole, prefix: &str| {
        ["txt", "ndjson"].map(|kind| {
            let (line, path) = line_of(folder.path(), &format!("{prefix}.{kind}"));
            run(stage, &line);
            fs::read_to_string(path).unwrap()
        })
    };
    for text in both(&mut stage, "plain") {
        assert!(text.contains("inventory"), "{text}");
    }
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    for text in both(&mut stage, "masked") {
        assert!(text.contains("▒▒▒▒▒▒") && !text.contains("inventory"), "{text}");
    }
}

#[test]
fn with_time_stopped_it_is_what_was_shown_then() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = recent();
    stage.char(' ');
    stage.pass(1_000);
    let failed =
        crate::tap::entry::mpp::Transition::Requeued { id: InvocationId(42), queue: "default".into() };
    let in_flight = |ui: &mut Ui| ui.focus = Focus::Pane(PaneId::InFlight);
    in_flight(&mut stage.ui);
    let before = {
        let (line, path) = line_of(folder.path(), "before.ndjson");
        run(&mut stage, &line);
        fs::read_to_string(path).unwrap()
    };
    stage.mpp(failed, "");
    let (line, path) = line_of(folder.path(), "paused.ndjson");
    run(&mut stage, &line);
    let while_paused = fs::read_to_string(path).unwrap();
    assert!(before.contains("\"id\":42"), "{before}");
    assert!(while_paused.contains("\"id\":42"), "{while_paused}");
    stage.key(KeyCode::End);
    let (line, path) = line_of(folder.path(), "live.ndjson");
    run(&mut stage, &line);
    let at_present = fs::read_to_string(path).unwrap();
    assert!(!at_present.contains("\"id\":42"), "{at_present}");
}

#[test]
fn of_a_list_that_is_not_loaded_whole_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = pending_list(43..=45, true);
    let (line, path) = line_of(folder.path(), "pending.json");
    assert_eq!(run(&mut stage, &line), format!("exported 3 rows (those loaded; there are more) to {path}"));
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 3);
}

#[test]
fn a_screenshot_is_the_screen_without_the_palette_masked_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = recent();
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    let shown = stage.text();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let told = run(&mut stage, &format!("screenshot {}", path("a.txt")));
    assert_eq!(told, format!("exported the screen (160x50) to {}", path("a.txt")));
    let saved = fs::read_to_string(path("a.txt")).unwrap();
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    // Ages and the clock go on while the line is typed.
    assert_eq!(trimmed(&saved)[16..30], trimmed(&shown)[16..30]);
    assert!(saved.contains('▒') && !saved.contains("Command, in"), "{saved}");
    assert!(run(&mut stage, &format!("screenshot {}", path("a.svg"))).contains("a.svg"));
    assert!(fs::read_to_string(path("a.svg")).unwrap().starts_with("<svg "));
    let again = run(&mut stage, &format!("screenshot {}", path("a.svg")));
    assert!(again.contains("already exists; `screenshot! "), "{again}");
    assert!(run(&mut stage, &format!("screenshot! {}", path("a.svg"))).starts_with("exported"));
    stage.key(KeyCode::Esc);
    let wrong = run(&mut stage, &format!("screenshot {}", path("a.png")));
    assert!(wrong.contains(".svg or a .txt") && stage.ui.palette.is_some(), "{wrong}");
}

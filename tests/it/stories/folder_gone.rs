//! Somebody removes the data folder under a console.

use tempfile::tempdir;

use crate::real::{screen::Terminal, test_station::TestStation};

#[test]
fn the_station_and_its_folder_are_gone() {
    let fixture = TestStation::open();
    let data = fixture.folder.path().to_owned();
    let mut terminal = Terminal::start(&data, 160, 50, &["attach"]);
    terminal.shows("STORE ●");
    fixture.station.kill();
    // A station that may come back is waited for.
    terminal.shows("LOST");
    std::fs::remove_dir_all(&data).unwrap();
    let told = terminal.shows("the station is gone, and its data folder");
    assert!(told.contains(&format!("{}", data.file_name().unwrap().to_string_lossy())), "{told}");
    assert_eq!(terminal.ended().exit_code(), 3);
    terminal.assert_restored();
}

#[test]
fn the_console_with_its_own_station_stays_when_the_folder_is_gone() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("show");
    std::fs::create_dir(&data).unwrap();
    let mut terminal = Terminal::start(&data, 160, 50, &["--port", "0"]);
    terminal.shows("STORE ●");
    std::fs::remove_dir_all(&data).unwrap();
    terminal.shows("STORE ○");
    terminal.keys("?");
    terminal.shows("esc");
    terminal.keys("\x1b");
    terminal.shows("STORE ○");
}

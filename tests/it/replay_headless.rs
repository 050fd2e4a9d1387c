//! Screens of recordings without a terminal: written, the same whenever they are drawn, and compared.

use std::{fs, path::Path};

use crate::real::{cli, command};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");

/// What a command line prints, which must succeed.
fn says(data: &Path, args: &[&str]) -> String {
    let output = cli(data, &[&["replay", SAMPLE, "--headless"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code, and what is said.
fn refused(data: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = cli(data, &[&["replay", SAMPLE, "--headless"], args].concat());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_same_place_view_and_size_give_the_same_screen_wherever_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let screen = says(data, &["--view", "wire", "--size", "120x40"]);
    let lines: Vec<&str> = screen.lines().collect();
    assert_eq!(lines.len(), 40, "{screen}");
    assert!(lines.iter().all(|line| line.chars().count() <= 120) && lines[0].contains("REPLAY"), "{screen}");
    assert!(screen.contains("Wire") && !screen.contains("loading the past"), "{screen}");
    assert_eq!(says(data, &["--view", "wire", "--size", "120x40"]), screen);
    assert_ne!(says(data, &["--view", "wire", "--size", "120x40", "--at", "+1s"]), screen);
    // Neither the terminal nor where the user keeps files matters.
    let mut elsewhere = command(data);
    elsewhere.args(["replay", SAMPLE, "--headless", "--view", "wire", "--size", "120x40"]);
    elsewhere.env("TERM", "dumb").env("COLORTERM", "").env("LC_ALL", "C").current_dir(data);
    assert_eq!(String::from_utf8(elsewhere.output().unwrap().stdout).unwrap(), screen);
}

#[test]
fn screens_are_written_as_text_and_pictures_and_compared_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let path = |name: &str| data.join(name).display().to_string();
    let (text, picture) = (format!("+1s={}", path("a.txt")), format!("end={}", path("b.svg")));
    let told = says(data, &["--shot", &text, "--shot", &picture]);
    assert_eq!(told.lines().filter(|line| line.ends_with(": written")).count(), 2, "{told}");
    assert!(fs::read_to_string(path("a.txt")).unwrap().contains("REPLAY"));
    assert!(fs::read_to_string(path("b.svg")).unwrap().starts_with("<svg "));

    let expect = path("screens");
    let shots = ["--shot", "+1s=a.txt", "--shot", "end=deck/b.svg", "--expect", &expect];
    let (code, error) = refused(data, &shots);
    assert!(code == Some(5) && error.contains("--bless"), "{code:?} {error}");
    says(data, &[&shots[..], &["--bless"]].concat());
    assert_eq!(fs::read(path("screens/a.txt")).unwrap(), fs::read(path("a.txt")).unwrap());
    assert_eq!(fs::read(path("screens/deck/b.svg")).unwrap(), fs::read(path("b.svg")).unwrap());
    let told = says(data, &shots);
    assert_eq!(told.lines().filter(|line| line.ends_with(": same")).count(), 2, "{told}");

    let screen = fs::read_to_string(path("screens/a.txt")).unwrap();
    let mut lines: Vec<&str> = screen.lines().collect();
    lines[1] = "something else";
    fs::write(path("screens/a.txt"), lines.join("\n") + "\n").unwrap();
    let (code, error) = refused(data, &shots);
    assert_eq!(code, Some(5), "{error}");
    assert!(error.contains("line 2: expected \"something else\", drawn "), "{error}");
    let (code, error) = refused(data, &["--shot", "end=../a.txt", "--expect", &expect]);
    assert!(code == Some(2) && error.contains("outside"), "{code:?} {error}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for (args, says) in [
        (&["--view", "nonsense"][..], "nonsense"),
        (&["--size", "1x1"], "80x24"),
        (&["--shot", "end"], "22:14:03=queues.txt"),
        (&["--shot", "soon=a.txt"], "seq:N"),
        (&["--shot", "end=a.png"], "neither a text"),
        (&["--shot", "end=a.txt", "--shot", "+1s=./a.txt"], "named twice"),
        (&["--view", "wire", "--filter", "(("], "filter"),
        (&["--bless"], "--expect"),
    ] {
        let (code, error) = refused(data, args);
        assert!(code == Some(2) && error.contains(says), "{args:?}: {code:?} {error}");
    }
    let nowhere = data.join("none");
    let (code, error) = refused(data, &["--shot", &format!("end={}/a.txt", nowhere.display())]);
    assert!(code == Some(1) && error.contains("its folder does not exist"), "{code:?} {error}");
    assert!(!nowhere.exists());
}

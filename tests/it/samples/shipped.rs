//! The recordings of `recordings/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rl_console::{
    recording::{RecordedItem, index, read},
    tap::recorded::encode,
};

use super::{
    bad, calm,
    counts::{Counts, assert_alike, counts, entries, injected_by_mark},
    errors,
    night::Night,
};
use crate::{inject_token::tokens_in, real::cli};

/// The largest that one may be, in bytes.
const BYTES_MAX: u64 = 400_000;

/// What is sent of the errors in the usual run: one of so many.
const ERRORS_STEP: usize = 10;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name)
}

/// Whether they are recorded anew, so that they are not there, or not whole, meanwhile.
fn is_update() -> bool {
    std::env::var_os("RL_CONSOLE_UPDATE").is_some()
}

/// What a recording has in plain: its entries and snapshots.
fn plain(path: &Path) -> Vec<Vec<u8>> {
    let bytes = |item| match item {
        RecordedItem::Entry(entry) => encode(entry.as_ref()),
        RecordedItem::Snapshot { bytes, .. } => bytes,
    };
    read(path).unwrap().map(|item| bytes(item.unwrap())).collect()
}

/// No token of the night is in the file.
fn has_no_token_of(night: &Night, path: &Path) {
    let file = fs::read(path).unwrap();
    for token in night.tokens() {
        let is_in = |bytes: &[u8]| memchr::memmem::find(bytes, token.as_bytes()).is_some();
        assert!(!is_in(&file) && !plain(path).iter().any(|bytes| is_in(bytes)), "{}", path.display());
    }
}

/// What was recorded anew is what is shipped, or is shipped from now on.
fn is_as_shipped(night: &Night, name: &str) {
    let made = night.path(name);
    has_no_token_of(night, &made);
    if is_update() {
        fs::create_dir_all(shipped("")).unwrap();
        fs::write(shipped(name), fs::read(&made).unwrap()).unwrap();
    }
    let of = |path: &Path| counts(entries(path).iter().map(|it| &it.entry));
    assert_alike(name, &of(&shipped(name)), &of(&made));
}

#[test]
fn a_calm_night_is_as_it_is_shipped() {
    is_as_shipped(&calm::play(), calm::FILE);
}

#[test]
fn a_bad_night_is_as_it_is_shipped() {
    let night = bad::play();
    is_as_shipped(&night, bad::FILE);
    is_as_shipped(&night, bad::SECOND_FILE);
}

#[test]
fn a_tenth_of_the_errors_is_as_it_is_shipped() {
    if is_update() {
        is_as_shipped(&errors::play(|_| true), errors::FILE);
        return;
    }
    let night = errors::play(|place| place % ERRORS_STEP == 0);
    let made = night.path(errors::FILE);
    has_no_token_of(&night, &made);
    let (shipped, made) = (entries(&shipped(errors::FILE)), entries(&made));
    let (shipped, made) = (injected_by_mark(&shipped), injected_by_mark(&made));
    assert!(made.len() >= shipped.len() / ERRORS_STEP, "{:?}", made.keys());
    for (mark, counts) in &made {
        assert_alike(mark, shipped.get(mark).unwrap_or(&Counts::new()), counts);
    }
}

#[test]
#[ignore = "ten times the test above"]
fn every_error_is_as_it_is_shipped() {
    is_as_shipped(&errors::play(|_| true), errors::FILE);
}

/// Their names, each with those that follow it.
fn all() -> [Vec<&'static str>; 3] {
    [vec![calm::FILE], vec![bad::FILE, bad::SECOND_FILE], vec![errors::FILE]]
}

#[test]
fn each_that_is_shipped_is_whole_small_and_without_a_token() {
    if is_update() {
        return;
    }
    for name in all().into_iter().flatten() {
        let path = shipped(name);
        assert!(index(&path).unwrap().is_finished(), "{name}");
        assert!(fs::metadata(&path).unwrap().len() <= BYTES_MAX, "{name}");
        let found: Vec<String> = plain(&path).iter().flat_map(|bytes| tokens_in(bytes)).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
        let folder = tempfile::tempdir().unwrap();
        let verified = cli(folder.path(), &["recording", "verify", path.to_str().unwrap()]);
        assert!(verified.status.success(), "{name}: {}", String::from_utf8_lossy(&verified.stdout));
    }
}

#[test]
fn each_that_is_shipped_replays_to_its_end() {
    if is_update() {
        return;
    }
    for names in all() {
        let paths: Vec<String> = names.iter().map(|name| shipped(name).display().to_string()).collect();
        let args: Vec<&str> =
            ["--json", "replay", "--plain"].into_iter().chain(paths.iter().map(String::as_str)).collect();
        let folder = tempfile::tempdir().unwrap();
        let told = cli(folder.path(), &args);
        assert!(told.status.success(), "{names:?}: {}", String::from_utf8_lossy(&told.stderr));
        let lines = String::from_utf8(told.stdout).unwrap();
        let stops = lines.lines().filter(|line| line.contains(r#""event":"stopping""#)).count();
        assert!(stops >= names.len(), "{names:?}: {stops} in {} lines", lines.lines().count());
    }
}

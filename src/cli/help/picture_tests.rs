//! The picture of the documentation: the Deck at a moment of `recordings/bad.mcap`.
//! `RL_CONSOLE_UPDATE=1` draws it again.

use std::{fs, path::Path};

use crate::{
    console::tests::test_console::TestConsole,
    port::{AsOf, Snapshot},
    recording::{self, RecordedItem},
    tap::{
        Draft,
        entry::{Entry, Transition, What, station},
    },
    time::Now,
};

/// What is marked in the recording at that moment.
const MARK: &[u8] = b"chat waits for the boss";
/// Size of the screen.
const SIZE: (u16, u16) = (120, 30);

fn is_the_moment(entry: &Entry, bytes: &[u8]) -> bool {
    let is_mark =
        matches!(entry.what, What::Transition(Transition::Station(station::Transition::Marked { .. })));
    is_mark && bytes == MARK
}

/// The screen at that moment of a recording: the picture, and its text.
fn screen(path: &Path) -> [String; 2] {
    let mut console = TestConsole::of_size(SIZE.0, SIZE.1);
    let (mut begun, mut last, mut as_of) = (false, Now::default(), AsOf::default());
    for item in recording::read(path).unwrap() {
        let (entry, bytes) = match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => {
                if !begun {
                    let snapshot = Snapshot::decode(&bytes).unwrap();
                    as_of = snapshot.as_of;
                    console.begin(snapshot);
                    begun = true;
                }
                continue;
            }
            RecordedItem::Entry(owned) => (owned.entry, owned.bytes),
        };
        last = entry.at;
        if is_the_moment(&entry, &bytes) {
            return console.still(last);
        }
        if !as_of.covers(entry.link, entry.seq) {
            let (link, trace, at) = (entry.link, entry.trace, entry.at);
            console.take(Draft { at, link, trace, cause: None, what: entry.what, bytes: &bytes });
        }
    }
    panic!("no mark {:?} in {}, which ends at {last:?}", String::from_utf8_lossy(MARK), path.display())
}

#[test]
fn the_picture_is_of_the_present_screen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let picture = root.join("src/cli/help/deck.svg");
    let [drawn, text] = screen(&root.join("recordings/bad.mcap"));
    if std::env::var_os("RL_CONSOLE_UPDATE").is_some() {
        fs::write(&picture, &drawn).unwrap();
    }
    assert!(
        fs::read_to_string(&picture).unwrap_or_default() == drawn,
        "{} is not what the screen shows; `RL_CONSOLE_UPDATE=1 cargo test --locked picture` draws it:\n{text}",
        picture.display()
    );
}

//! The picture of the documentation: the Deck at a moment of `recordings/show.mcap`, which
//! `recordings/rehearse` makes. `RL_CONSOLE_UPDATE=1` draws it again.

use std::{fs, path::Path};

use crate::{
    console::tests::test_console::TestConsole,
    port::{AsOf, Snapshot},
    recording::{self, RecordedItem},
    tap::Draft,
    time::Now,
};

/// When in the recording, from its first entry.
const AT_MS: u64 = 41_000;
/// Size of the screen.
const SIZE: (u16, u16) = (120, 30);

/// The screen at that moment of a recording: the picture, and its text.
fn screen(path: &Path) -> [String; 2] {
    let mut console = TestConsole::of_size(SIZE.0, SIZE.1);
    let (mut began, mut last, mut as_of) = (None, Now::default(), AsOf::default());
    for item in recording::read(path).unwrap() {
        let (entry, bytes) = match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => {
                let snapshot = Snapshot::decode(&bytes).unwrap();
                as_of = snapshot.as_of;
                console.begin(snapshot);
                continue;
            }
            RecordedItem::Entry(owned) => (owned.entry, owned.bytes),
        };
        if entry.at.wall.0 - *began.get_or_insert(entry.at.wall.0) > AT_MS {
            break;
        }
        last = entry.at;
        if !as_of.covers(entry.link, entry.seq) {
            let (link, trace, at) = (entry.link, entry.trace, entry.at);
            console.take(Draft { at, link, trace, cause: None, what: entry.what, bytes: &bytes });
        }
    }
    console.still(last)
}

#[test]
fn the_picture_is_of_the_present_screen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let picture = root.join("src/cli/help/deck.svg");
    let [drawn, text] = screen(&root.join("recordings/show.mcap"));
    if std::env::var_os("RL_CONSOLE_UPDATE").is_some() {
        fs::write(&picture, &drawn).unwrap();
    }
    assert!(
        fs::read_to_string(&picture).unwrap_or_default() == drawn,
        "{} is not what the screen shows; `RL_CONSOLE_UPDATE=1 cargo test --locked picture` draws it:\n{text}",
        picture.display()
    );
}

//! The picture of the documentation: the Deck at a moment of `recordings/show.mcap`, which `recordings/rehearse`
//! makes. `RL_CONSOLE_UPDATE=1` draws it anew.

use std::{fs, path::Path};

use ratatui::{buffer::Buffer, layout::Rect};

use super::test_console::TestConsole;
use crate::{
    console::{draw::svg, screen::frame},
    port::{AsOf, Snapshot},
    recording::{self, RecordedItem},
    tap::Draft,
    time::Now,
};

/// When in the recording, from its first entry.
const AT_MS: u64 = 41_000;
/// Size of the screen.
const SIZE: (u16, u16) = (120, 30);

/// The screen at that moment of a recording.
fn screen(path: &Path) -> Buffer {
    let mut stage = TestConsole::of_size(SIZE.0, SIZE.1);
    let (mut began, mut last) = (None, Now::default());
    let mut as_of = AsOf::default();
    for item in recording::read(path).unwrap() {
        match item.unwrap() {
            RecordedItem::Snapshot { bytes, .. } => {
                let mut snapshot = Snapshot::decode(&bytes).unwrap();
                as_of = std::mem::take(&mut snapshot.as_of);
                stage.model.resync(snapshot);
                stage.ui.time.anchor(&stage.model, false);
            }
            RecordedItem::Entry(owned) => {
                let (entry, bytes) = (owned.entry, owned.bytes);
                let began = *began.get_or_insert(entry.at.wall.0);
                if entry.at.wall.0 - began > AT_MS {
                    break;
                }
                last = entry.at;
                if as_of.covers(entry.link, entry.seq) {
                    continue;
                }
                // Entries are numbered anew here.
                let (link, trace, at) = (entry.link, entry.trace, entry.at);
                stage.tap.emit(Draft { at, link, trace, cause: None, what: entry.what, bytes: &bytes });
                stage.fold();
            }
        }
    }
    (stage.view.now, stage.view.clock) = (last, last);
    stage.ui.at = last;
    stage.ui.time.refresh_live_parts(&stage.model);
    stage.ui.reconcile_visible(&stage.model);
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    frame::draw(&mut buffer, &stage.model, &stage.ui, &stage.view);
    buffer
}

#[test]
fn the_picture_is_of_the_present_screen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (recorded, picture) = (root.join("recordings/show.mcap"), root.join("src/cli/help/deck.svg"));
    let screen = screen(&recorded);
    let drawn = svg::svg(&screen);
    if std::env::var_os("RL_CONSOLE_UPDATE").is_some() {
        fs::write(&picture, &drawn).unwrap();
    }
    let text = svg::text(&screen);
    let stands = fs::read_to_string(&picture).unwrap_or_default();
    assert!(
        stands == drawn,
        "{} is not what the screen shows now; `RL_CONSOLE_UPDATE=1 cargo test --locked picture` draws it:\n{text}",
        picture.display()
    );
}

//! The events of the pack that is attached to a recording.

use super::shared::Shared;
use crate::{
    mpp::manifest::Pack,
    port::{Page, PortError},
    recording::{self, PACK_FILE},
    station::bridge::event_rows,
};

/// Those of the pack that is active where the replay is. It reads a file.
///
/// # Errors
/// [`PortError::NotRecorded`] where none is attached, another one was loaded meanwhile, or it has schemas in
/// files of their own, which are not attached.
pub(super) fn answer(shared: &Shared) -> Result<Page, PortError> {
    let (near, hash) = {
        let stage = shared.stage();
        (stage.chunk.saturating_sub(1), stage.state.state().mpp.pack.hash.clone())
    };
    let set = &shared.set;
    let path = set.chunk(near).and_then(|chunk| set.paths().nth(chunk.file));
    let paths = [path, set.first_path_of_start(near)].into_iter().flatten();
    let attached = paths.filter_map(|path| recording::attachment(path, PACK_FILE));
    let nothing = |file: &str| Err(format!("{file} is not attached"));
    let mut packs = attached.filter_map(|it| Pack::parse(&it.bytes, &mut { nothing }).ok());
    match packs.find(|pack| pack.hash == hash) {
        Some(pack) => Ok(Page::Events(event_rows(&pack))),
        None => {
            Err(PortError::NotRecorded { what: "the pack that was active then, with its schemas".to_owned() })
        }
    }
}

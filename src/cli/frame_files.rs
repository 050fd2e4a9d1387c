//! The files of the workbench: the frame that is edited, and the frames that were sent.

use super::{
    debounced_file::{self, DebouncedFile},
    state_files::StateFiles,
};
use crate::console::{
    check_frame_draft, check_sent_frames,
    settings::{DeferredText, SavedFrames},
};

/// The frame that is edited.
const DRAFT: &str = "workbench.draft.json";
/// The frames that were sent.
const SENT: &str = "workbench.sent.json";

/// Keeps what the workbench has for the next start; nothing where there is no folder for it.
#[derive(Debug, Default)]
pub(super) struct FrameFiles {
    draft: Option<DebouncedFile>,
    sent: Option<DebouncedFile>,
}

impl FrameFiles {
    /// What was kept, of at most `bytes_max` bytes a file, and what keeps it from now on. A file that cannot
    /// be read is set aside.
    pub(super) fn open(files: Option<&StateFiles>, bytes_max: u64) -> (SavedFrames, Self) {
        let mut frames = SavedFrames::default();
        let Some(files) = files else { return (frames, Self::default()) };
        let mut read = |name: &str, check: fn(&str) -> Result<(), String>| {
            let text = debounced_file::read_or_set_aside(&files.path(name), bytes_max, check);
            text.unwrap_or_else(|why| {
                tracing::warn!("cannot read {why}");
                frames.troubles.push(why);
                None
            })
        };
        let (draft, sent) = (read(DRAFT, check_frame_draft), read(SENT, check_sent_frames));
        (frames.draft, frames.sent) = (draft, sent);
        let keep = |name: &str| DebouncedFile::spawn(files.path(name));
        (frames, Self { draft: keep(DRAFT), sent: keep(SENT) })
    }

    /// Keeps a draft.
    pub(super) fn save_draft(&self, text: DeferredText) {
        if let Some(draft) = &self.draft {
            draft.make_later(text);
        }
    }

    /// Keeps the frames that were sent.
    pub(super) fn save_sent(&self, text: DeferredText) {
        if let Some(sent) = &self.sent {
            sent.make_later(text);
        }
    }
}

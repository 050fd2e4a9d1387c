//! Frames that are judged one behind the other, and not sent.

use super::run::{Row, Way};
use crate::{
    cli::error::Error,
    port::{DoorSpec, JudgedRow, Stand},
};

/// What was judged so far.
#[derive(Default)]
pub(super) struct DryRun {
    /// Frames of which the judgement of the next one knows nothing.
    unsent: u64,
    /// Whether the bridge would have accepted the hello of this connection.
    is_greeted: bool,
}

impl DryRun {
    /// What follows goes over another connection.
    pub(super) const fn begin_anew(&mut self) {
        self.is_greeted = false;
    }

    fn take(&mut self, door: &DoorSpec, judged: &JudgedRow) {
        let is_hello = matches!(door, DoorSpec::Adapter { hello: false })
            && judged.kind.as_deref() == Some("hello")
            && judged.verdict == "accepted";
        if judged.ends.is_some() {
            self.begin_anew();
        }
        if is_hello {
            self.is_greeted = true;
        } else {
            self.unsent += 1;
        }
    }
}

impl Way<'_> {
    /// Judges a frame: behind the hello where that was one of the frames before it, and otherwise as if none
    /// of these had been sent.
    pub(super) async fn foresee(&mut self, wire: &[u8], frame: u64) -> Result<Row, Error> {
        let door = match &self.door {
            DoorSpec::Adapter { .. } if self.dry_run.is_greeted => DoorSpec::Adapter { hello: true },
            door => door.clone(),
        };
        let judged = self.judge(Stand::New(door.clone()), wire).await?;
        let unsent_before = Some(self.dry_run.unsent).filter(|count| *count > 0);
        self.dry_run.take(&door, &judged);
        let mut row = Row::foreseen(frame, wire.len(), judged);
        row.unsent_before = unsent_before;
        Ok(row)
    }
}

//! Many frames of one kind, sent one behind the other without a pause for what becomes of each.

use super::run::{Row, Way};
use crate::{
    cli::{
        args::{FrameLink, InjectArgs},
        error::Error,
    },
    port::{JudgedRow, PageBytes, SentFrame, WorkbenchCommand, WorkbenchOutcome},
};

/// Frames that are sent at once, and their bytes.
const FRAMES_MAX: usize = 512;
const BYTES_MAX: usize = 1 << 20;

/// How the frames behind the first one go: that one was judged, and ended nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Many {
    /// Answers of each; nothing where they may differ.
    answers: Option<u64>,
}

impl Many {
    /// Where whole frames go through a connection of its own, as fast as they can.
    pub(super) fn of(args: &InjectArgs, first: &JudgedRow) -> Option<Self> {
        let is_own = args.from.is_none() && args.to.is_none() && args.link() != FrameLink::Macp;
        let is_whole = args.raw.is_none()
            && args.snippet.is_none()
            && args.breakages.is_empty()
            && args.pieces.is_none();
        let is_taken = first.verdict == "accepted" && first.ends.is_none();
        let answers = args.each.is_none().then_some(first.answers.len() as u64);
        (is_own && is_whole && is_taken && args.rate.is_none()).then_some(Self { answers })
    }
}

/// Whether one more frame is sent with these.
pub(super) fn has_room(wires: &[Vec<u8>]) -> bool {
    wires.len() < FRAMES_MAX && wires.iter().map(Vec::len).sum::<usize>() < BYTES_MAX
}

impl Way<'_> {
    /// Sends frames, of which the first has this number. Those behind one that ended the connection go over
    /// another one.
    pub(super) async fn frames(
        &mut self,
        many: Many,
        wires: &[Vec<u8>],
        first: u64,
    ) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::with_capacity(wires.len());
        let number = |rows: &[Row]| first + rows.len() as u64;
        while let Some(left) = wires.get(rows.len()..).filter(|left| !left.is_empty()) {
            let sent = self.send_all(many, left).await?;
            let end = sent.last().cloned().unwrap_or_default();
            for sent in &sent {
                rows.push(Row::sent(number(&rows), sent, None));
            }
            if end.closed.is_some() {
                self.number = None;
                continue;
            }
            // No verdict came of the others in time, and none will.
            for wire in left.get(sent.len()..).unwrap_or_default() {
                let unanswered =
                    SentFrame { bytes: wire.len() as u64, lost: end.lost, ..SentFrame::default() };
                rows.push(Row::sent(number(&rows), &unanswered, None));
            }
        }
        Ok(rows)
    }

    async fn send_all(&mut self, many: Many, wires: &[Vec<u8>]) -> Result<Vec<SentFrame>, Error> {
        let door = self.open_door().await?;
        let frames = wires.iter().cloned().map(PageBytes).collect();
        let (wait_ms, answers) = (self.args.wait_ms, many.answers);
        match self.command(WorkbenchCommand::SendAll { door, frames, wait_ms, answers }).await? {
            WorkbenchOutcome::SentAll(sent) => Ok(sent),
            _ => Err(Error::UnexpectedAnswer),
        }
    }
}

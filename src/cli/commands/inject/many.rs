//! A frame that is sent many times, one behind the other without a pause for what becomes of each.

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

/// How a frame is sent again: the last one like it was judged, ended as was foreseen, and ended nothing.
#[derive(Clone, Debug)]
pub(super) struct Many {
    /// What is foreseen of each of them.
    judged: Box<JudgedRow>,
}

impl Many {
    /// Where whole frames go through a connection of its own, as fast as they can.
    pub(super) fn of(args: &InjectArgs, judged: Box<JudgedRow>) -> Option<Self> {
        let is_own = args.from.is_none() && args.to.is_none() && args.link() != FrameLink::Macp;
        let is_whole = args.raw.is_none()
            && args.snippet.is_none()
            && args.breakages.is_empty()
            && args.pieces.is_none();
        let is_taken = judged.verdict == "accepted" && judged.ends.is_none();
        (is_own && is_whole && is_taken && args.rate.is_none()).then_some(Self { judged })
    }
}

/// Whether one more frame is sent with these.
pub(super) fn has_room(wires: &[Vec<u8>]) -> bool {
    wires.len() < FRAMES_MAX && wires.iter().map(Vec::len).sum::<usize>() < BYTES_MAX
}

impl Way<'_> {
    /// Sends a frame again and again with other ids, where the first of these has this number. Once one of
    /// them did not end as was foreseen, the next is judged again. Those behind one that ended the connection
    /// go over another one.
    pub(super) async fn frames(&mut self, wires: &[Vec<u8>], first: u64) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::with_capacity(wires.len());
        while let Some(left) = wires.get(rows.len()..).filter(|left| !left.is_empty()) {
            let number = first + rows.len() as u64;
            match (self.many.clone(), left) {
                (Some(many), _) => rows.extend(self.frames_at_once(many, left, number).await?),
                (None, [wire, ..]) => rows.push(self.frame(wire, number, true).await?),
                (None, []) => {}
            }
            if rows.last().is_some_and(Row::is_closed) {
                self.number = None;
            }
        }
        Ok(rows)
    }

    /// Sends frames without a pause; what became of each, up to one that ended the connection.
    async fn frames_at_once(&mut self, many: Many, wires: &[Vec<u8>], first: u64) -> Result<Vec<Row>, Error> {
        let mut sent = self.send_all(&many, wires).await?;
        let end = sent.last().cloned().unwrap_or_default();
        if end.closed.is_none() {
            // No verdict came of the others in time, and none will.
            let unanswered = wires.get(sent.len()..).unwrap_or_default().iter().map(|wire| SentFrame {
                bytes: wire.len() as u64,
                lost: end.lost,
                ..SentFrame::default()
            });
            sent.extend(unanswered);
        }
        let row = |(number, sent): (u64, &SentFrame)| Row::sent(number, sent, many.judged.clone());
        let rows: Vec<Row> = (first..).zip(&sent).map(row).collect();
        if rows.iter().any(Row::is_different) {
            self.many = None;
        }
        Ok(rows)
    }

    async fn send_all(&mut self, many: &Many, wires: &[Vec<u8>]) -> Result<Vec<SentFrame>, Error> {
        let door = self.open_door().await?;
        let frames = wires.iter().cloned().map(PageBytes).collect();
        let (wait_ms, answers) = (self.args.wait_ms, Some(many.judged.answers.len() as u64));
        match self.command(WorkbenchCommand::SendAll { door, frames, wait_ms, answers }).await? {
            WorkbenchOutcome::SentAll(sent) => Ok(sent),
            _ => Err(Error::UnexpectedAnswer),
        }
    }
}

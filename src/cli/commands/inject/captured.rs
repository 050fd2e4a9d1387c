//! A captured frame of the tap, sent again.

use super::way::{CLIENT, way};
use crate::{
    cli::{
        args::{FrameLink, InjectArgs},
        error::Error,
        inject_error::InjectError,
    },
    dissect::frame_json::{Format, RmpUnits},
    ids::Seq,
    port::{
        DoorSpec, Operator, PAGE_BYTES_MAX, Page, PortError, Present, Query, WorkbenchError, whole_frame,
        wire,
    },
    rmp::Dialect,
    station::OperatorClient,
    tap::entry::{Frame, Head},
};

/// Bytes that a page which was cut may be shorter than the longest one.
const PAGE_SLACK_BYTES: usize = 64;

/// A captured frame, whole.
pub(super) struct Captured {
    pub(super) seq: Seq,
    pub(super) bytes: Vec<u8>,
    frame: Frame,
    present: Present,
}

impl Captured {
    /// The frame of this number.
    ///
    /// # Errors
    /// The tap has none, withheld or masked it, or kept a part of it.
    pub(super) async fn of(station: &OperatorClient, seq: u64) -> Result<Self, Error> {
        let query = Query::Entries {
            before: seq.checked_add(1).map(Seq),
            after: Seq(seq.saturating_sub(1)),
            limit: 1,
        };
        let Page::Entries(page) = station.query(query).await? else { return Err(Error::UnexpectedAnswer) };
        let found = wire::entries(&page.entries.0).filter_map(Result::ok).find(|it| it.entry.seq == Seq(seq));
        let found = found.ok_or(InjectError::NotKept { seq, oldest: page.oldest.0 })?;
        let (frame, bytes) = match whole_frame(found.as_ref()) {
            Ok((frame, bytes)) => (frame.clone(), bytes.into_owned()),
            Err(WorkbenchError::FrameCut { bytes, .. })
                if page.entries.0.len() + PAGE_SLACK_BYTES >= PAGE_BYTES_MAX =>
            {
                return Err(InjectError::TooLongToFetch { seq, bytes }.into());
            }
            Err(why) => return Err(PortError::Workbench(why).into()),
        };
        let present = Self::present(station, &frame).await?;
        Ok(Self { seq: Seq(seq), bytes, frame, present })
    }

    /// Who is there now, of those by whom the door of the frame is found.
    async fn present(station: &OperatorClient, frame: &Frame) -> Result<Present, Error> {
        let mut present = Present::default();
        match &frame.head {
            Head::Mpp(_) => {
                let Page::Adapters(rows) = station.query(Query::Adapters).await? else {
                    return Err(Error::UnexpectedAnswer);
                };
                present.has_adapter = !rows.is_empty();
            }
            Head::Rmp(head) => {
                let Page::Peers(rows) = station.query(Query::Peers).await? else {
                    return Err(Error::UnexpectedAnswer);
                };
                let sender = rows.iter().find(|row| Some(row.session) == head.session);
                present.kind = sender.and_then(|row| row.kind);
            }
            Head::Macp(_) | Head::Plugin(_) => {}
        }
        Ok(present)
    }

    /// Its door, the one that the flags name or the one by which it came, and the format of its bytes.
    pub(super) fn way(&self, args: &InjectArgs) -> Result<(DoorSpec, Format), Error> {
        let (link, name, format) = match &self.frame.head {
            Head::Mpp(_) => (FrameLink::Mpp, "mpp", Format::Mpp),
            Head::Rmp(head) => {
                let units = if head.dialect == Dialect::Json { RmpUnits::Json } else { RmpUnits::Session };
                (FrameLink::Rmp, "rmp", Format::Rmp(units))
            }
            Head::Macp(head) => (FrameLink::Macp, "macp", Format::Macp(head.rpc)),
            Head::Plugin(_) => (FrameLink::Plugin, "plugin", Format::Plugin),
        };
        if link != args.link() {
            return Err(Error::usage(
                format!("--of {}: it is a frame of {name}", self.seq),
                format!("inject {name} --of {}", self.seq),
            ));
        }
        let is_named =
            args.as_kind.is_some() || args.from.is_some() || args.to.is_some() || args.rpc.is_some();
        let door = if is_named {
            way(args, None)?.0
        } else {
            DoorSpec::of_captured(&self.frame, CLIENT, self.present).0
        };
        Ok((door, format))
    }
}

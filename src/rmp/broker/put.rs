//! Frames that are put into a session's connection by hand.

use super::core::Broker;
use crate::{
    ids::ConnectionId,
    rmp::{Dialect, Header, PREFIX_BYTES, RawFrame, Stand},
    tap::{
        PutError,
        entry::{Head as AnyHead, rmp::Head},
    },
    time::Now,
};

impl Broker {
    /// Queues whole frames, or units of the JSON dialect, for a session behind all that waits for it, as if
    /// they were an answer of ours. What the client makes of them is the client's.
    ///
    /// # Errors
    /// [`PutError`]: no such session, bytes that end within a frame, no room.
    pub fn put(&mut self, now: Now, id: ConnectionId, bytes: &[u8]) -> Result<(), PutError> {
        let session = self.sessions.get(id).filter(|session| !session.is_closed()).ok_or(PutError::Gone)?;
        let dialect = session.dialect();
        if bytes.is_empty() {
            return Err(PutError::NotWhole("no bytes".to_owned()));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = rest.first_chunk().map(|prefix| u32::from_be_bytes(*prefix) as usize);
            let frame = length.and_then(|length| rest.get(PREFIX_BYTES..)?.get(length..));
            let lacks = || {
                let whole = length.map_or(PREFIX_BYTES, |length| length.saturating_add(PREFIX_BYTES));
                PutError::NotWhole(format!("its length says {whole} bytes, and there are {}", rest.len()))
            };
            rest = frame.ok_or_else(lacks)?;
        }
        let header = RawFrame::split(bytes).filter(|_| dialect == Dialect::Frames);
        let trace = header.map(|raw| Header::from(&raw.header).trace_id);
        let head = match self.judge(now, &Stand::Towards(id), bytes).head {
            AnyHead::Rmp(head) => head,
            _ => Head { dialect, session: Some(id), ..Head::default() },
        };
        let session = self.sessions.get_mut(id).ok_or(PutError::Gone)?;
        session.outbox.push_answer(bytes).map_err(|_| PutError::Full)?;
        self.waiting.add(session);
        self.outputs.push_back(super::io::Output::Answered {
            session: id,
            head,
            frame: bytes.to_vec(),
            trace,
        });
        Ok(())
    }
}

//! What would hang on a frame of ours that is put into the adapter's connection.

use super::{core::Bridge, judge::too_late};
use crate::{
    ids::{ConnectionId, InvocationId},
    judged::{Judged, Pending},
    mpp::{
        frame::{Outbound, decode_outbound, shortfall},
        framing::{Framed, first},
    },
    tap::entry::{
        self,
        mpp::{Head, RowState, Violation},
    },
};

impl Bridge {
    pub(super) fn judge_towards(&self, conn: ConnectionId, bytes: &[u8]) -> Judged {
        let active = self.active.as_ref().filter(|active| active.conn == conn);
        let guest = self.unauthenticated.get(&conn);
        let Some(peer) = active.map(|active| &active.peer).or(guest.map(|guest| &guest.peer)) else {
            return too_late(bytes);
        };
        let mut head = Head::default();
        let mut judged = match first(bytes) {
            None => {
                let if_cut = "the adapter is left with an unfinished line";
                let pending = Pending { missing_bytes: Some(1), if_cut };
                let judged = Judged::pending(entry::Head::Mpp(head), pending);
                return Judged { taken_bytes: bytes.len(), ..judged }.the_peers();
            }
            Some(Framed::TooLarge(wire)) => self.no_frame(wire, Violation::TooLarge),
            Some(Framed::Line(wire)) => match decode_outbound(wire) {
                Err(violation) => self.no_frame(wire, violation),
                Ok(frame) => {
                    head = frame.head();
                    let mut judged = Judged::certain(entry::Head::Mpp(Head::default()), entry::Verdict::Sent);
                    judged.taken_bytes = wire.len();
                    judged.effect = self.hangs_on_frame(&frame, active.is_some());
                    judged
                }
            },
        };
        judged.head = entry::Head::Mpp(match active {
            Some(active) => active.token.mask_head(head),
            None => head,
        });
        // What hangs on it is the end of a connection, or an effect in the game.
        judged.is_harmful = judged.effect.is_some();
        judged.receiver(|| peer.to_string());
        judged.the_peers()
    }

    /// Bytes that no bridge sends.
    fn no_frame(&self, wire: &[u8], violation: Violation) -> Judged {
        let mut judged = Judged::certain(entry::Head::Mpp(Head::default()), entry::Verdict::Sent);
        judged.taken_bytes = wire.len();
        judged.shortfall = shortfall(wire, violation);
        let hanging = self.hanging().words();
        judged.effect = Some(match violation {
            Violation::TooLarge => format!("over 65,536 bytes: by mpp-v2 the adapter closes; {hanging}"),
            Violation::WrongDirection => {
                let what = "a type that only the adapter sends";
                format!("no frame of the bridge ({what}): the adapter may close; {hanging}")
            }
            _ => format!("no frame of the bridge ({violation}): the adapter may close; {hanging}"),
        });
        judged
    }

    /// What hangs on a frame as far as the bridge knows.
    fn hangs_on_frame(&self, frame: &Outbound<'_>, is_active: bool) -> Option<String> {
        let hanging = || self.hanging().words();
        match frame {
            Outbound::Heartbeat => None,
            Outbound::ProtocolError { .. } | Outbound::HelloRefused { .. } if !is_active => {
                Some("by mpp-v2 the adapter closes before its hello is accepted".to_owned())
            }
            Outbound::ProtocolError { .. } | Outbound::HelloRefused { .. } => {
                Some(format!("by mpp-v2 the adapter closes; {}", hanging()))
            }
            Outbound::HelloAck { .. } if is_active => {
                Some(format!("a second hello_ack: the adapter may close; {}", hanging()))
            }
            Outbound::HelloAck { .. } => Some(
                "its hello is not accepted here: any other frame from it would end the connection".into(),
            ),
            Outbound::Invocation { id, .. } if is_active => Some(self.hangs_on_invocation(*id)),
            Outbound::Invocation { id, .. } => {
                Some(format!("its hello is not accepted here: an answer to {id} would end the connection"))
            }
        }
    }

    fn hangs_on_invocation(&self, id: InvocationId) -> String {
        let active = self.active.as_ref();
        let conn = active.map(|active| active.conn);
        let ends = |what: &str| {
            let hanging = self.hanging().words();
            format!("{id} {what}: an answer to it would end the adapter's connection; {hanging}")
        };
        match self.live.get(&id).filter(|live| live.conn.is_some() && live.conn == conn) {
            Some(live) if live.state == RowState::Dispatched => {
                format!(
                    "{id} is dispatched already: its first answer counts, a second may end the connection"
                )
            }
            Some(_) => {
                let hanging = self.hanging().words();
                format!("{id} is applied: applied once more would end the adapter's connection; {hanging}")
            }
            None if active.is_some_and(|active| active.ended.contains(id)) => ends("has ended"),
            None => ends("is not dispatched here"),
        }
    }
}

//! Calls that the gate stops: a request before the kernel sees it, and an answer before it leaves.
//!
//! A unary call is held by itself; a message of a stream, or an answer on one, holds its stream. A call
//! that is dropped ends as CANCELLED, and so does one that is cut: nothing of it is answered. What ends as
//! a status has no bytes and is not held. `Initialize` is a handshake and is never held, and neither is what
//! carries a token. A rule that asks for a verdict, and may match the call by its class, is asked once the
//! store has said what it has of a session that is there alone.

use std::sync::OnceLock;

use bytes::Bytes;
use prost::Message;
use tonic::Status as Grpc;

use super::{
    call::{Call, Caller},
    codec::Received,
    shared::Shared,
};
use crate::{
    gate::{Look, Notice, Offer, Release, Taken, Waits},
    ids::{Seq, TraceId},
    macp::{
        self, Rpc, Stand,
        kernel::{Judgement, Lookup, Reading},
    },
    tap::{
        Draft, OriginCell, Tap,
        entry::{Direction, Head, Link, Verdict, What, gate::Passing},
    },
};

/// What the kernel says of a request.
struct AtKernel<'a> {
    shared: &'a Shared,
    stand: Stand,
    bytes: &'a Bytes,
    /// The request, once a rule asks what it is.
    reading: OnceLock<Reading>,
    /// The judgement after a look into the store, where a rule asks for one.
    looked: Option<(Head, Verdict)>,
}

impl AtKernel<'_> {
    fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| Reading::new(&self.stand, self.bytes, &self.shared.limits))
    }
}

impl Look for AtKernel<'_> {
    fn head(&self) -> Option<Head> {
        Some(Head::Macp(self.reading().head().clone()))
    }

    fn judged(&self) -> (Head, Verdict) {
        self.looked.clone().unwrap_or_else(|| {
            let reading = self.reading();
            judged(reading, self.shared.judge(&self.stand, reading, Lookup::NotAsked).ok().flatten())
        })
    }

    fn is_secret(&self) -> bool {
        self.shared.tap.finds_token(Link::Macp, self.bytes)
    }
}

/// What is made of a request that the kernel judges so.
fn judged(reading: &Reading, judgement: Option<Judgement>) -> (Head, Verdict) {
    let judged = reading.clone().judged(judgement);
    (judged.head, judged.verdict.unwrap_or(Verdict::Sent))
}

/// An answer, which was made already.
struct Made<'a> {
    call: &'a Call<'a>,
    tap: &'a Tap,
    bytes: &'a Bytes,
}

impl Look for Made<'_> {
    fn head(&self) -> Option<Head> {
        Some(Head::Macp(self.call.head.clone()))
    }

    fn judged(&self) -> (Head, Verdict) {
        (Head::Macp(self.call.head.clone()), Verdict::Sent)
    }

    fn is_secret(&self) -> bool {
        self.tap.finds_token(Link::Macp, self.bytes)
    }
}

/// How something goes on that the gate stopped.
struct Released {
    /// The entry that says so.
    passed: Seq,
    /// What takes its place, and whose it is.
    changed: Option<(Bytes, OriginCell)>,
}

/// A call of which something is held. Its client may give it up meanwhile: what was held is then dropped, and
/// the tap is told so.
struct HeldCall<'a> {
    shared: &'a Shared,
    notice: Notice,
    trace: Option<TraceId>,
}

impl HeldCall<'_> {
    /// The gate let it go.
    fn goes_on(self) {
        std::mem::forget(self);
    }
}

impl Drop for HeldCall<'_> {
    fn drop(&mut self) {
        let lost = self.notice.passed(&Release::dropped());
        self.shared.tell(lost, &[], Some(self.notice.seq), self.trace);
    }
}

impl Shared {
    /// A request once the gate lets it go.
    ///
    /// # Errors
    /// It was dropped.
    pub(super) async fn gated<T: Message + Default>(
        &self,
        rpc: Rpc,
        caller: Caller,
        received: Received<T>,
    ) -> Result<(Caller, Received<T>), Grpc> {
        if !self.gate.is_armed(Link::Macp, Direction::Inbound) {
            return Ok((caller, received));
        }
        let bytes = &received.bytes;
        let stand = Stand { rpc, peer: Some(caller.peer.clone()) };
        let mut look = AtKernel { shared: self, stand, bytes, reading: OnceLock::new(), looked: None };
        let offer = Offer {
            link: Link::Macp,
            direction: Direction::Inbound,
            peer: &caller.peer,
            bytes,
            origin: caller.by_hand.as_ref().map(OriginCell::get),
        };
        if self.gate.asks_verdict(self.clock.now(), &offer, &look) {
            look.looked = Some(self.looked(&look.stand, look.reading()).await);
        }
        let Some(taken) = self.gate.offer(self.clock.now(), &offer, &look).taken() else {
            return Ok((caller, received));
        };
        let Released { passed, changed } = self.stopped(*taken, bytes, (None, None)).await?;
        let caller = Caller { passed: Some(passed), ..caller };
        Ok(match changed {
            None => (caller, received),
            Some((bytes, origin)) => {
                let message = T::decode(bytes.clone());
                (Caller { by_hand: Some(origin), ..caller }, Received { bytes, message })
            }
        })
    }

    /// What the kernel would make of a request, with what the store has of its session. Where that refuses to
    /// look, the call would end as UNAVAILABLE; where it does not answer in time, it is judged without it.
    async fn looked(&self, stand: &Stand, reading: &Reading) -> (Head, Verdict) {
        let looked = self.judge_looking(stand, reading, &self.gate_looks).await.ok();
        let is_refused = looked.as_ref().is_some_and(|looked| looked.is_refused);
        let (head, verdict) = judged(reading, looked.and_then(|looked| looked.judgement));
        let unavailable = Verdict::Macp(macp::Verdict::Declined(macp::Status::Unavailable));
        (head, if is_refused { unavailable } else { verdict })
    }

    /// The bytes of an answer, told of, once the gate lets it go.
    ///
    /// # Errors
    /// It was dropped.
    pub(super) async fn reply_gated(&self, answer: &Call<'_>, bytes: Bytes) -> Result<Bytes, Grpc> {
        let entry = answer.entry.get().copied();
        let (cause, trace) = entry.map_or((None, None), |(seq, trace)| (Some(seq), trace));
        let offer = Offer {
            link: Link::Macp,
            direction: Direction::Outbound,
            peer: &answer.caller.peer,
            bytes: &bytes,
            origin: answer.caller.by_hand.as_ref().map(OriginCell::get),
        };
        let look = Made { call: answer, tap: &self.tap, bytes: &bytes };
        let Some(taken) = self.gate.offer(self.clock.now(), &offer, &look).taken() else {
            self.tell_answer(answer, &bytes, cause);
            return Ok(bytes);
        };
        let Released { passed, changed } = self.stopped(*taken, &bytes, (cause, trace)).await?;
        let (bytes, by_hand) = match changed {
            None => (bytes, answer.caller.by_hand.clone()),
            Some((bytes, origin)) => (bytes, Some(origin)),
        };
        let caller = Caller { by_hand, ..answer.caller.clone() };
        self.tell_answer(&Call { caller, ..answer.clone() }, &bytes, Some(passed));
        Ok(bytes)
    }

    /// Waits until the gate lets go of what it stopped.
    async fn stopped(
        &self,
        taken: Taken,
        bytes: &[u8],
        (cause, trace): (Option<Seq>, Option<TraceId>),
    ) -> Result<Released, Grpc> {
        let (notice, waits) = taken.tell(|what| self.tell(what, bytes, cause, trace));
        let call = HeldCall { shared: self, notice, trace };
        let release = match waits {
            Waits::Held(held) => held.await,
            Waits::Not(release) => release,
        };
        call.goes_on();
        let changed = release.bytes.as_deref().unwrap_or_default();
        let passed = self.tell(notice.passed(&release), changed, Some(notice.seq), trace);
        match release.how {
            Passing::Dropped | Passing::Cut => Err(Grpc::cancelled("dropped at the station's gate")),
            Passing::AsItWas
            | Passing::Edited
            | Passing::TimedOut
            | Passing::Delayed
            | Passing::Duplicated => {
                let origin = notice.origin(&release).map(OriginCell::new);
                Ok(Released { passed, changed: release.bytes.zip(origin) })
            }
        }
    }

    /// Tells the tap, in the order of the link's other entries.
    fn tell(&self, what: What, bytes: &[u8], cause: Option<Seq>, trace: Option<TraceId>) -> Seq {
        let draft = Draft { at: self.clock.now(), link: Link::Macp, trace, cause, what, bytes };
        let state = self.lock();
        let seq = self.tap.emit(draft);
        if let Some(mut state) = state {
            state.last_seq = seq;
        }
        seq
    }
}

//! The task that reads and the task that writes.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::AsyncWriteExt as _,
    net::unix::{OwnedReadHalf, OwnedWriteHalf},
};

use super::{
    super::{
        delivery::Delivery,
        fault::RefusalReply,
        receive_half::{Event, ReceiveHalf},
    },
    error::CloseReason,
    shared::Shared,
};

/// How long a session that was closed here waits for the station's end of it.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// Reads until the session is over.
pub(super) async fn read(shared: Arc<Shared>, stream: OwnedReadHalf, receiving: ReceiveHalf) {
    let mut reader = Reader { shared: &shared, receiving, run: Vec::new(), final_refusal: None };
    tokio::select! {
        why = reader.pump(&stream) => shared.end(why),
        () = shared.wait_closed() => {}
    }
}

struct Reader<'a> {
    shared: &'a Shared,
    receiving: ReceiveHalf,
    /// Deliveries for one subscription that follow one another.
    run: Vec<Delivery>,
    /// A refusal of nothing in particular: what a close is told by.
    final_refusal: Option<RefusalReply>,
}

impl Reader<'_> {
    async fn pump(&mut self, stream: &OwnedReadHalf) -> CloseReason {
        loop {
            match self.dispatch() {
                Err(why) => return why,
                // Those who were given something run before more is read.
                Ok(true) => tokio::task::yield_now().await,
                Ok(false) => {}
            }
            if let Err(why) = stream.readable().await {
                return self.lost_reason(why);
            }
            match stream.try_read_buf(self.receiving.buffer()) {
                Ok(0) => return self.close_reason(),
                Ok(_) => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                Err(why) => return self.lost_reason(why),
            }
        }
    }

    fn close_reason(&mut self) -> CloseReason {
        if self.shared.outgoing().is_last {
            CloseReason::ByClient
        } else {
            CloseReason::ByStation(self.final_refusal.take())
        }
    }

    fn lost_reason(&mut self, why: io::Error) -> CloseReason {
        match self.close_reason() {
            CloseReason::ByStation(None) => CloseReason::Failed(Arc::new(why)),
            ended => ended,
        }
    }

    /// Hands out all that came; whether there were messages.
    fn dispatch(&mut self) -> Result<bool, CloseReason> {
        let mut had_messages = false;
        while let Some(event) = self.receiving.next() {
            match event {
                Event::Delivery(delivery) => {
                    if self.run.first().is_some_and(|first| first.sub != delivery.sub) {
                        self.flush();
                    }
                    self.run.push(delivery);
                    had_messages = true;
                }
                Event::Answer { re, result } => {
                    self.flush();
                    if let (0, Err(words)) = (re, &result) {
                        self.final_refusal = Some(words.clone());
                    }
                    self.shared.inbox().answer(re, result);
                }
                Event::Pong => self.shared.inbox().pong(),
                Event::Broken(fault) => {
                    self.flush();
                    return Err(CloseReason::Broken(fault));
                }
                // A second one is a fault already.
                Event::Welcome(_) => {}
            }
        }
        self.flush();
        Ok(had_messages)
    }

    fn flush(&mut self) {
        let Some(first) = self.run.first() else { return };
        // Messages still come for a subscription that ended here.
        match self.shared.inbox().queue(first.sub) {
            Some(queue) => queue.push(self.receiving.chunk(), &mut self.run),
            None => self.run.clear(),
        }
    }
}

/// Writes all that is said, as much as there is at once.
pub(super) async fn write(shared: Arc<Shared>, mut stream: OwnedWriteHalf) {
    let mut bytes = Vec::new();
    loop {
        let is_last = {
            let mut outgoing = shared.outgoing();
            outgoing.sending.take(&mut bytes);
            outgoing.is_last
        };
        if !bytes.is_empty() {
            shared.room.notify_waiters();
            let written = tokio::select! {
                written = stream.write_all(&bytes) => written,
                () = shared.wait_closed() => return,
            };
            // The reader finds the station's last words, and then the end.
            if written.is_err() {
                return;
            }
        } else if is_last {
            stream.shutdown().await.unwrap_or_default();
            // What the station answers yet is taken, so that it does not find somebody gone. The socket is
            // closed with the session.
            drop(tokio::time::timeout(CLOSE_GRACE, shared.wait_closed()).await);
            shared.end(CloseReason::ByClient);
            return;
        } else {
            tokio::select! {
                () = shared.filled.notified() => {}
                () = shared.wait_closed() => return,
            }
        }
    }
}

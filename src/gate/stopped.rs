//! A frame that a host keeps while the gate holds it.

use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Poll},
};

use super::{
    handle::Held,
    offer::{Notice, Release},
};
use crate::tap::entry::Direction;

/// A frame that is held.
#[derive(Debug)]
pub struct Stopped<F> {
    /// What it waits for.
    pub held: Held,
    /// The entry that says so.
    pub notice: Notice,
    /// What the host needs of it when it goes on.
    pub frame: F,
}

impl<F> Stopped<F> {
    /// How it leaves at this moment: as was decided, or as it was.
    pub fn release(&mut self) -> Release {
        self.held.try_release().unwrap_or_else(Release::as_it_was)
    }
}

/// Ready when what came on a connection is released, or what is to leave.
pub fn poll_released<I, O>(
    inbound: Option<&mut Stopped<I>>,
    outbound: Option<&mut Stopped<O>>,
    cx: &mut Context<'_>,
) -> Poll<(Direction, Release)> {
    let inbound = inbound.map(|stopped| (&mut stopped.held, Direction::Inbound));
    let outbound = outbound.map(|stopped| (&mut stopped.held, Direction::Outbound));
    for (held, direction) in inbound.into_iter().chain(outbound) {
        if let Poll::Ready(release) = Pin::new(held).poll(cx) {
            return Poll::Ready((direction, release));
        }
    }
    Poll::Pending
}

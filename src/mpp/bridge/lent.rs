//! Tokens that the station lends itself (ruling MPP 15): each for one hello from one local address.

use std::{net::SocketAddr, time::Duration};

use super::core::Bridge;
use crate::{
    ids::{ConnectionId, Peer},
    mpp::{connection::TokenHash, snapshot::Listener},
    time::{Mono, Now},
};

/// Tokens that are lent at one time.
pub const LENT_TOKENS_MAX: usize = 16;
/// "For one hello from one local address within 10 s."
const LENT_FOR: Duration = Duration::from_secs(10);

/// Why a token is not lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LendError {
    /// [`LENT_TOKENS_MAX`] are lent.
    #[error("{LENT_TOKENS_MAX} tokens are lent already: each is free again within 10 s")]
    TooMany,
}

/// What became of the tokens that were lent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LentCounts {
    /// How many wait for their hello, at most [`LENT_TOKENS_MAX`].
    pub waiting: u64,
    /// How many a hello has used.
    pub used: u64,
    /// How many were never used.
    pub expired: u64,
    /// How many were not lent, as too many waited.
    pub refused: u64,
}

/// A token that waits for its hello.
#[derive(Debug)]
struct Lent {
    token: TokenHash,
    to: SocketAddr,
    until: Mono,
}

/// The tokens that wait for their hello: in memory alone, as their hashes.
#[derive(Debug, Default)]
pub(super) struct LentTokens {
    /// At most [`LENT_TOKENS_MAX`].
    waiting: Vec<Lent>,
    /// Of those that wait no longer.
    counts: LentCounts,
}

impl LentTokens {
    /// Whether a token was lent to a peer, and its time is not over.
    pub(super) fn is_lent(&self, now: Mono, peer: &Peer, token: TokenHash) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let from: Option<SocketAddr> = peer.as_str().parse().ok().map(canonical);
        from.is_some_and(|from| {
            self.waiting.iter().any(|lent| lent.token == token && lent.to == from && now < lent.until)
        })
    }

    /// A hello has shown it.
    pub(super) fn spend(&mut self, token: TokenHash) {
        let before = self.waiting.len();
        self.waiting.retain(|lent| lent.token != token);
        self.counts.used += u64::from(self.waiting.len() < before);
    }

    pub(super) fn forget_expired(&mut self, now: Mono) {
        let before = self.waiting.len();
        self.waiting.retain(|lent| now < lent.until);
        self.counts.expired += (before - self.waiting.len()) as u64;
    }

    /// When the next one is to be forgotten.
    pub(super) fn deadline(&self) -> Option<Mono> {
        self.waiting.iter().map(|lent| lent.until).min()
    }

    /// Until when a token is lent.
    pub(super) fn until(&self, token: TokenHash) -> Option<Mono> {
        self.waiting.iter().find(|lent| lent.token == token).map(|lent| lent.until)
    }
}

impl Bridge {
    /// Lends a token: the first hello that shows it from the local address `to` before `until`, and within
    /// 10 s, passes the token's check, also in a station that is not paired. All other checks stay.
    ///
    /// # Errors
    /// [`LendError::TooMany`].
    pub fn lend(
        &mut self,
        now: Now,
        token_sha256: TokenHash,
        to: SocketAddr,
        until: Mono,
    ) -> Result<(), LendError> {
        self.lent.forget_expired(now.mono);
        if self.lent.waiting.len() >= LENT_TOKENS_MAX {
            self.lent.counts.refused += 1;
            return Err(LendError::TooMany);
        }
        let until = until.min(now.mono + LENT_FOR);
        self.lent.waiting.push(Lent { token: token_sha256, to: canonical(to), until });
        self.arm(now, false);
        Ok(())
    }

    /// What became of the tokens that were lent.
    #[must_use]
    pub fn lent_tokens(&self) -> LentCounts {
        LentCounts { waiting: self.lent.waiting.len() as u64, ..self.lent.counts }
    }

    /// The connection of the adapter, if one is active.
    #[must_use]
    pub fn adapter(&self) -> Option<ConnectionId> {
        self.active.as_ref().map(|active| active.conn)
    }

    /// Where it listens, while it does.
    #[must_use]
    pub const fn listening_at(&self) -> Option<SocketAddr> {
        match self.listener {
            Listener::Listening(addr) => Some(addr),
            Listener::Starting | Listener::Down(_) => None,
        }
    }

    /// The open connection of a peer.
    #[must_use]
    pub fn connection_of(&self, peer: &str) -> Option<ConnectionId> {
        let wanted: SocketAddr = peer.parse().ok().map(canonical)?;
        let is_wanted = |peer: &Peer| peer.as_str().parse().ok().map(canonical) == Some(wanted);
        let active = self.active.as_ref().filter(|active| is_wanted(&active.peer));
        let guest = || self.unauthenticated.iter().find(|(_, guest)| is_wanted(&guest.peer));
        active.map(|active| active.conn).or_else(|| guest().map(|(conn, _)| *conn))
    }

    /// Whether a connection is that of an adapter whose token was lent by the station.
    #[must_use]
    pub fn is_lent(&self, conn: ConnectionId) -> bool {
        self.active.as_ref().is_some_and(|active| active.conn == conn && active.is_lent)
    }
}

/// An address as the other end names it: one of IPv4 is no IPv6 address that stands for it.
fn canonical(addr: SocketAddr) -> SocketAddr {
    SocketAddr::new(addr.ip().to_canonical(), addr.port())
}

//! The supervisor under a virtual clock.

#![expect(clippy::needless_pass_by_value, reason = "values are written in place")]

mod actions;
mod back_pressure;
mod credentials;
mod envelopes;
mod fixtures;
mod handshake;
mod health;
mod installing;
mod judging;
mod kept;
mod kit;
mod methods;
mod pipes;
mod saving;
mod shutdown;
mod stream;
mod transcripts;

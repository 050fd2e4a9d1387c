//! The supervisor under a virtual clock.

mod actions;
mod back_pressure;
mod credentials;
mod envelopes;
mod handshake;
mod health;
mod installing;
mod kit;
mod methods;
mod shutdown;
mod stream;

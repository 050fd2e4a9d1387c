//! The bus in a station: its start and its end, apart from the bridge and from the store, what the station
//! publishes on it, and the tokens by which its peers are more than agents.

pub(crate) mod alerts;
mod commands;
mod down;
mod entries;
pub(crate) mod families;
mod handle;
mod host;
mod metrics_publisher;
mod operator;
mod pages;
mod serve;
#[cfg(test)]
mod tests;
mod tokens;

pub use down::BusDown;
pub use tokens::{TokenError, TokenKind, named_token, token};

pub(super) use commands::kick;
#[cfg(test)]
pub(super) use families::families;
pub(super) use handle::{Bus, judge};
pub(super) use tokens::mask_tokens;

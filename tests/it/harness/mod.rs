//! A bridge in a bottle: the core, a store in memory that keeps [`Op`](rl_console::store::op::Op)'s and
//! `Fetch`'s promises and no more, and a fold of everything the core says.

pub(crate) mod judged;
mod store;
mod test_bridge;

pub(crate) use store::{Request, Store};
pub(crate) use test_bridge::{HELLO, TOKEN, TOML, TestBridge, pack};

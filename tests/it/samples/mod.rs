//! The recordings that are shipped: each is what its night makes, and replays to its end. With
//! `RL_CONSOLE_UPDATE` set they are recorded anew into `recordings/`.

mod bad;
mod calm;
mod counts;
mod errors;
mod night;
mod shipped;

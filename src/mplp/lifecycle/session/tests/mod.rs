//! Sessions as their logs have them, and what holds of every record.

mod check;
mod decisions;
mod live;
mod play;
mod rounds;

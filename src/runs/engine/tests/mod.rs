//! The engine against agents, people, a store and a clock that the tests move.

mod answers;
mod behaviours;
mod brake;
mod control;
mod judged;
mod nested;
mod numbers;
mod questions;
mod reach;
mod records;
mod redelivery;
mod save_queue;
mod simulation;
mod snapshots;
mod test_engine;

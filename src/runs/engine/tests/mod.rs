//! The engine against agents, people, a store and a clock that the tests move.

mod behaviours;
mod brake;
mod control;
mod house;
mod nested;
mod questions;
mod simulation;
mod snapshots;

//! The engine against agents, people, a store and a clock that the tests move.

mod again;
mod answers;
mod behaviours;
mod brake;
mod control;
mod house;
mod nested;
mod numbers;
mod questions;
mod reach;
mod saving;
mod simulation;
mod snapshots;

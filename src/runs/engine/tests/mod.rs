//! The engine against agents, people, a store and a clock that the tests move.

mod behaviours;
mod control;
mod house;
mod nested;
mod simulation;
mod snapshots;

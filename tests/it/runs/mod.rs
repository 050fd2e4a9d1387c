//! Runs over a real station's bus: a client submits, agents answer, the stream of events is read (rmp-v0 §9,
//! §10; rulings RMP 10 to 14). Every frame is made and read by words written from the texts.

mod cancelling;
mod clauses;
mod restarted;
pub(crate) mod test_station;
mod wire;

//! The broker's core under a virtual clock: transcripts of bytes, by clause and ruling.

mod admission;
mod clauses;
mod delivery_report;
mod judge;
mod judge_bytes;
mod judge_outbound;
mod judge_random;
mod lost;
mod notices;
mod shares;
mod test_broker;
mod topics;

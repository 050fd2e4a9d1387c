//! What the screen shows: a fold over a snapshot and the tap's entries. It takes time from entries only, keeps ordered maps, and evicts by
//! count.

mod causes;
mod fold;
mod health;
mod journal;
mod rates;
mod state;

pub(crate) use health::{Condition, Sentence, hello_remedy, in_flight, mpp_report, settle_remedy, store_report};
pub(crate) use journal::{Notice, Origin};
pub(crate) use rates::{Rate, WINDOW_BUCKETS};
pub(crate) use state::{HISTORY_ROWS, Model, World};

//! What the model keeps of the bridge over time: rates, windows, first steps, its
//! report and its notices.

pub(crate) mod alerts;
mod counts;
pub(crate) mod health;
mod journal;
mod onboarding;
mod state;
pub(crate) mod windowed_rates;

pub(crate) use health::{hello_remedy, settle_remedy};
pub(crate) use state::{Bridge, HISTORY_ROWS};
pub(crate) use windowed_rates::WindowedRates;

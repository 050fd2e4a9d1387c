//! What the model keeps of the bridge over time: rates, the age of queue heads and the report.

pub(crate) mod health;
pub(crate) mod queue_head_age;
pub(crate) mod windowed_rates;

pub(crate) use health::{hello_remedy, in_flight, mpp_report, settle_remedy};
pub(crate) use windowed_rates::WindowedRates;

//! What the model keeps of the bridge over time: rates and the age of queue heads.

pub(crate) mod queue_head_age;
pub(crate) mod windowed_rates;

pub(crate) use windowed_rates::WindowedRates;

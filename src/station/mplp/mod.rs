//! What the station's hosts leave, translated for the lifecycle records of MPLP, whose cores know no host.

mod run;
mod session;

pub use run::RunTranslation;
pub use session::SessionTranslation;

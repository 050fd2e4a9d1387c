//! What the operator sees and does.

mod stub;

pub use stub::{CommandHints, Config, ConsoleError, Depth, Exit, install_panic_hook, run};

//! What every subcommand is given.

use super::{
    args::Global,
    config::{AskedRecording, ConfigError, Discovery, Resolved, Settings},
    env::Env,
    output::Output,
    table::LocalClock,
};
use crate::time::Clock;

/// The environment, the configuration and where to print.
pub(crate) struct Context {
    /// The environment.
    pub(crate) env: Env,
    /// The global flags.
    pub(crate) flags: Global,
    /// Every configuration value with its origin.
    pub(crate) resolved: Resolved,
    /// The resolved values, typed.
    pub(crate) settings: Settings,
    /// The process's clock.
    pub(crate) clock: Clock,
    /// Stdout.
    pub(crate) out: Output,
}

impl Context {
    /// Resolves the configuration.
    ///
    /// # Errors
    /// The fault of the configuration.
    pub(crate) fn new(flags: Global, env: Env, clock: Clock, out: Output) -> Result<Self, ConfigError> {
        let resolved = Resolved::resolve(&flags, &env)?;
        let paths = flags.recording.clone();
        let asked = (!paths.is_empty()).then(|| AskedRecording { paths, at: flags.at.clone() });
        let settings = Settings {
            asked,
            discovery: Discovery::of(&flags, &env, &resolved),
            is_rehearsal: flags.rehearsal,
            ..Settings::of(&resolved)
        };
        Ok(Self { env, flags, resolved, settings, clock, out })
    }

    /// Shows times to people.
    pub(crate) fn local_clock(&self) -> LocalClock {
        LocalClock::new(self.clock.now().wall)
    }
}

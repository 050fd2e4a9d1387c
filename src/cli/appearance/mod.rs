//! What of the configuration can change while a console runs: the files it comes from, and reading them again
//! when they do.

mod files;
mod themes;
mod watched_config;

pub(crate) use themes::own_themes;
pub(crate) use watched_config::WatchedConfig;

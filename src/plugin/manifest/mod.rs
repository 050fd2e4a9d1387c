//! `plugin.toml`: what a plugin is and asks for (ruling Plugins 13).

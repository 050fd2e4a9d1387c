//! The settings that a plugin shows to the operator (ruling Plugins 12).

//! Themes: a TOML file gives each role a colour; what the terminal cannot show is brought down to what it can.

mod color;
mod depth;
mod file;

pub use depth::Depth;
pub use file::{Role, Theme, ThemeError};

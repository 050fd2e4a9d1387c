//! Themes: a TOML file gives each role a colour; what the terminal cannot show is brought down to what it
//! can.

mod color;
mod depth;
mod file;
mod paint;
mod role;
mod shipped;
mod styles;
mod themes;

#[cfg(test)]
mod tests;

pub use depth::Depth;
pub use file::ThemeError;
pub use role::Role;

pub use styles::Theme;
pub use themes::Themes;

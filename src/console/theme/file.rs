//! A theme's file, and the styles made of it.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::{
    Depth,
    color::{Rgb, ansi},
};

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Behind everything.
    Background,
    /// What is read first.
    Text,
    /// What is read second.
    Muted,
    /// What is named: keys, titles, commands.
    Accent,
    /// Well.
    Ok,
    /// Needs a look.
    Warn,
    /// Failed.
    Bad,
    /// The station's own.
    Station,
    /// The MPP bridge's.
    Mpp,
    /// Around panes.
    Border,
    /// Around the focused pane.
    Focus,
}

impl Role {
    /// All of them.
    const ALL: [Self; 11] = [
        Self::Background,
        Self::Text,
        Self::Muted,
        Self::Accent,
        Self::Ok,
        Self::Warn,
        Self::Bad,
        Self::Station,
        Self::Mpp,
        Self::Border,
        Self::Focus,
    ];
}

/// Why a theme's file is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// It is not the TOML of a theme.
    #[error("the theme cannot be read: {0}")]
    Toml(String),
    /// A role is missing.
    #[error("the theme gives no colour to `{0:?}`")]
    Missing(Role),
    /// Not `#rrggbb`, and no name of the sixteen.
    #[error("`{0}` is no colour: write #rrggbb, or one of the terminal's names as `bright-black`")]
    NoColour(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    roles: BTreeMap<Role, Paint>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paint {
    rgb: Option<String>,
    ansi: Option<String>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    underlined: bool,
}

/// A theme, brought down to what a terminal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: [Style; Role::ALL.len()],
}

const SHIPPED: [(&str, &str); 5] = [
    ("midnight", include_str!("../../../themes/midnight.toml")),
    ("daylight", include_str!("../../../themes/daylight.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("colour-blind-safe", include_str!("../../../themes/colour-blind-safe.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

impl Theme {
    /// The names of the shipped themes, the default first.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The shipped theme of this name.
    #[must_use]
    pub fn shipped(name: &str, depth: Depth) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Self::parse(text, depth).ok()
    }

    /// The default theme.
    #[must_use]
    pub fn midnight(depth: Depth) -> Self {
        Self::shipped("midnight", depth).unwrap_or_else(|| Self { name: "none".to_owned(), styles: [Style::new(); Role::ALL.len()] })
    }

    /// The shipped theme that follows this one, and the first after the last.
    #[must_use]
    pub fn following(&self, depth: Depth) -> Self {
        let at = SHIPPED.iter().position(|(name, _)| *name == self.name).map_or(0, |at| at + 1);
        Self::shipped(SHIPPED[at % SHIPPED.len()].0, depth).unwrap_or_else(|| self.clone())
    }

    /// Reads a theme's file.
    ///
    /// # Errors
    /// [`ThemeError`] says what is wrong with it.
    pub fn parse(text: &str, depth: Depth) -> Result<Self, ThemeError> {
        let file: File = toml::from_str(text).map_err(|error| ThemeError::Toml(error.to_string()))?;
        let mut styles = [Style::new(); Role::ALL.len()];
        for (place, role) in Role::ALL.into_iter().enumerate() {
            let paint = file.roles.get(&role).ok_or(ThemeError::Missing(role))?;
            let color = paint.color(depth)?;
            styles[place] = if role == Role::Background { Style::new().bg(color) } else { Style::new().fg(color) };
            styles[place] = styles[place].add_modifier(paint.modifier());
        }
        Ok(Self { name: file.name, styles })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How something of this role is drawn.
    pub(in crate::console) fn style(&self, role: Role) -> Style {
        Role::ALL.iter().position(|known| *known == role).map_or(Style::new(), |place| self.styles[place])
    }
}

impl Paint {
    fn color(&self, depth: Depth) -> Result<Color, ThemeError> {
        let rgb = self.rgb.as_deref().map(|text| Rgb::parse(text).ok_or_else(|| ThemeError::NoColour(text.to_owned()))).transpose()?;
        let named = self.ansi.as_deref().map(|text| ansi(text).ok_or_else(|| ThemeError::NoColour(text.to_owned()))).transpose()?;
        Ok(match (depth, rgb) {
            (Depth::None, _) => Color::Reset,
            (Depth::True, Some(Rgb(r, g, b))) => Color::Rgb(r, g, b),
            (Depth::Indexed, Some(rgb)) => rgb.indexed(),
            _ => named.unwrap_or(Color::Reset),
        })
    }

    fn modifier(&self) -> Modifier {
        let mut modifier = Modifier::empty();
        modifier.set(Modifier::BOLD, self.bold);
        modifier.set(Modifier::DIM, self.dim);
        modifier.set(Modifier::UNDERLINED, self.underlined);
        modifier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_theme_is_whole_at_every_depth() {
        for name in Theme::shipped_names() {
            for depth in [Depth::None, Depth::Ansi, Depth::Indexed, Depth::True] {
                assert_eq!(Theme::shipped(name, depth).map(|theme| theme.name), Some(name.to_owned()));
            }
        }
    }

    #[test]
    fn text_stands_out_from_the_background_in_every_shipped_theme() {
        for (name, text) in SHIPPED {
            let file: File = toml::from_str(text).unwrap();
            let rgb = |role| file.roles[&role].rgb.as_deref().map(|text| Rgb::parse(text).unwrap());
            let Some(background) = rgb(Role::Background) else { continue };
            for role in Role::ALL.into_iter().filter(|role| *role != Role::Background) {
                let least = if role == Role::Border { 3.0 } else { 4.5 };
                let contrast = rgb(role).unwrap().contrast(background);
                assert!(contrast >= least, "{name}: {role:?} has a contrast of {contrast:.1}");
            }
        }
    }

    #[test]
    fn without_colours_no_style_has_one() {
        let theme = Theme::midnight(Depth::None);
        for role in Role::ALL {
            let style = theme.style(role);
            assert!(style.fg.is_none_or(|color| color == Color::Reset) && style.bg.is_none_or(|color| color == Color::Reset));
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_theme() {
        assert!(matches!(Theme::parse("name = 1", Depth::True), Err(ThemeError::Toml(_))));
        assert_eq!(Theme::parse("name = 'x'\n[roles]\nbackground = {}", Depth::True), Err(ThemeError::Missing(Role::Text)));
        let bad = SHIPPED[0].1.replace("#10141c", "blueish");
        assert_eq!(Theme::parse(&bad, Depth::True), Err(ThemeError::NoColour("blueish".to_owned())));
    }
}

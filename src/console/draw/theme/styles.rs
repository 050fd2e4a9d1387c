//! A theme brought down to what a terminal shows.

use ratatui::style::{Color, Modifier, Style};

use super::{Depth, Role, ThemeError, paint::Paints, shipped::SHIPPED};
use crate::console::draw::theme::{file, shipped};

/// A theme, brought down to what a terminal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: Vec<Style>,
}

impl Theme {
    /// The names of the shipped themes, the default first.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The shipped theme of this name.
    #[must_use]
    pub fn shipped(name: &str, depth: Depth) -> Option<Self> {
        shipped::paints(name).map(|paints| Self::of(name, &paints, depth))
    }

    /// The default theme.
    #[must_use]
    pub fn midnight(depth: Depth) -> Self {
        let none = || Self { name: "none".to_owned(), styles: vec![Style::new(); Role::ALL.len()] };
        Self::shipped("midnight", depth).unwrap_or_else(none)
    }

    /// Reads a theme's text: `base` names a shipped theme for what it leaves out, `[roles]` gives each role
    /// its looks.
    ///
    /// # Errors
    /// [`ThemeError`] says what is wrong with it, where, and what to do.
    pub fn parse(name: &str, text: &str, depth: Depth) -> Result<Self, ThemeError> {
        let bases: Vec<&str> = Self::shipped_names().collect();
        file::read(text, shipped::paints, &bases).map(|paints| Self::of(name, &paints, depth))
    }

    fn of(name: &str, paints: &Paints, depth: Depth) -> Self {
        let style = |role: &Role| {
            let paint = paints.get(role).copied().unwrap_or_default();
            let color = paint.color(depth);
            let weight = if depth == Depth::None { role.weight() } else { Modifier::empty() };
            let style =
                if *role == Role::Background { Style::new().bg(color) } else { Style::new().fg(color) };
            style.add_modifier(paint.modifier() | weight)
        };
        Self { name: name.to_owned(), styles: Role::ALL.iter().map(style).collect() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How something of this role is drawn.
    pub(in crate::console) fn style(&self, role: Role) -> Style {
        let place = Role::ALL.iter().position(|known| *known == role);
        place.and_then(|place| self.styles.get(place)).copied().unwrap_or_default()
    }

    /// What a selected line gets over what it has: reverse video, in one colour, legible whatever its cells
    /// were.
    pub(in crate::console) fn selection(&self) -> Style {
        let style = self.style(Role::Selection).remove_modifier(Modifier::DIM | Modifier::UNDERLINED);
        style.bg(self.style(Role::Background).bg.unwrap_or(Color::Reset)).add_modifier(Modifier::REVERSED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: [Depth; 4] = [Depth::None, Depth::Ansi, Depth::Indexed, Depth::True];

    #[test]
    fn every_shipped_theme_is_whole_at_every_depth() {
        for (name, text) in SHIPPED {
            for depth in DEPTHS {
                assert_eq!(Theme::shipped(name, depth).as_ref().map(Theme::name), Some(name));
                assert_eq!(Theme::parse(name, text, depth).unwrap(), Theme::shipped(name, depth).unwrap());
            }
        }
    }

    #[test]
    fn the_selection_is_in_reverse_video_in_every_theme_at_every_depth() {
        for (name, _) in SHIPPED {
            for depth in DEPTHS {
                let selection = Theme::shipped(name, depth).unwrap().selection();
                assert!(selection.add_modifier.contains(Modifier::REVERSED), "{name} at {depth:?}");
                assert!(
                    !selection.add_modifier.intersects(Modifier::DIM | Modifier::UNDERLINED),
                    "{name} at {depth:?}"
                );
            }
        }
    }

    #[test]
    fn without_colours_no_style_has_one_and_what_matters_has_weight() {
        for (name, _) in SHIPPED {
            let theme = Theme::shipped(name, Depth::None).unwrap();
            for role in Role::ALL {
                let style = theme.style(*role);
                assert!(
                    style.fg.is_none_or(|color| color == Color::Reset)
                        && style.bg.is_none_or(|color| color == Color::Reset)
                );
            }
            let weight = |role| theme.style(role).add_modifier;
            assert!(
                [Role::Text, Role::Ok, Role::Warn].iter().all(|role| weight(*role) != weight(Role::Bad)),
                "{name}"
            );
            assert!(
                [Role::Warn, Role::Accent, Role::Focus, Role::Muted]
                    .iter()
                    .all(|role| weight(*role) != weight(Role::Text)),
                "{name}"
            );
        }
    }
}

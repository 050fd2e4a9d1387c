//! What a theme gives a role.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier};

use super::{Depth, Role, color::Rgb};

/// What a role is given: a colour for terminals with many, one for those with sixteen, and weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Paint {
    pub(super) rgb: Option<Rgb>,
    pub(super) ansi: Option<Color>,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) underlined: bool,
}

impl Paint {
    /// The colour at a depth.
    pub(super) fn color(self, depth: Depth) -> Color {
        match (depth, self.rgb) {
            (Depth::None, _) => Color::Reset,
            (Depth::True, Some(Rgb(r, g, b))) => Color::Rgb(r, g, b),
            (Depth::Indexed, Some(rgb)) => rgb.indexed(),
            _ => self.ansi.unwrap_or(Color::Reset),
        }
    }

    pub(super) fn modifier(self) -> Modifier {
        let mut modifier = Modifier::empty();
        modifier.set(Modifier::BOLD, self.bold);
        modifier.set(Modifier::DIM, self.dim);
        modifier.set(Modifier::UNDERLINED, self.underlined);
        modifier
    }
}

/// What each role is given.
pub(super) type Paints = BTreeMap<Role, Paint>;

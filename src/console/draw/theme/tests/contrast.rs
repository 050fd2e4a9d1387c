//! Every role stands out from the background: text by 4.5 to 1, borders by 3 to 1, in the theme for those who
//! need it by 7 to 1 (WCAG 2.2, 1.4.3, 1.4.6 and 1.4.11).

use ratatui::style::Color;

use super::palettes::{DARK, LIGHT, Palette, absolute, contrast};
use crate::console::draw::theme::{Depth, Role, Theme};

/// The themes with colours of their own.
const COLOURED: [&str; 4] = ["midnight", "daylight", "high-contrast", "colour-blind-safe"];

/// Where no name of the sixteen that still has the hue does better on all palettes together, with the least
/// contrast there is. What it marks is told by a sign or a word in any case.
const SHORT: [(&str, &str, Role, f64); 12] = [
    // The Linux console's yellow is a brown; its bright yellow is the faintest of the text colours of
    // Solarized.
    ("midnight", "Linux console", Role::Warn, 4.0),
    ("colour-blind-safe", "Linux console", Role::Warn, 4.0),
    // Solarized has neither a red nor a magenta that reaches it, on either background.
    ("midnight", "Solarized dark", Role::Bad, 3.2),
    ("colour-blind-safe", "Solarized dark", Role::Bad, 3.2),
    ("midnight", "Solarized dark", Role::Mpp, 3.4),
    ("colour-blind-safe", "Solarized dark", Role::Mpp, 3.4),
    // Nor does its light form: the text that it gives itself has 4.1.
    ("daylight", "Solarized light", Role::Accent, 3.4),
    ("daylight", "Solarized light", Role::Focus, 3.4),
    ("daylight", "Solarized light", Role::Mpp, 3.4),
    ("daylight", "Solarized light", Role::Warn, 4.2),
    ("daylight", "Solarized light", Role::Bad, 4.2),
    ("daylight", "macOS Terminal, Basic", Role::Warn, 3.9),
];

fn least(theme: &str, role: Role) -> f64 {
    match (theme, role) {
        ("high-contrast", _) => 7.0,
        (_, Role::Border) => 3.0,
        _ => 4.5,
    }
}

fn colour(theme: &Theme, role: Role) -> Color {
    theme.style(role).fg.unwrap()
}

fn text_roles() -> impl Iterator<Item = Role> {
    Role::ALL.iter().copied().filter(|role| *role != Role::Background)
}

#[test]
fn every_role_stands_out_in_truecolor_and_in_256_colours() {
    for name in COLOURED {
        for depth in [Depth::True, Depth::Indexed] {
            let theme = Theme::shipped(name, depth).unwrap();
            let background = absolute(theme.style(Role::Background).bg.unwrap());
            for role in text_roles() {
                let contrast = contrast(absolute(colour(&theme, role)), background);
                assert!(
                    contrast >= least(name, role),
                    "{name} at {depth:?}: {role:?} has a contrast of {contrast:.2}"
                );
            }
        }
    }
}

/// The palettes with the background that a theme is for; with both where it does not matter to it.
fn palettes_of(name: &str) -> Vec<&'static Palette> {
    match name {
        "midnight" | "colour-blind-safe" => DARK.iter().collect(),
        "daylight" => LIGHT.iter().collect(),
        _ => DARK.iter().chain(&LIGHT).collect(),
    }
}

#[test]
fn every_role_stands_out_in_16_colours_as_far_as_the_palettes_go() {
    for name in Theme::shipped_names() {
        let theme = Theme::shipped(name, Depth::Ansi).unwrap();
        for palette in palettes_of(name) {
            let background = palette.background(theme.style(Role::Background).bg.unwrap());
            for role in text_roles().filter(|role| colour(&theme, *role) != Color::Reset) {
                let contrast = contrast(palette.text(colour(&theme, role)), background);
                let short = SHORT
                    .iter()
                    .find(|(theme, known, short, _)| (*theme, *known, *short) == (name, palette.name, role));
                let least = short.map_or(least(name, role), |(.., least)| *least);
                assert!(
                    contrast >= least,
                    "{name} on {}: {role:?} has a contrast of {contrast:.2}",
                    palette.name
                );
                let is_needed = short.is_none() || contrast < self::least(name, role);
                assert!(
                    is_needed,
                    "{name} on {}: {role:?} has {contrast:.2} and needs no exception",
                    palette.name
                );
            }
        }
    }
}

#[test]
fn mono_leaves_every_colour_to_the_terminal() {
    for depth in [Depth::None, Depth::Ansi, Depth::Indexed, Depth::True] {
        let theme = Theme::shipped("mono", depth).unwrap();
        assert!(text_roles().all(|role| colour(&theme, role) == Color::Reset));
        assert_eq!(theme.style(Role::Background).bg, Some(Color::Reset));
    }
}

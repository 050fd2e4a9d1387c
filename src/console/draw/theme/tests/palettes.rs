//! What terminals make of their sixteen colours by default, and of the 256. Values: xterm's `XTerm-col.ad`
//! and `256colres.h`; the Linux console's `drivers/tty/vt/vt.c` (`default_red`, `default_grn`,
//! `default_blu`); VS Code's `terminalColorRegistry.ts` with its default dark and light themes;
//! ethanschoonover.com/solarized; macOS Terminal's Basic and Pro profiles as tabled in Wikipedia, "ANSI
//! escape code".

use ratatui::style::Color;

use crate::console::draw::theme::color::{NAMES, Rgb};

/// A terminal's colours.
pub(super) struct Palette {
    pub(super) name: &'static str,
    pub(super) background: &'static str,
    pub(super) text: &'static str,
    /// From black to bright white.
    sixteen: [&'static str; 16],
}

#[rustfmt::skip]
const XTERM: [&str; 16] = [
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
    "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
];
#[rustfmt::skip]
const LINUX: [&str; 16] = [
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
    "#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
];
#[rustfmt::skip]
const VSCODE_DARK: [&str; 16] = [
    "#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
    "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5",
];
#[rustfmt::skip]
const VSCODE_LIGHT: [&str; 16] = [
    "#000000", "#cd3131", "#107c10", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555",
    "#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5",
];
#[rustfmt::skip]
const SOLARIZED: [&str; 16] = [
    "#073642", "#dc322f", "#859900", "#b58900", "#268bd2", "#d33682", "#2aa198", "#eee8d5",
    "#002b36", "#cb4b16", "#586e75", "#657b83", "#839496", "#6c71c4", "#93a1a1", "#fdf6e3",
];
#[rustfmt::skip]
const MACOS: [&str; 16] = [
    "#000000", "#c23621", "#25bc24", "#adad27", "#492ee1", "#d338d3", "#33bbc8", "#cbcccd",
    "#818383", "#fc391f", "#31e722", "#eaec23", "#5833ff", "#f935f8", "#14f0f0", "#e9ebeb",
];

/// Terminals with a dark background.
pub(super) const DARK: [Palette; 5] = [
    Palette { name: "xterm, dark", background: "#000000", text: "#e5e5e5", sixteen: XTERM },
    Palette { name: "Linux console", background: "#000000", text: "#aaaaaa", sixteen: LINUX },
    Palette { name: "VS Code, dark", background: "#1e1e1e", text: "#cccccc", sixteen: VSCODE_DARK },
    Palette { name: "Solarized dark", background: "#002b36", text: "#839496", sixteen: SOLARIZED },
    Palette { name: "macOS Terminal, Pro", background: "#000000", text: "#f2f2f2", sixteen: MACOS },
];

/// Terminals with a light background.
pub(super) const LIGHT: [Palette; 4] = [
    Palette { name: "xterm, light", background: "#ffffff", text: "#000000", sixteen: XTERM },
    Palette { name: "VS Code, light", background: "#ffffff", text: "#3b3b3b", sixteen: VSCODE_LIGHT },
    Palette { name: "Solarized light", background: "#fdf6e3", text: "#657b83", sixteen: SOLARIZED },
    Palette { name: "macOS Terminal, Basic", background: "#ffffff", text: "#000000", sixteen: MACOS },
];

impl Palette {
    /// What a colour of text looks like.
    pub(super) fn text(&self, color: Color) -> Rgb {
        self.look_up(color).unwrap_or(hex(self.text))
    }

    /// What a colour of the background looks like.
    pub(super) fn background(&self, color: Color) -> Rgb {
        self.look_up(color).unwrap_or(hex(self.background))
    }

    fn look_up(&self, color: Color) -> Option<Rgb> {
        // The first of the names is the default, which is none of the sixteen.
        let place = NAMES.iter().position(|(_, known)| *known == color).unwrap();
        place.checked_sub(1).map(|place| hex(self.sixteen[place]))
    }
}

fn hex(text: &str) -> Rgb {
    Rgb::parse(text).unwrap()
}

/// What a colour that names its own light looks like: truecolor, or one of the cube and the greys of the 256.
pub(super) fn absolute(color: Color) -> Rgb {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match color {
        Color::Rgb(r, g, b) => Rgb(r, g, b),
        Color::Indexed(grey @ 232..) => {
            let shade = 8 + (grey - 232) * 10;
            Rgb(shade, shade, shade)
        }
        Color::Indexed(cube @ 16..) => {
            let step = |place: u8| STEPS[usize::from(place % 6)];
            Rgb(step((cube - 16) / 36), step((cube - 16) / 6), step(cube - 16))
        }
        other => panic!("{other:?} depends on the terminal"),
    }
}

/// Red, green and blue as light, 0 to 1 (sRGB, IEC 61966-2-1).
pub(super) fn linear(Rgb(r, g, b): Rgb) -> [f64; 3] {
    [r, g, b].map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

/// The contrast of two colours, 1 to 21 (WCAG 2, "contrast ratio").
pub(super) fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |color| {
        let [r, g, b] = linear(color);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b): (f64, f64) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

//! Colours and what becomes of them on terminals that have fewer.

use ratatui::style::Color;

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) u8, pub(super) u8, pub(super) u8);

impl Rgb {
    /// Reads `#rrggbb`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self(channel(0)?, channel(2)?, channel(4)?))
    }

    /// The nearest of the 256-colour palette's cube and greys.
    pub(super) fn indexed(self) -> Color {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let nearest =
            |value: u8| (0..6u8).min_by_key(|step| STEPS[usize::from(*step)].abs_diff(value)).unwrap_or(0);
        let (r, g, b) = (nearest(self.0), nearest(self.1), nearest(self.2));
        let cube = Self(STEPS[usize::from(r)], STEPS[usize::from(g)], STEPS[usize::from(b)]);
        let mean = (u16::from(self.0) + u16::from(self.1) + u16::from(self.2)) / 3;
        let step = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
        let shade = 8 + step * 10;
        if self.distance(Self(shade, shade, shade)) < self.distance(cube) {
            Color::Indexed(232 + step)
        } else {
            Color::Indexed(16 + 36 * r + 6 * g + b)
        }
    }

    fn distance(self, other: Self) -> u32 {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(self.0, other.0) + square(self.1, other.1) + square(self.2, other.2)
    }
}

/// The terminal's own colours, by name.
pub(super) const NAMES: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// The terminal's own colour of this name.
pub(super) fn ansi(name: &str) -> Option<Color> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, color)| *color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_down_to_the_nearest_of_256() {
        assert_eq!(Rgb(255, 0, 0).indexed(), Color::Indexed(196));
        assert_eq!(Rgb(0, 0, 0).indexed(), Color::Indexed(16));
        assert_eq!(Rgb(255, 255, 255).indexed(), Color::Indexed(231));
        assert_eq!(Rgb(120, 120, 121).indexed(), Color::Indexed(243));
    }

    #[test]
    fn reads_only_six_hex_digits() {
        assert_eq!(Rgb::parse("#10141c"), Some(Rgb(16, 20, 28)));
        for bad in ["10141c", "#10141", "#10141cc", "#żżż", "#gggggg"] {
            assert_eq!(Rgb::parse(bad), None, "{bad}");
        }
    }
}

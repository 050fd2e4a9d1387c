//! How many colours a terminal takes. It is told by the environment, never asked of the terminal.

/// The colours that a terminal takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: bold, dim, underline and reverse alone.
    None,
    /// The terminal's own 16.
    #[default]
    Ansi,
    /// 256.
    Indexed,
    /// All.
    True,
}

impl Depth {
    /// The depth that the environment's `NO_COLOR`, `COLORTERM` and `TERM` tell of.
    #[must_use]
    pub fn of_environment(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or("");
        if no_color.is_some_and(|value| !value.is_empty()) || term == "dumb" {
            return Self::None;
        }
        if colorterm.is_some_and(|value| {
            value.eq_ignore_ascii_case("truecolor") || value.eq_ignore_ascii_case("24bit")
        }) || term.ends_with("-direct")
        {
            return Self::True;
        }
        if term.contains("256color") { Self::Indexed } else { Self::Ansi }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_depth_from_the_environment_alone() {
        assert_eq!(Depth::of_environment(Some("1"), Some("truecolor"), Some("xterm-256color")), Depth::None);
        assert_eq!(Depth::of_environment(Some(""), Some("truecolor"), Some("xterm-256color")), Depth::True);
        assert_eq!(Depth::of_environment(None, None, Some("xterm-256color")), Depth::Indexed);
        assert_eq!(Depth::of_environment(None, None, Some("linux")), Depth::Ansi);
        assert_eq!(Depth::of_environment(None, None, None), Depth::Ansi);
        assert_eq!(Depth::of_environment(None, None, Some("dumb")), Depth::None);
    }
}

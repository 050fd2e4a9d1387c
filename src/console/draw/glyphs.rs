//! The signs that carry meaning beside colour, with their ASCII forms.

/// One set of signs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Glyphs {
    pub(crate) well: &'static str,
    pub(crate) degraded: &'static str,
    pub(crate) down: &'static str,
    pub(crate) flying: &'static str,
    pub(crate) ok: &'static str,
    pub(crate) bad: &'static str,
    pub(crate) refunded: &'static str,
    pub(crate) none: &'static str,
    pub(crate) into: &'static str,
    /// Stands between two facts.
    pub(crate) between: &'static str,
    pub(crate) out: &'static str,
    pub(crate) ellipsis: &'static str,
    /// Stands for what is not to be seen, whatever its length.
    pub(crate) masked: &'static str,
    pub(crate) held: &'static str,
    pub(crate) draining: &'static str,
    pub(crate) parked: &'static str,
    pub(crate) marked: &'static str,
    /// A bookmark is set at the record.
    pub(crate) bookmark: &'static str,
    /// Entries were lost there.
    pub(crate) lost: &'static str,
    /// A moment was marked there.
    pub(crate) moment: &'static str,
    /// The record fits what is looked for.
    pub(crate) hit: &'static str,
    pub(crate) warn: &'static str,
    /// The frame was made by hand.
    pub(crate) by_hand: &'static str,
    pub(crate) times: &'static str,
    pub(crate) spark: [&'static str; 8],
    pub(crate) up: &'static str,
    pub(crate) down_arrow: &'static str,
    pub(crate) ascending: &'static str,
    pub(crate) descending: &'static str,
    pub(crate) left: &'static str,
    pub(crate) right: &'static str,
    pub(crate) corners: [&'static str; 4],
    pub(crate) horizontal: &'static str,
    pub(crate) vertical: &'static str,
    /// How a lane of a plan begins at a node, meets it, ends at it; and the same where the way to the node
    /// crosses it.
    pub(crate) lanes: [&'static str; 6],
    /// The part of a bar that is done, and the rest.
    pub(crate) bar: [&'static str; 2],
    pub(crate) ascii: bool,
}

/// For terminals with a Unicode font.
pub(crate) const UNICODE: Glyphs = Glyphs {
    well: "●",
    degraded: "◐",
    down: "○",
    flying: "▶",
    ok: "✓",
    bad: "✗",
    refunded: "↩",
    none: "—",
    into: "▸",
    between: "·",
    out: "◂",
    ellipsis: "…",
    masked: "▒▒▒▒▒▒",
    held: "‖",
    draining: "↓",
    parked: "◌",
    marked: "◆",
    bookmark: "★",
    lost: "?",
    moment: "◆",
    hit: "»",
    warn: "!",
    by_hand: "¶",
    times: "×",
    spark: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    up: "↑",
    down_arrow: "↓",
    ascending: "▴",
    descending: "▾",
    left: "←",
    right: "→",
    corners: ["┌", "┐", "└", "┘"],
    horizontal: "─",
    vertical: "│",
    lanes: ["┌", "├", "└", "┬", "┼", "┴"],
    bar: ["█", "░"],
    ascii: false,
};

/// For `--ascii`.
pub(crate) const ASCII: Glyphs = Glyphs {
    well: "*",
    degraded: "~",
    down: "o",
    flying: ">",
    ok: "+",
    bad: "x",
    refunded: "<",
    none: "-",
    into: ">",
    between: "-",
    out: "<",
    ellipsis: "~",
    masked: "******",
    held: "H",
    draining: "D",
    parked: ".",
    marked: "#",
    bookmark: "'",
    lost: "?",
    moment: "m",
    hit: "=",
    warn: "!",
    by_hand: "%",
    times: "x",
    spark: ["_", ".", ".", "-", "-", "=", "#", "#"],
    up: "up",
    down_arrow: "down",
    ascending: "^",
    descending: "v",
    left: "left",
    right: "right",
    corners: ["+", "+", "+", "+"],
    horizontal: "-",
    vertical: "|",
    lanes: [",", "+", "`", ",", "+", "`"],
    bar: ["#", "."],
    ascii: true,
};

impl Glyphs {
    /// The set for a terminal.
    pub(crate) fn of(ascii: bool) -> &'static Self {
        if ascii { &ASCII } else { &UNICODE }
    }
}

/// A small chart, its highest bar the highest count.
pub(crate) fn spark<const N: usize>(window: Option<[u64; N]>, glyphs: &Glyphs) -> String {
    let counts = window.iter().flatten();
    let highest = counts.clone().copied().max().unwrap_or(0);
    if highest == 0 {
        return String::new();
    }
    counts
        .map(|count| match count {
            0 => " ",
            _ => glyphs.spark[usize::try_from((count * 7).div_ceil(highest)).unwrap_or(7).min(7)],
        })
        .collect()
}

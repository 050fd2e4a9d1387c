//! A screen as text, with its colours beside it.

use std::fmt::Write as _;

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier},
};

pub(super) fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    buffer.content().chunks(width).fold(String::new(), |mut text, line| {
        let line: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
        let _ = writeln!(text, "{}", line.trim_end());
        text
    })
}

/// The text, then for each line the runs of style: a letter for each style used, with a key to what it is in
/// each look below. The text is the same in all of them.
pub(super) fn serialize(looks: &[(String, Buffer)]) -> String {
    let (_, first) = &looks[0];
    let width = usize::from(first.area.width);
    let mut styles: Vec<Vec<(Color, Color, Modifier)>> = Vec::new();
    let mut runs = String::new();
    for row in 0..usize::from(first.area.height) {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for cell in row * width..(row + 1) * width {
            let cells = looks.iter().map(|(_, buffer)| &buffer.content()[cell]);
            assert!(
                cells.clone().all(|other| other.symbol() == first.content()[cell].symbol()),
                "colours change no text"
            );
            let style: Vec<_> = cells.map(|cell| (cell.fg, cell.bg, cell.modifier)).collect();
            let at = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            match out.last_mut() {
                Some((last, count)) if *last == at => *count += 1,
                _ => out.push((at, 1)),
            }
        }
        let line: Vec<String> = out.into_iter().map(|(at, count)| format!("{}{count}", letter(at))).collect();
        let _ = writeln!(runs, "{}", line.join(" "));
    }
    let mut out = text_of(first);
    out.push_str("---\n");
    out.push_str(&runs);
    for (place, (look, _)) in looks.iter().enumerate() {
        let _ = writeln!(out, "--- {look}");
        for (at, style) in styles.iter().enumerate() {
            let (fg, bg, modifier) = style[place];
            let _ = writeln!(out, "{} {fg} on {bg} {modifier:?}", letter(at));
        }
    }
    out
}

pub(super) fn letter(at: usize) -> char {
    let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char::from(letters[at.min(letters.len() - 1)])
}

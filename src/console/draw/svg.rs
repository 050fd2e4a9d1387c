//! A screen as a picture: SVG, with its colours, in whatever monospaced font there is.

use std::fmt::Write as _;

use ratatui::{
    buffer::{Buffer, Cell, CellWidth as _},
    style::{Color, Modifier},
};

/// A cell's width and height in the picture's units.
const CELL: (u32, u32) = (9, 18);
/// The empty edge around the screen.
const EDGE: u32 = 9;
/// Where a line's letters stand, from its top.
const BASELINE: u32 = 14;

/// Neighbouring cells of one look.
struct Run {
    first: u32,
    cells: u32,
    text: String,
    look: Look,
}

#[derive(Clone, PartialEq, Eq)]
struct Look {
    text: String,
    background: String,
    is_bold: bool,
    is_dim: bool,
    is_underlined: bool,
}

/// The picture of a buffer; what has no colour of its own is drawn in that of its first cell.
pub(crate) fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (columns, rows) = (u32::from(area.width), u32::from(area.height));
    let (width, height) = (columns * CELL.0 + 2 * EDGE, rows * CELL.1 + 2 * EDGE);
    let ground =
        buffer.cell((area.x, area.y)).map_or((Color::Reset, Color::Reset), |cell| (cell.fg, cell.bg));
    let ground = (
        hex(ground.0).unwrap_or_else(|| "#d0d0d0".to_owned()),
        hex(ground.1).unwrap_or_else(|| "#101010".to_owned()),
    );
    // Writing to memory cannot fail.
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        ground.1
    );
    for y in area.top()..area.bottom() {
        let top = u32::from(y - area.y) * CELL.1 + EDGE;
        for run in runs(buffer, y, &ground) {
            let (x, wide) = (run.first * CELL.0 + EDGE, run.cells * CELL.0);
            if run.look.background != ground.1 {
                let (fill, high) = (&run.look.background, CELL.1);
                let _ = writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"{fill}\"/>"
                );
            }
            if run.text.trim().is_empty() {
                continue;
            }
            let weight = if run.look.is_bold { " font-weight=\"bold\"" } else { "" };
            let dim = if run.look.is_dim { " fill-opacity=\"0.6\"" } else { "" };
            let line = if run.look.is_underlined { " text-decoration=\"underline\"" } else { "" };
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{}\" textLength=\"{wide}\" fill=\"{}\"{weight}{dim}{line} xml:space=\"preserve\">{}</text>",
                top + BASELINE,
                run.look.text,
                escaped(&run.text)
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The text of a buffer, without blanks at the ends of lines.
pub(crate) fn text(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        for (_, cell) in cells(buffer, y) {
            line.push_str(cell.symbol());
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The cells of a line that begin a sign, each with its column.
fn cells(buffer: &Buffer, y: u16) -> impl Iterator<Item = (u16, &Cell)> {
    let area = buffer.area;
    let mut covered = area.left();
    (area.left()..area.right()).filter_map(move |x| {
        let cell = buffer.cell((x, y)).filter(|_| x >= covered)?;
        covered = x + cell.cell_width().max(1);
        Some((x, cell))
    })
}

fn runs(buffer: &Buffer, y: u16, ground: &(String, String)) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (x, cell) in cells(buffer, y) {
        let look = look(cell, ground);
        let (first, wide) = (u32::from(x - buffer.area.x), u32::from(cell.cell_width().max(1)));
        match runs.last_mut() {
            // A gap ends a run, so that what stands behind it stays in its column.
            Some(run) if run.look == look && !(run.text.ends_with("  ") && cell.symbol() != " ") => {
                run.cells += wide;
                run.text.push_str(cell.symbol());
            }
            _ => runs.push(Run { first, cells: wide, text: cell.symbol().to_owned(), look }),
        }
    }
    runs
}

fn look(cell: &Cell, ground: &(String, String)) -> Look {
    let mut colours =
        (hex(cell.fg).unwrap_or_else(|| ground.0.clone()), hex(cell.bg).unwrap_or_else(|| ground.1.clone()));
    if cell.modifier.contains(Modifier::REVERSED) {
        colours = (colours.1, colours.0);
    }
    Look {
        text: colours.0,
        background: colours.1,
        is_bold: cell.modifier.contains(Modifier::BOLD),
        is_dim: cell.modifier.contains(Modifier::DIM),
        is_underlined: cell.modifier.contains(Modifier::UNDERLINED),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A colour; those that the terminal chooses as xterm has them. None for its own.
fn hex(colour: Color) -> Option<String> {
    let (red, green, blue) = match colour {
        Color::Rgb(red, green, blue) => (red, green, blue),
        Color::Indexed(index @ 16..=231) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let index = index - 16;
            (level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        Color::Indexed(index @ 232..) => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
        Color::Black | Color::Indexed(0) => (0, 0, 0),
        Color::Red | Color::Indexed(1) => (205, 0, 0),
        Color::Green | Color::Indexed(2) => (0, 205, 0),
        Color::Yellow | Color::Indexed(3) => (205, 205, 0),
        Color::Blue | Color::Indexed(4) => (0, 0, 238),
        Color::Magenta | Color::Indexed(5) => (205, 0, 205),
        Color::Cyan | Color::Indexed(6) => (0, 205, 205),
        Color::Gray | Color::Indexed(7) => (229, 229, 229),
        Color::DarkGray | Color::Indexed(8) => (127, 127, 127),
        Color::LightRed | Color::Indexed(9) => (255, 0, 0),
        Color::LightGreen | Color::Indexed(10) => (0, 255, 0),
        Color::LightYellow | Color::Indexed(11) => (255, 255, 0),
        Color::LightBlue | Color::Indexed(12) => (92, 92, 255),
        Color::LightMagenta | Color::Indexed(13) => (255, 0, 255),
        Color::LightCyan | Color::Indexed(14) => (0, 255, 255),
        Color::White | Color::Indexed(15) => (255, 255, 255),
        Color::Reset => return None,
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use ratatui::{layout::Rect, style::Style};

    use super::*;

    fn screen() -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_style(buffer.area, Style::new().fg(Color::Rgb(200, 200, 200)).bg(Color::Rgb(1, 2, 3)));
        buffer.set_string(0, 0, "a <b> &  c", Style::new());
        buffer.set_string(
            0,
            1,
            "宽x",
            Style::new().fg(Color::Red).add_modifier(Modifier::BOLD | Modifier::REVERSED),
        );
        buffer
    }

    #[test]
    fn signs_keep_their_columns_and_their_looks() {
        let picture = svg(&screen());
        for wanted in [
            "width=\"126\" height=\"54\"",
            "fill=\"#010203\"",
            ">a &lt;b&gt; &amp;  </text>",
            "<text x=\"90\" y=\"23\"",
            "<rect x=\"9\" y=\"27\" width=\"27\" height=\"18\" fill=\"#cd0000\"/>",
            "<text x=\"9\" y=\"41\" textLength=\"27\" fill=\"#010203\" font-weight=\"bold\" xml:space=\"preserve\">宽x</text>",
        ] {
            assert!(picture.contains(wanted), "{wanted}\n{picture}");
        }
    }

    #[test]
    fn what_is_told_by_weight_alone_is_seen() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer.set_string(0, 0, "off", Style::new().add_modifier(Modifier::DIM | Modifier::UNDERLINED));
        let picture = svg(&buffer);
        assert!(picture.contains("fill-opacity=\"0.6\" text-decoration=\"underline\""), "{picture}");
    }

    #[test]
    fn its_text_is_that_of_the_screen() {
        assert_eq!(text(&screen()), "a <b> &  c\n宽x\n");
    }

    #[test]
    fn colours_of_terminals_are_those_of_xterm() {
        let told =
            [Color::Indexed(16), Color::Indexed(231), Color::Indexed(244), Color::Indexed(9), Color::Reset];
        let wanted = ["#000000", "#ffffff", "#808080", "#ff0000"].map(|it| Some(it.to_owned()));
        assert_eq!(told.map(hex).to_vec(), wanted.into_iter().chain([None]).collect::<Vec<_>>());
    }
}

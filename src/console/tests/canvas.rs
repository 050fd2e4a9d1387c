//! What is put at a place stays in its columns, whatever it is; in the buffer, and in a terminal that counts
//! for itself.

use crossterm::event::KeyCode;
use proptest::prelude::*;
use ratatui::{
    buffer::{Buffer, Cell, CellWidth as _},
    layout::Rect,
};

use super::test_console::{TestConsole, show};
use crate::console::{
    draw::{class::Class, glyphs::Glyphs, theme::Role},
    screen::frame,
    settings::view::Canvas,
    terminal::Painter,
};

const COLUMNS: u16 = 24;

/// Characters that make trouble, more often than chance would.
fn troublesome() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        any::<char>(),
        prop::sample::select("a <1日👩🚀🏽🇩🇪\u{200d}\u{fe0f}\u{20e3}\u{301}\u{315}\u{1100}\u{1161}\u{11a8}\u{ff9e}ｶ\u{915}\u{94d}\u{937}\u{93f}\u{644}\u{627}\u{200b}\u{202e}\u{e0041}\u{1b}\r\n\t".chars().collect::<Vec<_>>()),
    ];
    // The terminal of the test leaves out U+FFFD, as no other does.
    prop::collection::vec(one, 0..16)
        .prop_map(|all| all.into_iter().filter(|character| *character != '\u{fffd}').collect())
}

/// The symbols of a line of cells.
fn symbols(buffer: &Buffer) -> Vec<String> {
    buffer.content().iter().map(|cell| cell.symbol().to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_stays_in_its_columns(
        before in troublesome(), text in troublesome(), x in 0..COLUMNS + 2, columns in 0..COLUMNS + 2,
        ascii: bool, at_right: bool,
    ) {
        let mut stage = TestConsole::of_size(80, 24);
        stage.view.glyphs = Glyphs::of(ascii);
        let mut painter = Painter::new(COLUMNS, 1);
        let mut terminal = vt100::Parser::new(1.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
        let mut line = Vec::new();
        // One frame over another: what was there before must leave nothing.
        for text in [&before, &text] {
            let mut under = Buffer::empty(Rect::new(0, 0, COLUMNS, 1));
            let buffer = painter.canvas();
            for buffer in [&mut under, &mut *buffer] {
                let canvas = &mut Canvas { buffer, view: &stage.view };
                canvas.put(0, 0, COLUMNS, &before, Role::Text);
            }
            let canvas = &mut Canvas { buffer, view: &stage.view };
            let used = if at_right {
                canvas.put_right(x, 0, columns, text, Role::Text, Class::Payload);
                columns
            } else {
                canvas.put_as(x, 0, columns, text, Role::Text, Class::Payload)
            };
            prop_assert!(used <= columns);
            let (old, new) = (symbols(&under), symbols(buffer));
            for at in 0..COLUMNS {
                let is_ours = (x..x.saturating_add(columns)).contains(&at);
                let (old, new) = (&old[usize::from(at)], &new[usize::from(at)]);
                // A wide character that reached into our columns, or out of them, is gone as a whole.
                prop_assert!(is_ours || new == old || new == " ", "{new:?} for {old:?} at {at}");
                prop_assert!(!new.chars().any(char::is_control), "{new:?}");
            }
            let mut at = 0;
            while at < COLUMNS {
                let wide = buffer[(at, 0)].cell_width();
                prop_assert!(wide >= 1 && at + wide <= COLUMNS, "{wide} columns at {at}");
                prop_assert!(
                    (at + 1..at + wide).all(|trailing| buffer[(trailing, 0)].symbol() == " "),
                    "{:?}",
                    buffer
                );
                at += wide;
            }
            line = symbols(buffer);
            terminal.process(&painter.frame().unwrap_or_default());
        }
        let mut at = 0;
        while at < COLUMNS {
            // A cluster of several columns is several cells to a terminal that counts characters.
            let wide = line[usize::from(at)].as_str().cell_width();
            let seen: String = (at..at + wide)
                .filter_map(|column| terminal.screen().cell(0, column))
                .map(vt100::Cell::contents)
                .collect();
            prop_assert_eq!(seen.trim(), line[usize::from(at)].trim(), "at {} of {:?}", at, line);
            at += wide;
        }
    }
}

#[test]
fn a_wide_character_has_no_half_at_the_right_edge() {
    let stage = TestConsole::of_size(80, 24);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
    let canvas = &mut Canvas { buffer: &mut buffer, view: &stage.view };
    assert_eq!(canvas.put(3, 0, 9, "日", Role::Text), 1);
    assert_eq!(symbols(&buffer), [" ", " ", " ", "…"]);
}

#[test]
fn a_layer_over_half_of_a_wide_character_takes_the_whole_of_it() {
    let stage = TestConsole::of_size(80, 24);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 3));
    let canvas = &mut Canvas { buffer: &mut buffer, view: &stage.view };
    canvas.put(0, 1, 6, "日本語", Role::Text);
    canvas.clear(Rect::new(1, 0, 3, 3));
    canvas.frame(Rect::new(1, 0, 3, 3), "", true);
    assert_eq!(symbols(&buffer)[6..12], [" ", "│", " ", "│", "語", " "]);
}

#[test]
fn a_screen_over_another_is_as_it_is_on_an_empty_buffer() {
    for (columns, rows) in [(160, 50), (80, 24), (20, 5)] {
        let mut stage = show(columns, rows);
        let area = Rect::new(0, 0, columns, rows);
        let mut over = Buffer::filled(area, Cell::new("日"));
        for key in ['1', '8', 'i', '\u{1b}', '2', '?', '\u{1b}', 'T', '9'] {
            stage.key(if key == '\u{1b}' { KeyCode::Esc } else { KeyCode::Char(key) });
            let alone = stage.buffer();
            frame::draw(&mut over, &stage.model, &stage.ui, &stage.view);
            assert_eq!(over, alone, "{columns}x{rows}: {key:?}");
        }
    }
}

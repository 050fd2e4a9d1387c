//! What drawing needs beside the model: looks, place, moment. And the one way to put text on the screen.

use jiff::tz::TimeZone;
use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    config::CommandHints,
    glyphs::Glyphs,
    text,
    theme::{Role, Theme},
};
use crate::time::{Mono, Now};

/// Looks, place and moment.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) theme: Theme,
    pub(crate) glyphs: &'static Glyphs,
    pub(crate) name: String,
    pub(crate) commands: CommandHints,
    pub(crate) zone: TimeZone,
    pub(crate) now: Now,
}

impl View {
    /// How something of this role is drawn.
    pub(crate) fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// The time of day.
    pub(crate) fn time_of_day(&self, at: Now) -> String {
        super::format::time_of_day(at.wall, &self.zone)
    }

    /// How long ago. What an earlier start of the station left has the wall clock's time alone.
    pub(crate) fn age(&self, at: Now) -> String {
        super::format::age(if at.mono == Mono(0) { self.now.wall.since(at.wall) } else { self.now.mono.since(at.mono) })
    }
}

/// A buffer with the looks.
pub(crate) struct Canvas<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) view: &'a View,
}

impl Canvas<'_> {
    /// Puts text at a place, made visible and cut to `columns`; returns the columns used.
    pub(crate) fn put(&mut self, x: u16, y: u16, columns: u16, words: &str, role: Role) -> u16 {
        self.put_styled(x, y, columns, words, self.view.style(role))
    }

    /// Like [`put`](Self::put), in a style of one's own.
    pub(crate) fn put_styled(&mut self, x: u16, y: u16, columns: u16, words: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if x >= area.right() || y >= area.bottom() {
            return 0;
        }
        let columns = columns.min(area.right() - x);
        let words = text::visible(words, self.view.glyphs.ascii);
        let words = text::truncate(&words, usize::from(columns), self.view.glyphs.ellipsis);
        let (end, _) = self.buffer.set_stringn(x, y, &words, usize::from(columns), style);
        end - x
    }

    /// Empties an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        let style = self.view.style(Role::Background).patch(self.view.style(Role::Text));
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Draws a border with a title, and returns what lies inside. The focused one is marked by a sign in its title, not by colour alone.
    pub(crate) fn frame(&mut self, area: Rect, title: &str, focused: bool) -> Rect {
        if area.width < 2 || area.height < 2 {
            return Rect::ZERO;
        }
        let glyphs = self.view.glyphs;
        let style = self.view.style(if focused { Role::Focus } else { Role::Border });
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.x + 1..right {
            self.buffer.set_string(x, area.y, glyphs.horizontal, style);
            self.buffer.set_string(x, bottom, glyphs.horizontal, style);
        }
        for y in area.y + 1..bottom {
            self.buffer.set_string(area.x, y, glyphs.vertical, style);
            self.buffer.set_string(right, y, glyphs.vertical, style);
        }
        for ((x, y), corner) in [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)].into_iter().zip(glyphs.corners) {
            self.buffer.set_string(x, y, corner, style);
        }
        let title = if focused { format!(" {} {title} ", glyphs.into) } else { format!(" {title} ") };
        let role = if focused { Role::Focus } else { Role::Muted };
        self.put(area.x + 1, area.y, area.width.saturating_sub(2), &title, role);
        Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
    }
}

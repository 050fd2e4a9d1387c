//! What drawing needs beside the model: looks, place, moment. And the one way to put text on the screen.

use std::{borrow::Cow, sync::Arc};

use jiff::tz::TimeZone;
use ratatui::{
    buffer::{Buffer, CellWidth as _},
    layout::Rect,
    style::{Modifier, Style},
};

use super::{AlertRules, config::CommandHints, shell::Subcommand};
use crate::{
    console::{
        draw::{
            class::{Class, MaskPolicy},
            glyphs::Glyphs,
            text,
            theme::{Role, Theme},
        },
        input::{action::Action, keymap::Keymap},
    },
    manual::LazyManual,
    port::ReplayView,
    time::{Mono, Now},
};

/// Looks, place and moment.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) theme: Theme,
    pub(crate) glyphs: &'static Glyphs,
    pub(crate) keymap: Keymap,
    pub(crate) alerts: AlertRules,
    pub(crate) name: String,
    pub(crate) commands: CommandHints,
    pub(crate) zone: TimeZone,
    /// The moment that is shown: the present, unless time is stopped.
    pub(crate) now: Now,
    /// The present.
    pub(crate) clock: Now,
    pub(crate) subcommands: Arc<[Subcommand]>,
    pub(crate) manual: LazyManual,
    /// The mask.
    pub(crate) mask_policy: MaskPolicy,
    /// Where the replay is, where a recording is in the place of a station.
    pub(crate) replay: Option<ReplayView>,
    /// Whether a recording is shown over the console of a station, to which it returns.
    pub(crate) is_over_station: bool,
    /// What the station waits for over which a recording is shown.
    pub(crate) present: Vec<String>,
}

impl View {
    /// How something of this role is drawn.
    pub(crate) fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Whether an action can do anything in what is shown, a station or a replay.
    pub(crate) const fn offers(&self, action: Action) -> bool {
        self.replay.is_none() || !action.is_of_station_alone()
    }

    /// The name of an action's key.
    pub(crate) fn key(&self, action: Action) -> String {
        self.keymap.key_of(action, self.glyphs)
    }

    /// The time of day.
    pub(crate) fn time_of_day(&self, at: Now) -> String {
        crate::console::draw::format::time_of_day(at.wall, &self.zone)
    }

    /// How long ago. What an earlier start of the station left has the wall clock's time alone.
    pub(crate) fn age(&self, at: Now) -> String {
        crate::console::draw::format::age(if at.mono == Mono(0) {
            self.now.wall.since(at.wall)
        } else {
            self.now.mono.since(at.mono)
        })
    }
}

/// A buffer with the looks.
pub(crate) struct Canvas<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) view: &'a View,
}

impl Canvas<'_> {
    /// Puts text that anybody may see at a place, made visible and cut to `columns`; returns the columns
    /// used.
    pub(crate) fn put(&mut self, x: u16, y: u16, columns: u16, words: &str, role: Role) -> u16 {
        self.put_as(x, y, columns, words, role, Class::Public)
    }

    /// Like [`put`](Self::put), for text of any class.
    pub(crate) fn put_as(
        &mut self,
        x: u16,
        y: u16,
        columns: u16,
        words: &str,
        role: Role,
        class: Class,
    ) -> u16 {
        let words = self.masked(x, words, columns, class);
        self.draw(x, y, columns, &words, self.view.style(role))
    }

    /// Like [`put_as`](Self::put_as), for characters whose columns tell something by themselves, as those of
    /// a dump do: what is masked keeps its length.
    pub(crate) fn put_keeping_width(&mut self, x: u16, y: u16, words: &str, role: Role, class: Class) {
        let columns = u16::try_from(text::width(words)).unwrap_or(u16::MAX);
        if !self.view.mask_policy.masks(class) {
            self.put(x, y, columns, words, role);
            return;
        }
        let sign = self.view.glyphs.masked.chars().next();
        let masked: String = sign.into_iter().cycle().take(columns.into()).collect();
        self.put(x, y, columns, &masked, role);
    }

    /// Like [`put_as`](Self::put_as), at the right end of its columns.
    pub(crate) fn put_right(&mut self, x: u16, y: u16, columns: u16, words: &str, role: Role, class: Class) {
        let words = self.masked(x, words, columns, class);
        let before = columns.saturating_sub(u16::try_from(text::width(&words)).unwrap_or(columns));
        self.draw(x.saturating_add(before), y, columns - before, &words, self.view.style(role));
    }

    /// The text as it is drawn: the one place where what is not to be seen is masked.
    fn masked<'a>(&self, x: u16, words: &'a str, columns: u16, class: Class) -> Cow<'a, str> {
        let glyphs = self.view.glyphs;
        let words =
            if self.view.mask_policy.masks(class) && !words.is_empty() { glyphs.masked } else { words };
        let columns = columns.min(self.buffer.area.right().saturating_sub(x));
        text::fit(words, usize::from(columns), glyphs)
    }

    /// Draws what was made fit. Text reaches the buffer by no other way.
    fn draw(&mut self, x: u16, y: u16, columns: u16, words: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if x < area.x || y < area.y || x >= area.right() || y >= area.bottom() {
            return 0;
        }
        self.sever(x, y);
        let room = columns.min(area.right() - x);
        let mut used = 0;
        for unit in text::clusters(words) {
            let wide = unit.cell_width();
            if wide > room - used {
                break;
            }
            for place in 0..wide {
                if let Some(cell) = self.buffer.cell_mut((x + used + place, y)) {
                    cell.set_symbol(if place == 0 { unit } else { " " }).set_style(style);
                }
            }
            used += wide;
        }
        used
    }

    /// A wide character that reaches over this column from the left goes, for half of it is about to be
    /// covered.
    fn sever(&mut self, x: u16, y: u16) {
        if let Some(cell) = x.checked_sub(1).and_then(|x| self.buffer.cell_mut((x, y)))
            && cell.cell_width() > 1
        {
            cell.set_symbol(" ");
        }
    }

    /// Marks a line as the selected one: in reverse video, whatever the theme.
    pub(crate) fn select(&mut self, line: Rect) {
        self.buffer.set_style(line, self.view.theme.selection());
    }

    /// Marks a cell of the selected line: by weight and a line under it, whatever the theme.
    pub(crate) fn choose(&mut self, cell: Rect) {
        self.buffer.set_style(cell, Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED));
    }

    /// Empties an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        let style = self.view.style(Role::Background).patch(self.view.style(Role::Text));
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            self.sever(area.x, y);
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Draws a border with a title, and returns what lies inside. The focused one is marked by a sign in its
    /// title, not by colour alone.
    pub(crate) fn frame(&mut self, area: Rect, title: &str, focused: bool) -> Rect {
        self.frame_of(area, &[(title, Class::Public)], focused)
    }

    /// Like [`frame`](Self::frame), with a title of words that not everybody may see.
    pub(crate) fn frame_of(&mut self, area: Rect, title: &[(&str, Class)], focused: bool) -> Rect {
        if area.width < 2 || area.height < 2 {
            return Rect::ZERO;
        }
        let glyphs = self.view.glyphs;
        let style = self.view.style(if focused { Role::Focus } else { Role::Border });
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.x + 1..right {
            self.draw(x, area.y, 1, glyphs.horizontal, style);
            self.draw(x, bottom, 1, glyphs.horizontal, style);
        }
        for y in area.y + 1..bottom {
            self.draw(area.x, y, 1, glyphs.vertical, style);
            self.draw(right, y, 1, glyphs.vertical, style);
        }
        for ((x, y), corner) in [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)]
            .into_iter()
            .zip(glyphs.corners)
        {
            self.draw(x, y, 1, corner, style);
        }
        let role = if focused { Role::Focus } else { Role::Muted };
        let sign = if focused { format!(" {} ", glyphs.into) } else { " ".to_owned() };
        let parts = std::iter::once((sign.as_str(), Class::Public))
            .chain(title.iter().copied())
            .chain([(" ", Class::Public)]);
        let mut x = area.x + 1;
        for (words, class) in parts {
            x += self.put_as(x, area.y, right.saturating_sub(x), words, role, class);
        }
        Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
    }
}

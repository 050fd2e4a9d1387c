//! Log: notices of all origins, newest first; and the station's own log, those of the station, its bridge and
//! this console alone.

use crate::{
    console::{
        draw::{Cell, glyphs::Glyphs, theme::Role},
        model::{Notice, Origin},
        records::{
            row::{CellContext, PaneRecord},
            selection::RecordKey,
        },
    },
    field::{Column, Value, fields},
    tap::entry::station::Level,
};

/// The names of levels, least first.
pub(crate) const LEVELS: &[&str] =
    &[Level::Trace.name(), Level::Debug.name(), Level::Info.name(), Level::Warn.name(), Level::Error.name()];

fields! {
    Notice {
        "at", Time, Public, "when it was said", Column::fixed("at", 8) => |it, _| Value::Time(it.at.wall);
        "level", State(LEVELS), Public, "how much it matters", Column::fixed("level", 7) => |it, _| Value::text(it.level.name());
        "who", State(&["station", "mpp", "rmp", "macp", "adapter", "console", "runs"]), Public, "who says it", Column::fixed("who", 7)
            => |it, _| Value::text(who(it.origin).0);
        "text", Text, Payload, "what is said", Column::growing("", 10, 1) => |it, _| Value::text(&*it.text);
        "age", Duration, Public, "how long ago it was said" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

const fn who(origin: Origin) -> (&'static str, Role) {
    match origin {
        Origin::Station => ("station", Role::Station),
        Origin::Bridge => ("mpp", Role::Mpp),
        Origin::Bus => ("rmp", Role::Rmp),
        Origin::Runtime => ("macp", Role::Macp),
        Origin::Adapter => ("adapter", Role::Accent),
        Origin::Console => ("console", Role::Muted),
        Origin::Runs => ("runs", Role::Runs),
    }
}

impl PaneRecord for Notice {
    fn key(&self) -> RecordKey {
        RecordKey::Notice(self.number)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (level, role) = level_cell(self.level, look.view.glyphs);
        Some(match field {
            "level" => Cell::new(level, role),
            "who" => {
                let (who, role) = who(self.origin);
                Cell::new(who, role)
            }
            "text" => Cell::of_class(
                self.text.to_string(),
                if self.level >= Level::Warn { role } else { Role::Text },
                self.class,
            ),
            _ => return None,
        })
    }
}

/// A level with its sign.
pub(crate) fn level_cell(level: Level, glyphs: &Glyphs) -> (String, Role) {
    match level {
        Level::Error => (format!("{} error", glyphs.bad), Role::Bad),
        Level::Warn => (format!("{} warn", glyphs.warn), Role::Warn),
        quiet => (format!("  {}", quiet.name()), Role::Muted),
    }
}

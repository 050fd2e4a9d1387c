//! A run's question as it is listed among those of all systems.

use super::{confirmations::ask_line, details::NodeDetails, keys::APPROVAL};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        records::{record_key::RecordKey, row::DetailsRecord},
        settings::view::View,
        ui::question::Question,
    },
    runs::AskView,
};

impl Question for AskView {
    fn key(&self) -> RecordKey {
        APPROVAL.of(self.action)
    }

    /// Of which run it is and when it is rejected without an answer are never cut, nor masked.
    fn cells(&self, view: &View) -> [Cell; 4] {
        let left = self.expires_at.since(view.clock.wall);
        [
            Cell::new(format!("{} {} pending", view.glyphs.warn, self.run.short()), Role::Accent),
            Cell::new(view.time_of_day(self.asked_at), Role::Muted),
            Cell::new(format!("{} left", format::age(left).trim_start()), Role::Warn),
            Cell::of_class(ask_line(self), Role::Text, Class::Payload),
        ]
    }

    fn details(&self) -> Box<dyn DetailsRecord> {
        Box::new(NodeDetails::of(self.run, self.node.index))
    }
}

//! A plugin's question for a credential as it is listed among those of all systems.

use super::{details::PluginDetails, keys::CREDENTIAL};
use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        records::{record_key::RecordKey, row::DetailsRecord},
        settings::view::View,
        ui::question::Question,
    },
    plugin::snapshot::AskedView,
};

impl Question for AskedView {
    fn key(&self) -> RecordKey {
        CREDENTIAL.of(self.plugin.clone())
    }

    /// Who asks for what and when it is denied without an answer are never cut, nor masked.
    fn cells(&self, view: &View) -> [Cell; 4] {
        let left = self.until.since(view.clock.wall);
        [
            Cell::new(format!("{} credential", view.glyphs.warn), Role::Accent),
            Cell::new(view.time_of_day(self.at), Role::Muted),
            Cell::new(format!("{} left", format::age(left).trim_start()), Role::Warn),
            Cell::new(format!("{} asks for {}", self.plugin, self.kind), Role::Text),
        ]
    }

    fn details(&self) -> Box<dyn DetailsRecord> {
        Box::new(PluginDetails(self.plugin.clone()))
    }
}

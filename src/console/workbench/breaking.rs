//! The frame that is edited, broken on purpose.

use super::{Workbench, bench::Leads, lists::BreakageList};
use crate::{
    console::ui::{
        act::{Act, Resolved},
        message::show_message,
    },
    dissect::frame_json::Breakage,
    limits::Limits,
};

impl Workbench {
    /// The list of the ways to break it, which are tried when it is opened: whether there is a frame is all
    /// that each paint asks.
    pub(super) fn breaking(&self) -> Resolved {
        if !self.is_made() || self.leads == Leads::Reading || self.bytes.bytes().is_empty() {
            return Err("there is no frame to break".into());
        }
        Ok(Act::effects(|ui, _| {
            let ways = ui.top::<Self>().map(|bench| bench.ways_to_break(&ui.limits)).unwrap_or_default();
            if ways.is_empty() {
                show_message(ui, "there is nothing to break in this frame".to_owned(), true, ui.at);
            } else {
                ui.push(BreakageList::of(ways));
            }
            Vec::new()
        }))
    }

    /// Breaks it on purpose. Where the JSON leads, its bytes are made anew with that.
    pub(super) fn break_by(&mut self, breakage: Breakage) {
        if self.leads == Leads::Json {
            (self.breakages, self.is_written) = (vec![breakage], true);
        } else {
            self.leads = Leads::Breaking(breakage);
        }
        self.changed();
    }

    /// The ways to break it; of a large frame all that there are, which are tried when they are chosen.
    pub(super) fn ways_to_break(&self, limits: &Limits) -> Vec<Breakage> {
        let (format, bytes) = (self.way.format(), self.bytes.bytes());
        let is_large = bytes.len() as u64 > limits.console.inspect_inline_bytes_max;
        Breakage::ALL.iter().copied().filter(|it| is_large || it.apply(format, bytes).is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::{
        console::workbench::{bench::Side, way::Way},
        time::Wall,
    };

    #[test]
    fn what_is_broken_stays_so_by_another_door_and_not_on_another_link() {
        let limits = Limits::default();
        let mut bench = Workbench::of(Way::default(), &limits, Wall(1));
        bench.break_by(Breakage::Truncated);
        let mut next_choice = |field| {
            bench.side = Side::Way(field);
            bench.type_key(KeyEvent::from(KeyCode::Right), &limits, Wall(1)).unwrap();
            bench.breakages.clone()
        };
        assert_eq!(next_choice(1), [Breakage::Truncated], "the door");
        assert_eq!(next_choice(0), [], "the link");
    }
}

//! The frame that is edited, broken on purpose.

use super::{Workbench, bench::Leads};
use crate::{dissect::frame_json::Breakage, limits::Limits};

impl Workbench {
    /// Breaks it on purpose. Where the JSON leads, its bytes are made anew with that.
    pub(super) fn break_by(&mut self, breakage: Breakage) -> Result<(), String> {
        if self.leads == Leads::Json {
            self.breakages = vec![breakage];
            self.changed();
            return Ok(());
        }
        let none = || format!("this frame has nothing to break by {}", breakage.name());
        let broken = breakage.apply(self.way.format(), self.bytes.bytes()).ok_or_else(none)?;
        self.bytes.set(broken);
        self.edited_bytes();
        Ok(())
    }

    /// The ways to break it; of a large frame all that there are, which are tried when they are chosen.
    pub(super) fn ways_to_break(&self, limits: &Limits) -> Vec<Breakage> {
        let (format, bytes) = (self.way.format(), self.bytes.bytes());
        let is_large = bytes.len() as u64 > limits.console.inspect_inline_bytes_max;
        Breakage::ALL.iter().copied().filter(|it| is_large || it.apply(format, bytes).is_some()).collect()
    }
}

//! The whole screen: frame, header, chips and footer, and the dispatch of what is typed.

mod chips;
mod columns;
mod columns_overlay;
pub(crate) mod dispatch;
mod footer;
pub(crate) mod frame;
mod go_to_time;
mod header;
mod manual;
mod palette;
mod palette_overlay;
mod plan_scroll;
pub(crate) mod reference;
mod replaying;
mod resolve;
mod time_bar;
mod time_travel;

pub(crate) use chips::{chip_at, draw as draw_chips};
pub(crate) use columns_overlay::Columns;
#[cfg(test)]
pub(crate) use dispatch::attempt;
pub(crate) use dispatch::update;
pub(crate) use footer::{FooterScene, draw as draw_footer, key_at};
pub(crate) use header::{draw as draw_header, is_on_alerts, is_on_gate, present_parts, tab_at};

#[doc(hidden)]
pub use plan_scroll::PlanScroll;
pub(crate) use resolve::resolve;

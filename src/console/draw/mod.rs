//! The means of drawing, without a model: cells, classes and masks, formats, glyphs, texts, themes and the
//! canvas.

mod cell;
pub(crate) mod class;
pub(crate) mod dag_layout;
pub(crate) mod glyphs;
pub(crate) mod svg;
pub(crate) mod text;
pub(crate) mod theme;

pub(crate) use crate::words::{format, format::grouped};
pub(crate) use cell::{Cell, Cut};
pub use class::OnAir;
pub use theme::{Depth, Role, Theme, ThemeError, Themes};

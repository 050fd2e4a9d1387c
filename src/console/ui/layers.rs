//! The layers over the Deck: the topmost has the keys.

use std::any::Any;

use super::{
    layout::Layout,
    state::{Focus, Ui},
};
use crate::console::{
    model::Model,
    settings::view::View,
    ui::{Layer, Reaction, Target, effect::Effect, system::ChipId},
};

/// A layer as what it is, for the code of that layer itself.
pub(crate) fn cast_mut<L: Layer>(layer: &mut Box<dyn Layer>) -> Option<&mut L> {
    (&mut **layer as &mut dyn Any).downcast_mut()
}

fn cast<L: Layer>(layer: &dyn Layer) -> Option<&L> {
    (layer as &dyn Any).downcast_ref()
}

impl Ui {
    /// Opens a layer over those that are open.
    pub(crate) fn push(&mut self, layer: impl Layer) {
        self.overlays.push(Box::new(layer));
    }

    /// The topmost layer, if it is of this type: for the code of that layer itself.
    pub(crate) fn top<L: Layer>(&self) -> Option<&L> {
        cast(&**self.overlays.last()?)
    }

    /// The topmost layer, if it is of this type, to be changed.
    pub(crate) fn top_mut<L: Layer>(&mut self) -> Option<&mut L> {
        cast_mut(self.overlays.last_mut()?)
    }

    /// The layers of a type, the topmost first, to be changed: for the code of those layers themselves.
    pub(crate) fn layers_mut<L: Layer>(&mut self) -> impl Iterator<Item = &mut L> {
        self.overlays.iter_mut().rev().filter_map(cast_mut)
    }

    /// The topmost layer of a type, wherever it is.
    pub(crate) fn layer<L: Layer>(&self) -> Option<&L> {
        self.overlays.iter().rev().find_map(|layer| cast(&**layer))
    }

    /// Takes the topmost layer off, if it is of this type.
    pub(crate) fn pop_top<L: Layer>(&mut self) -> Option<Box<L>> {
        self.top::<L>()?;
        (self.overlays.pop()? as Box<dyn Any>).downcast().ok()
    }

    /// Takes the layer of a type off of which this holds.
    pub(crate) fn remove_layer<L: Layer>(&mut self, is_it: impl Fn(&L) -> bool) -> Option<Box<L>> {
        let at = self.overlays.iter().position(|layer| cast(&**layer).is_some_and(&is_it))?;
        (self.overlays.remove(at) as Box<dyn Any>).downcast().ok()
    }

    /// What an action on a record is for: what the topmost layer tells of, or the selected row of the focused
    /// pane.
    pub(crate) fn target<'a>(&'a self, model: &'a Model) -> Target<'a> {
        match (self.overlays.last(), self.focus) {
            (Some(layer), _) => layer.target(model),
            (None, Focus::Pane(pane)) => Target::Row(pane),
            (None, Focus::Chips(_)) => Target::Nothing,
        }
    }

    /// The focused chip.
    pub(crate) fn focused_chip(&self, model: &Model) -> Option<ChipId> {
        match self.focus {
            Focus::Chips(at) => self.layout(model).chips().get(at).copied(),
            Focus::Pane(_) => None,
        }
    }

    /// Lets the topmost layer do something to itself and to the screen, which is without it meanwhile.
    pub(crate) fn with_top<T>(&mut self, act: impl FnOnce(&mut Box<dyn Layer>, &mut Self) -> T) -> Option<T> {
        let mut layer = self.overlays.pop()?;
        let at = self.overlays.len();
        let done = act(&mut layer, self);
        self.overlays.insert(at.min(self.overlays.len()), layer);
        Some(done)
    }

    /// Gives the topmost layer a key before the keymap is asked.
    pub(crate) fn key_to_top(&mut self, key: crossterm::event::KeyEvent, view: &View) -> Reaction {
        self.with_top(|layer, ui| layer.on_key(key, ui, view)).unwrap_or(Reaction::Ignored)
    }

    /// Gives the topmost layer pasted text.
    pub(crate) fn paste_to_top(&mut self, text: &str, view: &View) {
        self.with_top(|layer, ui| layer.on_paste(text, ui, view));
    }

    /// Leaves the topmost layer; nothing where none is open.
    pub(crate) fn leave_top(&mut self) -> Option<Vec<Effect>> {
        let layer = self.overlays.pop()?;
        Some(layer.leave(self))
    }

    /// The model that the topmost layer is of, or the panes where none is open.
    pub(crate) fn model_on_top<'a>(&self, shown: &'a Model, live: &'a Model) -> &'a Model {
        if self.overlays.last().is_some_and(|layer| layer.is_of_present()) { live } else { shown }
    }

    /// Fits the layers to what there is now; those of the present to the live model alone.
    pub(super) fn reconcile_layers(&mut self, model: &Model, layout: &Layout) {
        let mut layers = std::mem::take(&mut self.overlays);
        for layer in layers.iter_mut().filter(|layer| model.frozen.is_none() || !layer.is_of_present()) {
            layer.reconcile(layout, model, self);
        }
        self.overlays = layers;
    }

    /// Fits the layers of the present to it while the panes show another moment.
    pub(crate) fn reconcile_present(&mut self, live: &Model) {
        let layout = self.layout(live);
        let mut layers = std::mem::take(&mut self.overlays);
        for layer in layers.iter_mut().filter(|layer| layer.is_of_present()) {
            layer.reconcile(&layout, live, self);
        }
        self.overlays = layers;
    }
}

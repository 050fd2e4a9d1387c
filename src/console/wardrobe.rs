//! The looks in force: those that were read, and what the operator chose since.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::{
    class::Veil,
    config::{CommandHints, Looks},
    glyphs::Glyphs,
    shell::Subcommand,
    theme::{Depth, Theme, Themes},
    view::View,
};
use crate::time::Now;

/// The looks as they were read last, with all the themes there are.
#[derive(Debug)]
pub(super) struct Wardrobe {
    themes: Themes,
    looks: Looks,
    depth: Depth,
    /// Themes that were stepped through.
    steps: u32,
}

/// What changed in the files beside what a view has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// Whether the mouse is to be taken or left now.
    pub(super) mouse: Option<bool>,
    /// Whether shows are on air from the start.
    pub(super) on_air: Option<bool>,
}

impl Wardrobe {
    /// With these looks, for a terminal of this depth.
    pub(super) fn new(looks: Looks, depth: Depth) -> Self {
        Self { themes: Themes::with(&looks.themes, depth), looks, depth, steps: 0 }
    }

    /// What drawing needs, in these looks.
    pub(super) fn view(
        &self,
        name: String,
        commands: CommandHints,
        subcommands: Arc<[Subcommand]>,
        now: Now,
    ) -> View {
        View {
            theme: self.theme(),
            glyphs: Glyphs::of(self.looks.ascii),
            keymap: self.looks.keymap.clone(),
            alerts: self.looks.alerts,
            name,
            commands,
            subcommands,
            zone: TimeZone::system(),
            now,
            clock: now,
            veil: Veil::default(),
        }
    }

    /// The theme that was asked for; `midnight` when it is not there.
    fn theme(&self) -> Theme {
        self.themes.find(&self.looks.theme).cloned().unwrap_or_else(|| Theme::midnight(self.depth))
    }

    /// Takes the themes that the operator asked for since it was called last, as counted from the start;
    /// whether there were any.
    pub(super) fn step(&mut self, view: &mut View, steps: u32) -> bool {
        let before = self.steps;
        while self.steps != steps {
            self.steps = self.steps.wrapping_add(1);
            if let Some(theme) = self.themes.after(view.theme.name()) {
                view.theme = theme.clone();
            }
        }
        before != steps
    }

    /// Takes looks that were read again, and gives what else is to be done now. What the operator chose by a
    /// key stays, unless just that is what changed in the files; a theme that is gone gives way to the
    /// one that was asked for.
    pub(super) fn take(&mut self, looks: Looks, view: &mut View) -> Changed {
        let before = std::mem::replace(&mut self.looks, looks);
        self.themes = Themes::with(&self.looks.themes, self.depth);
        let stays = (before.theme == self.looks.theme).then(|| self.themes.find(view.theme.name())).flatten();
        view.theme = stays.cloned().unwrap_or_else(|| self.theme());
        view.glyphs = Glyphs::of(self.looks.ascii);
        view.keymap = self.looks.keymap.clone();
        view.alerts = self.looks.alerts;
        let on_air = (before.on_air != self.looks.on_air).then_some(self.looks.on_air);
        if on_air == Some(true) {
            view.veil = Veil::of(true);
        }
        Changed { mouse: (before.mouse != self.looks.mouse).then_some(self.looks.mouse), on_air }
    }
}

//! The looks in force: those that were read, and what the operator chose since.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::{AppearanceSettings, config::CommandHints, shell::Shell, view::View};
use crate::{
    console::draw::{
        class::MaskPolicy,
        glyphs::Glyphs,
        theme::{Depth, Theme, Themes},
    },
    time::Now,
};

/// The looks as they were read last, with all the themes there are.
#[derive(Debug)]
pub(crate) struct Appearance {
    themes: Themes,
    settings: AppearanceSettings,
    depth: Depth,
    /// Themes that were stepped through.
    steps: u32,
}

/// What changed in the files beside what a view has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AppearanceChange {
    /// Whether the mouse is to be taken or left now.
    pub(crate) mouse: Option<bool>,
    /// Whether shows are on air from the start.
    pub(crate) on_air: Option<bool>,
}

impl Appearance {
    /// With these looks, for a terminal of this depth.
    pub(crate) fn new(settings: AppearanceSettings, depth: Depth) -> Self {
        Self { themes: Themes::with(&settings.themes, depth), settings, depth, steps: 0 }
    }

    /// What drawing needs, in these looks.
    pub(crate) fn view(&self, name: String, commands: CommandHints, shell: &Shell, now: Now) -> View {
        View {
            theme: self.theme(),
            glyphs: Glyphs::of(self.settings.ascii),
            keymap: self.settings.keymap.clone(),
            alerts: self.settings.alerts,
            name,
            commands,
            subcommands: Arc::clone(&shell.subcommands),
            manual: shell.manual.clone(),
            zone: TimeZone::system(),
            now,
            clock: now,
            mask_policy: MaskPolicy::default(),
            replay: None,
            is_over_station: false,
            present: Vec::new(),
        }
    }

    /// The theme that was asked for; `midnight` when it is not there.
    fn theme(&self) -> Theme {
        self.themes.find(&self.settings.theme).cloned().unwrap_or_else(|| Theme::midnight(self.depth))
    }

    /// Takes the themes that the operator asked for since it was called last, as counted from the start;
    /// whether there were any.
    pub(crate) fn cycle_theme(&mut self, view: &mut View, steps: u32) -> bool {
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
    pub(crate) fn apply(&mut self, looks: AppearanceSettings, view: &mut View) -> AppearanceChange {
        let before = std::mem::replace(&mut self.settings, looks);
        self.themes = Themes::with(&self.settings.themes, self.depth);
        let stays =
            (before.theme == self.settings.theme).then(|| self.themes.find(view.theme.name())).flatten();
        view.theme = stays.cloned().unwrap_or_else(|| self.theme());
        view.glyphs = Glyphs::of(self.settings.ascii);
        view.keymap = self.settings.keymap.clone();
        view.alerts = self.settings.alerts;
        let on_air = (before.on_air != self.settings.on_air).then_some(self.settings.on_air);
        if on_air == Some(true) {
            view.mask_policy = MaskPolicy::for_on_air(true);
        }
        AppearanceChange {
            mouse: (before.mouse != self.settings.mouse).then_some(self.settings.mouse),
            on_air,
        }
    }
}

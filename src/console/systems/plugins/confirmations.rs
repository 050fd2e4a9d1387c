//! The questions before something is done to a plugin, and before it is answered: what hangs on it.

use std::sync::Arc;

use crate::{
    console::{
        draw::theme::Role,
        model::Model,
        overlays::{Answer, Answers, Confirm, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        ui::{
            effect::{Effect, OutcomeText},
            state::Ui,
        },
    },
    ids::PluginId,
    plugin::{
        self, PluginView,
        capability::is_credential,
        snapshot::{AskedView, State},
    },
    port::{Command, Outcome},
    time::Now,
    words::counted,
};

/// Names that are listed one by one.
const LISTED_MAX: usize = 6;

/// What is done to a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PluginDeed {
    Restart,
    Enable,
    Disable,
    Remove,
}

/// Do this to a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operate {
    pub(crate) plugin: PluginId,
    pub(crate) deed: PluginDeed,
}

fn view<'a>(model: &'a Model, plugin: &PluginId) -> Option<&'a PluginView> {
    model.plugins()?.plugins.get(plugin)
}

fn gone(plugin: &PluginId) -> String {
    format!("{plugin} was removed meanwhile")
}

impl PluginDeed {
    const fn verb(self) -> &'static str {
        match self {
            Self::Restart => "restart",
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::Remove => "remove",
        }
    }

    const fn done(self) -> &'static str {
        match self {
            Self::Restart => "restarting",
            Self::Enable => "enabled",
            Self::Disable => "disabled",
            Self::Remove => "removed",
        }
    }
}

impl Confirm for Operate {
    fn title(&self) -> String {
        let verb = self.deed.verb();
        format!("{}{} {}?", verb[..1].to_uppercase(), &verb[1..], self.plugin)
    }

    fn describe(&self, _refund: bool, model: &Model, _: &View) -> Vec<(String, Role)> {
        let Some(view) = view(model, &self.plugin) else { return vec![(gone(&self.plugin), Role::Warn)] };
        let first = match self.deed {
            PluginDeed::Restart => "Its process is asked to end and started again. No restart is counted.",
            PluginDeed::Enable => "It is started, and its restarts are counted from 0.",
            PluginDeed::Disable => {
                "Its process is asked to end, and no other is started until it is enabled."
            }
            PluginDeed::Remove => "Its process is asked to end, and its files are deleted. Its data is kept.",
        };
        let mut words = vec![(first.to_owned(), Role::Text)];
        if self.deed != PluginDeed::Enable {
            words.extend(impact(view));
        }
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("plugins", ["Restart, disable, remove"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo(self.deed.verb())
    }

    fn commit(&self, _: Answer<'_>, _: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let plugin = self.plugin.clone();
        let view = view(model, &plugin).ok_or_else(|| gone(&plugin))?;
        let is_disabled = view.disabled().is_some();
        let command = match self.deed {
            PluginDeed::Disable if is_disabled => return Err(format!("{plugin} is already disabled")),
            PluginDeed::Enable if !is_disabled => return Err(format!("{plugin} is already enabled")),
            PluginDeed::Restart => plugin::Command::Restart { plugin },
            PluginDeed::Enable => plugin::Command::Enable { plugin },
            PluginDeed::Disable => plugin::Command::Disable { plugin },
            PluginDeed::Remove if view.about.folder.is_some() => plugin::Command::Unserve { plugin },
            PluginDeed::Remove => plugin::Command::Remove { plugin, purge: false },
        };
        Ok(vec![Effect::command(Command::Plugin(command), self.clone())])
    }
}

/// What ends with the process of a plugin.
fn impact(view: &PluginView) -> Vec<(String, Role)> {
    let mut words = Vec::new();
    if let State::Up(up) = &view.state
        && !up.hooks.is_empty()
    {
        let events = join_some(up.hooks.iter(), LISTED_MAX);
        words.push((format!("It misses events until it is up again: {events}."), Role::Warn));
    }
    if !view.actions.is_empty() {
        let actions = join_some(view.actions.values().map(|action| &action.action), LISTED_MAX);
        let count = counted(view.actions.len() as u64, "action");
        words.push((format!("{count} in flight will fail: {actions}."), Role::Warn));
    }
    if let Some(asked) = &view.asked {
        words.push((format!("Its question for {} ends without an answer.", asked.kind), Role::Warn));
    }
    if !view.about.provides.is_empty() {
        let provides = join_some(view.about.provides.iter(), LISTED_MAX);
        words.push((format!("What it provides is not available meanwhile: {provides}."), Role::Warn));
    }
    if words.is_empty() {
        words.push(("Nothing depends on it now.".to_owned(), Role::Muted));
    }
    words
}

impl OutcomeText for Operate {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Plugin(_) = outcome else { return None };
        Some((format!("{} {}", self.plugin, self.deed.done()), false))
    }
}

/// Answer a plugin's question for a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decide {
    pub(crate) plugin: PluginId,
    /// The kind that it asks for.
    pub(crate) kind: Arc<str>,
    /// Since when it asks: what it asks later is another question.
    pub(crate) at: Now,
    /// Whether it is allowed, and then whether until it is revoked.
    pub(crate) allow: Option<bool>,
}

impl Decide {
    /// The question, while it waits.
    fn question<'a>(&self, model: &'a Model) -> Option<&'a AskedView> {
        let asked = view(model, &self.plugin)?.asked.as_ref()?;
        (asked.kind == self.kind && asked.at == self.at).then_some(asked)
    }

    const fn verb(&self) -> &'static str {
        match self.allow {
            Some(true) => "always allow",
            Some(false) => "allow",
            None => "deny",
        }
    }
}

impl Confirm for Decide {
    fn title(&self) -> String {
        let verb = match self.allow {
            Some(true) => "Always allow",
            Some(false) => "Allow",
            None => "Deny",
        };
        format!("{verb} {} to {}?", self.kind, self.plugin)
    }

    fn describe(&self, _refund: bool, model: &Model, view_of: &View) -> Vec<(String, Role)> {
        let Some(asked) = self.question(model) else {
            return vec![(format!("{} is no longer asking.", self.plugin), Role::Warn)];
        };
        let what = match self.allow {
            Some(always) => {
                let until = if always { "until you revoke it" } else { "until the station stops" };
                let words = format!("It receives your login {} whenever it asks, {until}.", self.kind);
                let risk = "It can then act on Twitch in your name, and keep what it received.";
                vec![(words, Role::Warn), (risk.to_owned(), Role::Warn)]
            }
            None => vec![(
                "It receives nothing, and is refused until the station stops or you grant it again."
                    .to_owned(),
                Role::Text,
            )],
        };
        let left = crate::console::draw::format::age(asked.until.since(view_of.clock.wall));
        let silence = format!("Without an answer it is denied in {}.", left.trim_start());
        what.into_iter().chain([(silence, Role::Muted)]).collect()
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("plugins", ["Credentials"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo(self.verb())
    }

    fn commit(&self, _: Answer<'_>, _: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let plugin = self.plugin.clone();
        if self.question(model).is_none() {
            return Err(format!("{plugin} is no longer asking for {}", self.kind));
        }
        let command = match self.allow {
            Some(always) => plugin::Command::Allow { plugin, always },
            None => plugin::Command::Deny { plugin },
        };
        Ok(vec![Effect::command(Command::Plugin(command), self.clone())])
    }
}

impl OutcomeText for Decide {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Plugin(_) = outcome else { return None };
        let how = if self.allow.is_some() { "allowed" } else { "denied" };
        Some((format!("{} {how} to {}", self.kind, self.plugin), false))
    }
}

/// Grant a capability to a plugin, or take it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) plugin: PluginId,
    pub(crate) capability: Arc<str>,
    pub(crate) is_granted: bool,
}

impl Confirm for Grant {
    fn title(&self) -> String {
        let verb = if self.is_granted { "Grant" } else { "Revoke" };
        let of = if self.is_granted { "to" } else { "from" };
        format!("{verb} {} {of} {}?", self.capability, self.plugin)
    }

    fn describe(&self, _refund: bool, model: &Model, _: &View) -> Vec<(String, Role)> {
        let Some(view) = view(model, &self.plugin) else { return vec![(gone(&self.plugin), Role::Warn)] };
        let is_login = is_credential(&self.capability);
        let what = if self.is_granted && is_login {
            format!("{} may ask for your login {} again; you are asked first.", self.plugin, self.capability)
        } else if self.is_granted {
            format!("{} may use {} until you revoke it.", self.plugin, self.capability)
        } else {
            format!("{} may no longer use {}.", self.plugin, self.capability)
        };
        let mut words = vec![(what, Role::Text)];
        let is_new = if self.is_granted { !view.granted.contains(&self.capability) } else { !is_login };
        if is_login && !self.is_granted {
            words.push(("Its calls for it are refused.".to_owned(), Role::Muted));
        } else if view.up().is_some() && is_new {
            words.push(("A running plugin is restarted for it.".to_owned(), Role::Muted));
            words.extend(impact(view));
        }
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("plugins", ["Capabilities"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo(if self.is_granted { "grant" } else { "revoke" })
    }

    fn commit(&self, _: Answer<'_>, _: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let plugin = self.plugin.clone();
        let view = view(model, &plugin).ok_or_else(|| gone(&plugin))?;
        let capabilities = vec![self.capability.to_string()];
        // A login that is granted again is asked for again, where it was denied.
        let is_again = self.is_granted && is_credential(&self.capability);
        if view.granted.contains(&self.capability) == self.is_granted && !is_again {
            let how = if self.is_granted { "already granted" } else { "not granted" };
            return Err(format!("{} is {how}", self.capability));
        }
        let command = if self.is_granted {
            plugin::Command::Grant { plugin, capabilities }
        } else {
            plugin::Command::Revoke { plugin, capabilities }
        };
        Ok(vec![Effect::command(Command::Plugin(command), self.clone())])
    }
}

impl OutcomeText for Grant {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Plugin(_) = outcome else { return None };
        let how = if self.is_granted { "granted to" } else { "revoked from" };
        Some((format!("{} {how} {}", self.capability, self.plugin), false))
    }
}

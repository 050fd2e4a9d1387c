//! Plugins: restarting, enabling, disabling and removing one, answering what it asks for, and granting and
//! taking back what it may do.

use super::{
    capabilities::{CapabilityRow, capabilities},
    confirmations::{Decide, Grant, Operate, PluginDeed},
    detail_plugin::DETAILS,
    form::PluginForm,
    form_layer::PanelOf,
    keys::{CAPABILITY, plugin_of},
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::Model,
        ui::{
            Target,
            act::{Act, Resolved},
            effect::Effect,
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    ids::PluginId,
    plugin::{PluginView, capability::is_credential, snapshot::AskedView},
    port::{HostState, Query},
    tap::entry::{Link, alerts::Alert},
};

/// What an action of plugins does; nothing where it is none of theirs.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    let PaneContext { model, ui, .. } = *cx;
    let is_here = is_in_plugin_panes(ui) || details_plugin(ui, model).is_some();
    match action {
        Action::Invoke if is_here => Some(invoke(cx)),
        Action::EditPanel => Some(edit_panel(cx)),
        Action::Restart if is_here && is_up(model) => Some(restart(cx)),
        Action::Cancel if is_here => Some(operate(cx, PluginDeed::Disable)),
        Action::Approve if is_here || asks_here(ui, model) => Some(decide(cx, Some(false))),
        Action::Reject if is_here || asks_here(ui, model) => Some(decide(cx, None)),
        Action::AllowAlways => Some(decide(cx, Some(true))),
        Action::GrantCapability => Some(grant(cx, true)),
        Action::RevokeCapability => Some(grant(cx, false)),
        Action::RemovePlugin => Some(operate(cx, PluginDeed::Remove)),
        _ => None,
    }
}

fn is_up(model: &Model) -> bool {
    let state = model.station_state.as_ref();
    state.is_some_and(|state| state.station.hosts[Link::Plugin.index()] == HostState::Up)
}

/// Whether the keys go to a pane of plugins.
fn is_in_plugin_panes(ui: &Ui) -> bool {
    let is_ours = |pane| pane == PaneId::Plugins || DETAILS.contains(&pane);
    matches!(ui.focus, Focus::Pane(pane) if ui.overlays.is_empty() && is_ours(pane))
}

/// The plugin that open details tell of.
fn details_plugin(ui: &Ui, model: &Model) -> Option<PluginId> {
    let Target::Record(record) = ui.target(model) else { return None };
    plugin_of(&record.key()).cloned()
}

/// Whether what is selected among the alerts is of a plugin that asks.
fn asks_here(ui: &Ui, model: &Model) -> bool {
    match ui.target(model) {
        Target::Question(question) => question.of_type::<AskedView>().is_some(),
        Target::Alert(Some(alert)) => is_question(alert),
        Target::Record(record) => record.of_type::<Alert>().is_some_and(is_question),
        _ => false,
    }
}

fn is_question(alert: &Alert) -> bool {
    alert.link == Link::Plugin && alert.is_question()
}

/// The plugin that the keys are for: the selected one, or the one that a pane, open details or what is
/// selected among the alerts tells of.
fn target<'a>(ui: &Ui, model: &'a Model) -> Option<(&'a PluginId, &'a PluginView)> {
    let plugins = &model.plugins()?.plugins;
    let of = |plugin: &PluginId| plugins.get_key_value(plugin);
    match ui.target(model) {
        Target::Record(record) => match record.of_type::<Alert>() {
            Some(alert) if is_question(alert) => of(&PluginId::new(&alert.subject)),
            _ => of(plugin_of(&record.key())?),
        },
        Target::Question(question) => of(&question.of_type::<AskedView>()?.plugin),
        Target::Alert(alert) => of(&PluginId::new(&alert.filter(|alert| is_question(alert))?.subject)),
        _ if !ui.overlays.is_empty() => None,
        _ => match ui.focus {
            Focus::Pane(PaneId::Plugins) => of(plugin_of(&ui.selected(PaneId::Plugins, model)?)?),
            Focus::Pane(pane) if DETAILS.contains(&pane) => ui.detail_plugin(model),
            _ => None,
        },
    }
}

const NONE: &str = "no plugin is selected";

/// Opens the form for an action of the plugin.
fn invoke(cx: &PaneContext<'_>) -> Resolved {
    let (plugin, view) = target(cx.ui, cx.model).ok_or(NONE)?;
    if view.up().is_none() {
        return Err(format!("{plugin} is not running").into());
    }
    if view.about.actions.is_empty() {
        return Err(format!("{plugin} declares no actions").into());
    }
    let kept = cx.ui.systems.plugins.args.iter().filter(|(of, ..)| of == plugin);
    let kept = kept.map(|(_, action, args)| (action.clone(), args.clone())).collect();
    let bytes_max = cx.ui.limits.console.form_field_bytes_max;
    Ok(Act::open(PluginForm::invoke(plugin.clone(), &view.about.actions, kept, bytes_max)))
}

/// Opens the form of the plugin's panel, which is asked for.
fn edit_panel(cx: &PaneContext<'_>) -> Resolved {
    let (plugin, view) = target(cx.ui, cx.model).ok_or(NONE)?;
    if view.panel.is_none() {
        return Err(format!("{plugin} has no panel").into());
    }
    let (plugin, bytes_max) = (plugin.clone(), cx.ui.limits.console.form_field_bytes_max);
    Ok(Act::effects(move |ui, _| {
        ui.push(PluginForm::panel(plugin.clone(), bytes_max));
        vec![Effect::query(Query::Plugin { plugin: plugin.clone() }, PanelOf(plugin))]
    }))
}

/// Restarts the plugin, or enables it.
fn restart(cx: &PaneContext<'_>) -> Resolved {
    let (_, view) = target(cx.ui, cx.model).ok_or(NONE)?;
    operate(cx, if view.disabled().is_some() { PluginDeed::Enable } else { PluginDeed::Restart })
}

fn operate(cx: &PaneContext<'_>, deed: PluginDeed) -> Resolved {
    let (plugin, view) = target(cx.ui, cx.model).ok_or(NONE)?;
    if deed == PluginDeed::Disable && view.disabled().is_some() {
        return Err(format!("{plugin} is already disabled").into());
    }
    Ok(Act::confirm(Operate { plugin: plugin.clone(), deed }))
}

/// Asks whether that is the answer: to allow, always or for this run, or to deny.
fn decide(cx: &PaneContext<'_>, allow: Option<bool>) -> Resolved {
    let Some((plugin, view)) = target(cx.ui, cx.model) else {
        let is_any =
            cx.model.plugins().is_some_and(|it| it.plugins.values().any(|view| view.asked.is_some()));
        let why = if is_any {
            "select the plugin that asks for a credential"
        } else {
            "no credential is asked for"
        };
        return Err(why.into());
    };
    match &view.asked {
        Some(asked) => {
            Ok(Act::confirm(Decide { plugin: plugin.clone(), kind: asked.kind.clone(), at: asked.at, allow }))
        }
        None => Err(format!("{plugin} is not asking for a credential").into()),
    }
}

/// Grants the selected capability, or takes it back.
fn grant(cx: &PaneContext<'_>, is_granted: bool) -> Resolved {
    let PaneContext { ui, model, .. } = *cx;
    let selected = match ui.focus {
        Focus::Pane(PaneId::Capabilities) if ui.overlays.is_empty() => {
            ui.selected(PaneId::Capabilities, model)
        }
        _ => None,
    };
    let selected = selected.as_ref().and_then(|key| CAPABILITY.id(key));
    let (plugin, capability) = selected.ok_or("select a capability in Capabilities, in the view Plugins")?;
    let row: Option<CapabilityRow> =
        capabilities(model, ui).into_iter().find(|row| row.plugin == *plugin && row.name == *capability);
    // A login that was denied is granted again.
    let is_again = is_granted && is_credential(capability);
    if row.is_some_and(|row| row.is_granted == is_granted) && !is_again {
        let how = if is_granted { "already granted" } else { "not granted" };
        return Err(format!("{capability} is {how}").into());
    }
    Ok(Act::confirm(Grant { plugin: plugin.clone(), capability: capability.clone(), is_granted }))
}

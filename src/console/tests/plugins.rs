//! Plugins: what their view shows, and what is done to them.

use crossterm::event::KeyCode;

use super::{
    plugins_samples::{id, plugins, with_plugins},
    screens::{at_both_sizes, unkept},
    test_console::show,
};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        systems::plugins::confirmations::{Decide, Grant, Operate, PluginDeed},
        ui::{effect::Effect, state::Focus},
    },
    plugin,
    plugin::{Decision, Transition as T},
    port::Command,
};

fn command(command: plugin::Command) -> Command {
    Command::Plugin(command)
}

#[test]
fn a_row_tells_the_state_the_pings_the_restarts_and_why() {
    let mut stage = plugins(220, 60);
    stage.ui.zoomed = Some(PaneId::Plugins);
    let screen = stage.text();
    let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    for wanted in ["! org.example.ticker", "up", "✗", "0/3", "40", "1.5%", "asks for twitch.android"] {
        assert!(line("org.example.ticker").contains(wanted), "{wanted}: {screen}");
    }
    for wanted in ["waiting", "2/3", "exited: exit code 1"] {
        assert!(line("org.example.drops").contains(wanted), "{wanted}: {screen}");
    }
    for wanted in ["disabled", "restart limit"] {
        assert!(line("org.example.broken").contains(wanted), "{wanted}: {screen}");
    }
    assert!(screen.contains("PLUG ◐"), "{screen}");
}

#[test]
fn the_panes_beside_the_list_tell_of_the_selected_plugin() {
    let mut stage = plugins(160, 50);
    let screen = stage.text();
    for wanted in
        ["Plugin log org.example.ticker", "counting", "Capabilities org.example.ticker", "viewers", "1234"]
    {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    assert!(!screen.contains('\u{1b}'));
    stage.key(KeyCode::Down);
    assert!(stage.text().contains("Plugin log org.example.broken"), "{}", stage.text());
}

#[test]
fn a_plugin_is_disabled_restarted_or_enabled_once_that_is_confirmed() {
    let mut stage = plugins(160, 50);
    stage.char('x');
    for wanted in ["Disable org.example.ticker?", "It misses events", "Its question for twitch.android"] {
        assert!(stage.text().contains(wanted), "{wanted}: {}", stage.text());
    }
    assert_eq!(stage.char('x'), [], "the key that opened it confirms nothing");
    let (plugin, deed) = (id("ticker"), PluginDeed::Disable);
    let expected = command(plugin::Command::Disable { plugin: plugin.clone() });
    assert_eq!(stage.char('y'), [Effect::command(expected, Operate { plugin, deed })]);
    stage.char('R');
    let (plugin, deed) = (id("ticker"), PluginDeed::Restart);
    let expected = command(plugin::Command::Restart { plugin: plugin.clone() });
    assert_eq!(stage.char('y'), [Effect::command(expected, Operate { plugin, deed })]);
    stage.key(KeyCode::Down);
    stage.char('R');
    assert!(stage.text().contains("Enable org.example.broken?"), "{}", stage.text());
    let (plugin, deed) = (id("broken"), PluginDeed::Enable);
    let expected = command(plugin::Command::Enable { plugin: plugin.clone() });
    assert_eq!(stage.char('y'), [Effect::command(expected, Operate { plugin, deed })]);
}

#[test]
fn a_credential_is_allowed_for_this_run_or_always_or_denied() {
    for (key, allow) in [('p', Some(false)), ('P', Some(true)), ('r', None)] {
        let mut stage = plugins(160, 50);
        stage.char(key);
        assert!(stage.text().contains("twitch.android to org.example.ticker?"), "{}", stage.text());
        let (plugin, kind) = (id("ticker"), "twitch.android".into());
        let of = plugin.clone();
        let expected = command(match allow {
            Some(always) => plugin::Command::Allow { plugin: of, always },
            None => plugin::Command::Deny { plugin: of },
        });
        assert_eq!(stage.char('y'), [Effect::command(expected, Decide { plugin, kind, allow })]);
    }
}

#[test]
fn an_answer_that_comes_too_late_does_nothing() {
    let mut stage = plugins(160, 50);
    stage.char('p');
    let decided =
        T::Decided { plugin: id("ticker"), kind: "twitch.android".into(), decision: Decision::TimedOut };
    stage.plugin(decided, "");
    assert!(stage.text().contains("no longer asking"), "{}", stage.text());
    assert_eq!(stage.char('y'), []);
}

#[test]
fn a_question_for_a_credential_is_among_those_of_runs() {
    let mut stage = with_plugins(show(160, 50));
    stage.act(Action::Alerts);
    assert!(stage.text().contains("org.example.ticker asks for twitch.android"), "{}", stage.text());
    stage.char('p');
    assert!(stage.text().contains("Allow twitch.android to org.example.ticker?"), "{}", stage.text());
}

#[test]
fn the_selected_capability_is_granted_or_revoked_from_the_palette() {
    let mut stage = plugins(160, 50);
    assert_eq!(stage.act(Action::GrantCapability), []);
    assert!(stage.text().contains("select a capability"), "{}", stage.text());
    stage.ui.focus = Focus::Pane(PaneId::Capabilities);
    stage.key(KeyCode::Home);
    stage.act(Action::RevokeCapability);
    let (plugin, capability) = (id("ticker"), std::sync::Arc::from("on_watch_tick"));
    let capabilities = vec!["on_watch_tick".to_owned()];
    let expected = command(plugin::Command::Revoke { plugin: plugin.clone(), capabilities });
    let grant = Grant { plugin, capability, is_granted: false };
    assert_eq!(stage.char('y'), [Effect::command(expected, grant)]);
}

#[test]
fn the_plugins_in_their_view_and_on_the_deck() {
    at_both_sizes("plugins", plugins);
    at_both_sizes("deck_plugins", |columns, rows| unkept(with_plugins(show(columns, rows))));
}

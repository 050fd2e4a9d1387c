//! Plugins: what their view shows, and what is done to them.

use crossterm::event::KeyCode;

use super::{
    inspection::open,
    plugins_samples::{frame, id, plugins, with_plugins},
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
    plugin::{Decision, Lint, Transition as T, Verdict},
    port::Command,
    tap::entry::{Direction, station},
    time::Wall,
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
        let at = stage.model.plugins().unwrap().plugins[&plugin].asked.as_ref().unwrap().at;
        let expected = command(match allow {
            Some(always) => plugin::Command::Allow { plugin: of, always },
            None => plugin::Command::Deny { plugin: of },
        });
        assert_eq!(stage.char('y'), [Effect::command(expected, Decide { plugin, kind, at, allow })]);
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
fn an_answer_is_to_the_question_that_was_shown_and_to_none_that_is_asked_later() {
    for key in ['p', 'P', 'r'] {
        let mut stage = plugins(160, 50);
        stage.char(key);
        let (plugin, kind) = (id("ticker"), std::sync::Arc::from("twitch.android"));
        let decided = T::Decided {
            plugin: plugin.clone(),
            kind: std::sync::Arc::clone(&kind),
            decision: Decision::TimedOut,
        };
        stage.plugin(decided, "");
        stage.pass(1_000);
        let until = Wall(stage.view.now.wall.0 + 120_000);
        stage.plugin(T::Asked { plugin, kind, until }, "");
        assert!(stage.text().contains("no longer asking"), "{}", stage.text());
        assert_eq!(stage.char('y'), []);
    }
}

#[test]
fn the_keys_of_an_answer_are_letters_where_something_is_typed() {
    for (open, what) in [('/', "a filter"), (':', "the palette")] {
        let mut stage = plugins(160, 50);
        stage.char(open);
        for key in ['p', 'P', 'r'] {
            assert_eq!(stage.char(key), [], "{what}");
        }
        assert!(!stage.text().contains("to org.example.ticker?"), "{what}: {}", stage.text());
        assert!(stage.text().contains("pPr"), "{what}: {}", stage.text());
    }
    let mut stage = plugins(160, 50);
    stage.char('n');
    stage.key(KeyCode::Tab);
    stage.write("pPr");
    assert!(stage.text().contains("pPr") && !stage.text().contains("to org.example.ticker?"));
}

#[test]
fn what_is_left_of_a_question_counts_down_in_the_tray_and_in_its_dialog() {
    let mut stage = with_plugins(show(160, 50));
    stage.act(Action::Alerts);
    for left in ["1m39s left", "1m38s left", "1m37s left"] {
        assert!(stage.text().contains(left), "{left}: {}", stage.text());
        stage.pass(1_000);
    }
    stage.char('p');
    assert!(stage.text().contains("it is denied in 1m36s"), "{}", stage.text());
    stage.pass(60_000);
    assert!(stage.text().contains("it is denied in 36s"), "{}", stage.text());
}

#[test]
fn a_login_that_was_denied_is_granted_again_and_another_right_is_not() {
    let mut stage = plugins(160, 50);
    let (plugin, kind) = (id("ticker"), std::sync::Arc::from("twitch.android"));
    let decided = T::Decided { plugin: plugin.clone(), kind, decision: Decision::Denied };
    stage.plugin(decided, "");
    let capabilities = ["on_watch_tick", "twitch.android"].map(std::sync::Arc::from).into();
    stage.plugin(T::Granted { plugin: plugin.clone(), capabilities }, "");
    stage.ui.focus = Focus::Pane(PaneId::Plugins);
    stage.key(KeyCode::End);
    stage.ui.focus = Focus::Pane(PaneId::Capabilities);
    stage.key(KeyCode::Home);
    assert_eq!(stage.act(Action::GrantCapability), []);
    assert!(stage.text().contains("on_watch_tick is already granted"), "{}", stage.text());
    stage.key(KeyCode::End);
    stage.act(Action::GrantCapability);
    assert!(stage.text().contains("Grant twitch.android to org.example.ticker?"), "{}", stage.text());
    assert_eq!(stage.char('y').len(), 1);
}

#[test]
fn a_plugin_that_showed_a_token_is_an_alert_that_says_what_to_do() {
    let mut stage = with_plugins(show(160, 50));
    let text = "org.example.ticker: its process (uid 7 pid 8) showed a token of this station on the bus";
    stage.station(station::Transition::TokenShown { plugin: Some(id("ticker")) }, text);
    stage.pass(1_000);
    stage.tick();
    stage.act(Action::Alerts);
    stage.key(KeyCode::Down);
    for _ in 0..8 {
        if stage.text().contains("*.token") {
            break;
        }
        stage.key(KeyCode::Down);
    }
    for wanted in ["showed a token of this station", "disable it", "*.token in the data folder"] {
        assert!(stage.text().contains(wanted), "{wanted}: {}", stage.text());
    }
    assert!(!stage.text().contains("the station logged an error"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("Plugin log org.example.ticker"), "{}", stage.text());
}

#[test]
fn a_question_in_the_tray() {
    at_both_sizes("plugins_tray", |columns, rows| {
        let mut stage = unkept(with_plugins(show(columns, rows)));
        stage.act(Action::Alerts);
        stage
    });
}

#[test]
fn a_message_that_was_ignored_in_the_inspector() {
    at_both_sizes("inspector_plugin", |columns, rows| {
        let mut stage = with_plugins(show(columns, rows));
        let body = r#"{"jsonrpc":"2.0","method":"do_it","params":{"viewers":1234,"of":["ann","bob"]}}"#;
        let verdict = Verdict::Ignored(Lint::UnknownNotification);
        let seq = frame(&mut stage, Direction::Inbound, verdict, ("do_it", None), body);
        open(&mut stage, seq);
        stage
    });
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
    stage.char(':');
    stage.write("revoke");
    stage.key(KeyCode::Enter);
    assert!(stage.text().contains("Revoke on_watch_tick from org.example.ticker?"), "{}", stage.text());
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

//! Looks that change while the console runs, through its loop.

use std::sync::{Arc, Mutex, mpsc};

use crossterm::event::KeyCode;

use super::loops::{Fixture, with_source};
use crate::{
    console::{
        draw::{Depth, Theme},
        input::{Keymap, keymap::NamedFilter, pane_id::PaneId},
        settings::{AppearanceSettings, ConfigSource, Exit, Fault, Reload},
    },
    limits::Limits,
};

/// Tells what a test gives it.
#[derive(Debug)]
struct Given(Mutex<mpsc::Receiver<Reload>>);

impl ConfigSource for Given {
    fn poll(&self) -> Option<Reload> {
        self.0.lock().unwrap().try_recv().ok()
    }
}

fn looks() -> AppearanceSettings {
    AppearanceSettings { theme: "midnight".to_owned(), mouse: true, ..AppearanceSettings::default() }
}

fn good(looks: AppearanceSettings) -> Reload {
    Reload { appearance: looks, faults: Vec::new(), later: Vec::new() }
}

fn fault(what: &str) -> Fault {
    Fault {
        place: "config.toml:3:1".to_owned(),
        what: what.to_owned(),
        hint: "did you mean `ascii`?".to_owned(),
    }
}

fn with_reloads<F: Future<Output = Fixture>>(test: impl FnOnce(Fixture, mpsc::SyncSender<Reload>) -> F) {
    let (give, given) = mpsc::sync_channel(8);
    let exit =
        with_source(&Limits::default(), Some(Arc::new(Given(Mutex::new(given)))), |rig| test(rig, give));
    assert_eq!(exit, Exit::Quit);
}

#[test]
fn new_looks_apply_live_and_the_theme_that_the_operator_chose_stays() {
    with_reloads(|mut rig, give| async move {
        rig.snapshot(true).await;
        rig.shows("┌ ▸ Queues").await;
        rig.key('T').await;
        rig.shows("theme: daylight").await;
        give.send(good(AppearanceSettings { ascii: true, ..looks() })).unwrap();
        rig.shows("+ > Queues").await;
        rig.key('T').await;
        rig.shows("theme: high-contrast").await;
        let mine = Theme::parse("mine", "base = 'daylight'", Depth::True).unwrap();
        give.send(good(AppearanceSettings { theme: "mine".to_owned(), themes: vec![mine], ..looks() }))
            .unwrap();
        rig.shows("┌ ▸ Queues").await;
        rig.key('T').await;
        // The user's own is the last, so that the first follows it.
        rig.shows("theme: midnight").await;
        rig.key('q').await;
        rig
    });
}

#[test]
fn a_filter_that_is_named_in_a_file_has_its_key_at_once() {
    with_reloads(|mut rig, give| async move {
        rig.snapshot(true).await;
        rig.shows("┌ ▸ Queues").await;
        let filter = NamedFilter::new("boss", "f6", PaneId::Queues, "queue:boss").unwrap();
        let (keymap, _) = Keymap::default().with_filters(vec![filter]);
        give.send(good(AppearanceSettings { keymap, ascii: true, ..looks() })).unwrap();
        rig.shows("+ > Queues").await;
        rig.press(KeyCode::F(6)).await;
        rig.shows("/queue:boss").await;
        rig.key('q').await;
        rig
    });
}

#[test]
fn a_file_masks_a_running_show_and_never_unmasks_one() {
    with_reloads(|mut rig, give| async move {
        let on_air = |on_air| good(AppearanceSettings { on_air, ..looks() });
        rig.snapshot(true).await;
        rig.shows("Queues").await;
        give.send(on_air(true)).unwrap();
        rig.shows("on air by the configuration").await;
        rig.shows("ON AIR").await;
        give.send(on_air(false)).unwrap();
        rig.shows("next start; masked until O").await;
        rig.shows("ON AIR").await;
        rig.key('O').await;
        rig.shows("Go off air?").await;
        rig.key('y').await;
        rig.shows("off air").await;
        rig.shows_not("ON AIR").await;
        // Another change of the same files does not mask it either.
        give.send(on_air(true)).unwrap();
        rig.shows("ON AIR").await;
        rig.key('O').await;
        rig.shows("Go off air?").await;
        rig.key('y').await;
        rig.shows_not("ON AIR").await;
        give.send(good(AppearanceSettings { on_air: true, ascii: true, ..looks() })).unwrap();
        rig.shows("+ > Queues").await;
        rig.shows_not("ON AIR").await;
        rig.key('q').await;
        rig
    });
}

#[test]
fn what_is_wrong_stays_in_sight_until_it_is_put_away_or_mended_and_is_in_the_journal() {
    with_reloads(|mut rig, give| async move {
        rig.snapshot(true).await;
        let wrong = |what| Reload { faults: vec![fault(what)], ..good(looks()) };
        give.send(wrong("there is no key `asci`")).unwrap();
        rig.shows("config.toml:3:1: there is no key `asci`: did you mean `ascii`?").await;
        rig.key('T').await;
        rig.shows("theme: daylight").await;
        rig.press(KeyCode::Tab).await;
        rig.shows("config.toml:3:1: there is no key `asci`").await;
        give.send(good(looks())).unwrap();
        rig.shows("configuration reloaded").await;
        give.send(wrong("there is no key `muose`")).unwrap();
        rig.shows("there is no key `muose`").await;
        rig.press(KeyCode::Esc).await;
        rig.shows_not("muose").await;
        give.send(Reload { later: vec!["mpp.port = 7002".to_owned()], ..good(looks()) }).unwrap();
        rig.shows("mpp.port = 7002: takes effect at the next start").await;
        // The log has no room on this screen: it is a chip.
        for key in [KeyCode::Tab].into_iter().chain([KeyCode::Right; 9]).chain([KeyCode::Enter]) {
            rig.press(key).await;
        }
        rig.shows("there is no key `muose`").await;
        rig.shows("mpp.port = 7002").await;
        rig.key('q').await;
        rig
    });
}

//! Plugins and the declared stream over restarts, their audit, and what removal leaves.

use std::fs;

use super::kit::{HASH, Kit, ask, open, try_open};
use crate::{
    ids::PluginId,
    limits,
    schema::JsonText,
    store::{
        Rows,
        op::{Class, Done, Op},
        plugins::{
            AuditFilter, AuditRow, Disabled, Grant, NewPlugin, PluginOp, PluginRow, RestoredPlugins,
            StreamPart,
        },
    },
    tap::entry::plugin::DisableCause,
    time::Wall,
};

fn id(name: &str) -> PluginId {
    PluginId::new(name)
}

fn json(text: &str) -> JsonText {
    JsonText::parse(text).unwrap()
}

fn new(name: &str, version: &str) -> NewPlugin {
    NewPlugin {
        plugin: id(name),
        manifest: format!("id = \"{name}\"\nversion = \"{version}\"\n"),
        version: version.to_owned(),
        folder: format!("/srv/{name}"),
        command: (version == "2.0.0").then(|| "node main.js".to_owned()),
        at: Wall(1_000),
    }
}

fn row(name: &str, version: &str) -> PluginRow {
    PluginRow {
        installed: new(name, version),
        disabled: None,
        exits: Vec::new(),
        grants: Vec::new(),
        damage: None,
    }
}

fn grant(capability: &str, is_always: bool) -> Grant {
    Grant { capability: capability.to_owned(), is_always }
}

fn grants(name: &str, grants: Vec<Grant>) -> PluginOp {
    PluginOp::PutGrants { plugin: id(name), grants }
}

fn value(name: &str, key: &str, value: Option<&str>) -> PluginOp {
    PluginOp::PutValue { plugin: id(name), key: key.to_owned(), value: value.map(json) }
}

fn audit(name: &str, at: u64, rows_max: u64) -> PluginOp {
    PluginOp::Audit {
        plugin: id(name),
        at: Wall(at),
        what: "handed".to_owned(),
        text: format!("twitch.android was handed over ({at})"),
        by: Some("operator".to_owned()),
        rows_max,
    }
}

impl Kit {
    fn plugins(&self, ops: Vec<PluginOp>) {
        let class = ops.iter().map(PluginOp::class).max().unwrap();
        assert_eq!(ask(|done| self.handle.commit(Op::Plugins(ops), class, done)).unwrap(), Done::Plain);
    }

    fn restored_plugins(&self) -> RestoredPlugins {
        ask(|done| self.handle.restored_plugins(done)).unwrap()
    }

    fn audit(&self, filter: AuditFilter) -> Rows<AuditRow> {
        ask(|done| self.handle.plugin_audit(filter, done)).unwrap()
    }

    fn audit_times(&self, name: &str) -> Vec<u64> {
        let filter = AuditFilter { plugin: Some(id(name)), limit: 10_000, ..AuditFilter::default() };
        self.audit(filter).rows.iter().map(|row| row.at.0).collect()
    }

    fn values_of(&self, name: &str) -> Vec<(String, String)> {
        let values = ask(|done| self.handle.plugin_values(id(name), done)).unwrap();
        values.into_iter().map(|(key, value)| (key, value.as_str().to_owned())).collect()
    }
}

#[test]
fn plugins_are_as_they_were_after_a_restart_in_the_order_of_their_installation() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let disabled = Disabled { cause: DisableCause::RestartLimit, text: "code 1".to_owned() };
    kit.plugins(vec![
        PluginOp::Put(new("z.first", "1.0.0")),
        PluginOp::Put(new("a.second", "1.0.0")),
        grants("z.first", vec![grant("twitch.android", true), grant("notify", false)]),
        PluginOp::SetDisabled { plugin: id("a.second"), disabled: Some(disabled.clone()) },
        PluginOp::PutExits { plugin: id("a.second"), exits: vec![Wall(5), Wall(7)] },
        value("z.first", "color", Some("\"red\"")),
        value("z.first", "list", Some("[1.0, 2]")),
        value("z.first", "gone", Some("1")),
        value("z.first", "gone", None),
        PluginOp::PutStream { part: StreamPart::Channel, value: Some(json("{\"login\":\"ada\"}")) },
        PluginOp::PutStream { part: StreamPart::Live, value: Some(json("[]")) },
        PluginOp::PutStream { part: StreamPart::Live, value: None },
    ]);
    let kit = kit.kill_and_reopen(folder.path());
    let restored = kit.restored_plugins();
    let first = PluginRow {
        grants: vec![grant("notify", false), grant("twitch.android", true)],
        ..row("z.first", "1.0.0")
    };
    let second =
        PluginRow { disabled: Some(disabled), exits: vec![Wall(5), Wall(7)], ..row("a.second", "1.0.0") };
    assert_eq!(restored.plugins, [first.clone(), second.clone()]);
    let values: Vec<_> =
        restored.values[&id("z.first")].iter().map(|(key, value)| (&**key, value.as_str())).collect();
    assert_eq!(values, [("color", "\"red\""), ("list", "[1.0, 2]")]);
    assert_eq!(restored.values.len(), 1);
    assert_eq!(
        restored.stream.into_iter().collect::<Vec<_>>(),
        [(StreamPart::Channel, json("{\"login\":\"ada\"}"))]
    );
    assert!(restored.damaged.is_empty());
    assert_eq!(ask(|done| kit.handle.plugins(done)).unwrap(), [first, second]);
}

#[test]
fn an_update_keeps_the_place_the_grants_the_values_and_why_it_is_disabled() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let disabled = Some(Disabled { cause: DisableCause::ByOperator, text: String::new() });
    kit.plugins(vec![
        PluginOp::Put(new("a", "1.0.0")),
        PluginOp::Put(new("b", "1.0.0")),
        grants("a", vec![grant("log", false)]),
        value("a", "k", Some("1")),
        PluginOp::SetDisabled { plugin: id("a"), disabled: disabled.clone() },
        PluginOp::Put(new("a", "2.0.0")),
    ]);
    let restored = kit.restored_plugins();
    let updated = PluginRow { disabled, grants: vec![grant("log", false)], ..row("a", "2.0.0") };
    assert_eq!(restored.plugins, [updated, row("b", "1.0.0")]);
    assert_eq!(kit.values_of("a"), [("k".to_owned(), "1".to_owned())]);
    kit.plugins(vec![PluginOp::SetDisabled { plugin: id("a"), disabled: None }, grants("a", vec![])]);
    assert_eq!(kit.restored_plugins().plugins[0], row("a", "2.0.0"));
}

#[test]
fn removal_leaves_values_and_audit_and_a_purge_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    let install = |name: &str| {
        kit.plugins(vec![
            PluginOp::Put(new(name, "1.0.0")),
            grants(name, vec![grant("twitch.android", true)]),
            value(name, "k", Some("1")),
            audit(name, 1, 100),
        ]);
    };
    install("a");
    install("b");
    kit.plugins(vec![PluginOp::Remove { plugin: id("a"), purge: false }]);
    assert_eq!(kit.restored_plugins().plugins.len(), 1);
    assert_eq!(kit.restored_plugins().values[&id("a")].len(), 1, "for when it is there again");
    assert_eq!((kit.values_of("a").len(), kit.audit_times("a").len()), (1, 1));
    kit.plugins(vec![PluginOp::Put(new("a", "1.0.0"))]);
    let again = kit.restored_plugins();
    assert_eq!(again.plugins[1], row("a", "1.0.0"), "what was granted is asked for again");
    assert_eq!(again.values[&id("a")].len(), 1);
    kit.plugins(vec![PluginOp::Remove { plugin: id("a"), purge: true }]);
    assert_eq!((kit.values_of("a").len(), kit.audit_times("a").len()), (0, 0));
    assert_eq!((kit.values_of("b").len(), kit.audit_times("b").len()), (1, 1));
    assert_eq!(kit.restored_plugins().plugins.len(), 1);
    // One that is not installed has no row to change.
    kit.plugins(vec![
        PluginOp::SetDisabled { plugin: id("a"), disabled: None },
        PluginOp::PutExits { plugin: id("a"), exits: vec![Wall(1)] },
        PluginOp::Remove { plugin: id("a"), purge: true },
    ]);
    assert_eq!(kit.restored_plugins().plugins.len(), 1);
}

#[test]
fn the_audit_of_each_plugin_is_pruned_to_its_newest_rows_and_paged() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.plugins((1..=250).map(|at| audit("a", at, 100)).collect());
    kit.plugins((1..=3).map(|at| audit("b", at, 100)).collect());
    let kit = kit.kill_and_reopen(folder.path());
    kit.plugins(vec![audit("a", 251, 100)]);
    assert_eq!(kit.audit_times("a"), (152..=251).rev().collect::<Vec<_>>());
    assert_eq!(kit.audit_times("b"), [3, 2, 1]);
    let of_a = AuditFilter { plugin: Some(id("a")), limit: 2, ..AuditFilter::default() };
    let page = kit.audit(of_a.clone());
    assert!(page.rows.iter().all(|row| row.by.as_deref() == Some("operator")));
    assert_eq!(
        (page.rows.len(), page.more, page.rows[0].at, page.rows[1].at),
        (2, true, Wall(251), Wall(250))
    );
    assert_eq!(page.rows[0].text, "twitch.android was handed over (251)");
    let next = kit.audit(AuditFilter { beyond: Some(page.rows[1].number), ..of_a.clone() });
    assert_eq!(next.rows[0].at, Wall(249));
    let oldest = kit.audit(AuditFilter { oldest_first: true, ..of_a });
    assert_eq!((oldest.rows[0].at, oldest.rows[1].at), (Wall(152), Wall(153)));
    let all = kit.audit(AuditFilter { limit: 3, ..AuditFilter::default() });
    let all: Vec<_> = all.rows.iter().map(|row| (row.plugin.as_str(), row.at.0)).collect();
    assert_eq!(all, [("a", 251), ("b", 3), ("b", 2)], "of all plugins, the newest first");
}

#[test]
fn fewer_rows_of_the_audit_hold_from_the_next_row_on() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.plugins((1..=20).map(|at| audit("a", at, 100)).collect());
    kit.plugins(vec![audit("a", 21, 5)]);
    assert_eq!(kit.audit_times("a"), [21, 20, 19, 18, 17]);
}

#[test]
fn what_is_damaged_is_left_out_and_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.plugins(vec![PluginOp::Put(new("a", "1.0.0")), PluginOp::Put(new("b", "1.0.0")), audit("a", 1, 9)]);
    kit.handle.touch(|conn| {
        conn.execute_batch(
            "UPDATE plugins SET disable_cause = 'what', exits = 'no JSON' WHERE plugin = 'a';
             INSERT INTO plugin_grants VALUES ('b', CAST(x'ff' AS TEXT), 1), ('b', 'log', 7), ('b', 'notify', 1);
             INSERT INTO plugin_values VALUES ('a', 'bad', 'no JSON'), ('a', 'good', '1');
             UPDATE plugin_audit SET at_ms = -1;
             INSERT INTO stream VALUES ('channel', 'no JSON'), ('what', '1'), ('live', '[]')",
        )
        .unwrap();
    });
    let restored = kit.restored_plugins();
    let [a, b] = &restored.plugins[..] else { panic!("{:?}", restored.plugins) };
    assert_eq!(a.disabled.as_ref().map(|disabled| disabled.cause), Some(DisableCause::ByOperator));
    assert!(a.damage.as_ref().is_some_and(|why| why.contains("disable_cause")), "{a:?}");
    assert!(a.exits.is_empty());
    assert!(!b.grants.iter().any(|grant| grant.capability.contains('\u{fffd}')), "{b:?}");
    assert!(b.grants.contains(&grant("notify", true)) && b.damage.is_some());
    assert_eq!(restored.values[&id("a")].keys().collect::<Vec<_>>(), ["good"]);
    assert_eq!(restored.stream.keys().collect::<Vec<_>>(), [&StreamPart::Live]);
    assert_eq!(restored.damaged.len(), 3, "{:?}", restored.damaged);
    let audit = kit.audit(AuditFilter { limit: 9, ..AuditFilter::default() });
    assert!(audit.rows[0].text.starts_with("damaged: at_ms"), "{audit:?}");
}

#[test]
fn a_list_of_operations_happens_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.handle.touch(|conn| {
        conn.execute_batch(
            "CREATE TRIGGER no BEFORE INSERT ON plugin_values BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .unwrap();
    });
    let ops = vec![PluginOp::Put(new("a", "1.0.0")), value("a", "k", Some("1"))];
    assert!(ask(|done| kit.handle.commit(Op::Plugins(ops), Class::Power, done)).is_err());
    assert_eq!(kit.restored_plugins(), RestoredPlugins::default());
}

#[test]
fn what_is_granted_installed_and_audited_survives_the_loss_of_power() {
    let power = [
        PluginOp::Put(new("a", "1.0.0")),
        grants("a", Vec::new()),
        audit("a", 1, 1),
        PluginOp::Remove { plugin: id("a"), purge: false },
    ];
    assert!(power.iter().all(|op| op.class() == Class::Power));
    let process = [
        value("a", "k", None),
        PluginOp::SetDisabled { plugin: id("a"), disabled: None },
        PluginOp::PutExits { plugin: id("a"), exits: Vec::new() },
        PluginOp::PutStream { part: StreamPart::Sessions, value: None },
    ];
    assert!(process.iter().all(|op| op.class() == Class::Process));
}

#[test]
fn a_backup_has_the_plugins() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.plugins(vec![PluginOp::Put(new("a", "1.0.0")), audit("a", 1, 9), value("a", "k", Some("1"))]);
    let aside = tempfile::tempdir().unwrap();
    let copy = aside.path().join("station.db");
    ask(|done| kit.handle.backup(&copy, done)).unwrap();
    let kit = try_open(aside.path(), HASH, limits::Store::default()).unwrap();
    let restored = kit.restored_plugins();
    assert_eq!((restored.plugins.len(), restored.values.len(), kit.audit_times("a").len()), (1, 1, 1));
}

#[test]
fn a_damaged_database_is_set_aside_with_its_plugins() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.plugins(vec![PluginOp::Put(new("a", "1.0.0"))]);
    kit.store.close().unwrap();
    let file = folder.path().join("station.db");
    fs::write(&file, vec![7; 8_192]).unwrap();
    let kit = try_open(folder.path(), HASH, limits::Store::default()).unwrap();
    assert_eq!(kit.restored_plugins(), RestoredPlugins::default());
    assert!(!kit.opened.notices.is_empty());
    let aside = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(aside.into_iter().any(|name| name.to_string_lossy().starts_with("bad-")));
}

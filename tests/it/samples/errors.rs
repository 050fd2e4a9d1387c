//! One of every error: each shipped snippet that ends refused, sent through its door, with what it needs to
//! be there.

use serde_json::Value;

use super::night::{ITEM, Night};
use crate::snippets::sent::{name, needs, send};

pub(super) const FILE: &str = "errors.mcap";

/// An operator's frames and what the station measures each second are cut, so that the file is short; a
/// session may have one subscription, so that there is one too many, and a line without its end is found in
/// time. The credential has a source, which fails.
const CONFIG: &str = "\
[limits.tap]
frame_bytes_max = 512
[limits.mpp]
frame_ms_max = 300
[limits.rmp]
session_subscriptions_max = 1
[plugins.twitch_android]
command = \"exit 1\"
";

/// What is not in it, and why.
const LEFT_OUT: [(&str, &str); 1] =
    [("plugin/credential-unavailable", "it needs a station that has no source of the credential")];

const PLUGIN: &str = "com.example.snippets";
const BARE: &str = "com.example.bare";

/// What needs a station that is not paired, or a plugin of another standing.
const STAGED: [&str; 4] = ["unpaired", "not_granted", "declined", "stopping"];

/// The snippets that are sent.
struct Chosen(Vec<Value>);

impl Chosen {
    /// Those of a link that need this; none of those that need something else of `STAGED`.
    fn of(&self, link: &str, stage: Option<&str>) -> Vec<Value> {
        let is_it = |row: &&Value| {
            row["link"] == link
                && STAGED.iter().all(|it| needs(row, it) == (stage == Some(*it)))
                && (needs(row, "failing_store") == (stage == Some("failing_store")))
        };
        self.0.iter().filter(is_it).cloned().collect()
    }
}

/// Whether a plugin is ended by it.
fn is_broken(row: &Value) -> bool {
    row["expect"]["answer"].is_null()
}

/// Whether a plugin of its own sends it: one that is ended by it, or that has sent as much as it may.
fn is_by_its_own(row: &Value) -> bool {
    is_broken(row) || row["expect"]["code"] == "rate_limited"
}

/// Plays it with the snippets of these places: the night, with the file that was recorded.
pub(super) fn play(is_chosen: impl Fn(usize) -> bool) -> Night {
    let mut night = Night::begin(CONFIG);
    let all = night.json(&["snippet", "ls"]);
    let refused = all.into_iter().filter(|row| {
        row["expect"]["verdict"] == "refused" && !LEFT_OUT.iter().any(|(left, _)| name(row) == *left)
    });
    let rows = refused.enumerate().filter(|(place, _)| is_chosen(*place)).map(|(_, row)| row);
    let chosen = Chosen(rows.collect());
    night.start(FILE, &["--rehearsal"]);
    for row in chosen.of("mpp", Some("unpaired")) {
        sent(&night, &row, &[]);
    }
    night.pair();
    chosen.of("mpp", None).iter().for_each(|row| to_the_bridge(&mut night, row));
    chosen.of("rmp", None).iter().for_each(|row| sent(&night, row, &[]));
    from_plugins(&mut night, &chosen);
    // Their sessions are left open, and expire after a minute.
    chosen.of("macp", None).iter().for_each(|row| sent(&night, row, &[]));
    for row in chosen.of("macp", Some("failing_store")) {
        let fate = ["--in", "--then", "fail-store=1500ms", "--max", "1"];
        night.json(&[&["gate", "arm", "link:macp"], &fate[..]].concat());
        sent(&night, &row, &[]);
    }
    night.stop();
    night
}

/// Marks the moment with its name, sends it, and checks that it ends as it shows.
fn sent(night: &Night, row: &Value, flags: &[&str]) {
    night.mark(name(row));
    let sent = send(night.data(), row, flags);
    for part in ["verdict", "code"] {
        assert_eq!(sent[part], row["expect"][part], "{}, {part}: {sent:#}", name(row));
    }
}

fn to_the_bridge(night: &mut Night, row: &Value) {
    if needs(row, "adapter") {
        night.adapter(&[]);
        sent(night, row, &[]);
        night.end_adapter();
    } else if needs(row, "row_waiting") {
        let waiting = night.json(&["ls", "invocations", "--filter", "state:pending"]);
        let first = waiting.first().and_then(|row| row["id"].as_u64());
        let id = first.unwrap_or_else(|| night.invoked("give_item", ITEM, &[]));
        sent(night, row, &["--set", &format!("body.id={id}")]);
    } else {
        sent(night, row, &[]);
    }
}

fn from_plugins(night: &mut Night, chosen: &Chosen) {
    night.plugin(PLUGIN, &["--ask-credential", "--ignore-shutdown"]);
    night.event("plugin_asks");
    for row in chosen.of("plugin", None).iter().filter(|row| !is_by_its_own(row)) {
        sent(night, row, &["--from", PLUGIN]);
    }
    night.plugin_granted(BARE, &[], &["--grant", "log"]);
    for row in chosen.of("plugin", Some("not_granted")) {
        sent(night, &row, &["--from", BARE]);
    }
    night.json(&["plugin", "deny", PLUGIN]);
    for row in chosen.of("plugin", Some("declined")) {
        sent(night, &row, &["--from", PLUGIN]);
    }
    for row in chosen.of("plugin", None).iter().filter(|row| is_by_its_own(row)) {
        let id = name(row).replace("plugin/", "com.example.");
        night.plugin(&id, &[]);
        night.event("plugin_notified");
        sent(night, row, &["--from", &id]);
        if is_broken(row) {
            // It is started again by itself, a second later.
            night.event("plugin_waiting");
            night.event("plugin_up");
        }
    }
    let stopping = chosen.of("plugin", Some("stopping"));
    if !stopping.is_empty() {
        // It does not answer `shutdown`, and has 5 s for it.
        night.begun("disable", &["plugin", "disable", PLUGIN]);
        night.operated(&format!("disable plugin {PLUGIN}"));
        for row in &stopping {
            sent(night, row, &["--from", PLUGIN]);
        }
        night.ended("disable");
    }
}

//! What the station is at this moment, of its snapshot, as the record of a station takes it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use crate::{
    ids::Peer,
    macp::{self, Mode, registry},
    mplp::lifecycle::{
        StationFacts,
        station::{ExtensionSort, ExtensionStatus, PartKind, PartStatus, StationExtension, StationPart},
    },
    mpp,
    plugin::{PluginView, snapshot::State},
    port::{HostState, Snapshot},
    rmp::{self, Kind},
    tap::entry::Link,
};

/// What a station is made of, and what extends it. All that is told of it is in its snapshot, within the
/// bounds of that; `connected` are the peers of the MACP runtime that are there now.
pub(super) fn facts(snapshot: &Snapshot, connected: &HashSet<Peer>) -> StationFacts {
    let view = &snapshot.station;
    let mut parts = vec![bus(snapshot), store(snapshot)];
    parts.extend(queues(snapshot));
    parts.push(adapter(snapshot));
    parts.extend(agents(&snapshot.rmp));
    parts.extend(clients(snapshot, connected));
    let is_plugins_up = is_up(snapshot, Link::Plugin);
    let plugins = &snapshot.plugin.plugins;
    parts.extend(plugins.iter().map(|(id, view)| {
        let status = if is_plugins_up { plugin_status(view) } else { PartStatus::Unreachable };
        part(PartKind::Plugin, &id.to_string(), status)
    }));
    let mut extensions = vec![pack(&snapshot.mpp)];
    extensions.extend(modes(snapshot));
    extensions.extend(plugins.iter().map(|(id, view)| plugin_extension(&id.to_string(), view)));
    StationFacts {
        id: view.data.display().to_string(),
        name: view.name(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        parts,
        extensions,
        started_at: view.started_at.wall,
        at: snapshot.at.wall,
    }
}

fn part(kind: PartKind, name: &str, status: PartStatus) -> StationPart {
    StationPart { kind, name: name.to_owned(), status }
}

fn is_up(snapshot: &Snapshot, link: Link) -> bool {
    matches!(snapshot.station.hosts[link.index()], HostState::Up)
}

fn bus(snapshot: &Snapshot) -> StationPart {
    let status = match (&snapshot.station.hosts[Link::Rmp.index()], &snapshot.rmp.listener) {
        (HostState::Down(_), _) | (_, rmp::Listener::Down(_)) => PartStatus::Unreachable,
        (HostState::Starting, _) | (_, rmp::Listener::Starting) => PartStatus::Inactive,
        (HostState::Up, rmp::Listener::Listening(_)) => PartStatus::Active,
    };
    part(PartKind::Bus, "", status)
}

fn store(snapshot: &Snapshot) -> StationPart {
    let is_failing = snapshot.station.store_failing.is_some()
        || snapshot.mpp.commits_failing.is_some()
        || snapshot.mpp.reads_failing.is_some();
    part(PartKind::Store, "", if is_failing { PartStatus::Degraded } else { PartStatus::Active })
}

/// A queue that is held or drained does not do its work; one of another manifest never does.
fn queues(snapshot: &Snapshot) -> impl Iterator<Item = StationPart> {
    let is_host_up = is_up(snapshot, Link::Mpp);
    snapshot.mpp.queues.iter().map(move |(name, view)| {
        let is_idle = view.brake.held || view.brake.draining || view.ready_after.is_none();
        let status = match is_host_up {
            false => PartStatus::Unreachable,
            true if is_idle => PartStatus::Inactive,
            true => PartStatus::Active,
        };
        part(PartKind::Queue, &name.to_string(), status)
    })
}

fn adapter(snapshot: &Snapshot) -> StationPart {
    let is_down = matches!(snapshot.mpp.listener, mpp::Listener::Down(_)) || !is_up(snapshot, Link::Mpp);
    let status = match &snapshot.mpp.adapter {
        _ if is_down => PartStatus::Unreachable,
        None => PartStatus::Inactive,
        Some(adapter) if adapter.stale => PartStatus::Degraded,
        Some(_) => PartStatus::Active,
    };
    part(PartKind::Adapter, "", status)
}

/// The agents that are on the bus, each name once: those that plans name by the topics that are listened to;
/// an agent that listens to none by what it calls itself.
fn agents(bus: &rmp::Snapshot) -> impl Iterator<Item = StationPart> {
    let mut names = BTreeSet::new();
    for peer in bus.peers.values() {
        let Some(greeting) = peer.greeting.as_ref().filter(|it| it.kind == Kind::Agent) else { continue };
        let mut listened = peer.subs.values().filter_map(|sub| agent_of(sub.topic.as_str())).peekable();
        if listened.peek().is_none() {
            names.insert(&*greeting.client);
        }
        names.extend(listened);
    }
    names.into_iter().map(|name| part(PartKind::Agent, name, PartStatus::Active))
}

/// The agent whose topic it is.
fn agent_of(topic: &str) -> Option<&str> {
    topic.strip_prefix("agent/").filter(|name| !name.contains(['/', '*']))
}

/// The clients of the MACP runtime that said what they are, each name once: those that are gone do nothing.
fn clients(snapshot: &Snapshot, connected: &HashSet<Peer>) -> impl Iterator<Item = StationPart> {
    let is_up = is_macp_up(snapshot);
    let mut are_there: BTreeMap<&str, bool> = BTreeMap::new();
    for client in &snapshot.macp.clients {
        *are_there.entry(&*client.client).or_default() |= connected.contains(&client.peer);
    }
    are_there.into_iter().map(move |(name, is_there)| {
        let status = match (is_up, is_there) {
            (false, _) => PartStatus::Unreachable,
            (true, true) => PartStatus::Active,
            (true, false) => PartStatus::Inactive,
        };
        part(PartKind::MacpClient, name, status)
    })
}

fn is_macp_up(snapshot: &Snapshot) -> bool {
    is_up(snapshot, Link::Macp) && matches!(snapshot.macp.listener, macp::Listener::Listening(_))
}

fn plugin_status(view: &PluginView) -> PartStatus {
    match &view.state {
        State::Up(_) if view.misses > 0 => PartStatus::Degraded,
        State::Up(_) => PartStatus::Active,
        State::Waiting(_) => PartStatus::Unreachable,
        State::Stopped | State::Starting | State::Stopping | State::Disabled(_) => PartStatus::Inactive,
    }
}

fn extension(sort: ExtensionSort, id: &str, status: ExtensionStatus) -> StationExtension {
    StationExtension {
        sort,
        id: id.to_owned(),
        name: String::new(),
        version: String::new(),
        status,
        config: Map::new(),
    }
}

/// What is known of an extension, by its names.
fn config<const N: usize>(known: [(&str, Value); N]) -> Map<String, Value> {
    known.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn pack(bridge: &mpp::Snapshot) -> StationExtension {
    let pack = &bridge.pack;
    StationExtension {
        name: pack.name.to_string(),
        version: pack.version.to_string(),
        config: config([("hash", pack.hash.to_string().into()), ("is_sample", pack.is_sample.into())]),
        ..extension(ExtensionSort::Pack, &pack.id.to_string(), ExtensionStatus::Active)
    }
}

/// A mode is in use while the runtime is, once one of its sessions is known.
fn modes(snapshot: &Snapshot) -> impl Iterator<Item = StationExtension> {
    let used: BTreeSet<&str> = snapshot.macp.sessions.values().map(|it| Mode::name(it.mode)).collect();
    let is_macp_up = is_macp_up(snapshot);
    registry::descriptors().into_iter().map(move |mode| {
        let status = match (is_macp_up, used.contains(mode.mode.as_str())) {
            (false, _) => ExtensionStatus::Inactive,
            (true, false) => ExtensionStatus::Registered,
            (true, true) => ExtensionStatus::Active,
        };
        StationExtension {
            name: mode.title,
            version: mode.mode_version,
            config: config([
                ("participant_model", mode.participant_model.into()),
                ("message_types", mode.message_types.into()),
            ]),
            ..extension(ExtensionSort::Mode, &mode.mode, status)
        }
    })
}

fn plugin_extension(id: &str, view: &PluginView) -> StationExtension {
    let status = match &view.state {
        State::Up(_) => ExtensionStatus::Active,
        State::Stopped if view.process == 0 => ExtensionStatus::Registered,
        _ => ExtensionStatus::Inactive,
    };
    let version = match &view.state {
        State::Up(up) => &up.version,
        _ => &view.about.version,
    };
    let granted: Vec<Value> = view.granted.iter().map(|it| (&**it).into()).collect();
    StationExtension {
        name: view.about.name.to_string(),
        version: version.to_string(),
        config: config([("author", (&*view.about.author).into()), ("granted", granted.into())]),
        ..extension(ExtensionSort::Plugin, id, status)
    }
}

#[cfg(test)]
mod tests;

//! From the text of a manifest to what it declares.

use std::{collections::BTreeSet, sync::Arc};

use semver::Version;
use toml::de::DeTable;

use super::{
    Checked, Fault, FaultKind, Manifest, NoteKind, Tier,
    findings::{Findings, Places},
    remedy::CAPABILITY_KEYS,
    rules,
    table::{Table, Text},
};
use crate::{
    ids::PluginId,
    limits,
    plugin::capability::{Capability, CapabilitySet, CredentialKind, Hook, HostMethod, UiPart},
};

/// Characters of `name`.
const NAME_CHARACTERS_MAX: usize = 40;
/// Characters of `description`.
const DESCRIPTION_CHARACTERS_MAX: usize = 200;
/// The keys of the document.
const ROOT_KEYS: [&str; 11] = [
    "id",
    "name",
    "version",
    "author",
    "tier",
    "description",
    "homepage",
    "host_min",
    "runtime",
    "capabilities",
    "contributes",
];

pub(super) fn manifest(text: &str, host_version: &Version, limits: &limits::Plugin) -> Checked {
    let bytes_max = limits.manifest_bytes_max;
    if text.len() as u64 > bytes_max {
        let fault = Fault::whole(FaultKind::TooLarge { bytes_max });
        return Checked { manifest: None, faults: vec![fault], notes: Vec::new() };
    }
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mut found = Findings::of_syntax(&syntax);
    let root = Table::root(document.get_ref());
    root.note_unknown(&ROOT_KEYS, &mut found);

    let head = head(&root, host_version, &mut found);
    let runtime = runtime(&root, &mut found);
    let (asks, is_networked) = capabilities(&root, &mut found);
    let [actions, slots, provides] = contributes(&root, &mut found);
    let manifest = match (head, runtime) {
        (Some(head), Some(Runtime { entry, args })) if !found.has_faults() => Some(Manifest {
            id: head.id,
            name: head.name,
            version: head.version,
            author: head.author,
            tier: head.tier,
            description: head.description,
            homepage: head.homepage,
            host_min: head.host_min,
            entry: Arc::from(entry.text),
            args,
            asks,
            is_networked,
            actions,
            slots,
            provides,
            entry_at: Places::new(text).of(entry.at),
        }),
        _ => None,
    };
    let (faults, notes) = found.into_parts(text);
    Checked { manifest, faults, notes }
}

struct Head {
    id: PluginId,
    name: Arc<str>,
    version: Version,
    author: Arc<str>,
    tier: Tier,
    description: Arc<str>,
    homepage: Option<Arc<str>>,
    host_min: Version,
}

/// What is before the tables. Each key is judged, whatever is wrong with the others.
fn head(root: &Table<'_>, host_version: &Version, found: &mut Findings) -> Option<Head> {
    let id = root.required("id", found).filter(|it| {
        let is_id = rules::is_id(it.text);
        if !is_id {
            found.fault(it.at, FaultKind::Id { id: it.text.to_owned() });
        }
        is_id
    });
    let name = root.required("name", found);
    let name = name.filter(|it| not_blank("name", it, found));
    let name = name.filter(|it| not_long("name", it, NAME_CHARACTERS_MAX, found));
    let own = version("version", root, found);
    let author = root.required("author", found);
    let author = author.filter(|it| not_blank("author", it, found));
    let tier = tier(root, found);
    let description = root.required("description", found);
    let description = description.filter(|it| not_long("description", it, DESCRIPTION_CHARACTERS_MAX, found));
    let homepage = root.text("homepage", found);
    if let Some(it) = homepage.filter(|it| !rules::is_https(it.text)) {
        found.fault(it.at, FaultKind::Homepage { text: it.text.to_owned() });
    }
    let host_min = version("host_min", root, found);
    if let Some((needs, at)) = &host_min
        && needs.cmp_precedence(host_version).is_gt()
    {
        let kind = FaultKind::NewerHost { needs: needs.to_string(), host: host_version.to_string() };
        found.fault(*at, kind);
    }
    Some(Head {
        id: PluginId::new(id?.text),
        name: Arc::from(name?.text),
        version: own?.0,
        author: Arc::from(author?.text),
        tier: tier?,
        description: Arc::from(description?.text),
        homepage: homepage.map(|it| Arc::from(it.text)),
        host_min: host_min?.0,
    })
}

fn not_blank(key: &'static str, it: &Text<'_>, found: &mut Findings) -> bool {
    let is_blank = it.text.trim().is_empty();
    if is_blank {
        found.fault(it.at, FaultKind::Empty { key });
    }
    !is_blank
}

fn not_long(key: &'static str, it: &Text<'_>, characters_max: usize, found: &mut Findings) -> bool {
    let characters = it.text.chars().count();
    if characters > characters_max {
        found.fault(it.at, FaultKind::TooLong { key, characters, characters_max });
    }
    characters <= characters_max
}

/// A version and its place.
fn version(key: &'static str, root: &Table<'_>, found: &mut Findings) -> Option<(Version, usize)> {
    let Text { text, at } = root.required(key, found)?;
    match Version::parse(text) {
        Ok(version) => Some((version, at)),
        Err(error) => {
            let kind = FaultKind::Version { key, text: text.to_owned(), why: error.to_string() };
            found.fault(at, kind);
            None
        }
    }
}

fn tier(root: &Table<'_>, found: &mut Findings) -> Option<Tier> {
    let Text { text, at } = root.required("tier", found)?;
    let tier = [Tier::A, Tier::B, Tier::C].into_iter().find(|tier| tier.name() == text);
    if tier.is_none() {
        found.fault(at, FaultKind::Tier { text: text.to_owned() });
    }
    tier
}

struct Runtime<'a> {
    entry: Text<'a>,
    args: Arc<[Arc<str>]>,
}

fn runtime<'a>(root: &Table<'a>, found: &mut Findings) -> Option<Runtime<'a>> {
    if !root.has("runtime") {
        found.missing(0, "runtime");
    }
    let table = root.table("runtime", found)?;
    table.note_unknown(&["kind", "entry", "args", "transport"], found);
    let kind = table.required("runtime.kind", found);
    let refused = kind.and_then(|it| match it.text {
        "process" => None,
        "wasm" => Some((it.at, FaultKind::Wasm)),
        "ui" => Some((it.at, FaultKind::Ui)),
        other => Some((it.at, FaultKind::RuntimeKind { text: other.to_owned() })),
    });
    // What runs elsewhere need not say what runs here.
    let needs_entry = !matches!(refused, Some((_, FaultKind::Wasm | FaultKind::Ui)));
    if let Some((at, kind)) = refused {
        found.fault(at, kind);
    }
    let entry =
        if needs_entry { table.required("runtime.entry", found) } else { table.text("runtime.entry", found) };
    if let Some((at, kind)) = entry.and_then(|it| Some((it.at, rules::entry(it.text)?))) {
        found.fault(at, kind);
    }
    let args = table.texts("runtime.args", found);
    for it in args.iter().filter(|it| it.text.contains('\0')) {
        found.fault(it.at, FaultKind::Nul { key: "runtime.args" });
    }
    if let Some(it) = table.text("runtime.transport", found) {
        match it.text {
            "stdio" => {}
            "socket" => found.fault(it.at, FaultKind::Socket),
            other => found.fault(it.at, FaultKind::Transport { text: other.to_owned() }),
        }
    }
    Some(Runtime { entry: entry?, args: args.iter().map(|it| Arc::from(it.text)).collect() })
}

/// The capability of a string of one list.
type FromName = fn(&str) -> Option<Capability>;

/// What is asked for, and whether the network is used.
fn capabilities(root: &Table<'_>, found: &mut Findings) -> (CapabilitySet, bool) {
    let mut asks = CapabilitySet::NONE;
    let Some(table) = root.table("capabilities", found) else { return (asks, false) };
    table.refuse_unknown(&CAPABILITY_KEYS, found);
    let lists: [(&'static str, FromName); 4] = [
        ("capabilities.events", |it| Hook::from_name(it).map(Capability::Event)),
        ("capabilities.host_methods", |it| HostMethod::from_name(it).map(Capability::HostMethod)),
        ("capabilities.credentials", |it| CredentialKind::from_name(it).map(Capability::Credential)),
        ("capabilities.ui", |it| UiPart::from_name(it).map(Capability::Ui)),
    ];
    let mut panel_parts = Vec::new();
    for (list, read) in lists {
        for Text { text, at } in table.texts(list, found) {
            let Some(capability) = read(text) else {
                found.fault(at, FaultKind::Capability { list, text: text.to_owned() });
                continue;
            };
            if asks.contains(capability) {
                found.note(at, NoteKind::Repeated { key: list, text: text.to_owned() });
            } else if is_part_of_panel(capability) {
                panel_parts.push((at, capability));
            }
            asks.insert(capability);
        }
    }
    if !asks.contains(UiPart::Panel) {
        for (at, capability) in panel_parts {
            found.note(at, NoteKind::NeedsPanel { capability });
        }
    }
    let network = table.text("capabilities.network", found);
    if let Some(it) = network.filter(|it| !matches!(it.text, "none" | "external")) {
        found.fault(it.at, FaultKind::Network { text: it.text.to_owned() });
    }
    (asks, network.is_some_and(|it| it.text == "external"))
}

const fn is_part_of_panel(capability: Capability) -> bool {
    matches!(
        capability,
        Capability::Event(Hook::OnPanelChange)
            | Capability::HostMethod(HostMethod::RegisterPanel | HostMethod::GetPanelValues)
    )
}

/// Actions, status slots, and what is provided.
fn contributes(root: &Table<'_>, found: &mut Findings) -> [Arc<[Arc<str>]>; 3] {
    let table = root.table("contributes", found);
    if let Some(table) = &table {
        table.note_unknown(&["actions", "status", "provides"], found);
    }
    ["contributes.actions", "contributes.status", "contributes.provides"].map(|key| {
        let (mut ids, mut seen) = (Vec::new(), BTreeSet::new());
        for Text { text, at } in table.iter().flat_map(|table| table.texts(key, found)).collect::<Vec<_>>() {
            if !rules::is_namespaced(text) {
                found.fault(at, FaultKind::Namespace { key, id: text.to_owned() });
            } else if seen.insert(text) {
                ids.push(Arc::from(text));
            } else {
                found.note(at, NoteKind::Repeated { key, text: text.to_owned() });
            }
        }
        ids.into()
    })
}

//! By which way a frame goes: the choices at the head of the workbench, and the door that they make.

use std::collections::BTreeMap;

use super::choices::Choice;
use crate::{
    console::copy::CLIENT,
    dissect::{
        frame_json::{Format, RmpUnits},
        snippets::{SnippetDoor, SnippetLink},
    },
    ids::{ConnectionId, PluginId},
    macp::Rpc,
    port::{DoorSpec, Pieces},
    rmp::{Dialect, Kind},
};

/// Characters of a field that is written.
const FIELD_CHARS_MAX: usize = 256;
/// The links that have doors.
const LINKS: &[&str] = &["mpp", "rmp", "macp", "plugin"];
const MPP_DOORS: &[&str] = &["as an adapter", "without a hello", "in the adapter's place", "to the adapter"];
const RMP_DOORS: &[&str] = &["own session", "to a session"];
const RMP_KINDS: &[&str] = &["agent", "ui", "tui", "viewer", "cue", "no hello"];
const DIALECTS: &[&str] = &["frames", "json"];
const PLUGIN_DOORS: &[&str] = &["in the plugin's place", "to the plugin"];

/// The way of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    link: Choice,
    mpp: Choice,
    rmp: Choice,
    kind: Choice,
    dialect: Choice,
    /// Empty where the frames are those of a session.
    topic: String,
    session: String,
    /// Sizes, as [`Pieces`] are written.
    pieces: String,
    rpc: Choice,
    plugin_door: Choice,
    plugin: String,
}

/// A field of the head.
#[derive(Debug)]
pub(crate) enum HeadField<'a> {
    Choice(&'static str, &'a mut Choice),
    Text(&'static str, &'a mut String),
}

impl HeadField<'_> {
    /// Its name.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Choice(name, _) | Self::Text(name, _) => name,
        }
    }

    /// What it is set to.
    pub(crate) fn value(&self) -> &str {
        match self {
            Self::Choice(_, choice) => choice.name(),
            Self::Text(_, text) => text,
        }
    }
}

impl Default for Way {
    fn default() -> Self {
        Self {
            link: Choice::of(LINKS),
            mpp: Choice::of(MPP_DOORS),
            rmp: Choice::of(RMP_DOORS),
            kind: Choice::of(RMP_KINDS),
            dialect: Choice::of(DIALECTS),
            topic: String::new(),
            session: String::new(),
            pieces: String::new(),
            rpc: Choice::of(&Rpc::NAMES).with(Rpc::Send.name()),
            plugin_door: Choice::of(PLUGIN_DOORS),
            plugin: String::new(),
        }
    }
}

impl Way {
    /// The way that leads through a door.
    pub(crate) fn through(door: &DoorSpec, topic: Option<String>) -> Self {
        let mut way = Self { topic: topic.unwrap_or_default(), ..Self::default() };
        match door {
            DoorSpec::Adapter { hello } => {
                way.mpp = way.mpp.with(if *hello { "as an adapter" } else { "without a hello" });
            }
            DoorSpec::AsAdapter => way.mpp = way.mpp.with("in the adapter's place"),
            DoorSpec::ToAdapter => way.mpp = way.mpp.with("to the adapter"),
            DoorSpec::Peer { dialect, kind, .. } => {
                way.link = way.link.with("rmp");
                way.dialect = way.dialect.with(dialect.name());
                way.kind = way.kind.with(kind.map_or("no hello", Kind::name));
            }
            DoorSpec::ToPeer { session } => {
                (way.link, way.rmp) = (way.link.with("rmp"), way.rmp.with("to a session"));
                way.session = session.to_string();
            }
            DoorSpec::Call { rpc } => {
                (way.link, way.rpc) = (way.link.with("macp"), way.rpc.with(rpc.name()));
            }
            DoorSpec::AsPlugin { plugin } => {
                way.link = way.link.with("plugin");
                way.plugin = plugin.to_string();
            }
            DoorSpec::ToPlugin { plugin } => {
                (way.link, way.plugin_door) =
                    (way.link.with("plugin"), way.plugin_door.with("to the plugin"));
                way.plugin = plugin.to_string();
            }
        }
        way
    }

    /// It for bytes of this dialect of the bus.
    pub(crate) fn speaking(self, dialect: Dialect) -> Self {
        Self { dialect: self.dialect.clone().with(dialect.name()), ..self }
    }

    /// The fields that there are to be set, in their order.
    pub(crate) fn fields(&mut self) -> Vec<HeadField<'_>> {
        let link = self.link.name();
        let is_own = self.rmp.index() == 0;
        let is_framed = self.dialect.index() == 0;
        let is_cut = self.has_pieces();
        let mut fields = vec![HeadField::Choice("link", &mut self.link)];
        match link {
            "mpp" => fields.push(HeadField::Choice("door", &mut self.mpp)),
            "rmp" => {
                fields.push(HeadField::Choice("door", &mut self.rmp));
                if is_own {
                    fields.push(HeadField::Choice("kind", &mut self.kind));
                    fields.push(HeadField::Choice("dialect", &mut self.dialect));
                    if is_framed {
                        fields.push(HeadField::Text("topic", &mut self.topic));
                    }
                } else {
                    fields.push(HeadField::Text("session", &mut self.session));
                    fields.push(HeadField::Choice("dialect", &mut self.dialect));
                }
            }
            "macp" => fields.push(HeadField::Choice("rpc", &mut self.rpc)),
            _ => {
                fields.push(HeadField::Choice("door", &mut self.plugin_door));
                fields.push(HeadField::Text("plugin", &mut self.plugin));
            }
        }
        if is_cut {
            fields.push(HeadField::Text("pieces", &mut self.pieces));
        }
        fields
    }

    /// The fields with their values, as they are written for the next start.
    pub(crate) fn to_fields(&self) -> BTreeMap<String, String> {
        let mut way = self.clone();
        way.fields().iter().map(|field| (field.name().to_owned(), field.value().to_owned())).collect()
    }

    /// The way of such fields. What is not known of them is as in an empty workbench.
    pub(crate) fn of_fields(values: &BTreeMap<String, String>) -> Self {
        let mut way = Self::default();
        let mut index = 0;
        // Which fields there are depends on those before them.
        while let Some(field) = way.fields().get_mut(index) {
            match (values.get(field.name()), field) {
                (Some(value), HeadField::Choice(_, choice)) => **choice = choice.clone().with(value),
                (Some(value), HeadField::Text(_, text)) => {
                    **text = value.chars().take(FIELD_CHARS_MAX).collect();
                }
                (None, _) => {}
            }
            index += 1;
        }
        way
    }

    /// The door.
    ///
    /// # Errors
    /// What is missing, for a person.
    pub(crate) fn door(&self) -> Result<DoorSpec, String> {
        Ok(match self.link.name() {
            "mpp" => match self.mpp.index() {
                0 => DoorSpec::Adapter { hello: true },
                1 => DoorSpec::Adapter { hello: false },
                2 => DoorSpec::AsAdapter,
                _ => DoorSpec::ToAdapter,
            },
            "rmp" if self.rmp.index() == 0 => DoorSpec::Peer {
                dialect: self.dialect(),
                kind: Kind::from_name(self.kind.name()),
                client: CLIENT.to_owned(),
            },
            "rmp" => {
                let number = self.session.trim().parse();
                let session =
                    number.map_err(|_| "session: the number of a session (pane Peers)".to_owned())?;
                DoorSpec::ToPeer { session: ConnectionId(session) }
            }
            "macp" => DoorSpec::Call { rpc: self.rpc() },
            _ if self.plugin.trim().is_empty() => return Err("plugin: the id of a plugin".to_owned()),
            _ => {
                let plugin = PluginId::new(self.plugin.trim());
                if self.plugin_door.index() == 0 {
                    DoorSpec::AsPlugin { plugin }
                } else {
                    DoorSpec::ToPlugin { plugin }
                }
            }
        })
    }

    /// The format of what goes through it.
    pub(crate) fn format(&self) -> Format {
        match self.link.name() {
            "mpp" => Format::Mpp,
            "rmp" if self.dialect() == Dialect::Json => Format::Rmp(RmpUnits::Json),
            "rmp" if self.topic().is_some() => Format::Rmp(RmpUnits::Frames),
            "rmp" => Format::Rmp(RmpUnits::Session),
            "macp" => Format::Macp(self.rpc()),
            _ => Format::Plugin,
        }
    }

    /// The topic that a message of the bus is published on.
    pub(crate) fn topic(&self) -> Option<&str> {
        let is_published = self.link.name() == "rmp"
            && self.rmp.index() == 0
            && self.dialect() == Dialect::Frames
            && !self.topic.trim().is_empty();
        is_published.then(|| self.topic.trim())
    }

    /// Whether it leads into a connection of one's own, which takes bytes in pieces.
    fn has_pieces(&self) -> bool {
        match self.link.name() {
            "mpp" => self.mpp.index() < 2,
            "rmp" => self.rmp.index() == 0,
            _ => false,
        }
    }

    /// The pieces in which the bytes are written.
    ///
    /// # Errors
    /// What is wrong with them, for a person.
    pub(crate) fn pieces(&self) -> Result<Pieces, String> {
        if !self.has_pieces() {
            return Ok(Pieces::default());
        }
        self.pieces.parse().map_err(|why| format!("pieces: {why}"))
    }

    fn dialect(&self) -> Dialect {
        if self.dialect.index() == 0 { Dialect::Frames } else { Dialect::Json }
    }

    /// The call, where there is one.
    pub(crate) fn rpc_name(&self) -> Option<&'static str> {
        (self.link.name() == "macp").then(|| self.rpc().name())
    }

    /// The link and the door of a snippet that goes this way, and who goes through it.
    ///
    /// # Errors
    /// There is no such door, for a person.
    pub(crate) fn snippet_door(&self) -> Result<(SnippetLink, SnippetDoor, Option<&'static str>), String> {
        let is_json = self.dialect() == Dialect::Json;
        Ok(match self.link.name() {
            "mpp" => {
                let doors = [
                    SnippetDoor::Adapter,
                    SnippetDoor::None,
                    SnippetDoor::FromAdapter,
                    SnippetDoor::ToAdapter,
                ];
                let door = doors.into_iter().nth(self.mpp.index()).unwrap_or(SnippetDoor::Adapter);
                (SnippetLink::Mpp, door, None)
            }
            "rmp" if self.rmp.index() > 0 => {
                let door = if is_json { SnippetDoor::ToJson } else { SnippetDoor::ToPeer };
                (SnippetLink::Rmp, door, None)
            }
            "rmp" => match (Kind::from_name(self.kind.name()), is_json) {
                (Some(kind), true) => (SnippetLink::Rmp, SnippetDoor::Json, Some(kind.name())),
                (Some(kind), false) => (SnippetLink::Rmp, SnippetDoor::Peer, Some(kind.name())),
                (None, false) => (SnippetLink::Rmp, SnippetDoor::None, None),
                (None, true) => return Err("no snippet goes without a hello in JSON".to_owned()),
            },
            "macp" => (SnippetLink::Macp, SnippetDoor::Call, None),
            _ if self.plugin_door.index() == 0 => (SnippetLink::Plugin, SnippetDoor::FromPlugin, None),
            _ => (SnippetLink::Plugin, SnippetDoor::ToPlugin, None),
        })
    }

    fn rpc(&self) -> Rpc {
        Rpc::from_name(self.rpc.name()).unwrap_or(Rpc::Send)
    }
}

/// The fields that a snippet's door sets, with their values.
pub(crate) fn fields_of(
    link: SnippetLink,
    door: SnippetDoor,
    as_kind: Option<&str>,
) -> Vec<(&'static str, String)> {
    let door_field = |name: &str| vec![("door", name.to_owned())];
    let session = |kind: &str, dialect: &str| {
        let mut fields = door_field("own session");
        // A sender of a call is none of a session.
        fields.extend([("kind", kind.to_owned()), ("dialect", dialect.to_owned())]);
        fields
    };
    let kind = as_kind.unwrap_or("agent");
    let kind = if kind == "none" { "no hello" } else { kind };
    match door {
        SnippetDoor::Adapter => door_field("as an adapter"),
        SnippetDoor::None if link == SnippetLink::Rmp => session("no hello", "frames"),
        SnippetDoor::None => door_field("without a hello"),
        SnippetDoor::FromAdapter => door_field("in the adapter's place"),
        SnippetDoor::ToAdapter => door_field("to the adapter"),
        SnippetDoor::Peer => session(kind, "frames"),
        SnippetDoor::Json => session(kind, "json"),
        SnippetDoor::ToPeer | SnippetDoor::ToJson => {
            let dialect = if door == SnippetDoor::ToJson { "json" } else { "frames" };
            let mut fields = door_field("to a session");
            fields.push(("dialect", dialect.to_owned()));
            fields
        }
        SnippetDoor::Call => Vec::new(),
        SnippetDoor::FromPlugin => door_field("in the plugin's place"),
        SnippetDoor::ToPlugin => door_field("to the plugin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_leads_through_the_door_that_it_was_made_of() {
        let plugin = || PluginId::new("com.example.clock");
        let (dialect, client) = (Dialect::Json, CLIENT.to_owned());
        let doors = [
            DoorSpec::Adapter { hello: true },
            DoorSpec::Adapter { hello: false },
            DoorSpec::AsAdapter,
            DoorSpec::ToAdapter,
            DoorSpec::Peer { dialect, kind: Some(Kind::Viewer), client: client.clone() },
            DoorSpec::Peer { dialect: Dialect::Frames, kind: None, client },
            DoorSpec::ToPeer { session: ConnectionId(7) },
            DoorSpec::Call { rpc: Rpc::Initialize },
            DoorSpec::AsPlugin { plugin: plugin() },
            DoorSpec::ToPlugin { plugin: plugin() },
        ];
        for door in doors {
            let way = Way::through(&door, None);
            assert_eq!(Way::of_fields(&way.to_fields()), way);
            assert_eq!(way.door(), Ok(door));
        }
    }

    #[test]
    fn a_topic_makes_frames_of_what_are_units_of_a_session_without() {
        let door = DoorSpec::Peer { dialect: Dialect::Frames, kind: None, client: String::new() };
        assert_eq!(Way::through(&door, Some("a/b".to_owned())).format(), Format::Rmp(RmpUnits::Frames));
        assert_eq!(Way::through(&door, None).format(), Format::Rmp(RmpUnits::Session));
    }

    #[test]
    fn what_goes_to_a_session_is_in_the_dialect_that_it_speaks() {
        let door = DoorSpec::ToPeer { session: ConnectionId(7) };
        let mut way = Way::through(&door, None);
        assert_eq!(way.format(), Format::Rmp(RmpUnits::Session));
        way = way.speaking(Dialect::Json);
        assert_eq!((way.door(), way.format()), (Ok(door), Format::Rmp(RmpUnits::Json)));
        let names: Vec<_> = way.fields().iter().map(HeadField::name).collect();
        assert_eq!(names, ["link", "door", "session", "dialect"]);
    }

    #[test]
    fn only_what_goes_through_a_connection_of_ones_own_is_cut_in_pieces() {
        let mut own = Way { pieces: "4,1*".to_owned(), ..Way::default() };
        assert_eq!(own.pieces().unwrap().cut(b"abcdef").len(), 3);
        assert_eq!(Way::of_fields(&own.to_fields()), own);
        own.mpp = own.mpp.with("to the adapter");
        assert!(own.pieces().unwrap().is_whole());
        let wrong = Way { pieces: "x".to_owned(), ..Way::default() };
        assert!(wrong.pieces().is_err_and(|why| why.starts_with("pieces: takes")));
    }
}

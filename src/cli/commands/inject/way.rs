//! By which door a frame goes, and in which format it is written.

use crate::{
    cli::{
        args::{FrameLink, InjectArgs},
        error::Error,
    },
    dissect::{
        frame_json::{Format, RmpUnits},
        snippets::Snippet,
    },
    ids::{ConnectionId, PluginId},
    macp::Rpc,
    port::{DoorSpec, Operator as _, Page, PortError, Query, WorkbenchError},
    rmp::{Dialect, Kind},
    station::OperatorClient,
};

/// What an agent of ours is called on the bus.
pub(super) const CLIENT: &str = "inject";

/// The door, and the format of what goes through it. Which dialect a session speaks to which frames go, a
/// snippet says.
pub(super) fn way(args: &InjectArgs, snippet: Option<&Snippet>) -> Result<(DoorSpec, Format), Error> {
    if args.topic.is_some() && args.link() != FrameLink::Rmp {
        return Err(of_other("--topic", "rmp"));
    }
    if args.rpc.is_some() && args.link() != FrameLink::Macp {
        return Err(of_other("--rpc", "macp"));
    }
    let is_own = args.from.is_none() && args.to.is_none();
    if args.pieces.is_some() && !(is_own && matches!(args.link(), FrameLink::Mpp | FrameLink::Rmp)) {
        return Err(Error::usage(
            "only a connection of its own to the bridge or the bus takes pieces",
            "remove --pieces",
        ));
    }
    match args.link() {
        FrameLink::Mpp => Ok((adapter(args)?, Format::Mpp)),
        FrameLink::Rmp => {
            let is_json = snippet.is_some_and(|snippet| snippet.format() == Format::Rmp(RmpUnits::Json));
            peer(args, if is_json { Dialect::Json } else { Dialect::Frames })
        }
        FrameLink::Macp => {
            if args.from.is_some() || args.to.is_some() {
                return Err(Error::usage(
                    "a call has no place in another's connection",
                    "remove --from and --to; --as names the sender",
                ));
            }
            if args.as_kind.is_some() && (args.raw.is_some() || args.of.is_some()) {
                return Err(Error::usage(
                    "--as sets the sender of an envelope in JSON, and these bytes have theirs",
                    "remove --as, or give the JSON of the call",
                ));
            }
            let rpc = args.rpc.unwrap_or(Rpc::Send);
            Ok((DoorSpec::Call { rpc }, Format::Macp(rpc)))
        }
        FrameLink::Plugin => match (&args.as_kind, &args.from, &args.to) {
            (None, Some(plugin), None) => {
                Ok((DoorSpec::AsPlugin { plugin: PluginId::new(plugin) }, Format::Plugin))
            }
            (None, None, Some(plugin)) => {
                Ok((DoorSpec::ToPlugin { plugin: PluginId::new(plugin) }, Format::Plugin))
            }
            _ => Err(Error::usage(
                "a plugin's frame goes into its pipes",
                "--from PLUGIN sends it in the plugin's place, --to PLUGIN in the host's",
            )),
        },
    }
}

/// Whether the adapter that is named is the one that is connected.
pub(super) async fn is_there(station: &OperatorClient, args: &InjectArgs) -> Result<(), Error> {
    let named = args.from.as_ref().or(args.to.as_ref());
    let Some(named) = named.filter(|name| args.link() == FrameLink::Mpp && *name != "adapter") else {
        return Ok(());
    };
    let Page::Adapters(rows) = station.query(Query::Adapters).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    if rows.iter().any(|row| row.peer.as_str() == named) {
        return Ok(());
    }
    Err(PortError::Workbench(WorkbenchError::PeerGone { peer: format!("adapter {named}") }).into())
}

fn adapter(args: &InjectArgs) -> Result<DoorSpec, Error> {
    match (args.as_kind.as_deref(), &args.from, &args.to) {
        (None | Some("adapter"), None, None) => Ok(DoorSpec::Adapter { hello: true }),
        (Some("none"), ..) => Ok(DoorSpec::Adapter { hello: false }),
        (Some(other), ..) => Err(Error::usage(
            format!("the bridge has no `{other}`"),
            "--as adapter sends a hello first, --as none does not",
        )),
        (None, Some(_), _) => Ok(DoorSpec::AsAdapter),
        (None, None, Some(_)) => Ok(DoorSpec::ToAdapter),
    }
}

fn peer(args: &InjectArgs, dialect_towards: Dialect) -> Result<(DoorSpec, Format), Error> {
    let units = |dialect| match (dialect, &args.topic) {
        (Dialect::Json, _) => Format::Rmp(RmpUnits::Json),
        (Dialect::Frames, Some(_)) => Format::Rmp(RmpUnits::Frames),
        (Dialect::Frames, None) => Format::Rmp(RmpUnits::Session),
    };
    if args.from.is_some() {
        return Err(Error::usage(
            "a frame of the bus comes from a session of its own",
            "--as agent opens one, or --as ui, tui, viewer or cue",
        ));
    }
    if let Some(session) = &args.to {
        let (name, dialect) = match session.strip_suffix(":json") {
            Some(name) => (name, Dialect::Json),
            None => (session.as_str(), dialect_towards),
        };
        let number = name.trim_start_matches("session ").parse().map_err(|_| {
            Error::usage(
                format!("`{session}` is no session of the bus"),
                "give its number: `rl-console ls peers` lists them; `:json` after it selects the JSON dialect",
            )
        })?;
        let door = DoorSpec::ToPeer { session: ConnectionId(number) };
        return Ok((door, units(dialect)));
    }
    let named = args.as_kind.as_deref().unwrap_or("agent");
    let (name, dialect) = match named.split_once(':') {
        Some((name, "json")) => (name, Dialect::Json),
        None => (named, Dialect::Frames),
        Some(_) => return Err(no_kind(named)),
    };
    if dialect == Dialect::Json && !matches!(name, "none" | "agent" | "ui" | "tui") {
        return Err(Error::usage(
            format!("the JSON dialect has no kind `{name}`"),
            "agent, ui or tui: whatever it says, it is an agent (ruling RMP 16)",
        ));
    }
    let kind = match name {
        "none" => None,
        name => {
            let kind = Kind::from_name(name).filter(|kind| *kind != Kind::Station);
            Some(kind.ok_or_else(|| no_kind(named))?)
        }
    };
    if dialect == Dialect::Json && args.topic.is_some() {
        return Err(Error::usage(
            "--topic makes a message in frames",
            "in the JSON dialect give the unit: {\"body\":{\"Publish\":{\"topic\":…}}}",
        ));
    }
    Ok((DoorSpec::Peer { dialect, kind, client: CLIENT.to_owned() }, units(dialect)))
}

fn no_kind(name: &str) -> Error {
    Error::usage(
        format!("the bus has no kind `{name}`"),
        "agent, ui, tui, viewer, cue or none; `:json` after it selects the JSON dialect",
    )
}

fn of_other(flag: &str, link: &str) -> Error {
    Error::usage(format!("{flag} is for {link} frames"), format!("inject {link}, or remove {flag}"))
}

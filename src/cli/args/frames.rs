//! The flags of `decode` and `encode`.

use std::path::PathBuf;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use crate::{
    cli::error::Error,
    dissect::frame_json::{Format, RmpUnits},
    macp::Rpc,
};

/// What frames are of, with what their bytes do not say.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// The link whose frames they are.
    #[arg(long, value_enum, default_value_t = FrameLink::Rmp)]
    pub(crate) link: FrameLink,

    /// Of the bus: `frames`, each by itself (the default); `session`, control frames and the messages that
    /// they announce; or `json`, units of the JSON dialect.
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,

    /// Of the coordination runtime: the call whose request it is (the default is Send).
    #[arg(long, value_name = "RPC", value_parser = PossibleValuesParser::new(Rpc::NAMES).try_map(rpc))]
    pub(crate) rpc: Option<Rpc>,
}

/// A link that has frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FrameLink {
    /// Lines of the bridge and its adapter (MPP v2).
    Mpp,
    /// Frames of the bus (RMP v0).
    Rmp,
    /// A request of the coordination runtime (MACP 1.0), one per input.
    Macp,
    /// Messages of a plugin and its host (JSON-RPC).
    Plugin,
}

/// What the bus carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// RMP frames, each by itself.
    Frames,
    /// The frames of a session.
    Session,
    /// The JSON dialect.
    Json,
}

impl FormatArgs {
    /// The format.
    ///
    /// # Errors
    /// A flag that another link has.
    pub(crate) fn format(&self) -> Result<Format, Error> {
        let of_other = |flag: &str, link: &str| {
            Err(Error::usage(
                format!("{flag} is for {link} frames"),
                format!("add --link {link}, or remove {flag}"),
            ))
        };
        match self {
            Self { dialect: Some(_), link, .. } if *link != FrameLink::Rmp => of_other("--dialect", "rmp"),
            Self { rpc: Some(_), link, .. } if *link != FrameLink::Macp => of_other("--rpc", "macp"),
            Self { link: FrameLink::Mpp, .. } => Ok(Format::Mpp),
            Self { link: FrameLink::Plugin, .. } => Ok(Format::Plugin),
            Self { link: FrameLink::Macp, rpc, .. } => Ok(Format::Macp(rpc.unwrap_or(Rpc::Send))),
            Self { link: FrameLink::Rmp, dialect, .. } => Ok(Format::Rmp(match dialect {
                None | Some(DialectArg::Frames) => RmpUnits::Frames,
                Some(DialectArg::Session) => RmpUnits::Session,
                Some(DialectArg::Json) => RmpUnits::Json,
            })),
        }
    }
}

fn rpc(name: String) -> Result<Rpc, String> {
    Rpc::from_name(&name).ok_or(name)
}

/// `decode`.
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,

    /// A file of frames (- or nothing for stdin): raw bytes, or hex digits if it begins with some. Hex may
    /// be split into lines with spaces and offsets (`0010: 00 0a ...`), as printed by xxd.
    #[arg(conflicts_with = "hex")]
    pub(crate) file: Option<PathBuf>,

    /// The frames, as hex digits.
    #[arg(long, value_name = "TEXT")]
    pub(crate) hex: Option<String>,

    /// Of the bus: also check expiry at this time: milliseconds since the Unix epoch, or `now`.
    #[arg(long, value_name = "MS|now", value_parser = moment)]
    pub(crate) now: Option<Moment>,
}

/// When expiry is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// When the frame is read.
    Now,
    /// Milliseconds since the Unix epoch.
    At(u64),
}

/// `encode`.
#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,

    /// A file of JSON objects, one per frame (- or nothing for stdin).
    pub(crate) file: Option<PathBuf>,

    /// Print hex digits, one frame per line (the default).
    #[arg(long, conflicts_with = "raw")]
    pub(crate) hex: bool,

    /// Print raw bytes.
    #[arg(long)]
    pub(crate) raw: bool,

    /// Also encode invalid frames, exactly as their fields say; without it an invalid frame is refused with
    /// exit code 6.
    #[arg(long)]
    pub(crate) broken: bool,
}

fn moment(text: &str) -> Result<Moment, String> {
    match text {
        "now" => Ok(Moment::Now),
        ms => ms
            .parse()
            .map(Moment::At)
            .map_err(|_| "takes milliseconds since the Unix epoch, or `now`".to_owned()),
    }
}

//! The flags of `inject`.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use super::frames::FrameLink;
use crate::{
    dissect::frame_json::{Breakage, Json},
    macp::Rpc,
    port::Pieces,
};

/// `inject`.
#[derive(Clone, Debug, Args)]
pub(crate) struct InjectArgs {
    /// The link whose frame it is; of a snippet its own, where there is one of that name.
    #[arg(value_enum, required_unless_present = "snippet")]
    pub(crate) link: Option<FrameLink>,

    /// A file with one JSON object in the format of `encode` (- or nothing for stdin).
    #[arg(conflicts_with = "raw")]
    pub(crate) file: Option<PathBuf>,

    /// Send a snippet: `rl-console snippet ls` lists them. What other flags say goes before what it says;
    /// --expect and --break are for its last frame.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["file", "raw", "each"])]
    pub(crate) snippet: Option<String>,

    /// Open a connection of its own as: adapter (mpp); agent, ui, tui, viewer or cue (rmp), with `:json` in
    /// the JSON dialect, or `none`, which sends no hello; the sender (macp).
    #[arg(long = "as", value_name = "KIND", conflicts_with_all = ["from", "to"])]
    pub(crate) as_kind: Option<String>,

    /// Send it in a peer's place: `adapter`, or a plugin.
    #[arg(long, value_name = "PEER", conflicts_with = "to")]
    pub(crate) from: Option<String>,

    /// Send it to a peer in the station's place: `adapter`, a session of the bus (with `:json` after its
    /// number in the JSON dialect), or a plugin.
    #[arg(long, value_name = "PEER")]
    pub(crate) to: Option<String>,

    /// Of the bus: publish it as a message on this topic; without, the frames are those of a session.
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<String>,

    /// Of the coordination runtime: the call (the default is Send).
    #[arg(long, value_name = "RPC", value_parser = PossibleValuesParser::new(Rpc::NAMES).try_map(rpc))]
    pub(crate) rpc: Option<Rpc>,

    /// Set a member of the JSON, such as `body.queue=default`. The value is JSON, or else a text.
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting, conflicts_with = "raw")]
    pub(crate) set: Vec<(String, Json)>,

    /// Send these bytes as they are: hex digits, or @FILE containing hex digits or raw bytes.
    #[arg(long, value_name = "HEX|@FILE")]
    pub(crate) raw: Option<String>,

    /// Write its bytes in pieces of these sizes, such as 4,60, or 1* for a byte each. Only a connection of
    /// its own takes pieces.
    #[arg(long, value_name = "SIZES", value_parser = pieces, conflicts_with_all = ["from", "to"])]
    pub(crate) pieces: Option<Pieces>,

    /// Send the captured frame of this number again, as it is: `seq` of an injected frame, or of a row of
    /// `trace --json`. Without --as, --from and --to it goes the way that it came.
    #[arg(long, value_name = "SEQ", conflicts_with_all = ["file", "raw", "snippet", "each", "set", "topic"])]
    pub(crate) of: Option<u64>,

    /// Break it on purpose; several are applied in their order.
    #[arg(long = "break", value_name = "NAME", value_parser = PossibleValuesParser::new(Breakage::NAMES).try_map(breakage))]
    pub(crate) breakages: Vec<Breakage>,

    /// Send one frame per line of this file: a JSON object each, whose members go over those of FILE.
    #[arg(long, value_name = "FILE.ndjson", conflicts_with = "raw")]
    pub(crate) each: Option<PathBuf>,

    /// Send it so many times, with new ids and times each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,

    /// Send at most so many per second.
    #[arg(long, value_name = "R", value_parser = rate)]
    pub(crate) rate: Option<f64>,

    /// Judge it, and send nothing. Without an open connection it is judged as the first frame of one.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Send it also where that ends the peer's connection or may harm the peer (--from, --to), which is
    /// refused as `needs_yes` otherwise, and where a snippet's frame is foreseen to end in another way than
    /// it shows (`not_staged`).
    #[arg(long)]
    pub(crate) yes: bool,

    /// Exit 0 if every frame ends so, otherwise 5: a verdict, the name of a fault, or the type of an answer.
    #[arg(long, value_name = "NAME")]
    pub(crate) expect: Option<String>,

    /// Wait at most so many milliseconds for a verdict and answers.
    #[arg(long, value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=30_000))]
    pub(crate) wait_ms: u64,
}

impl InjectArgs {
    /// The link whose frame it is.
    pub(crate) fn link(&self) -> FrameLink {
        // Without, clap asks for a snippet, and that has one.
        self.link.unwrap_or(FrameLink::Rmp)
    }
}

fn pieces(text: &str) -> Result<Pieces, String> {
    text.parse()
}

fn rpc(name: String) -> Result<Rpc, String> {
    Rpc::from_name(&name).ok_or(name)
}

fn breakage(name: String) -> Result<Breakage, String> {
    Breakage::from_name(&name).ok_or(name)
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok();
    rate.filter(|rate| (0.001..=1_000_000.0).contains(rate))
        .ok_or_else(|| "takes a number from 0.001 to 1000000".to_owned())
}

pub(super) fn setting(text: &str) -> Result<(String, Json), String> {
    let (path, value) =
        text.split_once('=').filter(|(path, _)| !path.is_empty()).ok_or("takes PATH=VALUE".to_owned())?;
    let value = Json::read(value).unwrap_or_else(|_| Json::Text(value.to_owned()));
    Ok((path.to_owned(), value))
}

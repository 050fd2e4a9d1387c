//! The flags of `decode` and `encode`.

use std::path::PathBuf;

use clap::Args;

/// `decode`.
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// A file of frames (- or nothing for stdin): raw bytes, or hex digits if the first byte is one. Hex may
    /// be split into lines with spaces and offsets (`0010: 00 0a ...`), as printed by xxd.
    #[arg(conflicts_with = "hex")]
    pub(crate) file: Option<PathBuf>,

    /// The frames, as hex digits.
    #[arg(long, value_name = "TEXT")]
    pub(crate) hex: Option<String>,

    /// Also check expiry at this time: milliseconds since the Unix epoch, or `now`.
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

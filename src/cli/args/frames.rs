//! The flags of `decode` and `encode`.

use std::path::PathBuf;

use clap::Args;

/// `decode`.
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// A file of frames (- for stdin, as without it): bytes, or hex digits if the first byte is one; those
    /// may stand in lines with spaces and offsets (`0010: 00 0a ...`), as xxd prints them too.
    #[arg(conflicts_with = "hex")]
    pub(crate) file: Option<PathBuf>,

    /// The frames themselves, in hex digits.
    #[arg(long, value_name = "TEXT")]
    pub(crate) hex: Option<String>,

    /// Also judge whether frames are expired, at this moment: milliseconds since the Unix epoch, or `now`.
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
    /// A file of JSON objects, one a frame (- for stdin, as without it).
    pub(crate) file: Option<PathBuf>,

    /// Print hex digits, a frame a line; so it is anyway.
    #[arg(long, conflicts_with = "raw")]
    pub(crate) hex: bool,

    /// Print the bytes themselves.
    #[arg(long)]
    pub(crate) raw: bool,

    /// Make frames that are not valid too, exactly as their fields say; without it such a frame is refused,
    /// with exit code 6.
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

//! The flags of `mplp`.

use std::path::PathBuf;

use clap::{
    Args, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use crate::mplp::{Profile, SchemaId};

/// `mplp`.
#[derive(Debug, Subcommand)]
pub(crate) enum MplpAction {
    /// Judge objects by their schemas and rules, and print every finding.
    ///
    /// Exits 0 when all are clean, 1 when something was found, 2 when something could not be judged: a file
    /// that cannot be read, text that is not JSON, or an object of no known schema.
    Validate(MplpValidateArgs),

    /// List the schemas.
    Schemas,

    /// Print a schema as it is embedded: JSON Schema Draft-07.
    Schema {
        /// The schema: its name as in `mplp schemas`, or its file.
        #[arg(value_name = "NAME", value_parser = schema(), hide_possible_values = true)]
        schema: SchemaId,
    },

    /// List the rules beyond the schemas: what each requires, where, and when it applies.
    Invariants,

    /// Write the lifecycle record of the station as it is now: what it hosts, what is connected to it, and
    /// what extends it.
    ///
    /// The record is judged first, and written only if nothing is found in it: exits 1 otherwise. A file that
    /// exists is not overwritten.
    Station(MplpStationArgs),
}

/// `mplp station`.
#[derive(Debug, Args)]
pub(crate) struct MplpStationArgs {
    /// Write a bundle of its objects into this new file; - for stdout.
    #[arg(long, value_name = "OUT.json", default_value = "-")]
    pub(crate) mplp: PathBuf,

    /// Write one object per line instead of a bundle.
    #[arg(long)]
    pub(crate) ndjson: bool,

    /// Write it although something is found in it.
    #[arg(long)]
    pub(crate) force: bool,
}

/// `mplp validate`.
#[derive(Debug, Args)]
pub(crate) struct MplpValidateArgs {
    /// Files of one object or bundle each, or of one object per line (NDJSON); a folder of such files; - for
    /// stdin. A folder is judged as one bundle, and so are two or more files with --profile. With --recording
    /// there are none: the MPLP messages of the bus are judged.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<String>,

    /// Judge every object by this schema [default: the one that its members show].
    #[arg(long, value_name = "NAME", value_parser = schema(), hide_possible_values = true)]
    pub(crate) schema: Option<SchemaId>,

    /// Also apply the rules of this profile: sa for one agent, map for several [default: that of the bundle].
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(crate) profile: Option<Profile>,

    /// Findings to print of one object or bundle [default: `limits.mplp.findings_max`].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) findings_max: Option<u64>,
}

fn schema() -> impl TypedValueParser<Value = SchemaId> {
    let names = SchemaId::ALL.map(|id| PossibleValue::new(id.name()).alias(id.path()));
    PossibleValuesParser::new(names).try_map(|text| SchemaId::named(&text).ok_or("not a schema"))
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new([Profile::Sa, Profile::Map].map(Profile::as_str))
        .try_map(|text| Profile::named(&text).ok_or("not a profile"))
}

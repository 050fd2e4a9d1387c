//! Which side is run.

use super::{folder, plugin::Plugin};
use crate::{
    cli::{args::SimPluginArgs, error::Error, output::Output},
    time::Clock,
};

/// Writes the folder, or is the plugin.
pub(in crate::cli) fn run(args: &SimPluginArgs, clock: Clock, out: &mut Output) -> Result<(), Error> {
    if let Some(into) = &args.into {
        return folder::write(into, args, out);
    }
    let code = Plugin::new(args, clock).run().map_err(Error::io("speaking with the host"))?;
    std::process::exit(code)
}

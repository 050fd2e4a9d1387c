//! `attach`: a screen on the station of another process.

use std::{path::PathBuf, sync::Arc};

use super::console::{self, ScreenTarget};
use crate::{
    cli::{args::AttachArgs, context::Context, error::Error, logging, operator, report},
    port::StationPort as _,
    station::{Find, RemotePort},
    time::Clock,
};

pub(in crate::cli) fn run(context: &mut Context, args: AttachArgs) -> Result<(), Error> {
    console::can_be_drawn(context)?;
    let _log = logging::begin(&context.env);
    // Its palette shows the same token.
    context.flags.token_file = args.token_file.or(context.flags.token_file.take());
    context.settings.discovery.token_file.clone_from(&context.flags.token_file);
    let find = of_data(context)?;
    with_screen(context, find)
}

/// Finds the station that holds the data folder.
///
/// # Errors
/// When there is no data folder.
///
/// Where it is looked for is asked again before every try, for its socket may move and its token may be made
/// anew.
pub(super) fn of_data(context: &Context) -> Result<Find, Error> {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let (mut settings, data) = (context.settings.clone(), context.settings.data()?);
    settings.socket = settings.socket.map(absolute);
    settings.discovery.token_file = settings.discovery.token_file.map(absolute);
    Ok(Box::new(move || operator::find(&settings, &data)))
}

/// Attaches, says so in one line, and shows the station until the console ends.
///
/// # Errors
/// That no station answers, that it lets nobody look by this token, or the console's own.
pub(super) fn with_screen(context: &mut Context, find: Find) -> Result<(), Error> {
    // The station may be up for longer than this process.
    context.clock = Clock::ahead();
    let (clock, limits) = (context.clock, context.settings.limits);
    let port = operator::block_on(async { Ok(RemotePort::attach(find, clock, limits).await?) })?;
    if let Some(attachment) = port.attachment() {
        let rights = if attachment.read_only().is_some() { ", read-only" } else { "" };
        report::print_note(&format!(
            "attached to {} (process {}){rights}; q detaches",
            attachment.name, attachment.pid
        ));
    }
    // Where it is reached by its socket, its folder may be another than this process sees.
    let folder = context.settings.data()?;
    let folder = Some(folder).filter(|folder| context.settings.socket.is_none() && folder.is_dir());
    let target = ScreenTarget { port: Arc::new(port), station: None, folder, name: None, bookmarks: None };
    console::with_screen(&target, context)
}

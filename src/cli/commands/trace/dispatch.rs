//! Over what the ladder is read.

use super::{live, print, recorded};
use crate::cli::{
    args::{TraceArgs, TraceFormat},
    asked,
    config::AskedRecording,
    context::Context,
    error::Error,
    operator,
};

pub(in crate::cli) fn run(context: &mut Context, args: &TraceArgs) -> Result<(), Error> {
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    if out.is_json() && args.format == TraceFormat::Mermaid {
        return Err(Error::usage("a sequence diagram has no JSON form", "leave out --json or --format"));
    }
    let mut printer = print::Printer::new(clock, out, args.format);
    let done = match &settings.asked {
        // Read as it comes, whether anything in it says what held or not.
        Some(AskedRecording { paths, at: None }) if matches!(&paths[..], [path] if !path.is_dir()) => {
            recorded::print(&paths[0], &args.trace, args.events, &mut printer)
        }
        Some(asked) => operator::block_on(async {
            let port = asked::open(asked, settings)?;
            recorded::print_at(&port, &args.trace, args.events, &mut printer).await
        }),
        None => operator::block_on(async {
            let station = operator::connect(settings).await?;
            live::print(&station, &args.trace, args.events, &mut printer).await
        }),
    };
    done.and_then(|()| printer.end())
}

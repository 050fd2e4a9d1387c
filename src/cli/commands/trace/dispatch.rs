//! Over what the ladder is read.

use super::{live, print, recorded};
use crate::cli::{args::TraceArgs, context::Context, error::Error, operator};

pub(in crate::cli) fn run(context: &mut Context, args: &TraceArgs) -> Result<(), Error> {
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    let mut printer = print::Printer::new(clock, out);
    match &args.recording {
        Some(file) => recorded::print(file, &args.trace, args.events, &mut printer),
        None => operator::block_on(async {
            let station = operator::connect(settings).await?;
            live::print(&station, &args.trace, args.events, &mut printer).await
        }),
    }
}

//! `serve` and `--plain`: a station without a screen.

use std::path::PathBuf;

use super::{
    events::{Detail, Event},
    telling::Telling,
};
use crate::{
    cli::{
        config::OnHangup,
        context::Context,
        error::Error,
        logging,
        output::Output,
        relay::Relay,
        shutdown,
        signals::{Signal, Signals},
    },
    station::Station,
};

/// `serve`: tells what is notable.
pub(in crate::cli) fn run(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    telling(context, record, Detail::Notable)
}

/// `--plain`: tells everything that a screen would show.
pub(in crate::cli) fn plain(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    telling(context, record, Detail::Everything)
}

fn telling(context: &mut Context, record: Option<PathBuf>, detail: Detail) -> Result<(), Error> {
    let _log = logging::begin(&context.env);
    // Frees the lock on stdout that the thread behind the relay needs.
    context.out = Output::to(context.flags.json, Box::new(std::io::sink()));
    context.out = Output::to(context.flags.json, Box::new(Relay::to(std::io::stdout()).map_err(Error::io("stdout"))?));
    let station = Station::start(context.settings.station(record)?, context.clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::io("the runtime"))?;
    let ended = runtime.block_on(serve(&station, context, detail));
    shutdown::stop(station);
    ended
}

/// Runs until a signal asks for the end.
async fn serve(station: &Station, context: &mut Context, detail: Detail) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let on_hangup = context.settings.on_hangup;
    let port = station.port();
    let mut telling = Telling::new(port.as_ref(), context, detail)?;
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => return Ok(()),
        ready = station.ready() => {
            let ready = ready?;
            telling.set_metrics(ready.metrics);
            match ready.mpp {
                Ok(addr) => telling.ready(addr),
                // One protocol down leaves the others up; it is told, and `ready` is when the port answers after all.
                Err(why) => telling.tell_now(Event::Down { host: "mpp", why }),
            }
        }
    }
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => {}
        () = telling.run() => {}
    }
    telling.stopping();
    Ok(())
}

/// SIGTERM and SIGINT end it; a hang-up does when it is told to.
async fn asked_to_end(signals: &mut Signals, on_hangup: OnHangup) {
    loop {
        match signals.next().await {
            Signal::HangUp if on_hangup == OnHangup::Stay => tracing::info!("the terminal is gone; the station stays up"),
            Signal::HangUp | Signal::Terminate | Signal::Interrupt => return,
        }
    }
}

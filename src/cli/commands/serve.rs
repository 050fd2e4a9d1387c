//! `serve` and `--plain`: a station without a screen.

use std::{path::PathBuf, time::Duration};

use super::{
    console,
    event_printer::EventPrinter,
    events::{Detail, Event},
};
use crate::{
    cli::{
        config::OnHangup,
        context::Context,
        error::Error,
        logging,
        nonblocking_writer::NonblockingWriter,
        output::Output,
        service::Notifier,
        shutdown,
        signals::{Signal, Signals},
    },
    port::StationPort,
    station::Station,
};

/// `serve`: tells what is notable.
pub(in crate::cli) fn run(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    print_events(context, record, Detail::Notable)
}

/// `--plain`: tells everything that a screen would show.
pub(in crate::cli) fn plain(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    print_events(context, record, Detail::Everything)
}

fn print_events(context: &mut Context, record: Option<PathBuf>, detail: Detail) -> Result<(), Error> {
    console::check_record(context, record.as_deref())?;
    let _log = logging::begin(&context.env);
    // Frees the lock on stdout that the thread behind the relay needs.
    context.out = Output::to(context.flags.json, Box::new(std::io::sink()));
    context.out = Output::to(
        context.flags.json,
        Box::new(NonblockingWriter::to(std::io::stdout()).map_err(Error::io("stdout"))?),
    );
    let notifier = Notifier::start(&context.env);
    let station =
        Station::start(context.settings.station(record, context.env.home.as_deref())?, context.clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    let ended = runtime.block_on(serve(&station, context, detail, &notifier));
    notifier.stopping();
    shutdown::stop(station);
    ended
}

/// Runs until a signal asks for the end.
async fn serve(
    station: &Station,
    context: &mut Context,
    detail: Detail,
    notifier: &Notifier,
) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let on_hangup = context.settings.on_hangup;
    let (port, clock) = (station.port(), context.clock);
    let mut telling = EventPrinter::new(port.as_ref(), context, detail, notifier)?;
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => return Ok(()),
        () = station.stop_requested() => return Ok(()),
        ready = station.ready() => {
            let ready = ready?;
            let as_of = clock.now();
            telling.set_metrics(ready.metrics);
            match ready.rmp {
                Ok(path) => telling.set_rmp(path.display().to_string()),
                Err(why) => telling.emit_now(Event::Down { host: "rmp", why }),
            }
            match ready.macp {
                Ok(addr) => telling.set_macp(addr),
                Err(why) => telling.emit_now(Event::Down { host: "macp", why }),
            }
            match ready.mpp {
                Ok(addr) => {
                    telling.ready(addr);
                    notifier.ready(format!("adapters connect to {addr}"));
                }
                // One protocol down leaves the others up; it is told, and so is when the port answers after
                // all.
                Err(why) => {
                    notifier.ready(format!("mpp is down: {why}"));
                    telling.ready_without_port(why);
                }
            }
            telling.came_up(as_of);
        }
    }
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => {}
        () = station.stop_requested() => {}
        () = telling.run() => {}
        () = beat(port.as_ref(), notifier) => {}
    }
    telling.stopping();
    Ok(())
}

/// Tells a service manager that wants to hear it that the station answers, as long as it does. A part that is
/// down answers that.
async fn beat(port: &dyn StationPort, notifier: &Notifier) {
    // One that comes late, or that is missed, is made up for in time by the next.
    let Some(period) = notifier.watchdog().map(|within| (within / 4).max(Duration::from_millis(1))) else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if tokio::time::timeout(period, port.snapshot()).await.is_ok() {
            notifier.alive();
        }
    }
}

/// SIGTERM and SIGINT end it; a hang-up does when it is told to.
async fn asked_to_end(signals: &mut Signals, on_hangup: OnHangup) {
    loop {
        match signals.next().await {
            Signal::HangUp if on_hangup == OnHangup::Stay => {
                tracing::info!("terminal lost; station continues");
            }
            Signal::HangUp | Signal::Terminate | Signal::Interrupt => return,
        }
    }
}

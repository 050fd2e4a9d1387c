//! `serve`: a station without a screen.

use std::{path::PathBuf, time::Duration};

use super::events::{Event, Told};
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
        table::LocalClock,
    },
    port::StationPort,
    station::Station,
    tap,
};

/// How often the tap is read. A reader that is always at its heels would cut its segments short.
const READ_EVERY: Duration = Duration::from_millis(50);

pub(in crate::cli) fn run(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    let _log = logging::begin(&context.env);
    // Frees the lock on stdout that the thread behind the relay needs.
    context.out = Output::to(context.flags.json, Box::new(std::io::sink()));
    context.out = Output::to(context.flags.json, Box::new(Relay::to(std::io::stdout()).map_err(Error::io("stdout"))?));
    let station = Station::start(context.settings.station(record)?, context.clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::io("the runtime"))?;
    let ended = runtime.block_on(serve(&station, context));
    shutdown::stop(station);
    ended
}

/// Runs until a signal asks for the end.
async fn serve(station: &Station, context: &mut Context) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let on_hangup = context.settings.on_hangup;
    let mut events = Events::new(station.port().as_ref(), context)?;
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => return Ok(()),
        ready = station.ready() => match ready?.mpp {
            Ok(addr) => events.ready(addr),
            // One protocol down leaves the others up; it is told, and `ready` is when the port answers after all.
            Err(why) => events.tell_now(Event::Down { host: "mpp", why }),
        },
    }
    let tell = async {
        loop {
            tokio::time::sleep(READ_EVERY).await;
            events.read().await;
        }
    };
    tokio::select! {
        () = asked_to_end(&mut signals, on_hangup) => {}
        () = tell => {}
    }
    events.tell_now(Event::Stopping);
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

/// Prints what is notable. When nobody reads stdout any more the show goes on without.
pub(super) struct Events<'a> {
    reader: tap::Reader,
    context: &'a mut Context,
    clock: LocalClock,
    was_ready: bool,
    is_heard: bool,
    /// Events that found no room since the last that did.
    unheard: u64,
}

impl<'a> Events<'a> {
    pub(super) fn new(port: &dyn StationPort, context: &'a mut Context) -> Result<Self, Error> {
        let clock = context.local_clock();
        Ok(Self { reader: port.entries()?, context, clock, was_ready: false, is_heard: true, unheard: 0 })
    }

    fn ready(&mut self, addr: std::net::SocketAddr) {
        if std::mem::replace(&mut self.was_ready, true) {
            self.tell_now(Event::Up { host: "mpp" });
        } else {
            self.tell(&Told::ready(addr));
        }
    }

    /// Waits for entries and tells what is notable among them.
    async fn read(&mut self) {
        self.reader.ready().await;
        while let Some(batch) = self.reader.read() {
            if batch.lost > 0 {
                self.tell_now(Event::Loss { count: batch.lost });
            }
            for entry in batch.iter() {
                match Told::of(entry) {
                    Some(Told { event: Event::Ready { mpp }, .. }) => self.ready(mpp),
                    Some(told) => self.tell(&told),
                    None => {}
                }
            }
        }
    }

    fn tell_now(&mut self, event: Event) {
        self.tell(&Told::now(self.context.clock.now(), event));
    }

    fn tell(&mut self, told: &Told) {
        if self.unheard > 0 {
            let loss = Told::now(self.context.clock.now(), Event::Loss { count: self.unheard });
            if self.print(&loss) {
                self.unheard = 0;
            }
        }
        if !self.print(told) {
            self.unheard += 1;
        }
    }

    /// Whether it was taken.
    fn print(&mut self, told: &Told) -> bool {
        if !self.is_heard {
            return true;
        }
        let clock = &self.clock;
        match self.context.out.row(told, |told| told.line(clock)).and_then(|()| self.context.out.flush()) {
            Ok(()) => true,
            Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::WouldBlock => false,
            Err(_) => {
                self.is_heard = false;
                true
            }
        }
    }
}

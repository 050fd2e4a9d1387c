//! An attack, what it is aimed at, and the process that makes it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use crate::{
    attacks,
    socket::{Place, Socket},
};

/// How long an attacker may go on past its time before it ends itself.
const OVERTIME_MAX: Duration = Duration::from_secs(2);
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What this process has put in so far: connections, frames, messages, files.
static INPUTS: AtomicU64 = AtomicU64::new(0);

/// A row of the table.
pub(crate) struct Attack {
    /// As `--attack` takes it; the link is what stands before the first `_`.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// How many processes make it: a port that knows its peers bounds each of them.
    pub(crate) processes: usize,
    pub(crate) run: fn(&mut Attacker),
}

/// The ports and the folder of the station that is attacked.
#[derive(Args, Clone, Debug)]
pub(crate) struct Targets {
    #[arg(long)]
    pub(crate) mpp: SocketAddr,
    #[arg(long)]
    pub(crate) rmp: PathBuf,
    #[arg(long)]
    pub(crate) macp: SocketAddr,
    #[arg(long)]
    pub(crate) metrics: SocketAddr,
    /// The folder with the pack, the configuration and the data folder.
    #[arg(long)]
    pub(crate) folder: PathBuf,
}

impl Targets {
    /// As an attacker's command line has them.
    pub(crate) fn args(&self) -> Vec<String> {
        [
            ("--mpp", self.mpp.to_string()),
            ("--rmp", self.rmp.display().to_string()),
            ("--macp", self.macp.to_string()),
            ("--metrics", self.metrics.to_string()),
            ("--folder", self.folder.display().to_string()),
        ]
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect()
    }

    pub(crate) fn mpp(&self) -> Place {
        Place::Tcp(self.mpp)
    }

    pub(crate) fn rmp(&self) -> Place {
        Place::Unix(self.rmp.clone())
    }

    pub(crate) fn macp(&self) -> Place {
        Place::Tcp(self.macp)
    }

    pub(crate) fn metrics(&self) -> Place {
        Place::Tcp(self.metrics)
    }
}

/// The state of an attack in its process.
pub(crate) struct Attacker {
    pub(crate) targets: Targets,
    pub(crate) random: fastrand::Rng,
    until: Instant,
}

impl Attacker {
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Counts inputs.
    #[expect(clippy::unused_self, reason = "only an attack counts")]
    pub(crate) fn count(&self, inputs: usize) {
        INPUTS.fetch_add(inputs as u64, Ordering::Relaxed);
    }

    /// Connects and counts that; where the station takes none, a moment passes.
    pub(crate) fn connect(&self, place: &Place) -> Option<Socket> {
        self.count(1);
        let socket = Socket::connect(place).ok();
        if socket.is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        socket
    }
}

/// The attack of a name.
///
/// # Errors
/// There is none.
pub(crate) fn named(name: &str) -> Result<&'static Attack> {
    attacks::all().find(|it| it.name == name).ok_or_else(|| {
        let names: Vec<_> = attacks::all().map(|it| it.name).collect();
        eyre!("there is no attack {name:?} but {}", names.join(", "))
    })
}

/// What the attacker's process is told.
#[derive(Args, Debug)]
pub(crate) struct Order {
    name: String,
    #[command(flatten)]
    targets: Targets,
    #[arg(long)]
    seed: u64,
    #[arg(long)]
    ms: u64,
}

/// Is the attacker: tells on standard output what it has put in, again and again, and ends by itself.
///
/// # Errors
/// The attack is not known.
#[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
pub(crate) fn make(order: Order) -> Result<()> {
    let until = Instant::now() + Duration::from_millis(order.ms);
    let attack = named(&order.name)?;
    thread::spawn(move || {
        while Instant::now() < until + OVERTIME_MAX {
            println!("{}", INPUTS.load(Ordering::Relaxed));
            thread::sleep(TELL_EVERY);
        }
        std::process::exit(0);
    });
    let mut attacker =
        Attacker { targets: order.targets, random: fastrand::Rng::with_seed(order.seed), until };
    (attack.run)(&mut attacker);
    println!("{}", INPUTS.load(Ordering::Relaxed));
    Ok(())
}

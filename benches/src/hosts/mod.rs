//! Hosts in this process, each with its clients: what something costs them is seen beside hosts without it.

mod bridge;
mod bus;
mod sessions;

use rl_console::{gate::Gate, tap::Tap};

pub(crate) use self::{bridge::Bridge, bus::Bus, sessions::Sessions};
use crate::{Result, report::median};

/// Rounds, in each of which every host has its turn.
const ROUNDS: usize = 10;

/// A host with its clients.
pub(crate) trait Host: Sized {
    const NAME: &'static str;

    /// Starts one with this gate, which tells this tap.
    fn start(gate: Gate, tap: Tap) -> Result<Self>;

    /// Does a round; how many a second.
    fn round(&mut self) -> Result<f64>;
}

/// The rates of some hosts, round by round.
#[derive(Debug)]
pub(crate) struct Rates(Vec<Vec<f64>>);

impl Rates {
    /// Has each do its rounds, none of them always the first.
    pub(crate) fn of(hosts: &mut [impl Host]) -> Result<Self> {
        let mut rates = vec![Vec::new(); hosts.len()];
        for round in 0..=ROUNDS {
            for turn in 0..hosts.len() {
                let at = (turn + round) % hosts.len();
                let rate = hosts[at].round()?;
                // The first round warms up.
                if round > 0 {
                    rates[at].push(rate);
                }
            }
        }
        Ok(Self(rates))
    }

    /// What the first one does in a second.
    pub(crate) fn first(&self) -> f64 {
        median(&self.0[0])
    }

    /// The part of the first one's rate that another one has.
    pub(crate) fn of_first(&self, host: usize) -> f64 {
        median(&self.ratios(host))
    }

    /// How far another one is from the first, either way.
    pub(crate) fn apart(&self, host: usize) -> f64 {
        median(&self.ratios(host).iter().map(|ratio| (ratio - 1.0).abs()).collect::<Vec<_>>())
    }

    fn ratios(&self, host: usize) -> Vec<f64> {
        self.0[host].iter().zip(&self.0[0]).map(|(with, without)| with / without).collect()
    }
}

//! What the ports of the station count of who was turned away, and what is said of it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    host::Health,
    metrics::{Family, Kind, Series},
};
use crate::{
    admission::{Recent, Tally, TurnedAway},
    tap::entry::{Link, station::Transition},
    time::Now,
    words::counted,
};

/// The counters of every port; they outlive a host that is started again.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    pub(super) mpp: Tally,
    pub(super) rmp: Tally,
    pub(super) macp: Tally,
    pub(super) metrics: Tally,
    sampled: Arc<Mutex<[Sampled; 4]>>,
}

/// What a port had counted when it was looked at last.
#[derive(Debug, Default)]
struct Sampled {
    counts: [u64; TurnedAway::ALL.len()],
    recent: Recent,
}

/// What was found at a look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// What has become worth saying, each in a sentence that says what to do.
    pub(super) notices: Vec<String>,
    /// What the metrics' port turned away.
    pub(super) of_metrics: Vec<Transition>,
}

impl Tallies {
    /// Every port by its name, which is that of its limits too.
    fn ports(&self) -> [(&'static str, &Tally); 4] {
        [("mpp", &self.mpp), ("rmp", &self.rmp), ("macp", &self.macp), ("metrics", &self.metrics)]
    }

    /// Takes in what was counted since the last look, once a second.
    pub(super) fn sample(&self, now: Now) -> News {
        let mut sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = News::default();
        for ((port, tally), known) in self.ports().into_iter().zip(sampled.iter_mut()) {
            let counts = tally.turned_away();
            for why in TurnedAway::ALL {
                let more = counts[why.index()].saturating_sub(known.counts[why.index()]);
                if known.recent.record(now, why, more) {
                    let (text, remedy) = (why.text(port), why.remedy());
                    news.notices
                        .push(format!("connections of the {port} port are turned away: {text}; {remedy}"));
                }
                // The hosts of the others report each themselves.
                if port == "metrics" && more > 0 {
                    news.of_metrics.push(Transition::TurnedAway { why, count: more });
                }
            }
            known.counts = counts;
        }
        news
    }

    /// The health of a port, with what it turned away lately.
    pub(super) fn health(&self, port: &str, health: Health, now: Now) -> Health {
        let sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let at = self.ports().into_iter().position(|(name, _)| name == port);
        let spans = at.and_then(|at| sampled.get(at)).into_iter().flat_map(|it| it.recent.current(now));
        // The bound that most run into.
        let Some(most) = spans.max_by_key(|span| span.count) else { return health };
        Health::failing(format!(
            "{}; {} turned away lately: {}; {}",
            health.detail,
            counted(most.count, "connection"),
            most.why.text(port),
            most.why.remedy()
        ))
    }

    /// The metrics of all ports.
    pub(super) fn families(&self) -> Vec<Family> {
        let by_port = |of: fn(&Tally) -> u64| self.ports().map(|(port, tally)| (port.to_owned(), of(tally)));
        // The coordination runtime counts its own, by more reasons.
        let ports = self.ports().into_iter().filter(|(port, _)| *port != Link::Macp.name());
        let turned_away = ports.flat_map(|(port, tally)| {
            TurnedAway::ALL.into_iter().zip(tally.turned_away()).map(move |(why, count)| Series {
                labels: vec![("port", port.to_owned()), ("reason", why.name().to_owned())],
                value: count.into(),
            })
        });
        vec![
            Family {
                series: turned_away.collect(),
                ..Family::new(
                    "rl_console_turned_away_connections_total",
                    Kind::Counter,
                    "Connections and frames that were turned away, by port and reason; of the MACP port \
                     rl_console_macp_turned_away_total has them.",
                )
            },
            Family::new("rl_console_open_connections", Kind::Gauge, "Open connections.")
                .by("port", by_port(Tally::open)),
            Family::new(
                "rl_console_silent_connections",
                Kind::Gauge,
                "Open connections that have sent no frame yet.",
            )
            .by("port", by_port(Tally::silent)),
            Family::new("rl_console_receiving_bytes", Kind::Gauge, "Bytes of unfinished frames.")
                .by("port", by_port(Tally::receiving_bytes)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_family_counts_who_is_turned_away_from_a_port() {
        let tallies = Tallies::default();
        let families = tallies.families();
        let counted = |port: &str| {
            let by_port = families[0].series.iter().filter(|it| it.labels[0].1 == port);
            by_port.count()
        };
        assert_eq!(["mpp", "rmp", "macp", "metrics"].map(counted), [7, 7, 0, 7]);
    }

    #[test]
    fn what_is_turned_away_is_said_once_and_shown_while_it_lasts() {
        let tallies = Tallies::default();
        let listening = || Health::ok("listening");
        assert_eq!(tallies.sample(Now::at_ms(0)), News::default());
        for _ in 0..7 {
            tallies.rmp.count(TurnedAway::TableFull);
        }
        tallies.metrics.count(TurnedAway::MadeRoom);
        let News { notices: said, of_metrics } = tallies.sample(Now::at_ms(1_000));
        assert_eq!(of_metrics, [Transition::TurnedAway { why: TurnedAway::MadeRoom, count: 1 }]);
        assert!(said.len() == 1 && said[0].contains("limits.rmp.connections_max"), "{said:?}");
        tallies.rmp.count(TurnedAway::TableFull);
        assert_eq!(tallies.sample(Now::at_ms(2_000)), News::default());
        let health = tallies.health("rmp", listening(), Now::at_ms(3_000));
        assert!(!health.is_ok && health.detail.starts_with("listening; 8 connections turned away lately: "));
        assert_eq!(tallies.health("mpp", listening(), Now::at_ms(3_000)), listening());
        assert_eq!(tallies.health("rmp", listening(), Now::at_ms(62_000)), listening(), "it passed");
    }
}

//! What the ports of the station count of who was turned away, and what is said of it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    host::Health,
    metrics::{Family, Kind, Series},
};
use crate::{
    admission::{Origin, Port, RecentTurnAways, Span, Tally, TurnedAway},
    port::HealthStatus,
    tap::entry::station::Transition,
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
    sampled: Arc<Mutex<[Sampled; Port::ALL.len()]>>,
}

/// What a port had counted when it was looked at last.
#[derive(Debug, Default)]
struct Sampled {
    counts: [u64; TurnedAway::ALL.len()],
    recent: RecentTurnAways,
}

/// What was found at a look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// What has become worth saying, each in a sentence that says what to do.
    pub(super) notices: Vec<String>,
    /// What the metrics' port turned away, with who they were mostly.
    pub(super) of_metrics: Vec<(Transition, String)>,
}

impl Tallies {
    fn of(&self, port: Port) -> &Tally {
        match port {
            Port::Mpp => &self.mpp,
            Port::Rmp => &self.rmp,
            Port::Macp => &self.macp,
            Port::Metrics => &self.metrics,
        }
    }

    /// Takes in what was counted since the last look, once a second.
    pub(super) fn sample(&self, now: Now) -> News {
        let mut sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = News::default();
        for (port, known) in Port::ALL.into_iter().zip(sampled.iter_mut()) {
            let (counts, whom) = (self.of(port).turned_away(), self.of(port).take_whom());
            for (why, whom) in TurnedAway::ALL.into_iter().zip(whom) {
                let more = counts[why.index()].saturating_sub(known.counts[why.index()]);
                let most = whom.iter().max_by_key(|(_, times)| *times).and_then(|(origin, _)| origin.peer());
                let named = |(origin, times): (Origin, u64)| Some((origin.peer()?, times));
                if known.recent.record(now, why, more, whom.into_iter().filter_map(named)) {
                    let span = known.recent.current(now).find(|span| span.why == why);
                    let (text, remedy) = (why.text(port), why.remedy());
                    let most = span.map(Span::most_text).unwrap_or_default();
                    let name = port.name();
                    news.notices
                        .push(format!("rejecting connections to the {name} port: {text}{most}; {remedy}"));
                }
                // The hosts of the others report each themselves.
                if port == Port::Metrics && more > 0 {
                    let turned_away = Transition::TurnedAway { why, count: more };
                    news.of_metrics.push((turned_away, most.map_or_else(String::new, |it| it.to_string())));
                }
            }
            known.counts = counts;
        }
        news
    }

    /// The health of a port, with what it turned away lately.
    pub(super) fn health(&self, port: Port, health: Health, now: Now) -> Health {
        let sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let spans = sampled.get(port as usize).into_iter().flat_map(|it| it.recent.current(now));
        // The bound that most run into.
        let Some(most) = spans.max_by_key(|span| span.count) else { return health };
        let why = format!(
            "{}; {} rejected recently: {}{}; {}",
            health.detail,
            counted(most.count, "connection"),
            most.why.text(port),
            most.most_text(),
            most.why.remedy()
        );
        let figures = match health.status {
            HealthStatus::Ok => health.figures_behind("rejected"),
            HealthStatus::Degraded | HealthStatus::Down => health.figures.clone(),
        };
        Health { figures, ..health.degraded(why) }
    }

    /// The metrics of all ports.
    pub(super) fn families(&self) -> Vec<Family> {
        let by_port =
            |of: fn(&Tally) -> u64| Port::ALL.map(|port| (port.name().to_owned(), of(self.of(port))));
        // The coordination runtime counts its own, by more reasons.
        let ports = Port::ALL.into_iter().filter(|port| *port != Port::Macp);
        let turned_away = ports.flat_map(|port| {
            TurnedAway::ALL.into_iter().zip(self.of(port).turned_away()).map(move |(why, count)| Series {
                labels: vec![("port", port.name().to_owned()), ("reason", why.name().to_owned())],
                value: count.into(),
            })
        });
        vec![
            Family {
                series: turned_away.collect(),
                ..Family::new(
                    "rl_console_turned_away_connections_total",
                    Kind::Counter,
                    "Rejected connections and frames, by port and reason; for the MACP port see \
                     rl_console_macp_turned_away_total.",
                )
            },
            Family::new("rl_console_open_connections", Kind::Gauge, "Open connections.")
                .by("port", by_port(Tally::open)),
            Family::new(
                "rl_console_silent_connections",
                Kind::Gauge,
                "Open connections that have not sent a frame yet.",
            )
            .by("port", by_port(Tally::silent)),
            Family::new(
                "rl_console_receiving_bytes",
                Kind::Gauge,
                "Bytes of incomplete frames being received.",
            )
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
        let listening = || Health::ok("", "listening");
        assert_eq!(tallies.sample(Now::at_ms(0)), News::default());
        for _ in 0..7 {
            tallies.rmp.count(TurnedAway::TableFull, Origin::Process { uid: 7, pid: 9 });
        }
        tallies.metrics.count(TurnedAway::MadeRoom, Origin::of_address([10, 0, 0, 1].into()));
        let News { notices: said, of_metrics } = tallies.sample(Now::at_ms(1_000));
        let turned_away = Transition::TurnedAway { why: TurnedAway::MadeRoom, count: 1 };
        assert_eq!(of_metrics, [(turned_away, "10.0.0.1".to_owned())]);
        assert!(said.len() == 1 && said[0].contains("limits.rmp.connections_max"), "{said:?}");
        assert!(said[0].contains("most are from uid 7 pid 9"), "{said:?}");
        tallies.rmp.count(TurnedAway::TableFull, Origin::Process { uid: 7, pid: 9 });
        assert_eq!(tallies.sample(Now::at_ms(2_000)), News::default());
        let health = tallies.health(Port::Rmp, listening(), Now::at_ms(3_000));
        assert!(
            health.status == HealthStatus::Degraded
                && health.detail.starts_with("listening; 8 connections rejected recently: ")
        );
        assert!(health.detail.contains("most are from uid 7 pid 9; stop the client"), "{health:?}");
        assert_eq!(tallies.health(Port::Mpp, listening(), Now::at_ms(3_000)), listening());
        assert_eq!(tallies.health(Port::Rmp, listening(), Now::at_ms(62_000)), listening(), "it passed");
    }
}

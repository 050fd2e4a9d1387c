//! One line.

use std::net::SocketAddr;

use serde::Serialize;

use super::{
    event::Event,
    gate::GateEvent,
    of_tap::{of_macp, of_mpp, of_rmp, of_row, of_runs, of_station},
    plugin::PluginEvent,
};
use crate::{
    cli::table::{LocalClock, visible},
    tap::{
        EntryRef,
        entry::{Transition, What},
    },
    time::{Now, Wall},
};

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::commands) enum Detail {
    /// What an operator wants to know of, and no frame or row by itself.
    Notable,
    /// Rows and the adapter's log too, each line with its level and who says it.
    Everything,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::cli::commands) struct EventLine {
    /// What happened.
    #[serde(flatten)]
    pub(in crate::cli::commands) event: Event,
    /// When, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli::commands) at_ms: Option<Wall>,
}

impl EventLine {
    /// Everything answers. It carries nothing else: scripts compare the line.
    pub(in crate::cli::commands) const fn ready(
        mpp: Option<SocketAddr>,
        rmp: Option<String>,
        macp: Option<SocketAddr>,
        metrics: Option<SocketAddr>,
    ) -> Self {
        Self { event: Event::Ready { mpp, rmp, macp, metrics }, at_ms: None }
    }

    /// Something that happened now.
    pub(in crate::cli::commands) const fn now(now: Now, event: Event) -> Self {
        Self { event, at_ms: Some(now.wall) }
    }

    /// What an entry of the tap tells, if it tells something in this detail.
    pub(in crate::cli::commands) fn of(entry: EntryRef<'_>, detail: Detail) -> Option<Self> {
        let text = || entry.text().into_owned();
        let event = match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => of_station(transition, text),
            What::Transition(Transition::Mpp(transition)) => match (of_mpp(transition, text), detail) {
                (None, Detail::Everything) => of_row(transition, text),
                (event, _) => event,
            },
            What::Transition(Transition::Macp(transition)) => of_macp(transition, text),
            What::Transition(Transition::Plugin(transition)) => {
                PluginEvent::of(transition, text).map(Event::Plugin)
            }
            What::Transition(Transition::Rmp(transition)) => of_rmp(transition, text),
            What::Transition(Transition::Runs(transition)) => of_runs(transition, text),
            What::Intercepted(it) => Some(Event::Gate(GateEvent::of_intercepted(entry.entry.link, it))),
            What::Passed(it) => Some(Event::Gate(GateEvent::of_passed(entry.entry.link, it))),
            What::Unsent { frames, bytes } if detail == Detail::Everything => {
                Some(Event::Unsent { peer: text(), frames: *frames, bytes: *bytes })
            }
            _ => None,
        };
        event.map(|event| Self::now(entry.entry.at, event))
    }

    /// This line with nothing in it that viewers or peers wrote.
    pub(in crate::cli::commands) fn masked(self) -> Self {
        Self { event: self.event.masked(), ..self }
    }

    /// The line for people.
    pub(in crate::cli::commands) fn line(&self, clock: &LocalClock, detail: Detail) -> String {
        let at = self.at_ms.map(|at| clock.show(at));
        let told = self.event.text();
        let words = match self.event {
            // Its faults come in lines, and are told in one.
            Event::RunRejected { .. } => visible(
                &told.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; "),
            ),
            _ => visible(&told),
        };
        match detail {
            Detail::Notable => format!("{}{words}", at.map(|at| format!("{at} ")).unwrap_or_default()),
            Detail::Everything => {
                let at = at.map(|at| format!("{at}  ")).unwrap_or_default();
                let who = self.event.who();
                let words =
                    words.strip_prefix(who).and_then(|words| words.strip_prefix(": ")).unwrap_or(&words);
                format!("{at}{}  {who}  {words}", self.event.level().name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{InvocationId, Peer, Seq, SessionId},
        tap::entry::{
            Entry, Link,
            mpp::{self, CloseCause, FailedBy, Fault, HelloReason, RowState},
            rmp,
            station::{self, Level},
        },
    };

    fn line_of(transition: Transition, text: &str) -> Option<EventLine> {
        let entry = Entry {
            seq: Seq(1),
            at: Now::at_ms(7),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Transition(transition),
        };
        EventLine::of(EntryRef { entry: &entry, bytes: text.as_bytes() }, Detail::Notable)
    }

    /// The line of `--plain`, without its time.
    fn whole(transition: Transition, text: &str) -> String {
        let entry = Entry {
            seq: Seq(1),
            at: Now::at_ms(7),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Transition(transition),
        };
        let told =
            EventLine::of(EntryRef { entry: &entry, bytes: text.as_bytes() }, Detail::Everything).unwrap();
        let line = told.line(&LocalClock::new(Wall(0)), Detail::Everything);
        line.split_once(char::is_whitespace).unwrap().1.split_once("  ").unwrap().1.to_owned()
    }

    fn json(transition: mpp::Transition, text: &str) -> String {
        serde_json::to_string(&line_of(Transition::Mpp(transition), text).unwrap()).unwrap()
    }

    #[test]
    fn on_air_a_line_has_nothing_that_viewers_or_peers_wrote() {
        let entry = |transition| Entry {
            seq: Seq(1),
            at: Now::at_ms(7),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Transition(Transition::Mpp(transition)),
        };
        let (id, queue, event) = (InvocationId(7), || "boss".into(), || "spawn".into());
        let failed = |by| mpp::Transition::Failed {
            id,
            queue: queue(),
            event: event(),
            from: RowState::Pending,
            cleared: false,
            by,
        };
        let said = [
            mpp::Transition::Logged { level: Level::Warn },
            mpp::Transition::PersistedLeftOut { key: "lives".into() },
            mpp::Transition::Refunded { id, queue: queue(), event: event() },
            failed(FailedBy::Adapter),
            failed(FailedBy::Cancelled),
        ];
        for transition in said {
            let told =
                EventLine::of(EntryRef { entry: &entry(transition), bytes: b"viewer" }, Detail::Everything)
                    .unwrap();
            let line = |told: &EventLine| told.line(&LocalClock::new(Wall(0)), Detail::Everything);
            assert!(line(&told).contains("viewer"));
            let masked = line(&told.masked());
            assert!(masked.contains("******") && !masked.contains("viewer"), "{masked}");
        }
    }

    #[test]
    fn faults_that_come_in_lines_are_told_in_one() {
        let by = crate::runs::Asker { kind: crate::runs::AskerKind::Tui, client: "ann".into() };
        let request = crate::ids::TraceId(uuid::Uuid::nil());
        let rejected = Transition::Runs(crate::runs::Transition::Rejected { request, by });
        let line = whole(rejected, "4:34: no such node\n5:10: no such port\n");
        assert!(line.ends_with("4:34: no such node; 5:10: no such port"), "{line}");
    }

    #[test]
    fn a_socket_that_goes_and_comes_again_is_told() {
        let line = |transition| {
            line_of(Transition::Rmp(transition), "its file is gone")
                .map(|told| told.line(&LocalClock::new(Wall(0)), Detail::Notable))
        };
        assert!(
            line(rmp::Transition::NotListening)
                .is_some_and(|line| line.contains("rmp") && line.contains("its file is gone"))
        );
        assert!(
            line(rmp::Transition::Listening { path: "/data/rmp.sock".into() })
                .is_some_and(|line| line.contains("rmp"))
        );
        assert_eq!(line(rmp::Transition::ClockJumped { by_ms: 9 }), None);
    }

    #[test]
    fn the_ready_line_is_exactly_as_promised() {
        let rmp = || Some("/data/rmp.sock".to_owned());
        let ready = |macp, metrics| {
            serde_json::to_string(&EventLine::ready("127.0.0.1:7777".parse().ok(), rmp(), macp, metrics))
                .unwrap()
        };
        assert_eq!(ready(None, None), r#"{"event":"ready","mpp":"127.0.0.1:7777","rmp":"/data/rmp.sock"}"#);
        let metrics = Some("127.0.0.1:9464".parse().unwrap());
        let macp = Some("127.0.0.1:50051".parse().unwrap());
        let expected = r#"{"event":"ready","mpp":"127.0.0.1:7777","rmp":"/data/rmp.sock","macp":"127.0.0.1:50051","metrics":"127.0.0.1:9464"}"#;
        assert_eq!(ready(macp, metrics), expected);
    }

    #[test]
    fn a_station_whose_port_is_taken_is_ready_all_the_same_and_what_to_do_is_told_apart() {
        let ready = EventLine::ready(None, Some("/data/rmp.sock".to_owned()), None, None);
        assert_eq!(serde_json::to_string(&ready).unwrap(), r#"{"event":"ready","rmp":"/data/rmp.sock"}"#);
        assert_eq!(ready.event.text(), "ready: mpp is down, agents to /data/rmp.sock");
        let to_do = ["free the port", "see whose it is:", "`rl-console doctor`"].map(str::to_owned).to_vec();
        let alert =
            Event::Alert { alert: "port_down".into(), subject: "mpp".into(), text: "no port".into(), to_do };
        assert_eq!(
            alert.text(),
            "alert: no port; to do: free the port; see whose it is: `rl-console doctor`"
        );
    }

    #[test]
    fn notable_transitions_are_told_with_their_time() {
        let peer = || Peer::new("127.0.0.1:5");
        assert_eq!(
            json(mpp::Transition::Handshaken { peer: peer(), session_id: SessionId(3), persisted: 0 }, ""),
            r#"{"event":"adapter_connected","peer":"127.0.0.1:5","session_id":3,"at_ms":1790000000007}"#
        );
        let cause = CloseCause::Fault(Fault::Hello(HelloReason::InvalidToken));
        assert_eq!(
            json(mpp::Transition::Disconnected { peer: peer(), active: false, cause }, ""),
            r#"{"event":"adapter_refused","peer":"127.0.0.1:5","cause":"invalid_token","at_ms":1790000000007}"#
        );
        assert_eq!(
            json(mpp::Transition::NotListening, "port 7777 is taken"),
            r#"{"event":"down","host":"mpp","why":"port 7777 is taken","at_ms":1790000000007}"#
        );
    }

    #[test]
    fn rows_and_log_lines_are_told_with_every_detail_and_not_otherwise() {
        let logged = || Transition::Mpp(mpp::Transition::Logged { level: Level::Info });
        assert_eq!(line_of(logged(), "x"), None);
        assert_eq!(whole(logged(), "x\u{1b}[2J\u{202e}"), "info  adapter  x␛[2J<202e>");
        let (id, queue, event) = (InvocationId(7), || "boss".into(), || "spawn".into());
        let failed = |by| {
            Transition::Mpp(mpp::Transition::Failed {
                id,
                queue: queue(),
                event: event(),
                from: RowState::Pending,
                cleared: false,
                by,
            })
        };
        assert_eq!(
            whole(failed(FailedBy::Adapter), "no\nroom"),
            "warn  mpp  7 spawn on boss: failed: no␊room"
        );
        assert_eq!(
            whole(failed(FailedBy::Cancelled), "cancelled: late"),
            "info  mpp  7 spawn on boss: cancelled: late"
        );
        assert_eq!(whole(failed(FailedBy::Settled), "x"), "warn  mpp  7 spawn on boss: settled as failed: x");
    }

    #[test]
    fn people_read_no_control_characters() {
        let told =
            line_of(Transition::Station(station::Transition::Notice { level: Level::Warn }), "a\u{1b}[2Jb")
                .unwrap();
        assert!(told.line(&LocalClock::new(Wall(0)), Detail::Notable).ends_with("warn: a␛[2Jb"));
    }
}

//! `status`: how the station is, a line a system or all in one line.

use serde::Serialize;

use super::ls::TableRow as _;
use crate::{
    cli::{
        args::StatusArgs,
        context::Context,
        error::Error,
        operator,
        table::{Table, visible},
    },
    ids::QueueName,
    port::{AlertRow, HealthRow, HealthStatus, List, Operator, Page, Paging, Query},
    words::counted,
};

/// Alerts that wait to be seen, but for the questions of runs, which are approvals.
const UNSEEN: &str = "state:active not alert:confirmation_waiting";
/// At most so many are told, the newest.
const ALERTS_MAX: u64 = 100;

/// The output with `--json`.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Status {
    systems: Vec<HealthRow>,
    held: Vec<QueueName>,
    draining: Vec<QueueName>,
    /// Nodes of runs that wait for a person.
    approvals: u64,
    /// Alerts that wait to be seen, the newest first; questions are counted by themselves.
    alerts: Vec<AlertRow>,
    /// Whether there are more of them.
    #[serde(skip)]
    more_alerts: bool,
}

pub(in crate::cli) fn run(context: &mut Context, args: &StatusArgs) -> Result<(), Error> {
    let clock = context.local_clock();
    let is_ascii = context.settings.ascii;
    let Context { settings, out, .. } = context;
    let status = operator::block_on(async {
        let station = operator::connect(settings).await?;
        look(&station).await
    })?;
    let room = out.columns();
    out.row(&status, |status| {
        if args.short {
            return visible(&status.line(is_ascii));
        }
        let rows = status.systems.iter().map(|row| row.cells(&clock)).collect();
        let mut lines = Table::new(HealthRow::COLUMNS).fitting(room).page(rows);
        lines.push(status.brakes().unwrap_or_else(|| "no brakes".to_owned()));
        lines.push(format!("{} pending", counted(status.approvals, "approval")));
        lines.extend(status.alerts.iter().map(|row| visible(&format!("alert {}: {}", row.id, row.text))));
        lines.extend(
            status.more_alerts.then(|| "more alerts: `rl-console ls alerts --state active`".to_owned()),
        );
        lines.join("\n")
    })?;
    HealthRow::fault(&status.systems).map_or(Ok(()), Err)
}

/// A part that is down holds and asks nothing.
async fn look(station: &dyn Operator) -> Result<Status, Error> {
    let Page::Health(mut systems) = operator::query(station, Query::Health).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    systems.iter_mut().for_each(HealthRow::reach_station);
    let queues = match station.query(Query::Queues).await {
        Ok(Page::Queues(rows)) => rows,
        _ => Vec::new(),
    };
    let approvals = match station.query(Query::Confirmations).await {
        Ok(Page::Confirmations(rows)) => rows.len() as u64,
        _ => 0,
    };
    let page =
        Paging { beyond: None, oldest_first: false, filter: Some(UNSEEN.to_owned()), limit: ALERTS_MAX };
    let (alerts, more_alerts) = match station.query(Query::all(List::Alerts).page(page)).await {
        Ok(Page::Alerts { rows, more, .. }) => (rows, more),
        _ => (Vec::new(), false),
    };
    let held = queues.iter().filter(|row| row.held).map(|row| row.queue.clone()).collect();
    let draining = queues.iter().filter(|row| row.draining).map(|row| row.queue.clone()).collect();
    Ok(Status { systems, held, draining, approvals, alerts, more_alerts })
}

impl Status {
    /// The brakes in words; nothing where none is set.
    fn brakes(&self) -> Option<String> {
        let listed =
            |queues: &[QueueName]| queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(", ");
        let parts = [("held", &self.held), ("draining", &self.draining)];
        let set = parts.into_iter().filter(|(_, queues)| !queues.is_empty());
        let words: Vec<String> = set.map(|(word, queues)| format!("{word}: {}", listed(queues))).collect();
        (!words.is_empty()).then(|| words.join("  "))
    }

    /// All in one line: each system with its sign and its figures, then what holds it up or waits.
    fn line(&self, is_ascii: bool) -> String {
        let sign = |status| match (status, is_ascii) {
            (HealthStatus::Ok, false) => "●",
            (HealthStatus::Degraded, false) => "◐",
            (HealthStatus::Down, false) => "○",
            (HealthStatus::Ok, true) => "ok",
            (HealthStatus::Degraded, true) => "degraded",
            (HealthStatus::Down, true) => "down",
        };
        let system = |row: &HealthRow| {
            let figures = if row.figures.is_empty() { String::new() } else { format!(" {}", row.figures) };
            let figures = if is_ascii { figures.replace(" · ", ", ") } else { figures };
            format!("{} {}{figures}", row.component, sign(row.status))
        };
        let systems = self.systems.iter().map(system);
        let approvals = (self.approvals > 0).then(|| counted(self.approvals, "approval"));
        let more = if self.more_alerts { "more than " } else { "" };
        let alerts =
            (!self.alerts.is_empty()).then(|| format!("{more}{}", counted(self.alerts.len(), "alert")));
        systems.chain(self.brakes()).chain(approvals).chain(alerts).collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tap::entry::{Link, alerts::AlertState},
        time::Wall,
    };

    #[test]
    fn one_line_has_each_system_the_brakes_and_what_waits() {
        let row = |component: &str, status, figures: &str| HealthRow {
            component: component.to_owned(),
            status,
            figures: figures.to_owned(),
            detail: "more".to_owned(),
        };
        let alert = AlertRow {
            id: 3,
            state: AlertState::Active,
            alert: "host_down".to_owned(),
            system: Link::Macp,
            subject: "macp".to_owned(),
            text: "macp is down".to_owned(),
            since_ms: Wall(1),
            raised_at_ms: Wall(1),
            acknowledged_at_ms: None,
            resolved_at_ms: None,
        };
        let status = Status {
            systems: vec![row("mpp", HealthStatus::Ok, "2 pending"), row("macp", HealthStatus::Down, "")],
            held: vec!["boss".into(), "default".into()],
            draining: Vec::new(),
            approvals: 1,
            alerts: vec![alert],
            more_alerts: false,
        };
        assert_eq!(status.line(false), "mpp ● 2 pending  macp ○  held: boss, default  1 approval  1 alert");
        assert_eq!(
            status.line(true),
            "mpp ok 2 pending  macp down  held: boss, default  1 approval  1 alert"
        );
        let many = Status { more_alerts: true, ..status };
        assert!(many.line(false).ends_with("  more than 1 alert"), "{}", many.line(false));
        assert_eq!(Status::default().brakes(), None);
    }
}

//! Subscribers: what each subscription gets, what waits for it, and what it lost; those that need a look
//! first.

use super::entries;
use std::{borrow::Cow, cmp::Reverse};

use super::topics::{bad_cell, rate_cell, short_topic};
use crate::{
    console::{
        copy::line,
        draw::{Cell, format, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            bridge::WindowedRates,
            bus::{DELIVERED, is_console, peer_name},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bus::{details::PeerDetails, keys::SUBSCRIPTION},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{ConnectionId, TopicName, TraceId},
    limits,
    rmp::{DropReason, PeerView, SubView},
    time::Now,
};

/// Subscriptions that are listed at most.
const LISTED_MAX: usize = 16_384;

/// A subscription.
pub(crate) struct Subscriber<'a> {
    session: ConnectionId,
    number: u64,
    peer: &'a PeerView,
    sub: Cow<'a, SubView>,
    rates: Option<&'a WindowedRates>,
    limits: &'a limits::Rmp,
    is_own: bool,
    /// Of how many it tells: where a session has many, those that need no look are one row.
    count: usize,
    /// What leaves to those.
    grouped_rates: Vec<&'a WindowedRates>,
}

impl Subscriber<'_> {
    fn lost(&self, reason: DropReason) -> u64 {
        self.sub.gauge.dropped[reason.index()]
    }

    fn per_second(&self, now: Now) -> f64 {
        self.rates.iter().chain(&self.grouped_rates).map(|flow| flow.per_second(DELIVERED, now)).sum()
    }

    /// How much it needs a look: how full its queue is, by tenths, then how much it lost, by magnitude.
    fn attention(&self) -> (u64, u32) {
        let lost =
            self.lost(DropReason::BackpressureTimeout).saturating_add(self.lost(DropReason::TtlExpired));
        (self.fullness() / 10, lost.checked_ilog2().map_or(0, |log| log + 1))
    }

    /// How full its queue is, in hundredths: by messages or by bytes, whichever is more.
    fn fullness(&self) -> u64 {
        let part = |value: u64, limit: u64| value.saturating_mul(100).checked_div(limit).unwrap_or(0);
        let gauge = &self.sub.gauge;
        part(gauge.queued_messages, self.limits.queue_messages_max)
            .max(part(gauge.queued_bytes, self.limits.queue_bytes_max))
    }

    fn fullness_role(&self) -> Role {
        match self.fullness() {
            0 if self.sub.gauge.queued_messages == 0 => Role::Muted,
            0..50 => Role::Text,
            50..90 => Role::Warn,
            _ => Role::Bad,
        }
    }
}

fields! {
    Subscriber<'_> {
        "client", Text, Public, "client name", Column::growing("client", 12, 1)
            => |it, _| Value::maybe(it.peer.greeting.as_ref().map(|greeting| &*greeting.client));
        "session", Serial, Public, "session", Column::fixed("sess", 5).right().from(60)
            => |it, _| Value::Serial(it.session.0);
        "pattern", Topic, Public, "subscribed topic or pattern", Column::growing("pattern", 10, 3)
            => |it, _| Value::text(it.sub.topic.as_str());
        "queued", Number, Public, "messages in its queue, of limits.rmp.queue_messages_max", Column::fixed("queued", 9).right()
            => |it, _| Value::count(it.sub.gauge.queued_messages);
        "queued_bytes", Bytes, Public, "bytes in its queue, of limits.rmp.queue_bytes_max", Column::fixed("bytes", 8).right().from(70)
            => |it, _| Value::Bytes(it.sub.gauge.queued_bytes);
        "delivered_s", Number, Public, "messages delivered per second, over the last 5 s", Column::fixed("out/s", 6).right()
            => |it, now| Value::Number(it.per_second(now));
        "no_room", Number, Public, "messages for it dropped because its queue was full", Column::fixed("overflow", 8).right()
            => |it, _| Value::count(it.lost(DropReason::BackpressureTimeout));
        "expired", Number, Public, "messages for it dropped as expired", Column::fixed("expired", 7).right()
            => |it, _| Value::count(it.lost(DropReason::TtlExpired));
        "duplicate", Number, Public, "messages for it dropped as duplicates", Column::fixed("duplicate", 9).right().from(84)
            => |it, _| Value::count(it.lost(DropReason::Duplicate));
        "sub", Serial, Public, "number within the session" => |it, _| if it.count > 1 { Value::None } else { Value::Serial(it.number) };
        "count", Number, Public, "subscriptions in this row" => |it, _| Value::count(it.count as u64);
        "full", Number, Public, "queue usage in percent of its limit" => |it, _| Value::count(it.fullness());
        "delivered", Number, Public, "messages delivered since it subscribed" => |it, _| Value::count(it.sub.gauge.delivered);
        "peer", Text, Public, "process or address, as the system reports it" => |it, _| Value::text(it.peer.peer.as_str());
        "since", Time, Public, "start time" => |it, _| Value::Time(it.sub.since.wall);
        "age", Duration, Public, "age" => |it, now| Value::Duration(crate::console::records::ms(it.sub.since, now));
    }
}

/// A size in as few columns as there can be: `512`, `812K`, `3M`.
fn short(bytes: u64) -> String {
    match bytes {
        0..1_024 => bytes.to_string(),
        1_024..1_048_576 => format!("{}K", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{}M", bytes >> 20),
        _ => format!("{}G", bytes >> 30),
    }
}

impl PaneRecord for Subscriber<'_> {
    fn key(&self) -> RecordKey {
        SUBSCRIPTION.of((self.session, self.number))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let gauge = &self.sub.gauge;
        let is_console = is_console(self.peer);
        let role = if is_console { Role::Muted } else { Role::Text };
        Some(match field {
            "client" => Cell::new(peer_name(self.peer, self.is_own), role).cut_within(),
            "pattern" => Cell::new(
                short_topic(self.sub.topic.as_str(), look.view.glyphs).into_owned(),
                if self.count > 1 { Role::Muted } else { role },
            )
            .cut_within(),
            "session" => Cell::new(self.session.to_string(), Role::Muted),
            "queued" => {
                let words = format!(
                    "{}/{}",
                    format::count(gauge.queued_messages),
                    format::count(self.limits.queue_messages_max)
                );
                Cell::new(words, self.fullness_role())
            }
            "queued_bytes" => {
                let words = format!("{}/{}", short(gauge.queued_bytes), short(self.limits.queue_bytes_max));
                Cell::new(words, self.fullness_role())
            }
            "delivered_s" => rate_cell(self.per_second(look.view.now)),
            "no_room" => bad_cell(self.lost(DropReason::BackpressureTimeout)),
            "expired" => bad_cell(self.lost(DropReason::TtlExpired)),
            "duplicate" => Cell::new(format::count(self.lost(DropReason::Duplicate)), Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(PeerDetails(self.session)))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(self.session))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("subscriptions", &format!("session={} sub={}", self.session, self.number)))
    }
}

/// Subscriptions of a session that are listed one by one; what is left of them and needs no look is one row.
const ROWS_PER_SESSION_MAX: usize = 8;

/// The rows of one session, those that need a look first.
fn of_session<'a>(
    session: ConnectionId,
    peer: &'a PeerView,
    model: &'a Model,
    ui: &'a Ui,
) -> Vec<Subscriber<'a>> {
    let row = |(number, sub): (&u64, &'a SubView)| Subscriber {
        session,
        number: *number,
        peer,
        sub: Cow::Borrowed(sub),
        rates: model.bus.subs.get(&(session, *number)),
        limits: &ui.limits.rmp,
        is_own: model.own_session() == Some(session),
        count: 1,
        grouped_rates: Vec::new(),
    };
    let mut rows: Vec<_> = peer.subs.iter().map(row).collect();
    rows.sort_by_key(|row| Reverse(row.attention()));
    let apart = rows.iter().filter(|row| row.attention() > (0, 0)).count().max(ROWS_PER_SESSION_MAX);
    // Whoever looks for some is to find them one by one.
    if ui.table_settings(PaneId::Subscribers).arranges() || rows.len() <= apart + 1 {
        return rows;
    }
    let rest = rows.split_off(apart);
    rows.extend(merged(rest));
    rows
}

/// Subscriptions of one session as one.
fn merged(rest: Vec<Subscriber<'_>>) -> Option<Subscriber<'_>> {
    let count = rest.len();
    let flows = rest.iter().filter_map(|row| row.rates).collect();
    let gauges = rest.iter().map(|row| row.sub.gauge);
    let gauge = gauges.reduce(|mut all, one| {
        all.queued_messages = all.queued_messages.max(one.queued_messages);
        all.queued_bytes = all.queued_bytes.max(one.queued_bytes);
        all.delivered = all.delivered.saturating_add(one.delivered);
        for (all, one) in all.dropped.iter_mut().zip(one.dropped) {
            *all = all.saturating_add(one);
        }
        all
    })?;
    let first = rest.into_iter().next()?;
    let sub = SubView { topic: TopicName::new(&format!("and {count} more")), since: first.sub.since, gauge };
    Some(Subscriber { sub: Cow::Owned(sub), rates: None, count, grouped_rates: flows, ..first })
}

/// The subscriptions: sessions with the fullest queues and the most losses first, consoles that need no look
/// last.
fn rows<'a>(model: &'a Model, ui: &'a Ui) -> Rows<'a> {
    let Some(rmp) = model.rmp() else { return Rows::none() };
    let mut sessions: Vec<_> =
        rmp.peers.iter().map(|(session, peer)| of_session(*session, peer, model, ui)).collect();
    sessions.retain(|rows| !rows.is_empty());
    sessions.sort_by_key(|rows| {
        let need = rows.first().map(Subscriber::attention);
        (Reverse(need), rows.first().is_some_and(|row| is_console(row.peer)))
    });
    sessions.into_iter().flatten().take(LISTED_MAX).collect()
}

/// The subscriptions of the bus, and what waits for them.
pub(crate) static PANE: Pane = Pane {
    specs: Subscriber::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(model, ui),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| {
        let name = PaneId::Subscribers.name();
        let Some(rmp) = cx.model.rmp().filter(|rmp| rmp.totals.keys > 0) else { return name.to_owned() };
        let forgets = cx.model.rmp().is_some_and(|rmp| rmp.forgets_early(cx.view.now).contains(&true));
        let young = if forgets { ", evicting early" } else { "" };
        let keys = format::many(rmp.totals.keys, "key");
        format!("{name} {}, dedupe {keys}{young}", format::count(count(cx.model)))
    }),
    empty: Empty::Text("no subscriptions"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| PaneChip::new("subscribers", format::count(count(cx.model)), Role::Text)),
    ledger: |ui, model, all| {
        let there = count(model);
        let bound = if there > all {
            LedgerBound::Text(
                "where a session has many, those without problems share a row; a filter lists each",
            )
        } else {
            LedgerBound::Limit("limits.rmp.subscriptions_max", ui.limits.rmp.subscriptions_max)
        };
        let what = "current subscriptions; the limit is per session";
        Some(Account::cut(what, there, there.saturating_sub(all), bound))
    },
};

/// How many subscriptions there are.
fn count(model: &Model) -> u64 {
    model.rmp().map_or(0, |rmp| rmp.peers.values().map(|peer| peer.subs.len() as u64).sum())
}

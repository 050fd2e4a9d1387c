//! Peers: who is connected to the bus, and what each may do there.

use super::{
    entries,
    topics::{bad_cell, rate_cell},
};
use crate::{
    console::{
        copy::line,
        draw::{Cell, format, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            bridge::WindowedRates,
            bus::{MESSAGES, is_console, peer_name},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bus::{details::PeerDetails, keys::PEER},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
        },
    },
    dissect::rmp::rights,
    field::{Column, Fields as _, Value, fields},
    ids::{ConnectionId, TraceId},
    rmp::{Dialect, Kind, PeerView},
};

/// The names of kinds.
const KINDS: &[&str] = &[
    Kind::Agent.name(),
    Kind::Ui.name(),
    Kind::Tui.name(),
    Kind::Viewer.name(),
    Kind::Cue.name(),
    Kind::Station.name(),
];

/// A connection.
pub(crate) struct BusPeer<'a> {
    session: ConnectionId,
    peer: &'a PeerView,
    rates: Option<&'a WindowedRates>,
    is_own: bool,
}

impl BusPeer<'_> {
    fn kind(&self) -> Option<Kind> {
        self.peer.greeting.as_ref().map(|greeting| greeting.kind)
    }

    fn sum(&self, of: impl Fn(&crate::tap::entry::rmp::Gauge) -> u64) -> u64 {
        self.peer.subs.values().map(|sub| of(&sub.gauge)).fold(0, u64::saturating_add)
    }
}

fields! {
    BusPeer<'_> {
        "client", Text, Public, "client name", Column::growing("client", 10, 2)
            => |it, _| Value::maybe(it.peer.greeting.as_ref().map(|greeting| &*greeting.client));
        "kind", State(KINDS), Public, "kind, which sets its permissions", Column::fixed("kind", 7)
            => |it, _| Value::maybe(it.kind().map(Kind::name));
        "protocol" | "dialect" | "speaks", State(&["binary", "json"]) reads (&[("frames", "binary")]), Public, "protocol: binary frames or JSON", Column::fixed("protocol", 8).from(58)
            => |it, _| Value::maybe(it.peer.greeting.as_ref().map(|greeting| greeting.dialect.protocol()));
        "session", Serial, Public, "session", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "peer", Text, Public, "process or address, as the system reports it", Column::growing("process", 12, 2).from(64)
            => |it, _| Value::text(it.peer.peer.as_str());
        "since", Time, Public, "start time", Column::fixed("since", 8).from(90) => |it, _| Value::Time(it.peer.connected_at.wall);
        "published_s", Number, Public, "messages published per second, over the last 5 s", Column::fixed("msg/s", 6).right()
            => |it, now| Value::Number(it.rates.map_or(0.0, |flow| flow.per_second(MESSAGES, now)));
        "refused", Number, Public, "frames refused", Column::fixed("refused", 7).right()
            => |it, _| Value::count(it.peer.refused);
        "subs", Number, Public, "number of subscriptions", Column::fixed("subs", 4).right() => |it, _| Value::count(it.peer.subs.len() as u64);
        "may", Text, Public, "permissions of its kind", Column::growing("may", 16, 3).from(130) => |it, _| Value::maybe(it.kind().map(rights));
        "published", Number, Public, "messages published by it" => |it, _| Value::count(it.peer.published);
        "delivered", Number, Public, "messages delivered to it" => |it, _| Value::count(it.sum(|gauge| gauge.delivered));
        "queued", Number, Public, "messages queued for it" => |it, _| Value::count(it.sum(|gauge| gauge.queued_messages));
        "dropped", Number, Public, "messages for it that were dropped" => |it, _| Value::count(it.sum(|gauge| gauge.dropped.iter().sum()));
        "age", Duration, Public, "age" => |it, now| Value::Duration(crate::console::records::ms(it.peer.connected_at, now));
    }
}

impl PaneRecord for BusPeer<'_> {
    fn key(&self) -> RecordKey {
        PEER.of(self.session)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let greeting = self.peer.greeting.as_ref();
        Some(match field {
            "client" if greeting.is_none() => Cell::new("no Hello yet", Role::Warn),
            "client" => {
                let role = if is_console(self.peer) { Role::Muted } else { Role::Text };
                Cell::new(peer_name(self.peer, self.is_own), role).cut_within()
            }
            "kind" if is_console(self.peer) => {
                Cell::new(self.kind().map_or(look.view.glyphs.none, Kind::name), Role::Muted)
            }
            "kind" => {
                Cell::new(self.kind().map_or(look.view.glyphs.none, Kind::name), kind_role(self.kind()))
            }
            "protocol" => Cell::new(
                greeting.map_or(look.view.glyphs.none, |greeting| Dialect::protocol(greeting.dialect)),
                Role::Muted,
            ),
            "session" => Cell::new(self.session.to_string(), Role::Muted),
            "peer" => Cell::new(self.peer.peer.to_string(), Role::Muted),
            "published_s" => {
                rate_cell(self.rates.map_or(0.0, |flow| flow.per_second(MESSAGES, look.view.now)))
            }
            "refused" => bad_cell(self.peer.refused),
            "subs" => Cell::new(format::count(self.peer.subs.len() as u64), Role::Text),
            "may" => Cell::new(self.kind().map_or("", rights), Role::Muted),
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
        Some(line::list_command("peers", &format!("session={}", self.session)))
    }
}

const fn kind_role(kind: Option<Kind>) -> Role {
    match kind {
        Some(Kind::Agent) => Role::Rmp,
        Some(Kind::Ui | Kind::Tui | Kind::Cue) => Role::Accent,
        Some(Kind::Viewer | Kind::Station) | None => Role::Muted,
    }
}

/// The connections, by session; consoles last.
fn rows(model: &Model) -> Rows<'_> {
    let Some(rmp) = model.rmp() else { return Rows::none() };
    let own = model.own_session();
    let mut peers: Vec<_> = rmp.peers.iter().collect();
    peers.sort_by_key(|(_, peer)| is_console(peer));
    let row = |(session, peer): (&ConnectionId, _)| {
        let is_own = own == Some(*session);
        BusPeer { session: *session, peer, rates: model.bus.peers.get(session), is_own }
    };
    peers.into_iter().map(row).collect()
}

/// The connections of the bus.
pub(crate) static PANE: Pane = Pane {
    specs: BusPeer::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| match count(cx.model) {
        0 => PaneId::Peers.name().to_owned(),
        peers => format!("{} {}", PaneId::Peers.name(), format::count(peers)),
    }),
    empty: Empty::Text("no peers"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| PaneChip::new("peers", format::count(count(cx.model)), Role::Text)),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.rmp.connections_max", ui.limits.rmp.connections_max);
        Some(Account::whole("current connections of the bus", all, bound))
    },
};

/// How many connections there are.
fn count(model: &Model) -> u64 {
    model.rmp().map_or(0, |rmp| rmp.peers.len() as u64)
}

//! Topics: what is published where, and how fast.

use super::entries;
use std::borrow::Cow;

use crate::{
    console::{
        copy::line,
        draw::{
            Cell, format,
            glyphs::{Glyphs, spark},
            theme::Role,
        },
        input::pane_id::PaneId,
        model::{
            Model,
            bridge::WindowedRates,
            bus::{BYTES, DELIVERED, MESSAGES},
            rate_text, round_rate,
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bus::{details::TopicDetails, keys::TOPIC},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
        },
    },
    dissect::rmp::schema_name,
    field::{Column, Fields as _, Value, fields},
    ids::{TopicName, TraceId},
    rmp::{DropReason, TopicView, UntappedTopic, topic::Class},
    time::Now,
};

/// A topic.
pub(crate) struct Topic<'a> {
    name: &'a TopicName,
    view: &'a TopicView,
    rates: Option<&'a WindowedRates>,
    /// Of the tap's own, whose messages nobody counts: what its subscriptions know of it, and what leaves to
    /// each of those.
    untapped: Option<(UntappedTopic, Vec<&'a WindowedRates>)>,
}

impl Topic<'_> {
    /// How fast it goes; of the tap's own only what leaves to those who take it.
    fn per_second(&self, figure: usize, now: Now) -> Option<f64> {
        match &self.untapped {
            None => Some(self.rates.map_or(0.0, |flow| flow.per_second(figure, now))),
            Some((_, flows)) if figure == DELIVERED => {
                Some(flows.iter().map(|flow| flow.per_second(DELIVERED, now)).sum())
            }
            Some(_) => None,
        }
    }

    fn subscribers(&self) -> u32 {
        self.untapped.as_ref().map_or(self.view.subscribers, |(untold, _)| untold.subscribers)
    }

    /// A figure of messages that are counted.
    fn if_counted(&self, figure: Value<'static>) -> Value<'static> {
        if self.untapped.is_some() { Value::None } else { figure }
    }

    /// Whether somebody published here and nobody listens. What the station says by itself asks for nobody.
    fn has_no_listeners(&self) -> bool {
        let is_own = matches!(
            Class::of_text(self.name.as_str()),
            Class::Sys | Class::Tap | Class::DropsBodies | Class::RunOutput
        );
        self.view.published > 0 && self.view.subscribers == 0 && !is_own && !self.is_read_by_station()
    }

    /// Whether the station itself takes what is published here.
    fn is_read_by_station(&self) -> bool {
        Class::of_text(self.name.as_str()).is_for_station()
    }

    fn dropped(&self) -> u64 {
        self.view.dropped.iter().sum()
    }

    fn dropped_for(&self, reason: DropReason) -> Value<'static> {
        Value::count(self.view.dropped[reason.index()])
    }
}

fields! {
    Topic<'_> {
        "topic", Topic, Public, "name", Column::growing("topic", 14, 3) => |it, _| Value::text(it.name.as_str());
        "schema", Text, Public, "schema of the last message", Column::growing("schema", 12, 1).from(60)
            => |it, _| Value::maybe(it.view.schema_id.map(schema_name));
        "rate", Number, Public, "messages per second, over the last 5 s", Column::fixed("msg/s", 6).right()
            => |it, now| it.per_second(MESSAGES, now).map_or(Value::None, Value::Number);
        "trend", Number, Public, "messages over the last 80 s, as a chart", Column::fixed("", 8).from(70)
            => |it, now| it.per_second(MESSAGES, now).map_or(Value::None, Value::Number);
        "bytes_s", Bytes, Public, "bytes per second, over the last 5 s", Column::fixed("B/s", 8).right().from(84)
            => |it, now| it.per_second(BYTES, now).map_or(Value::None, |rate| Value::Bytes(round_rate(rate)));
        "subs", Number, Public, "subscriptions that match the last message", Column::fixed("subs", 11).right()
            => |it, _| Value::count(it.subscribers());
        "delivered_s", Number, Public, "messages delivered per second, over the last 5 s", Column::fixed("out/s", 6).right()
            => |it, now| it.per_second(DELIVERED, now).map_or(Value::None, Value::Number);
        "drops", Number, Public, "messages dropped since start", Column::fixed("drops", 5).right()
            => |it, _| Value::count(it.dropped());
        "age", Duration, Public, "time since the last message", Column::fixed("age", 6).right().from(100)
            => |it, now| it.if_counted(Value::Duration(crate::console::records::ms(it.view.last_at, now)));
        "published", Number, Public, "messages published since start" => |it, _| it.if_counted(Value::count(it.view.published));
        "bytes", Bytes, Public, "bytes published since start" => |it, _| it.if_counted(Value::Bytes(it.view.bytes));
        "delivered", Number, Public, "messages delivered or queued since start"
            => |it, _| it.if_counted(Value::count(it.view.delivered));
        "expired", Number, Public, "messages dropped as expired" => |it, _| it.dropped_for(DropReason::TtlExpired);
        "duplicate", Number, Public, "messages dropped as duplicates" => |it, _| it.dropped_for(DropReason::Duplicate);
        "no_room", Number, Public, "messages dropped because a queue was full"
            => |it, _| it.dropped_for(DropReason::BackpressureTimeout);
        "last", Time, Public, "time of the last message" => |it, _| it.if_counted(Value::Time(it.view.last_at.wall));
    }
}

/// The width from which on a run's topics are written whole.
const WHOLE_FROM: u16 = 180;

/// A topic with the traces in it by their last digits, where they differ.
pub(crate) fn short_topic<'a>(topic: &'a str, glyphs: &Glyphs) -> Cow<'a, str> {
    let is_trace =
        |segment: &&str| segment.len() > TraceId::PREFIX.len() && segment.parse::<TraceId>().is_ok();
    let Some(segment) = topic.split('/').find(is_trace) else { return Cow::Borrowed(topic) };
    let short = format!(
        "{}{}",
        glyphs.ellipsis,
        segment.parse::<TraceId>().map_or_else(|_| segment.to_owned(), TraceId::short)
    );
    Cow::Owned(topic.replacen(segment, &short, 1))
}

/// A rate: nothing stands back.
pub(crate) fn rate_cell(rate: f64) -> Cell {
    Cell::new(rate_text(rate), if rate > 0.0 { Role::Text } else { Role::Muted })
}

/// Something that should not be.
pub(crate) fn bad_cell(count: u64) -> Cell {
    Cell::new(format::count(count), if count > 0 { Role::Warn } else { Role::Muted })
}

impl PaneRecord for Topic<'_> {
    fn key(&self) -> RecordKey {
        TOPIC.of(self.name.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (now, glyphs) = (look.view.now, look.view.glyphs);
        Some(match field {
            "topic" if look.width < WHOLE_FROM => {
                Cell::new(short_topic(self.name.as_str(), glyphs).into_owned(), Role::Text).cut_within()
            }
            "topic" => Cell::new(self.name.to_string(), Role::Text).cut_within(),
            "schema" => {
                let name = self.view.schema_id.map_or(Cow::Borrowed(glyphs.none), schema_name);
                Cell::new(name.strip_prefix("CT_").unwrap_or(&name).to_owned(), Role::Muted)
            }
            "rate" | "trend" | "bytes_s" if self.untapped.is_some() => Cell::new(glyphs.none, Role::Muted),
            "rate" => rate_cell(self.per_second(MESSAGES, now).unwrap_or_default()),
            "trend" => Cell::new(spark(self.rates.map(|flow| flow.window(MESSAGES, now)), glyphs), Role::Rmp),
            "bytes_s" => {
                let bytes = round_rate(self.per_second(BYTES, now).unwrap_or_default());
                Cell::new(format::bytes(bytes), if bytes > 0 { Role::Text } else { Role::Muted })
            }
            "subs" => {
                let subscribers = self.subscribers();
                let count = format::count(subscribers.into());
                match subscribers {
                    0 if self.is_read_by_station() => Cell::new("station", Role::Muted),
                    _ if self.is_read_by_station() => Cell::new(format!("{count} + station"), Role::Text),
                    0 if self.has_no_listeners() => Cell::new("0 (none)", Role::Warn),
                    0 => Cell::new(count, Role::Muted),
                    _ => Cell::new(count, Role::Text),
                }
            }
            "delivered_s" => rate_cell(self.per_second(DELIVERED, now).unwrap_or_default()),
            "drops" => bad_cell(self.dropped()),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(TopicDetails(self.name.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_topic(self.name.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("topics", &format!("topic={}", line::operand(self.name.as_str()))))
    }
}

/// What its subscriptions know of a topic whose messages nobody counts, and what leaves to those that take it
/// alone.
fn untapped<'a>(model: &'a Model, name: &TopicName) -> Option<(UntappedTopic, Vec<&'a WindowedRates>)> {
    let rmp = model.rmp()?;
    let untold = rmp.untapped_topic(name)?;
    let subs = rmp
        .peers
        .iter()
        .flat_map(|(session, peer)| peer.subs.iter().map(move |(number, sub)| (*session, *number, sub)));
    let flows = subs
        .filter(|(.., sub)| sub.topic == *name)
        .filter_map(|(session, number, _)| model.bus.subs.get(&(session, number)));
    Some((untold, flows.collect()))
}

/// The topics, the busiest of the last minute first and then by name: those of a like load keep their places
/// among each other.
fn rows(model: &Model, now: Now) -> Rows<'_> {
    let Some(rmp) = model.rmp() else { return Rows::none() };
    let row = |(name, view)| Topic {
        name,
        view,
        rates: model.bus.topics.get(name),
        untapped: untapped(model, name),
    };
    let mut topics: Vec<_> = rmp.topics.iter().map(row).collect();
    let load = |topic: &Topic<'_>| {
        topic
            .rates
            .map_or(0, |flow| flow.per_minute(MESSAGES, now).checked_ilog2().map_or(0, |log| log / 2 + 1))
    };
    topics.sort_by_cached_key(|topic| std::cmp::Reverse(load(topic)));
    topics.into_iter().collect()
}

/// The topics of the bus.
pub(crate) static PANE: Pane = Pane {
    specs: Topic::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(model, ui.moment()),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| {
        let name = PaneId::Topics.name();
        let Some(rmp) = cx.model.rmp().filter(|rmp| !rmp.topics.is_empty()) else { return name.to_owned() };
        let shown = rmp.topics.len() as u64;
        // Beside them are rates of the last seconds.
        let has_drops = rmp.topics.values().any(|topic| topic.dropped.iter().any(|count| *count > 0));
        let span = if has_drops { ", drops since start" } else { "" };
        match rmp.totals.topics.saturating_sub(shown) {
            0 => format!("{name} {}{span}", format::count(shown)),
            _ => format!("{name} {} of {}{span}", format::count(shown), format::count(rmp.totals.topics)),
        }
    }),
    empty: Empty::Text("no topics yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.model.rmp().map_or(0, |rmp| rmp.topics.len() as u64);
        PaneChip::new("topics", format::count(count), Role::Text)
    }),
    ledger: |ui, model, all| {
        let bound = LedgerBound::Limit("limits.rmp.shown_topics_max", ui.limits.rmp.shown_topics_max);
        let came = model.rmp().map_or(0, |rmp| rmp.totals.topics).max(all);
        Some(Account::cut("topics used since the bus started", came, came - all, bound))
    },
};

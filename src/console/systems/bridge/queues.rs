//! Queues: what waits, what flies, how fast it goes.

use crate::{
    console::{
        copy::line,
        draw::{
            Cell, format, glyphs,
            glyphs::{Glyphs, spark},
            theme::Role,
        },
        input::pane_id::PaneId,
        model::{Model, Rate},
        records::{
            entry_query::EntryQuery,
            paged_list::{PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bridge::keys::QUEUE,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Room, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{QueueName, TraceId},
    mpp::{QueueView, ReadyAfter, Snapshot},
    port::{Page, Query, QueueRow},
    tap::entry::mpp::RowState,
    time::{Now, Wall},
};

/// The inner width from which a pane says how long heads wait.
pub(crate) const HEAD_FROM: u16 = 76;
/// The inner width from which a queue's state has a column. In a narrower pane its sign stands before the
/// name.
const STATE_FROM: u16 = 56;
/// The inner width from which it has a chart too.
const TREND_FROM: u16 = 68;

/// A queue.
#[expect(clippy::struct_field_names, reason = "the view of the queue beside its rates")]
pub(crate) struct Queue<'a> {
    pub(crate) name: &'a QueueName,
    pub(crate) queue: &'a QueueView,
    done: Option<&'a Rate>,
    failed: Option<&'a Rate>,
    /// When its oldest row was enqueued, as far as is known.
    head: Option<Wall>,
}

impl Queue<'_> {
    fn done_m(&self, now: Now) -> u64 {
        self.done.map_or(0, |rate| rate.per_minute(now))
    }

    fn failed_m(&self, now: Now) -> u64 {
        self.failed.map_or(0, |rate| rate.per_minute(now))
    }
}

fields! {
    Queue<'_> {
        "queue", Text, Public, "name", Column::growing("queue", 7, 2) => |it, _| Value::text(it.name.as_str());
        "ready", State(&["applied", "done"]), Public, "state that releases the next row: applied or done", Column::fixed("releases on", 11)
            => |it, _| Value::maybe(ready(it.queue));
        "pending", Number, Public, "pending rows", Column::fixed("pend", 5).right() => |it, _| Value::count(it.queue.pending);
        "head", Duration, Public, "wait of the oldest pending row", Column::fixed("head", 6).right().from(HEAD_FROM)
            => |it, now| it.head.map_or(Value::None, |at| {
                Value::Duration(crate::console::records::wall_ms(at, now))
            });
        "in_flight" | "flying", Serial, Public, "invocation in flight", Column::fixed("busy", 4).right()
            => |it, _| it.queue.in_flight.map_or(Value::None, |id| Value::Serial(id.0));
        "done_m", Number, Public, "rows done in the last minute", Column::fixed("done/m", 6).right()
            => |it, now| Value::count(it.done_m(now));
        "done_trend", Number, Public, "rows done in the last 80 s, as a chart", Column::fixed("", 8).from(TREND_FROM)
            => |it, now| Value::count(it.done_m(now));
        "failed", Number, Public, "rows failed or refunded since the station started", Column::fixed("fail", 5).right().from(58)
            => |it, _| Value::count(it.queue.failed);
        "failed_m", Number, Public, "rows failed or refunded in the last minute", Column::fixed("fail/m", 6).right().from(88)
            => |it, now| Value::count(it.failed_m(now));
        "failed_trend", Number, Public, "rows failed in the last 80 s, as a chart", Column::fixed("", 8).from(100)
            => |it, now| Value::count(it.failed_m(now));
        "state", Text, Public, "hold, drain or adapter state", Column::growing("state", 10, 3).from(STATE_FROM)
            => |it, _| {
                Value::maybe(Some(condition(it.queue, &glyphs::ASCII).1).filter(|words| !words.is_empty()))
            };
        "done", Number, Public, "rows done since the station started" => |it, _| Value::count(it.queue.done);
        "other_pack", Number, Public, "pending rows of a stale manifest" => |it, _| Value::count(it.queue.other_manifest);
        "parked", State(&["no", "yes"]), Public, "whether the adapter is waiting for work"
            => |it, _| Value::text(if it.queue.parked { "yes" } else { "no" });
    }
}

fn ready(queue: &QueueView) -> Option<&'static str> {
    queue.ready_after.map(|after| match after {
        ReadyAfter::Applied => "applied",
        ReadyAfter::Done => "done",
    })
}

impl PaneRecord for Queue<'_> {
    fn key(&self) -> RecordKey {
        QUEUE.of(self.name.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (view, glyphs, queue) = (look.view, look.view.glyphs, self.queue);
        let waits = if queue.pending > 0 { Role::Text } else { Role::Muted };
        let bad =
            |count: u64| Cell::new(format::count(count), if count > 0 { Role::Bad } else { Role::Muted });
        Some(match field {
            "queue" => self.name_cell(look),
            "ready" => Cell::new(ready(queue).unwrap_or(glyphs.none), Role::Muted),
            "pending" => Cell::new(format::count(queue.pending), waits),
            "head" => {
                let head = self
                    .head
                    .map_or_else(|| glyphs.none.to_owned(), |at| format::age(view.now.wall.since(at)));
                Cell::new(head, waits)
            }
            "in_flight" if queue.in_flight.is_some() => Cell::new(format!("1{}", glyphs.flying), Role::Mpp),
            "in_flight" => Cell::new(glyphs.none, Role::Muted),
            "done_m" => Cell::new(format::count(self.done_m(view.now)), Role::Ok),
            "done_trend" => Cell::new(spark(self.done.map(|rate| rate.window(view.now)), glyphs), Role::Ok),
            "failed" => bad(queue.failed),
            "failed_m" => bad(self.failed_m(view.now)),
            "failed_trend" => {
                Cell::new(spark(self.failed.map(|rate| rate.window(view.now)), glyphs), Role::Bad)
            }
            "state" => {
                let (sign, words, role) = condition(queue, glyphs);
                Cell::new(if sign.is_empty() { words } else { format!("{sign} {words}") }, role)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        self.queue
            .in_flight
            .map(EntryQuery::Invocation)
            .ok_or_else(|| format!("nothing is in flight on {}", self.name))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("queues", &format!("queue={}", line::operand(self.name.as_str()))))
    }
}

impl Queue<'_> {
    fn name_cell(&self, look: &CellContext<'_>) -> Cell {
        let (glyphs, brake) = (look.view.glyphs, self.queue.brake);
        let (_, _, role) = condition(self.queue, glyphs);
        if look.width >= STATE_FROM {
            return Cell::new(self.name.to_string(), Role::Text);
        }
        let name = match (brake.held, brake.draining) {
            (true, _) => format!("{} {}", glyphs.held, self.name),
            (false, true) => format!("{} {}", glyphs.draining, self.name),
            (false, false) => self.name.to_string(),
        };
        Cell::new(name, if role == Role::Warn { Role::Warn } else { Role::Text })
    }
}

/// When the oldest pending row of a queue was enqueued, as far as is known.
fn head_at(ui: &Ui, queue: &QueueName) -> Option<Wall> {
    ui.paged_lists.rows::<QueueRow>(PaneId::Queues).iter().find(|row| row.queue == *queue)?.head_at_ms
}

/// The queues, by name.
fn rows<'a>(mpp: &'a Snapshot, model: &'a Model, ui: &Ui) -> Rows<'a> {
    let row = |(name, queue): (&'a QueueName, &'a QueueView)| {
        let head = head_at(ui, name).filter(|_| queue.pending > 0);
        Queue {
            name,
            queue,
            done: model.bridge.rates.get(name),
            failed: model.bridge.failures.get(name),
            head,
        }
    };
    mpp.queues.iter().map(row).collect()
}

/// A sign and role for a row's state.
pub(crate) fn state_sign(state: RowState, glyphs: &Glyphs) -> (&'static str, Role) {
    match state {
        RowState::Pending => (glyphs.parked, Role::Text),
        RowState::Dispatched => (glyphs.flying, Role::Mpp),
        RowState::Applied => (glyphs.degraded, Role::Accent),
        RowState::Done => (glyphs.ok, Role::Ok),
        RowState::Failed => (glyphs.bad, Role::Bad),
        RowState::Refunded => (glyphs.refunded, Role::Warn),
    }
}

/// What holds on a queue: a sign where there is one, words, a role.
fn condition(queue: &QueueView, glyphs: &Glyphs) -> (&'static str, String, Role) {
    let idle = queue.pending == 0 && queue.in_flight.is_none();
    let (sign, mut words, role) = match (queue.brake.held, queue.brake.draining) {
        (true, false) => (glyphs.held, "held".to_owned(), Role::Warn),
        (true, true) => (glyphs.held, "held + draining".to_owned(), Role::Warn),
        (false, true) if idle => (glyphs.draining, "drained".to_owned(), Role::Warn),
        (false, true) => (glyphs.draining, "draining".to_owned(), Role::Warn),
        (false, false) if queue.ready_after.is_none() => ("", "not in this pack".to_owned(), Role::Warn),
        (false, false) if queue.parked => (glyphs.parked, "idle".to_owned(), Role::Muted),
        (false, false) if queue.in_flight.is_some() => ("", "busy".to_owned(), Role::Muted),
        (false, false) if queue.pending > 0 => ("", "adapter not pulling".to_owned(), Role::Warn),
        (false, false) => ("", String::new(), Role::Muted),
    };
    if queue.other_manifest > 0 {
        let more = format!("+{} stale", format::count(queue.other_manifest));
        words = if words.is_empty() { more } else { format!("{words}, {more}") };
        return (sign, words, Role::Warn);
    }
    (sign, words, role)
}

/// The queues of the pack and of pending rows.
pub(crate) static PANE: Pane = Pane {
    specs: Queue::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| model.mpp().map_or_else(Rows::none, |mpp| rows(mpp, model, ui)),
    pages: Pages::List(&HEADS),
    filter: None,
    // Beside it are rates of the last minute.
    title: Title::Of(|cx| {
        match cx.model.mpp().map_or(0, |it| it.queues.values().map(|it| it.failed).sum()) {
            0_u64 => PaneId::Queues.name().to_owned(),
            _ => format!("{}, fail since start", PaneId::Queues.name()),
        }
    }),
    empty: Empty::Text("the pack has no queues"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let count = cx.model.mpp().map_or(0, |mpp| mpp.queues.len());
        PaneChip::new(if room == Room::Least { "queue" } else { "queues" }, count.to_string(), Role::Text)
    }),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("one for each queue of the pack and of its rows");
        Some(Account::whole("queues of the pack and of pending rows", all, bound))
    },
};

/// How long the heads of the queues wait, where the pane has room for it.
static HEADS: ListSource = ListSource {
    list: || {
        station_list::<QueueRow>(false, |page| match page {
            Page::Queues(rows) => Some(PageRows { rows, more: false, beyond: None }),
            _ => None,
        })
    },
    query: |_, _| Query::Queues,
    changes: |model| model.bridge.changes.rows,
    is_wanted: |area| area.is_some_and(|area| area.width.saturating_sub(2) >= HEAD_FROM),
};

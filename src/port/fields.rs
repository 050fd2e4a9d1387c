//! What the rows of queries are made of. Panes of the console name their fields alike, so that a filter means
//! the same here and there.

use super::{AdapterRow, EventRow, HealthRow, HealthStatus, InvocationRow, QueueRow, RefundRow, StateKeyRow};
use crate::{
    field::{Column, Value, fields},
    ids::ManifestHash,
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    schema::JsonText,
    tap::entry::mpp::{RefundStatus, RowState},
    time::{Now, Wall},
};

const YES_NO: &[&str] = &["no", "yes"];

fn yes_no(is_so: bool) -> Value<'static> {
    Value::text(if is_so { "yes" } else { "no" })
}

pub(super) fn since(at: Wall, now: Now) -> Value<'static> {
    Value::Duration(u64::try_from(now.wall.since(at).as_millis()).unwrap_or(u64::MAX))
}

fields! {
    InvocationRow {
        "id", Serial, Public, "number", Column::fixed("id", 8).right() => |it, _| Value::Serial(it.id.0);
        "queue", Text, Public, "queue", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "event", Text, Public, "event", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "state", State(&RowState::NAMES), Public, "state",
            Column::fixed("state", 12) => |it, _| Value::text(it.state.name());
        "source", Text, Public, "source of the request", Column::fixed("source", 14) => |it, _| Value::text(it.source.kind.as_str());
        "user", Text, Login, "viewer who asked for it", Column::fixed("user", 12) => |it, _| Value::maybe(it.source.user.as_deref());
        "redemption", Text, Payload, "redemption" => |it, _| Value::maybe(it.source.redemption.as_deref());
        "enqueued" | "enqueued_at_ms", Time, Public, "enqueue time", Column::fixed("enqueued", 8) => |it, _| it.enqueued_at().map_or(Value::None, Value::Time);
        "at" | "updated_at_ms" | "updated", Time, Public, "time of the last state change", Column::fixed("at", 8) => |it, _| Value::Time(it.updated_at_ms);
        "age", Duration, Public, "time since it was enqueued" => |it, now| it.enqueued_at().map_or(Value::None, |at| since(at, now));
        "trace" | "trace_id", Id, Public, "trace", Column::fixed("trace", 5) => |it, _| Value::maybe(it.trace().map(|trace| trace.0.hyphenated().to_string()));
        "params", Text, Payload, "event parameters", Column::growing("params", 12, 4) => |it, _| Value::text(it.params.as_str());
        "reason", Text, Payload, "failure reason", Column::growing("reason", 8, 6) => |it, _| Value::maybe(it.reason.as_deref());
        "result", Text, Payload, "result from the adapter" => |it, _| Value::maybe(it.result.as_ref().map(JsonText::as_str));
        "manifest" | "other_manifest", Text, Public, "manifest it was enqueued under, if not the active one"
            => |it, _| Value::maybe(it.other_manifest.as_ref().map(ManifestHash::as_str));
        "refund", State(&RefundStatus::NAMES), Public, "refund status" => |it, _| Value::maybe(it.refund.map(RefundStatus::name));
        "requeued_from", Serial, Public, "invocation it was requeued from", Column::fixed("requeued from", 13).right().from(132)
            => |it, _| it.requeued_from.map_or(Value::None, |id| Value::Serial(id.0));
        "damage", Text, Payload, "damage found in the stored row" => |it, _| Value::maybe(it.damage.as_deref());
    }
}

fields! {
    QueueRow {
        "queue", Text, Public, "name", Column::growing("queue", 7, 2) => |it, _| Value::text(it.queue.as_str());
        "ready" | "ready_after", State(&["applied", "done"]), Public, "state that releases the next row: applied or done", Column::fixed("releases on", 11)
            => |it, _| Value::maybe(it.ready_after.map(|after| match after {
                ReadyAfter::Applied => "applied",
                ReadyAfter::Done => "done",
            }));
        "pending", Number, Public, "pending rows", Column::fixed("pend", 5).right() => |it, _| Value::count(it.pending);
        "head" | "head_at_ms", Duration, Public, "wait of the oldest pending row", Column::fixed("head", 6).right()
            => |it, now| it.head_at_ms.map_or(Value::None, |at| since(at, now));
        "other_pack" | "other_manifest", Number, Public, "pending rows of a stale manifest", Column::fixed("stale", 5).right()
            => |it, _| Value::count(it.other_manifest);
        "in_flight" | "flying", Serial, Public, "invocation in flight", Column::fixed("in flight", 9).right()
            => |it, _| it.in_flight.map_or(Value::None, |id| Value::Serial(id.0));
        "parked" | "pull", State(YES_NO), Public, "whether the adapter is waiting for work", Column::fixed("parked", 6) => |it, _| yes_no(it.parked);
        "held", State(YES_NO), Public, "whether dispatch is held", Column::fixed("held", 4) => |it, _| yes_no(it.held);
        "draining", State(YES_NO), Public, "whether new work is refused", Column::fixed("draining", 8) => |it, _| yes_no(it.draining);
    }
}

fields! {
    RefundRow {
        "id", Serial, Public, "number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.id.0);
        "invocation" | "invocation_id", Serial, Public, "refunded invocation", Column::fixed("invocation", 10).right() => |it, _| Value::Serial(it.invocation_id.0);
        "source", Text, Public, "source of the invocation", Column::growing("source", 8, 1)
            => |it, _| Value::text(it.source.kind.as_str());
        "user", Text, Login, "viewer", Column::growing("user", 8, 1) => |it, _| Value::maybe(it.source.user.as_deref());
        "redemption", Text, Payload, "redemption", Column::growing("redemption", 8, 2)
            => |it, _| Value::maybe(it.source.redemption.as_deref());
        "status", State(&RefundStatus::NAMES), Public, "refund status", Column::fixed("status", 11)
            => |it, _| Value::text(match it.status {
                RefundStatus::Requested => "requested",
                RefundStatus::Skipped => "skipped",
                RefundStatus::Manual => "manual",
            });
        "at" | "at_ms", Time, Public, "time recorded", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "age", Duration, Public, "time since it was recorded" => |it, now| since(it.at_ms, now);
        "damage", Text, Payload, "damage found in the stored row" => |it, _| Value::maybe(it.damage.as_deref());
    }
}

fields! {
    StateKeyRow {
        "key", Text, Public, "key", Column::growing("key", 10, 1) => |it, _| Value::text(it.key.as_str());
        "value", Text, Payload, "the last accepted value", Column::growing("value", 10, 3) => |it, _| Value::text(it.value.as_str());
        "bytes", Bytes, Public, "the size of the value" => |it, _| Value::Bytes(it.value.as_str().len() as u64);
        "scope", Text, Payload, "the adapter's scope tag", Column::growing("scope", 8, 1) => |it, _| Value::maybe(it.scope.as_deref());
        "persisted" | "kept" | "persist", State(YES_NO), Public, "whether it is stored and restored at the next hello", Column::fixed("persisted", 9)
            => |it, _| yes_no(it.persist);
        "writer", State(&["adapter", "platform"]), Public, "who may write it", Column::fixed("writer", 8)
            => |it, _| Value::maybe(it.writer.map(|writer| match writer {
                Writer::Adapter => "adapter",
                Writer::Platform => "platform",
            }));
        "by" | "written_by", Text, Public, "who wrote it", Column::growing("written by", 14, 2)
            => |it, _| Value::maybe(it.written_by.as_ref().map(|by| match by {
                WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
                WrittenBy::Stored => "stored by an earlier start".to_owned(),
                WrittenBy::Replayed => "restored from an earlier start".to_owned(),
            }));
        "at" | "at_ms", Time, Public, "time written", Column::fixed("at", 8) => |it, _| it.at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "time since it was written" => |it, now| it.at_ms.map_or(Value::None, |at| since(at, now));
    }
}

fields! {
    EventRow {
        "event", Text, Public, "name", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "queue", Text, Public, "queue of its invocations", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "title", Text, Public, "display name", Column::growing("title", 10, 2) => |it, _| Value::maybe(it.title.as_deref());
        "schema", Text, Public, "the JSON Schema of its parameters", Column::growing("schema", 12, 4)
            => |it, _| Value::maybe(it.schema.as_ref().map(JsonText::as_str));
    }
}

fields! {
    AdapterRow {
        "peer", Text, Public, "remote address", Column::growing("peer", 15, 1) => |it, _| Value::text(it.peer.as_str());
        "connected" | "connected_at_ms", Time, Public, "start time", Column::fixed("connected", 9) => |it, _| Value::Time(it.connected_at_ms);
        "pack" | "pack_id", Text, Public, "the pack it serves", Column::growing("pack", 10, 1) => |it, _| Value::text(it.pack_id.as_str());
        "last" | "last_in_ms" | "last_frame", Time, Public, "time of the last frame", Column::fixed("last", 8) => |it, _| Value::Time(it.last_in_ms);
        "silent", Duration, Public, "time since the last frame" => |it, now| since(it.last_in_ms, now);
    }
}

fields! {
    HealthRow {
        "component" | "part", Text, Public, "component", Column::fixed("component", 9) => |it, _| Value::text(it.component.as_str());
        "status", State(&HealthStatus::NAMES), Public, "ok, degraded or down", Column::fixed("status", 8) => |it, _| Value::text(it.status.name());
        "figures", Text, Public, "metrics", Column::growing("figures", 12, 1) => |it, _| Value::text(it.figures.as_str());
        "detail", Text, Public, "details, or the problem", Column::growing("detail", 20, 1) => |it, _| Value::text(it.detail.as_str());
        "well", State(YES_NO), Public, "whether it is not down" => |it, _| yes_no(it.status != HealthStatus::Down);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        field::{Class, Fields, Kind, Record, index_of},
        filter::Filter,
        ids::InvocationId,
        store::invocations::Source,
    };

    #[test]
    fn what_viewers_wrote_has_its_class() {
        for (name, class) in [
            ("user", Class::Login),
            ("params", Class::Payload),
            ("reason", Class::Payload),
            ("result", Class::Payload),
        ] {
            assert_eq!(
                InvocationRow::SPECS[index_of(InvocationRow::SPECS, name).unwrap()].class,
                class,
                "{name}"
            );
        }
        for specs in [RefundRow::SPECS, InvocationRow::SPECS] {
            assert_eq!(specs[index_of(specs, "redemption").unwrap()].class, Class::Payload);
            assert_eq!(specs[index_of(specs, "user").unwrap()].class, Class::Login);
        }
        assert_eq!(StateKeyRow::SPECS[index_of(StateKeyRow::SPECS, "value").unwrap()].class, Class::Payload);
    }

    #[test]
    fn the_scope_of_a_value_is_a_payload() {
        assert_eq!(StateKeyRow::SPECS[index_of(StateKeyRow::SPECS, "scope").unwrap()].class, Class::Payload);
    }

    #[test]
    fn every_state_that_a_row_can_have_is_declared() {
        let state = InvocationRow::SPECS[index_of(InvocationRow::SPECS, "state").unwrap()];
        let Kind::State(names) = state.kind else { panic!("{:?}", state.kind) };
        assert_eq!(names, RowState::ALL.map(RowState::name));
    }

    #[test]
    fn a_row_is_found_by_what_it_shows() {
        let row = InvocationRow {
            damage: None,
            refund: None,
            requeued_from: None,
            id: InvocationId(17),
            queue: "boss".into(),
            event: "give_item".into(),
            state: RowState::Failed,
            params: JsonText::parse(r#"{"item":4}"#).unwrap(),
            result: None,
            reason: Some("Timed out".to_owned()),
            source: Source { kind: "bits".to_owned(), redemption: None, user: Some("alice".to_owned()) },
            trace_id: "trace:0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap(),
            enqueued_at_ms: Wall(1_790_000_000_000),
            updated_at_ms: Wall(1_790_000_001_000),
            other_manifest: None,
        };
        let now = Now::at_ms(5_000);
        for text in [
            "queue:bos state:failed age>=5s",
            "reason~time.?d user=alice",
            "trace:a41f id:17",
            "manifest:none result:none at>14:13:20",
        ] {
            assert!(Filter::parse(text, row.specs()).unwrap().admits(&row, now), "{text}");
        }
        assert!(!Filter::parse("age>5s", row.specs()).unwrap().admits(&row, now));
    }
}

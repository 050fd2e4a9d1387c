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
        "id", Serial, Public, "its number", Column::fixed("id", 8).right() => |it, _| Value::Serial(it.id.0);
        "queue", Text, Public, "its queue", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "event", Text, Public, "what it is to do", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "state", State(&RowState::NAMES), Public, "its state",
            Column::fixed("state", 12) => |it, _| Value::text(it.state.name());
        "source", Text, Public, "where it came from", Column::fixed("source", 14) => |it, _| Value::text(it.source.kind.as_str());
        "user", Text, Login, "who asked for it", Column::fixed("user", 12) => |it, _| Value::maybe(it.source.user.as_deref());
        "redemption", Text, Payload, "what was redeemed" => |it, _| Value::maybe(it.source.redemption.as_deref());
        "enqueued", Time, Public, "when it was enqueued", Column::fixed("enqueued", 8) => |it, _| Value::Time(it.enqueued_at_ms);
        "at", Time, Public, "when its state last changed", Column::fixed("at", 8) => |it, _| Value::Time(it.updated_at_ms);
        "age", Duration, Public, "how long ago it was enqueued" => |it, now| since(it.enqueued_at_ms, now);
        "trace", Id, Public, "what it belongs to", Column::fixed("trace", 5) => |it, _| Value::text(it.trace_id.0.hyphenated().to_string());
        "params", Text, Payload, "the event's parameters", Column::growing("params", 12, 4) => |it, _| Value::text(it.params.as_str());
        "reason", Text, Payload, "why it failed", Column::growing("reason", 8, 6) => |it, _| Value::maybe(it.reason.as_deref());
        "result", Text, Payload, "what the adapter reported" => |it, _| Value::maybe(it.result.as_ref().map(JsonText::as_str));
        "manifest", Text, Public, "the manifest it was enqueued under, where that is not the one in force"
            => |it, _| Value::maybe(it.other_manifest.as_ref().map(ManifestHash::as_str));
        "refund", State(&RefundStatus::NAMES), Public, "what becomes of its refund" => |it, _| Value::maybe(it.refund.map(RefundStatus::name));
        "requeued_from", Serial, Public, "the invocation that it was requeued from", Column::fixed("requeued from", 13).right().from(132)
            => |it, _| it.requeued_from.map_or(Value::None, |id| Value::Serial(id.0));
        "damage", Text, Payload, "what of its stored row cannot be read" => |it, _| Value::maybe(it.damage.as_deref());
    }
}

fields! {
    QueueRow {
        "queue", Text, Public, "its name", Column::growing("queue", 7, 2) => |it, _| Value::text(it.queue.as_str());
        "ready", State(&["applied", "done"]), Public, "after what its next row may go", Column::fixed("ready", 7)
            => |it, _| Value::maybe(it.ready_after.map(|after| match after {
                ReadyAfter::Applied => "applied",
                ReadyAfter::Done => "done",
            }));
        "pending", Number, Public, "rows that wait", Column::fixed("pend", 5).right() => |it, _| Value::count(it.pending);
        "head", Duration, Public, "how long its oldest row waits", Column::fixed("head", 6).right()
            => |it, now| it.head_at_ms.map_or(Value::None, |at| since(at, now));
        "other_pack", Number, Public, "rows that wait under another manifest", Column::fixed("other", 5).right()
            => |it, _| Value::count(it.other_manifest);
        "flying", Serial, Public, "what is with the adapter", Column::fixed("fly", 8).right()
            => |it, _| it.in_flight.map_or(Value::None, |id| Value::Serial(id.0));
        "parked", State(YES_NO), Public, "whether a pull of the adapter is parked", Column::fixed("parked", 6) => |it, _| yes_no(it.parked);
        "held", State(YES_NO), Public, "whether dispatch is held", Column::fixed("held", 4) => |it, _| yes_no(it.held);
        "draining", State(YES_NO), Public, "whether new work is refused", Column::fixed("draining", 8) => |it, _| yes_no(it.draining);
    }
}

fields! {
    RefundRow {
        "id", Serial, Public, "its number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.id.0);
        "invocation", Serial, Public, "for which invocation", Column::fixed("of", 8).right() => |it, _| Value::Serial(it.invocation_id.0);
        "source", Text, Public, "where the invocation came from", Column::growing("source", 8, 1)
            => |it, _| Value::text(it.source.kind.as_str());
        "user", Text, Login, "for whom", Column::growing("user", 8, 1) => |it, _| Value::maybe(it.source.user.as_deref());
        "redemption", Text, Payload, "what was redeemed", Column::growing("redemption", 8, 2)
            => |it, _| Value::maybe(it.source.redemption.as_deref());
        "status", State(&RefundStatus::NAMES), Public, "what becomes of it", Column::fixed("status", 11)
            => |it, _| Value::text(match it.status {
                RefundStatus::Requested => "requested",
                RefundStatus::Skipped => "skipped",
                RefundStatus::Manual => "manual",
            });
        "at", Time, Public, "when it was recorded", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "age", Duration, Public, "how long ago it was recorded" => |it, now| since(it.at_ms, now);
    }
}

fields! {
    StateKeyRow {
        "key", Text, Public, "its key", Column::growing("key", 10, 1) => |it, _| Value::text(it.key.as_str());
        "value", Text, Payload, "the last accepted value", Column::growing("value", 10, 3) => |it, _| Value::text(it.value.as_str());
        "bytes", Bytes, Public, "the size of the value" => |it, _| Value::Bytes(it.value.as_str().len() as u64);
        "scope", Text, Payload, "the adapter's scope tag", Column::growing("scope", 8, 1) => |it, _| Value::maybe(it.scope.as_deref());
        "kept", State(YES_NO), Public, "whether it is stored and given again at the next hello", Column::fixed("kept", 4)
            => |it, _| yes_no(it.persist);
        "writer", State(&["adapter", "platform"]), Public, "who may write it", Column::fixed("writer", 8)
            => |it, _| Value::maybe(it.writer.map(|writer| match writer {
                Writer::Adapter => "adapter",
                Writer::Platform => "platform",
            }));
        "by", Text, Public, "who wrote it", Column::growing("written by", 14, 2)
            => |it, _| Value::maybe(it.written_by.as_ref().map(|by| match by {
                WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
                WrittenBy::Stored => "stored by an earlier start".to_owned(),
                WrittenBy::Replayed => "an earlier start, replayed".to_owned(),
            }));
        "at", Time, Public, "when it was written", Column::fixed("at", 8) => |it, _| it.at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "how long ago it was written" => |it, now| it.at_ms.map_or(Value::None, |at| since(at, now));
    }
}

fields! {
    EventRow {
        "event", Text, Public, "its name", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "queue", Text, Public, "where its invocations go", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "title", Text, Public, "its name for people", Column::growing("title", 10, 2) => |it, _| Value::maybe(it.title.as_deref());
        "schema", Text, Public, "the JSON Schema of its parameters", Column::growing("schema", 12, 4)
            => |it, _| Value::maybe(it.schema.as_ref().map(JsonText::as_str));
    }
}

fields! {
    AdapterRow {
        "peer", Text, Public, "from where", Column::growing("peer", 15, 1) => |it, _| Value::text(it.peer.as_str());
        "connected", Time, Public, "since when", Column::fixed("connected", 9) => |it, _| Value::Time(it.connected_at_ms);
        "pack", Text, Public, "the pack it serves", Column::growing("pack", 10, 1) => |it, _| Value::text(it.pack_id.as_str());
        "last", Time, Public, "when it last sent a frame", Column::fixed("last", 8) => |it, _| Value::Time(it.last_in_ms);
        "silent", Duration, Public, "how long ago that was" => |it, now| since(it.last_in_ms, now);
    }
}

fields! {
    HealthRow {
        "component", Text, Public, "which component", Column::fixed("component", 9) => |it, _| Value::text(it.component.as_str());
        "status", State(&HealthStatus::NAMES), Public, "how it is", Column::fixed("status", 8) => |it, _| Value::text(it.status.name());
        "figures", Text, Public, "its figures", Column::growing("figures", 12, 1) => |it, _| Value::text(it.figures.as_str());
        "detail", Text, Public, "what is known of it, or what is wrong", Column::growing("detail", 20, 1) => |it, _| Value::text(it.detail.as_str());
        "part", Text, Public, "the component, by its name in JSON" => |it, _| Value::text(it.component.as_str());
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

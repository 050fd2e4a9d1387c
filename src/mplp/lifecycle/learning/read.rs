//! What samples read of a bundle.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    super::{
        item::{Item, Origin},
        run::Bundle,
    },
    Rating,
};
use crate::mplp::{Derived, SchemaId};

/// A record that ended, as samples read it.
pub(super) struct Record<'a> {
    pub(super) items: &'a [Item],
    pub(super) rating: Option<&'a Rating>,
    pub(super) context: &'a Value,
    pub(super) plan: &'a Value,
    pub(super) trace: &'a Value,
    /// What its ids are derived of.
    derived_of: &'a str,
    /// The stage events by the stage that they are of: their ids, and how the last says that it ended.
    stages: HashMap<&'a str, Vec<&'a Value>>,
}

impl<'a> Record<'a> {
    /// The record of a bundle; nothing where it is not that of a run, or the run has not ended.
    pub(super) fn of(bundle: &'a Bundle, rating: Option<&'a Rating>) -> Option<Self> {
        let items = bundle.items();
        let one = |schema| items.iter().find(|item| item.schema == schema).map(|item| &item.object);
        let (context, plan, trace) = (one(SchemaId::Context)?, one(SchemaId::Plan)?, one(SchemaId::Trace)?);
        trace.get("finished_at")?;
        let run = text(&context["root"], "run")?;
        let mut stages: HashMap<&str, Vec<&Value>> = HashMap::new();
        for item in items.iter().filter(|item| item.schema == SchemaId::PipelineStageEvent) {
            if let Some(stage) = text(&item.object, "stage_id") {
                stages.entry(stage).or_default().push(&item.object);
            }
        }
        let derived_of = run.strip_prefix("trace:").unwrap_or(run);
        Some(Self { items, rating, context, plan, trace, derived_of, stages })
    }

    /// The objects of a schema.
    pub(super) fn objects(&self, schema: SchemaId) -> impl Iterator<Item = &'a Item> {
        let items: &'a [Item] = self.items;
        items.iter().filter(move |item| item.schema == schema)
    }

    /// The events of a stage.
    pub(super) fn stage(&self, id: &str) -> &[&'a Value] {
        self.stages.get(id).map_or(&[], Vec::as_slice)
    }

    /// Why a stage ended as it did, if its last event says so.
    pub(super) fn why(&self, stage: &str) -> Option<&'a str> {
        text(&self.stage(stage).last()?["payload"], "why")
    }

    /// The label of all samples.
    pub(super) fn label(&self) -> &'static str {
        self.rating.map_or("not_reviewed", |rating| rating.verdict.name())
    }

    /// The id of the sample of this family at this place.
    pub(super) fn sample_id(&self, family: &str, place: usize) -> String {
        Derived::Sample(self.derived_of, family, place as u64).id().to_string()
    }

    /// A sample of a family that extends the core.
    pub(super) fn sample(&self, schema: SchemaId, sample: Sample<'_>, origin: Origin) -> Item {
        let Sample { family, place, input, state, output, sources } = sample;
        let mut object = json!({
            "sample_id": self.sample_id(family, place),
            "sample_family": family,
            "created_at": self.trace["finished_at"],
            "input": input,
            "output": output,
            "meta": {
                "source_flow_id": self.trace["trace_id"],
                "source_event_ids": sources,
                "project_id": self.context["context_id"],
                "human_feedback_label": self.label(),
            },
        });
        if !state.is_null() {
            object["state"] = state;
        }
        Item::new(schema, object, origin)
    }

    /// Tokens that the run used.
    pub(super) fn tokens(&self) -> Option<&'a Value> {
        let cost = self.objects(SchemaId::Event).find(|item| item.object["event_family"] == "cost_budget")?;
        cost.object["payload"].get("total_tokens")
    }
}

/// The parts of a sample.
pub(super) struct Sample<'a> {
    pub(super) family: &'static str,
    pub(super) place: usize,
    pub(super) input: Value,
    pub(super) state: Value,
    pub(super) output: Value,
    /// Events that it is made of.
    pub(super) sources: Vec<&'a Value>,
}

/// A member that is a text.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

/// A member that is a list.
pub(super) fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Milliseconds from one member that is a time to another.
pub(super) fn duration_ms(object: &Value, from: &str, to: &str) -> Option<u64> {
    Some(unix_ms(text(object, to)?)?.saturating_sub(unix_ms(text(object, from)?)?))
}

/// Unix milliseconds of a time as records write it: `YYYY-MM-DDThh:mm:ss.sssZ`.
pub(super) fn unix_ms(stamp: &str) -> Option<u64> {
    /// Days from 0000-03-01 to 1970-01-01, and one as days are counted from 1.
    const EPOCH: u64 = 719_469;
    let number = |range: std::ops::Range<usize>| stamp.get(range)?.parse::<u64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    // Years are counted from March, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let days = days.checked_sub(EPOCH)?;
    let seconds = number(11..13)? * 3_600 + number(14..16)? * 60 + number(17..19)?;
    Some(days * 86_400_000 + seconds * 1_000 + number(20..23)?)
}

/// An object of the members that are there.
pub(super) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let there = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

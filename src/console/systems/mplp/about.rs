//! The node or role that an event is about, where it names that by an id, or among others.

use std::collections::HashMap;

use serde::Deserialize;

/// The role of the station, which hands out what the others do.
const STATION: &str = "station";
/// Events that are larger are not looked into.
const BYTES_MAX: usize = 16_384;

/// The names of steps by their ids, as the stages before an event told them.
#[derive(Debug, Default)]
pub(super) struct StepNames(HashMap<String, String>);

#[derive(Deserialize)]
struct Stage {
    #[serde(rename = "stage_id")]
    id: String,
    #[serde(rename = "stage_name")]
    name: String,
    /// A stage without one is that of the Plan, which is named by who asked for it.
    #[serde(rename = "stage_order")]
    _order: u64,
}

#[derive(Deserialize)]
struct Update {
    payload: UpdatePayload,
}

#[derive(Deserialize)]
struct UpdatePayload {
    step_id: String,
}

#[derive(Deserialize)]
struct Turn {
    initiator_role: String,
    #[serde(default)]
    target_roles: Vec<String>,
}

impl StepNames {
    /// What an event of a schema is about, in a word that anybody may read.
    pub(super) fn about(&mut self, schema: &str, text: &str) -> Option<String> {
        if text.len() > BYTES_MAX {
            return None;
        }
        match schema {
            "pipeline-stage-event" => {
                // Its own name is in its summary.
                if let Ok(stage) = serde_json::from_str::<Stage>(text) {
                    self.0.insert(stage.id, stage.name);
                }
                None
            }
            "graph-update-event" => {
                let update: Update = serde_json::from_str(text).ok()?;
                self.0.get(&update.payload.step_id).cloned()
            }
            "map-event" => {
                let turn: Turn = serde_json::from_str(text).ok()?;
                let mut roles = std::iter::once(turn.initiator_role).chain(turn.target_roles);
                roles.find(|role| role != STATION)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_says_the_node_or_role_that_it_is_about() {
        let mut names = StepNames::default();
        let update = r#"{"event_type":"step_updated","payload":{"step_id":"s-1","state":"running"}}"#;
        assert_eq!(names.about("graph-update-event", update), None, "no stage named it yet");
        let stage = r#"{"stage_id":"s-1","stage_name":"poll","stage_order":0}"#;
        assert_eq!(names.about("pipeline-stage-event", stage), None);
        let plan = r#"{"stage_id":"p-1","stage_name":"which map for ann"}"#;
        assert_eq!(names.about("pipeline-stage-event", plan), None);
        assert_eq!(names.about("graph-update-event", update).as_deref(), Some("poll"));
        let of_plan = update.replace("s-1", "p-1");
        assert_eq!(names.about("graph-update-event", &of_plan), None, "a Plan is named by a peer");
        let dispatched = r#"{"initiator_role":"station","target_roles":["agent:poll"],"payload":{}}"#;
        assert_eq!(names.about("map-event", dispatched).as_deref(), Some("agent:poll"));
        let completed = r#"{"initiator_role":"agent:poll","target_roles":["station"],"payload":{}}"#;
        assert_eq!(names.about("map-event", completed).as_deref(), Some("agent:poll"));
    }
}

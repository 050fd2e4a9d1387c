//! The 61 rules of `mplp-l1 §4`, in the order of its tables.

use super::rule::{Check, Condition, Pair, Profile, Rule, RuleFamily, Scope};

const ALWAYS: Condition = Condition { profile: None, member: None, is_present: false };
const PRESENT: Condition = Condition { profile: None, member: None, is_present: true };
const SA: Condition = Condition { profile: Some(Profile::Sa), member: None, is_present: false };
const MAP: Condition = Condition { profile: Some(Profile::Map), member: None, is_present: false };
const PIPELINE: Condition = of_member("event_family", "pipeline_stage");
const GRAPH: Condition = of_member("event_family", "graph_update");
const RUNTIME: Condition = of_member("event_family", "runtime_execution");
const INTENT: Condition = of_member("sample_family", "intent_resolution");
const DELTA: Condition = of_member("sample_family", "delta_impact");

const fn of_member(name: &'static str, text: &'static str) -> Condition {
    Condition { profile: None, member: Some((name, text)), is_present: false }
}

const fn present(condition: Condition) -> Condition {
    Condition { is_present: true, ..condition }
}

macro_rules! rules {
    ($($family:ident $section:literal {
        $($id:ident: $scope:ident $path:literal, $check:expr, $condition:expr, $description:literal;)*
    })*) => {
        /// All rules, in the order of `mplp-l1 §4` (ruling MPLP 1).
        pub const RULES: &[Rule] = &[$($(Rule {
            id: stringify!($id),
            family: RuleFamily::$family,
            scope: Scope::$scope,
            path: $path,
            check: $check,
            condition: $condition,
            description: $description,
            section: $section,
        },)*)*];
    };
}

use Check::{Eq, Exists, IsoDatetime, MinLength, NonEmptyString, OneOf, UuidV4};

rules! {
    Sa "§4.1" {
        sa_requires_context: Context "context_id", UuidV4, SA,
            "A single-agent execution needs a Context of its own, named by a UUID v4.";
        sa_context_must_be_active: Context "status", OneOf(&["active"]), SA,
            "Work takes place in an active Context only.";
        sa_plan_context_binding: Plan "context_id", Eq("context", "context_id"), SA,
            "A Plan belongs to the Context of its record.";
        sa_plan_has_steps: Plan "steps", MinLength(1), SA,
            "A Plan has a step to execute.";
        sa_steps_have_valid_ids: Plan "steps[*].step_id", UuidV4, SA,
            "Every step is named by a UUID v4.";
        sa_steps_have_agent_role: Plan "steps[*].agent_role", NonEmptyString, SA,
            "Every step says which role executes it.";
        sa_trace_not_empty: Trace "events", MinLength(1), SA,
            "A Trace has an event.";
        sa_trace_context_binding: Trace "context_id", Eq("context", "context_id"), SA,
            "A Trace belongs to the Context of its record.";
        sa_trace_plan_binding: Trace "plan_id", Eq("plan", "plan_id"), SA,
            "A Trace belongs to the Plan of its record.";
    }
    Map "§4.2" {
        map_session_requires_multiple_participants: Collab "participants", MinLength(2), MAP,
            "A multi-agent session has two participants at least.";
        map_collab_mode_valid: Collab "mode", OneOf(&[
            "broadcast", "round_robin", "orchestrated", "swarm", "pair",
        ]), MAP,
            "The mode of a session is one of the five patterns of collaboration.";
        map_session_id_is_uuid: Collab "collab_id", UuidV4, MAP,
            "A session is named by a UUID v4.";
        map_participants_have_role_ids: Collab "participants[*].role_id", NonEmptyString, MAP,
            "Every participant has a role.";
        map_role_ids_are_uuids: Collab "participants[*].role_id", UuidV4, MAP,
            "The role of a participant is named by a UUID v4.";
        map_participant_ids_are_non_empty: Collab "participants[*].participant_id", NonEmptyString, MAP,
            "Every participant has a name.";
        map_participant_kind_valid: Collab "participants[*].kind", OneOf(&[
            "agent", "human", "system", "external",
        ]), MAP,
            "A participant is an agent, a person, a system or something external.";
        map_turn_completion_matches_dispatch: Trace "events", Check::Pair(Pair::TurnCompleted), MAP,
            "Every turn that is dispatched is completed before its session ends.";
        map_broadcast_has_receivers: Trace "events", Check::Pair(Pair::BroadcastReceived), MAP,
            "Every broadcast is received before its session ends.";
    }
    Observability "§4.3" {
        obs_event_id_is_uuid: Event "event_id", UuidV4, ALWAYS,
            "An event is named by a UUID v4.";
        obs_event_type_non_empty: Event "event_type", NonEmptyString, ALWAYS,
            "An event says of which type it is.";
        obs_event_family_valid: Event "event_family", OneOf(&[
            "import_process", "intent", "delta_intent", "impact_analysis", "compensation_plan",
            "methodology", "reasoning_graph", "pipeline_stage", "graph_update", "runtime_execution",
            "cost_budget", "external_integration",
        ]), ALWAYS,
            "An event is of one of the twelve families.";
        obs_timestamp_iso_format: Event "timestamp", IsoDatetime, ALWAYS,
            "An event says when it happened.";
        obs_pipeline_event_has_pipeline_id: Event "pipeline_id", UuidV4, PIPELINE,
            "A pipeline is named by a UUID v4.";
        obs_pipeline_stage_id_non_empty: Event "stage_id", NonEmptyString, PIPELINE,
            "A pipeline stage event says which stage it is about.";
        obs_pipeline_stage_status_valid: Event "stage_status", OneOf(&[
            "pending", "running", "completed", "failed", "skipped",
        ]), PIPELINE,
            "A stage is in one of five states.";
        obs_graph_event_has_graph_id: Event "graph_id", UuidV4, GRAPH,
            "A graph is named by a UUID v4.";
        obs_graph_update_kind_valid: Event "update_kind", OneOf(&[
            "node_add", "node_update", "node_delete", "edge_add", "edge_update", "edge_delete", "bulk",
        ]), GRAPH,
            "A change of a graph is of one of seven kinds.";
        obs_runtime_event_has_execution_id: Event "execution_id", UuidV4, RUNTIME,
            "An execution is named by a UUID v4.";
        obs_runtime_executor_kind_valid: Event "executor_kind", OneOf(&[
            "agent", "tool", "llm", "worker", "external",
        ]), RUNTIME,
            "What is executed is of one of five kinds.";
        obs_runtime_status_valid: Event "status", OneOf(&[
            "pending", "running", "completed", "failed", "cancelled",
        ]), RUNTIME,
            "An execution is in one of five states.";
    }
    Integration "§4.4" {
        integration_tool_event_id_non_empty: ToolEvent "tool_id", NonEmptyString, ALWAYS,
            "A tool event says which tool it is about.";
        integration_tool_kind_valid: ToolEvent "tool_kind", OneOf(&[
            "formatter", "linter", "test_runner", "generator", "other",
        ]), ALWAYS,
            "A tool is of one of five kinds.";
        integration_tool_invocation_id_uuid: ToolEvent "invocation_id", UuidV4, ALWAYS,
            "An invocation of a tool is named by a UUID v4.";
        integration_tool_status_valid: ToolEvent "status", OneOf(&[
            "pending", "running", "succeeded", "failed", "cancelled",
        ]), ALWAYS,
            "An invocation of a tool is in one of five states.";
        integration_tool_started_at_iso: ToolEvent "started_at", IsoDatetime, PRESENT,
            "The beginning of an invocation, where given, is a date and time.";
        integration_file_path_non_empty: FileUpdateEvent "file_path", NonEmptyString, ALWAYS,
            "A file event says which file it is about.";
        integration_file_change_type_valid: FileUpdateEvent "change_type", OneOf(&[
            "created", "modified", "deleted", "renamed",
        ]), ALWAYS,
            "A change of a file is of one of four kinds.";
        integration_file_timestamp_iso: FileUpdateEvent "timestamp", IsoDatetime, ALWAYS,
            "A file event says when it happened.";
        integration_git_repo_url_non_empty: GitEvent "repo_url", NonEmptyString, ALWAYS,
            "A Git event says which repository it is about.";
        integration_git_commit_id_non_empty: GitEvent "commit_id", NonEmptyString, ALWAYS,
            "A Git event says which commit it is about.";
        integration_git_ref_name_non_empty: GitEvent "ref_name", NonEmptyString, ALWAYS,
            "A Git event says which branch or tag it is about.";
        integration_git_event_kind_valid: GitEvent "event_kind", OneOf(&[
            "commit", "push", "merge", "tag", "branch_create", "branch_delete",
        ]), ALWAYS,
            "A Git operation is of one of six kinds.";
        integration_git_timestamp_iso: GitEvent "timestamp", IsoDatetime, ALWAYS,
            "A Git event says when it happened.";
        integration_ci_provider_non_empty: CiEvent "ci_provider", NonEmptyString, ALWAYS,
            "A CI event says which service runs the pipeline.";
        integration_ci_pipeline_id_non_empty: CiEvent "pipeline_id", NonEmptyString, ALWAYS,
            "A CI event says which pipeline it is about.";
        integration_ci_run_id_non_empty: CiEvent "run_id", NonEmptyString, ALWAYS,
            "A CI event says which run it is about.";
        integration_ci_status_valid: CiEvent "status", OneOf(&[
            "pending", "running", "succeeded", "failed", "cancelled",
        ]), ALWAYS,
            "A run of a pipeline is in one of five states.";
        integration_ci_started_at_iso: CiEvent "started_at", IsoDatetime, PRESENT,
            "The beginning of a run, where given, is a date and time.";
        integration_ci_completed_at_iso: CiEvent "completed_at", IsoDatetime, PRESENT,
            "The end of a run, where given, is a date and time.";
    }
    Learning "§4.5" {
        learning_sample_id_is_uuid: LearningSample "sample_id", UuidV4, ALWAYS,
            "A sample is named by a UUID v4.";
        learning_sample_family_non_empty: LearningSample "sample_family", NonEmptyString, ALWAYS,
            "A sample says of which family it is.";
        learning_sample_created_at_iso: LearningSample "created_at", IsoDatetime, ALWAYS,
            "A sample says when it was made.";
        learning_sample_has_input_section: LearningSample "input", Exists, ALWAYS,
            "A sample says what was known beforehand.";
        learning_sample_has_output_section: LearningSample "output", Exists, ALWAYS,
            "A sample says what came of it.";
        learning_sample_feedback_label_valid: LearningSample "meta.human_feedback_label", OneOf(&[
            "approved", "rejected", "not_reviewed",
        ]), PRESENT,
            "The verdict of a person, where given, is one of three.";
        learning_sample_source_flow_non_empty: LearningSample "meta.source_flow_id", NonEmptyString, PRESENT,
            "The flow that a sample was made from, where given, has a name.";
        learning_intent_has_intent_id: LearningSample "input.intent_id", NonEmptyString, INTENT,
            "A sample of intent resolution names the intent.";
        learning_intent_quality_label_valid: LearningSample "output.resolution_quality_label", OneOf(&[
            "good", "acceptable", "bad", "unknown",
        ]), present(INTENT),
            "The quality of a resolution, where given, is one of four.";
        learning_delta_has_delta_id: LearningSample "input.delta_id", NonEmptyString, DELTA,
            "A sample of delta impact names the change.";
        learning_delta_scope_valid: LearningSample "output.impact_scope", OneOf(&[
            "local", "module", "system", "global",
        ]), DELTA,
            "A sample of delta impact says how far the change reached.";
        learning_delta_risk_valid: LearningSample "state.risk_level", OneOf(&[
            "low", "medium", "high", "critical",
        ]), present(DELTA),
            "The risk of a change, where given, is one of four.";
    }
}

/// The rule of an id; nothing for any other text.
#[must_use]
pub fn rule_named(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests;

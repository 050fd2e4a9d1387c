//! Which texts of the recorded form are words of people and peers, and which are names that others refer to.

/// The texts and bytes of a message.
type TextFields = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Each message of `tap.proto` that has texts or bytes, in the order of their names: those that may say
/// anything (reasons, log lines, payloads as JSON), then those that are names, states, ids, addresses and
/// paths. `Entry.bytes` are what they are of: a frame, or the text of a transition.
const TEXT_FIELDS: &[TextFields] = &[
    ("AdapterView", &[], &["peer"]),
    ("AskView", &["summary", "takes"], &["action", "run"]),
    ("Asker", &[], &["client"]),
    ("Braked", &[], &["queue"]),
    ("Disconnected", &[], &["peer"]),
    ("EndedView", &["reason"], &["queue", "event", "trace"]),
    ("Entry", &[], &["trace", "bytes"]),
    ("Frame", &[], &["peer"]),
    ("Handshaken", &[], &["peer"]),
    ("HostView", &["down"], &[]),
    ("LastClose", &[], &["peer"]),
    ("Listener", &["down"], &["listening"]),
    ("LiveView", &[], &["queue", "event", "trace"]),
    ("LogView", &["text"], &[]),
    ("MacpAccepted", &[], &["by", "proposed"]),
    ("MacpClient", &[], &["peer", "client"]),
    ("MacpContributionView", &["value"], &[]),
    ("MacpEndView", &["text"], &[]),
    ("MacpEvaluated", &[], &["proposal", "recommendation"]),
    ("MacpHead", &[], &["session", "message_type", "message_id", "sender"]),
    ("MacpIntroduction", &["intent"], &["participants"]),
    ("MacpListener", &["down"], &["listening"]),
    ("MacpMoveView", &["value"], &["by"]),
    ("MacpObjected", &[], &["proposal", "severity"]),
    ("MacpOpened", &[], &["by"]),
    ("MacpOpinionView", &["reason"], &["by"]),
    ("MacpProposalView", &["option"], &["proposal", "by"]),
    ("MacpSenderView", &[], &["sender"]),
    ("MacpSession", &[], &["id"]),
    ("MacpSessionView", &["intent"], &["by", "participants", "trace"]),
    ("MacpTally", &[], &["what"]),
    ("MacpTransition", &[], &["listening"]),
    ("MacpTurnedAway", &[], &["peer"]),
    ("MacpVoteView", &["reason"], &["proposal", "vote"]),
    ("MacpVoted", &[], &["proposal", "vote"]),
    ("Migrated", &[], &["queue"]),
    ("MplpRated", &[], &["run", "by"]),
    ("MplpRecord", &[], &["id"]),
    ("MplpWithheld", &[], &["schema", "rule", "path"]),
    ("MplpWithheldView", &["requires"], &["schema", "rule", "path"]),
    ("MppHead", &[], &["queue", "event"]),
    ("MppTransition", &[], &["listening", "connected", "parked", "drained", "persisted_left_out"]),
    ("MppView", &["commits_failing", "reads_failing"], &[]),
    ("NodeRef", &[], &["id"]),
    ("PackFacts", &[], &["id", "name", "version", "hash"]),
    ("PackLoaded", &[], &["pack_id", "manifest_hash"]),
    ("PlanEdge", &["when"], &["from_port", "to_port"]),
    ("PlanNode", &[], &["id", "use"]),
    (
        "PluginAbout",
        &["description"],
        &["name", "version", "author", "folder", "command", "asks", "actions", "slots", "provides"],
    ),
    ("PluginActionBegun", &[], &["plugin", "action"]),
    ("PluginActionEnded", &[], &["plugin", "action"]),
    ("PluginActionView", &[], &["action", "trace"]),
    ("PluginAsked", &[], &["plugin", "credential"]),
    ("PluginAskedView", &[], &["credential", "plugin"]),
    ("PluginAuditView", &["text"], &[]),
    ("PluginDecided", &[], &["plugin", "credential"]),
    ("PluginDisabled", &[], &["plugin"]),
    ("PluginDisabledView", &["text"], &[]),
    ("PluginEventsDropped", &[], &["plugin"]),
    ("PluginGranted", &[], &["plugin", "capabilities"]),
    ("PluginHanded", &[], &["plugin", "credential"]),
    ("PluginHead", &[], &["plugin", "method", "id"]),
    ("PluginInstalled", &[], &["plugin"]),
    ("PluginLinesCut", &[], &["plugin"]),
    ("PluginLinted", &[], &["plugin"]),
    ("PluginLogView", &["text"], &[]),
    ("PluginLogged", &[], &["plugin"]),
    ("PluginMissed", &[], &["plugin"]),
    ("PluginNotified", &[], &["plugin"]),
    ("PluginPanel", &[], &["plugin"]),
    ("PluginPanelView", &["title"], &[]),
    ("PluginPinged", &[], &["plugin"]),
    ("PluginReasonView", &["text"], &[]),
    ("PluginRevoked", &[], &["plugin", "capability"]),
    ("PluginSampled", &[], &["plugin"]),
    ("PluginSessionView", &["upstream"], &["id", "by"]),
    ("PluginSlotView", &["value"], &["slot"]),
    ("PluginStarting", &[], &["plugin"]),
    ("PluginStatus", &[], &["plugin", "slot"]),
    ("PluginStopped", &[], &["plugin"]),
    ("PluginStreamChannel", &["login"], &[]),
    ("PluginStreamSession", &[], &["id"]),
    ("PluginStreamUpstream", &[], &["plugin", "id"]),
    ("PluginStreamView", &["channel"], &[]),
    ("PluginThrottled", &[], &["plugin"]),
    ("PluginTransition", &[], &["removed", "enabled", "stopping"]),
    ("PluginUnhealthy", &[], &["plugin"]),
    ("PluginUp", &[], &["plugin", "version", "hooks"]),
    ("PluginUpView", &[], &["version", "hooks"]),
    ("PluginValueSet", &[], &["plugin", "key"]),
    ("PluginView", &[], &["plugin", "granted"]),
    ("PluginWaiting", &[], &["plugin"]),
    ("ProtocolFault", &[], &["field"]),
    ("QueueView", &[], &["queue"]),
    ("RecordingView", &[], &["path"]),
    ("RmpCloseCause", &[], &["refused"]),
    ("RmpConnected", &[], &["peer"]),
    ("RmpDropView", &[], &["to_client", "from_client", "trace"]),
    ("RmpDropped", &[], &["topic"]),
    ("RmpGreeting", &[], &["client"]),
    ("RmpHead", &[], &["topic", "refusal"]),
    ("RmpListener", &["down"], &["listening"]),
    ("RmpPeerView", &[], &["peer"]),
    ("RmpSubView", &[], &["topic"]),
    ("RmpSubscribed", &[], &["topic"]),
    ("RmpTopicView", &[], &["topic"]),
    ("RmpTransition", &[], &["listening"]),
    ("RmpVerdict", &[], &["refused"]),
    ("Row", &[], &["queue", "event"]),
    ("RunAsked", &["question", "inputs"], &["action"]),
    ("RunDecided", &[], &["action"]),
    ("RunNodeView", &["why"], &[]),
    ("RunSaved", &[], &["port", "kind"]),
    ("RunSubmitted", &[], &["name"]),
    ("RunView", &["why"], &["run", "name"]),
    ("RunsTransition", &[], &["run"]),
    ("StateWritten", &[], &["key"]),
    ("StationAlert", &["text"], &["name", "subject"]),
    ("StationOperated", &["command"], &[]),
    ("StationOperator", &[], &["client"]),
    ("StationTokenShown", &[], &["plugin"]),
    ("StationTransition", &["operation_ended_outcome"], &[]),
    ("StationTriggered", &[], &["name"]),
    (
        "StationView",
        &["store_failing"],
        &["data", "injected_traces", "injected_without_rows", "always_recording"],
    ),
];

/// Whether a field of a message may say anything, so that it can be masked and the message is still read.
pub(crate) fn is_free_text(message: &str, field: &str) -> bool {
    let row = TEXT_FIELDS.binary_search_by_key(&message, |(name, ..)| *name).ok();
    row.and_then(|row| TEXT_FIELDS.get(row)).is_some_and(|(_, free, _)| free.contains(&field))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost::Message as _;
    use prost_types::{FileDescriptorSet, field_descriptor_proto::Type};

    use super::*;
    use crate::tap::recorded::DESCRIPTOR;

    #[test]
    fn every_text_of_the_recorded_form_is_on_one_of_the_two_sides() {
        let set = FileDescriptorSet::decode(DESCRIPTOR).unwrap();
        let messages = || set.file.iter().flat_map(|file| &file.message_type);
        assert!(messages().all(|message| message.nested_type.is_empty()), "the table has no nested messages");
        let declared: BTreeSet<(&str, &str)> = messages()
            .flat_map(|message| message.field.iter().map(move |field| (message, field)))
            .filter(|(_, field)| matches!(field.r#type(), Type::String | Type::Bytes))
            .map(|(message, field)| (message.name(), field.name()))
            .collect();
        let side = |side: fn(&TextFields) -> &'static [&'static str]| -> BTreeSet<(&str, &str)> {
            let row = |row: &'static TextFields| side(row).iter().map(move |field| (row.0, *field));
            TEXT_FIELDS.iter().flat_map(row).collect()
        };
        let (free, structured) = (side(|row| row.1), side(|row| row.2));
        assert_eq!(free.intersection(&structured).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
        assert_eq!(free.union(&structured).copied().collect::<BTreeSet<_>>(), declared);
        assert!(TEXT_FIELDS.is_sorted_by_key(|(message, ..)| *message), "it is searched by its order");
    }

    #[test]
    fn reasons_are_free_and_names_are_not() {
        assert!(
            is_free_text("EndedView", "reason")
                && is_free_text("StationTransition", "operation_ended_outcome")
        );
        assert!(!is_free_text("EndedView", "queue") && !is_free_text("Listener", "listening"));
        assert!(!is_free_text("Nothing", "reason"));
    }
}

//! The protos against the sheet of field numbers (macp-wire.md) and what the specification prints.

use std::collections::BTreeMap;

use prost::Message;
use rl_console::macp::proto::DESCRIPTOR;

#[derive(Clone, PartialEq, Message)]
struct FileSet {
    #[prost(message, repeated, tag = "1")]
    file: Vec<File>,
}

#[derive(Clone, PartialEq, Message)]
struct File {
    #[prost(string, tag = "2")]
    package: String,
    #[prost(message, repeated, tag = "4")]
    message_type: Vec<Type>,
    #[prost(message, repeated, tag = "5")]
    enum_type: Vec<Enumeration>,
    #[prost(message, repeated, tag = "6")]
    service: Vec<Service>,
    #[prost(string, tag = "12")]
    syntax: String,
}

#[derive(Clone, PartialEq, Message)]
struct Type {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    field: Vec<Field>,
}

#[derive(Clone, PartialEq, Message)]
struct Field {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, tag = "3")]
    number: i32,
    #[prost(int32, tag = "4")]
    label: i32,
    #[prost(int32, tag = "5")]
    kind: i32,
    #[prost(string, tag = "6")]
    type_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Enumeration {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    value: Vec<EnumValue>,
}

#[derive(Clone, PartialEq, Message)]
struct EnumValue {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, tag = "2")]
    number: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Service {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    method: Vec<Method>,
}

#[derive(Clone, PartialEq, Message)]
struct Method {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    input: String,
    #[prost(string, tag = "3")]
    output: String,
    #[prost(bool, tag = "5")]
    client_streams: bool,
    #[prost(bool, tag = "6")]
    server_streams: bool,
}

/// `message: name:number type`, as the sheet and the specification have them; `*` is repeated.
const SHEET: &str = "\
Envelope: macp_version:1 string, mode:2 string, message_type:3 string, message_id:4 string,
    session_id:5 string, sender:6 string, timestamp_unix_ms:7 int64, payload:8 bytes
Ack: ok:1 bool, duplicate:2 bool, message_id:3 string, session_id:4 string, accepted_at_unix_ms:5 int64,
    session_state:6 SessionState, error:7 MACPError
MACPError: code:1 string, message:2 string, session_id:3 string, message_id:4 string, details:5 bytes
InitializeRequest: supported_protocol_versions:1 *string, client_info:2 ClientInfo,
    capabilities:3 Capabilities
InitializeResponse: selected_protocol_version:1 string, runtime_info:2 RuntimeInfo,
    capabilities:3 Capabilities, supported_modes:4 *string, instructions:5 string
SendRequest: envelope:1 Envelope
SendResponse: ack:1 Ack
GetSessionRequest: session_id:1 string
GetSessionResponse: metadata:1 SessionMetadata
SessionMetadata: session_id:1 string, mode:2 string, state:3 SessionState, started_at_unix_ms:4 int64,
    expires_at_unix_ms:5 int64, mode_version:6 string, configuration_version:7 string, policy_version:8 string
CancelSessionRequest: session_id:1 string, reason:2 string
CancelSessionResponse: ack:1 Ack
GetManifestRequest: agent_id:1 string
GetManifestResponse: manifest:1 AgentManifest
AgentManifest: agent_id:1 string, title:2 string, description:3 string, supported_modes:4 *string,
    input_content_types:5 *string, output_content_types:6 *string, metadata:7 *AgentManifest.MetadataEntry
ListModesRequest:
ListModesResponse: modes:1 *ModeDescriptor
ModeDescriptor: mode:1 string, mode_version:2 string, title:3 string, description:4 string,
    determinism_class:5 string, participant_model:6 string, message_types:7 *string,
    terminal_message_types:8 *string, schema_uris:9 *ModeDescriptor.SchemaUrisEntry
SessionStartPayload: intent:1 string, participants:2 *string, mode_version:3 string,
    configuration_version:4 string, policy_version:5 string, ttl_ms:6 int64, context:7 bytes, roots:8 *Root
Root: uri:1 string, name:2 string
ClientInfo: name:1 string, title:2 string, version:3 string, description:4 string, website_url:5 string
RuntimeInfo: name:1 string, title:2 string, version:3 string, description:4 string, website_url:5 string
SessionsCapability: stream:1 bool
CancellationCapability: cancel_session:1 bool
ProgressCapability: progress:1 bool
ManifestCapability: get_manifest:1 bool
ModeRegistryCapability: list_modes:1 bool, list_changed:2 bool
RootsCapability: list_roots:1 bool, list_changed:2 bool
ExperimentalCapabilities: features:1 *ExperimentalCapabilities.FeaturesEntry
Capabilities: sessions:1 SessionsCapability, cancellation:2 CancellationCapability,
    progress:3 ProgressCapability, manifest:4 ManifestCapability, mode_registry:5 ModeRegistryCapability,
    roots:6 RootsCapability, experimental:100 ExperimentalCapabilities
SignalPayload: signal_type:1 string, data:2 bytes, confidence:3 double, correlation_session_id:4 string
ProgressPayload: progress_token:1 string, progress:2 double, total:3 double, message:4 string,
    target_message_id:5 string
SessionCancelPayload: reason:1 string, cancelled_by:2 string
CommitmentPayload: commitment_id:1 string, action:2 string, authority_scope:3 string, reason:4 string,
    mode_version:5 string, policy_version:6 string, configuration_version:7 string
ListRootsRequest:
WatchModeRegistryRequest:
WatchRootsRequest:
ListRootsResponse: roots:1 *Root
RegistryChanged: registry:1 string, observed_at_unix_ms:2 int64
RootsChanged: observed_at_unix_ms:1 int64
WatchModeRegistryResponse: change:1 RegistryChanged
WatchRootsResponse: change:1 RootsChanged
StreamSessionRequest: envelope:1 Envelope
StreamSessionResponse: envelope:1 Envelope";

const DECISION: &str = "\
ProposalPayload: proposal_id:1 string, option:2 string, rationale:3 string, supporting_data:4 bytes
EvaluationPayload: proposal_id:1 string, recommendation:2 string, confidence:3 double, reason:4 string
ObjectionPayload: proposal_id:1 string, reason:2 string, severity:3 string
VotePayload: proposal_id:1 string, vote:2 string, reason:3 string";

fn files() -> Vec<File> {
    FileSet::decode(DESCRIPTOR).unwrap().file
}

fn line(of: &Type) -> String {
    let kind = |field: &Field| match field.kind {
        1 => "double".to_owned(),
        3 => "int64".to_owned(),
        8 => "bool".to_owned(),
        9 => "string".to_owned(),
        12 => "bytes".to_owned(),
        11 | 14 => field.type_name.trim_start_matches(".macp.v1.").to_owned(),
        other => format!("type {other}"),
    };
    let repeated = |field: &Field| if field.label == 3 { "*" } else { "" };
    let fields: Vec<_> =
        of.field.iter().map(|it| format!("{}:{} {}{}", it.name, it.number, repeated(it), kind(it))).collect();
    let line = format!("{}: {}", of.name, fields.join(", "));
    line.trim_end().to_owned()
}

fn messages(package: &str) -> BTreeMap<String, String> {
    let files = files().into_iter().filter(|file| file.package == package);
    files.flat_map(|file| file.message_type).map(|it| (it.name.clone(), line(&it))).collect()
}

fn expected(sheet: &str) -> BTreeMap<String, String> {
    // A line that begins with spaces goes on with the one before.
    let lines = sheet.replace("\n    ", " ");
    lines.lines().map(|line| (line.split(':').next().unwrap().to_owned(), line.to_owned())).collect()
}

#[test]
fn every_message_has_the_fields_of_the_sheet() {
    assert_eq!(messages("macp.v1"), expected(SHEET));
    assert_eq!(messages("macp.modes.decision.v1"), expected(DECISION));
    assert!(files().iter().all(|file| file.syntax == "proto3"));
}

#[test]
fn the_states_and_the_service_are_as_printed() {
    let files = files();
    let states = files.iter().flat_map(|file| &file.enum_type).find(|it| it.name == "SessionState").unwrap();
    let states: Vec<_> = states.value.iter().map(|value| (value.name.as_str(), value.number)).collect();
    let expected = [
        ("SESSION_STATE_UNSPECIFIED", 0),
        ("SESSION_STATE_OPEN", 1),
        ("SESSION_STATE_RESOLVED", 2),
        ("SESSION_STATE_EXPIRED", 3),
    ];
    assert_eq!(states, expected);
    let service = files.iter().flat_map(|file| &file.service).next().unwrap();
    assert_eq!(service.name, "MACPRuntimeService");
    let streams = |name: &str| match name {
        "StreamSession" => (true, true),
        "WatchModeRegistry" | "WatchRoots" => (false, true),
        _ => (false, false),
    };
    let names: Vec<_> = service.method.iter().map(|method| method.name.as_str()).collect();
    let printed = [
        "Initialize",
        "Send",
        "StreamSession",
        "GetSession",
        "CancelSession",
        "GetManifest",
        "ListModes",
        "WatchModeRegistry",
        "ListRoots",
        "WatchRoots",
    ];
    assert_eq!(names, printed);
    for method in &service.method {
        let name = &method.name;
        assert_eq!(
            (&method.input, &method.output),
            (&format!(".macp.v1.{name}Request"), &format!(".macp.v1.{name}Response"))
        );
        assert_eq!((method.client_streams, method.server_streams), streams(name));
    }
}

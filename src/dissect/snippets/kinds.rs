//! Every kind of frame, with its well-formed snippet, or why none has it.

use super::{Example, shipped};
use crate::{
    ids::TraceId,
    macp::{Mode, Rpc, registry},
    plugin::capability::{Hook, Method},
    registry::Family,
    rmp::FrameKind,
    runs::payload::ControlRequest,
    tap::entry::mpp::FrameType,
};

use Example::{None as Nothing, Snippet as Of};

/// A kind of frame.
#[derive(Clone, Debug)]
enum Kind {
    /// From an adapter (mpp-v2, frame set).
    FromAdapter(FrameType),
    /// To an adapter.
    ToAdapter(FrameType),
    /// Of the bus's session layer (ruling RMP 1).
    Control(FrameKind),
    /// A unit of the JSON dialect (ruling RMP 16).
    Unit(FrameKind),
    /// A message on the bus (rmp-v0 §2).
    Message(Family),
    /// A request to the control plane (rmp-v0 §9).
    Request(ControlRequest),
    /// What the station and its operators say to each other (rulings RMP 13 and 17).
    Operators(OperatorMessage),
    /// A call of the coordination runtime (macp-v1, gRPC Service Definition).
    Call(Rpc),
    /// The begin of a session (macp-v1, Message Type: `SessionStart`).
    Start(Mode),
    /// From a plugin (streamnook-host, Host methods).
    FromPlugin(Method),
    /// An event for a plugin.
    Event(Hook),
    /// Of a plugin's lifecycle, and answers.
    Lifecycle(Lifecycle),
}

#[derive(Clone, Copy, Debug)]
enum OperatorMessage {
    ActionRequest,
    ActionDecision,
    OperatorRequest,
}

#[derive(Clone, Copy, Debug)]
enum Lifecycle {
    Initialize,
    Initialized,
    Ping,
    InvokeAction,
    Shutdown,
    Exit,
    Result,
    Error,
    Answer,
}

impl OperatorMessage {
    const ALL: [Self; 3] = [Self::ActionRequest, Self::ActionDecision, Self::OperatorRequest];
}

impl Lifecycle {
    const ALL: [Self; 9] = [
        Self::Initialize,
        Self::Initialized,
        Self::Ping,
        Self::InvokeAction,
        Self::Shutdown,
        Self::Exit,
        Self::Result,
        Self::Error,
        Self::Answer,
    ];
}

fn all() -> impl Iterator<Item = Kind> {
    let of_bridge = FrameType::ALL.into_iter().map(Kind::FromAdapter);
    let of_bridge = of_bridge.chain(FrameType::ALL.into_iter().map(Kind::ToAdapter));
    let id = TraceId(uuid::Uuid::nil());
    let requests = [
        ControlRequest::RunSubmit { request_id: id, opening_yaml: String::new(), traceparent: None },
        ControlRequest::RunCancel { trace_id: id },
        ControlRequest::DescribeAgents { request_id: id, agents: Vec::new() },
    ];
    let operators = OperatorMessage::ALL.map(Kind::Operators);
    let of_bus = FrameKind::ALL.into_iter().map(Kind::Control);
    let of_bus = of_bus.chain(FrameKind::ALL.into_iter().map(Kind::Unit));
    let of_bus = of_bus.chain(Family::ALL.iter().copied().map(Kind::Message));
    let of_bus = of_bus.chain(requests.map(Kind::Request)).chain(operators);
    let of_sessions = Rpc::ALL.into_iter().map(Kind::Call).chain(Mode::ALL.into_iter().map(Kind::Start));
    let of_plugins = Method::ALL.into_iter().map(Kind::FromPlugin);
    let of_plugins = of_plugins.chain(Hook::ALL.into_iter().map(Kind::Event));
    let of_plugins = of_plugins.chain(Lifecycle::ALL.map(Kind::Lifecycle));
    of_bridge.chain(of_bus).chain(of_sessions).chain(of_plugins)
}

impl Kind {
    const fn example(&self) -> Example {
        match self {
            Self::FromAdapter(kind) => from_adapter(*kind),
            Self::ToAdapter(kind) => to_adapter(*kind),
            Self::Control(kind) => control(*kind),
            Self::Unit(kind) => unit(*kind),
            Self::Message(family) => message(*family),
            Self::Request(request) => Of(match request {
                ControlRequest::RunSubmit { .. } => "rmp/run-submit",
                ControlRequest::RunCancel { .. } => "rmp/run-cancel",
                ControlRequest::DescribeAgents { .. } => "rmp/describe-agents",
            }),
            Self::Operators(message) => match message {
                OperatorMessage::ActionRequest => Of("rmp/action-request"),
                OperatorMessage::ActionDecision => Of("rmp/action-decision"),
                OperatorMessage::OperatorRequest => {
                    Nothing("requests of operators are not in the tap, which has no verdict of them")
                }
            },
            Self::Call(rpc) => Of(call(*rpc)),
            Self::Start(Mode::Decision) => Of("macp/session-start"),
            Self::Start(Mode::MultiRound) => Of("macp/session-start-rounds"),
            Self::FromPlugin(method) => Of(from_plugin(*method)),
            Self::Event(hook) => Of(event(*hook)),
            Self::Lifecycle(lifecycle) => Of(match lifecycle {
                Lifecycle::Initialize => "plugin/initialize",
                Lifecycle::Initialized => "plugin/initialized",
                Lifecycle::Ping => "plugin/ping",
                Lifecycle::InvokeAction => "plugin/invoke-action",
                Lifecycle::Shutdown => "plugin/shutdown",
                Lifecycle::Exit => "plugin/exit",
                Lifecycle::Result => "plugin/result",
                Lifecycle::Error => "plugin/error",
                Lifecycle::Answer => "plugin/answer",
            }),
        }
    }
}

const fn from_adapter(kind: FrameType) -> Example {
    Of(match kind {
        FrameType::HelloAck | FrameType::Invocation => return Nothing("the bridge alone sends it"),
        FrameType::Hello => "mpp/hello",
        FrameType::Pull => "mpp/pull",
        FrameType::Ack => "mpp/ack",
        FrameType::Applied => "mpp/applied",
        FrameType::Done => "mpp/done",
        FrameType::Failed => "mpp/failed",
        FrameType::Heartbeat => "mpp/heartbeat",
        FrameType::Log => "mpp/log",
        FrameType::StateWrite => "mpp/state-write",
        FrameType::ProtocolError => "mpp/protocol-error",
    })
}

const fn to_adapter(kind: FrameType) -> Example {
    Of(match kind {
        FrameType::HelloAck => "mpp/hello-ack",
        FrameType::Invocation => "mpp/invocation",
        FrameType::Heartbeat => "mpp/heartbeat-to-adapter",
        FrameType::ProtocolError => "mpp/protocol-error-to-adapter",
        FrameType::Hello
        | FrameType::Pull
        | FrameType::Ack
        | FrameType::Applied
        | FrameType::Done
        | FrameType::Failed
        | FrameType::Log
        | FrameType::StateWrite => return Nothing("an adapter alone sends it"),
    })
}

const fn control(kind: FrameKind) -> Example {
    Of(match kind {
        FrameKind::Hello => "rmp/hello",
        FrameKind::Subscribe => "rmp/subscribe",
        FrameKind::Unsubscribe => "rmp/unsubscribe",
        FrameKind::Publish => "rmp/publish",
        FrameKind::Ping => "rmp/ping",
        FrameKind::Welcome => "rmp/welcome",
        FrameKind::Ok => "rmp/ok",
        FrameKind::Error => "rmp/error",
        FrameKind::Deliver => "rmp/deliver",
        FrameKind::Pong => "rmp/pong",
    })
}

const fn unit(kind: FrameKind) -> Example {
    Of(match kind {
        FrameKind::Hello => "rmp/json-hello",
        FrameKind::Subscribe => "rmp/json-subscribe",
        FrameKind::Unsubscribe => "rmp/json-unsubscribe",
        FrameKind::Publish => "rmp/json-publish",
        FrameKind::Welcome => "rmp/json-hello-ack",
        FrameKind::Ok => "rmp/json-publish-ack",
        FrameKind::Error => "rmp/json-error",
        FrameKind::Deliver => "rmp/json-message",
        FrameKind::Ping | FrameKind::Pong => return Nothing("the JSON dialect has no such unit"),
    })
}

const fn message(family: Family) -> Example {
    Of(match family {
        Family::Observation => "rmp/publish",
        Family::Intent => "rmp/intent",
        Family::ToolResult => "rmp/toolresult",
        Family::Artifact => "rmp/artifact",
        Family::Critique => "rmp/critique",
        Family::StateDelta => "rmp/statedelta",
        Family::Error => "rmp/error-report",
    })
}

const fn call(rpc: Rpc) -> &'static str {
    match rpc {
        Rpc::Initialize => "macp/initialize",
        Rpc::Send => "macp/message",
        Rpc::StreamSession => "macp/stream-session",
        Rpc::GetSession => "macp/get-session",
        Rpc::CancelSession => "macp/cancel-session",
        Rpc::GetManifest => "macp/get-manifest",
        Rpc::ListModes => "macp/list-modes",
        Rpc::ListRoots => "macp/list-roots",
        // Well-formed, and not implemented.
        Rpc::WatchModeRegistry => "macp/unimplemented",
        Rpc::WatchRoots => "macp/watch-roots",
    }
}

const fn from_plugin(method: Method) -> &'static str {
    match method {
        Method::GetFollowedLive => "plugin/get-followed-live",
        Method::SetUpstream => "plugin/set-upstream",
        Method::GetCredential => "plugin/get-credential",
        Method::Notify => "plugin/notify",
        Method::Log => "plugin/log",
        Method::RegisterPanel => "plugin/register-panel",
        Method::GetPanelValues => "plugin/get-panel-values",
        Method::SetStatus => "plugin/set-status",
    }
}

const fn event(hook: Hook) -> &'static str {
    match hook {
        Hook::OnStreamStart => "plugin/on-stream-start",
        Hook::OnStreamStop => "plugin/on-stream-stop",
        Hook::OnChannelChange => "plugin/on-channel-change",
        Hook::OnWatchTick => "plugin/on-watch-tick",
        Hook::OnFollowedLive => "plugin/on-followed-live",
        Hook::OnChatMessage => "plugin/on-chat-message",
        Hook::OnSettingsChange => "plugin/on-settings-change",
        Hook::OnPanelChange => "plugin/on-panel-change",
    }
}

/// The snippet of this name, which breaks nothing.
#[track_caller]
fn well_formed(name: &str) -> &'static super::Snippet {
    let found = shipped().iter().find(|it| it.name == name);
    let snippet = &found.unwrap_or_else(|| panic!("{name} is not shipped")).snippet;
    assert!(snippet.breakages.is_empty(), "{name} breaks something");
    snippet
}

#[test]
fn every_kind_of_frame_has_its_well_formed_snippet_or_the_reason_why_none() {
    for kind in all() {
        match kind.example() {
            Nothing(reason) => assert!(reason.len() > 20, "{kind:?}"),
            Of(name) => {
                let verdict = well_formed(name).expect.verdict.as_deref().unwrap();
                let ends = matches!(name, "mpp/protocol-error" | "macp/unimplemented" | "macp/watch-roots");
                assert_eq!(verdict == "refused", ends, "{name}");
            }
        }
    }
}

#[test]
fn every_message_of_a_mode_has_a_snippet_as_have_signals() {
    let of_modes = registry::descriptors().into_iter().flat_map(|mode| mode.message_types);
    for message_type in of_modes.chain(["Signal".to_owned()]) {
        let name = format!("macp/{}", message_type.to_lowercase());
        let snippet = well_formed(&name);
        assert_eq!(snippet.expect.verdict.as_deref(), Some("accepted"), "{name}");
        let super::SnippetFrame::Json(json) = snippet.frames.last().unwrap() else { panic!("{name}") };
        let json: serde_json::Value = serde_json::from_str(&json.to_text()).unwrap();
        assert_eq!(json["body"]["envelope"]["message_type"], message_type.as_str());
    }
}

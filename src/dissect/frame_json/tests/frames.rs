//! Random well-formed frames of every link.

use proptest::prelude::*;
use prost::Message as _;
use rmpv::Value;

use crate::{
    dissect::frame_json::{Format, RmpUnits},
    ids::{InvocationId, SessionId, TraceId},
    macp::{
        Rpc,
        proto::v1::{
            CancelSessionRequest, Capabilities, ClientInfo, Envelope, ExperimentalCapabilities,
            GetManifestRequest, GetSessionRequest, InitializeRequest, SendRequest, SessionStartPayload,
            SessionsCapability, SignalPayload,
        },
    },
    mpp::{
        Level,
        frame::{Persisted, encode as e},
    },
    plugin::rpc,
    rmp::{
        Header, RawFrame, Registry, SchemaId,
        control::{self, FromBroker, FromClient, Token},
        encode,
    },
};

/// JSON values with few leaves, as texts.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|it| it.to_string()),
        any::<u128>().prop_map(|it| it.to_string()),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<f64>().prop_map(|it| serde_json::to_string(&it).unwrap()),
        ".{0,8}".prop_map(|it| serde_json::to_string(&it).unwrap()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let member = ("[a-z\"\\\\$.é]{0,4}", inner.clone())
            .prop_map(|(name, value)| format!("{}:{value}", serde_json::to_string(&name).unwrap()));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::vec(member, 0..4).prop_map(|it| format!("{{{}}}", it.join(","))),
        ]
    })
}

fn object() -> impl Strategy<Value = String> {
    json().prop_filter("an object", |it| it.starts_with('{'))
}

/// A line of MPP as either side sends it.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (".{0,8}", ".{0,8}", ".{0,8}").prop_map(|(a, b, c)| e::hello(&a, &b, &c)),
        (".{0,8}", any::<u64>(), ".{0,8}", json(), any::<Option<bool>>()).prop_map(
            |(login, id, key, value, scope)| {
                let scope = scope.map(|_| key.clone().into());
                e::hello_ack(
                    &login,
                    SessionId(id),
                    &[Persisted { key: key.into(), value: value.into(), scope }],
                )
            }
        ),
        (any::<u64>(), ".{0,8}", ".{0,8}", object()).prop_map(|(id, queue, event, params)| e::invocation(
            InvocationId(id),
            &queue,
            &event,
            &params
        )),
        ".{0,8}".prop_map(|queue| e::pull(&queue)),
        any::<u64>().prop_map(|id| e::ack(InvocationId(id))),
        (any::<u64>(), object()).prop_map(|(id, result)| e::applied(InvocationId(id), Some(&result))),
        any::<u64>().prop_map(|id| e::done(InvocationId(id))),
        (any::<u64>(), ".{0,8}", any::<bool>()).prop_map(|(id, why, refund)| e::failed(
            InvocationId(id),
            &why,
            refund
        )),
        Just(e::heartbeat()),
        ".{0,8}".prop_map(|message| e::log(Level::Info, &message)),
        (".{0,8}", json()).prop_map(|(key, value)| e::state_write(&key, &value, Some("s"))),
        (".{0,8}", ".{0,8}").prop_map(|(code, message)| e::protocol_error(&code, &message)),
    ]
}

/// A request of MACP whose payload is any of those that there are.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..24),
        json().prop_map(String::into_bytes),
        (".{0,8}", any::<i64>(), prop::collection::vec(any::<u8>(), 0..4)).prop_map(
            |(intent, ttl_ms, context)| {
                let participants = vec![intent.clone(), String::new()];
                SessionStartPayload {
                    intent,
                    ttl_ms,
                    participants,
                    context: context.into(),
                    ..Default::default()
                }
                .encode_to_vec()
            }
        ),
        (".{1,8}", prop::collection::vec(any::<u8>(), 0..40), any::<u64>()).prop_map(
            |(signal_type, data, bits)| {
                let (data, confidence) = (data.into(), f64::from_bits(bits));
                SignalPayload { signal_type, data, confidence, ..Default::default() }.encode_to_vec()
            }
        ),
    ];
    let kind = prop::sample::select(vec!["SessionStart", "Signal", "Vote", "Contribute", "Message", ""]);
    (payload, kind, ".{0,8}", any::<i64>()).prop_map(|(payload, kind, id, timestamp_unix_ms)| {
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            message_type: kind.to_owned(),
            message_id: id.clone(),
            session_id: id,
            timestamp_unix_ms,
            payload: payload.into(),
            ..Envelope::default()
        };
        SendRequest { envelope: Some(envelope) }.encode_to_vec()
    })
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    (any::<u64>(), ".{0,8}", json(), any::<bool>()).prop_map(|(id, method, params, spaced)| {
        let params: Box<serde_json::value::RawValue> =
            serde_json::value::RawValue::from_string(params).unwrap();
        let frame = rpc::request(id, &method, &params).unwrap();
        let lines = if spaced { "A: b\r\n" } else { "" };
        [lines.as_bytes(), &frame].concat()
    })
}

/// A unit of the dialect around any JSON.
fn unit() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..12);
    let message = (bytes, any::<u128>()).prop_map(|(body, trace)| {
        format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{{"header":{{"trace_id":{trace}}},"body":{body:?}}}}}}}"#)
    });
    prop_oneof![json(), message]
        .prop_map(|text| [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat())
}

/// A value of MsgPack as any encoder may write it, but for its lengths.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Boolean),
        any::<u64>().prop_map(Value::from),
        (-200..200_i64).prop_map(Value::from),
        any::<u32>().prop_map(|bits| Value::F32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Value::F64(f64::from_bits(bits))),
        prop::sample::select(vec![0.0, -0.0, 1.0, f64::NAN, f64::INFINITY]).prop_map(Value::F64),
        ".{0,8}".prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Binary),
        (any::<i8>(), prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(kind, it)| Value::Ext(kind, it)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let pairs = |key: BoxedStrategy<Value>| {
            prop::collection::vec((key, inner.clone()), 0..4).prop_map(Value::Map)
        };
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            pairs("[a-z$é]{0,4}".prop_map(Value::from).boxed()),
            pairs(inner.clone().boxed()),
        ]
    })
}

fn header() -> impl Strategy<Value = Header> {
    (any::<u64>(), any::<u64>(), any::<u128>(), any::<u64>()).prop_map(
        |(created_at_ms, ttl_ms, trace, msg_id)| Header {
            schema_id: SchemaId::CONTROL,
            created_at_ms,
            ttl_ms,
            trace_id: TraceId(uuid::Uuid::from_u128(trace)),
            msg_id,
        },
    )
}

/// A message of the bus: of any schema, the envelope of its type around anything; seldom another body, or
/// flags that are not 0.
fn bus_message() -> impl Strategy<Value = Vec<u8>> {
    let registry = Registry::default();
    let schemas: Vec<_> = registry.schemas().map(|it| (it.id, it.canonical.to_owned())).collect();
    let body = (prop::sample::select(schemas), value(), prop::option::of(value())).prop_map(
        |((id, kind), payload, meta)| {
            let pair = |name: &str, value| (Value::from(name), value);
            let mut pairs = vec![pair("type", kind.into()), pair("payload", payload)];
            pairs.extend(meta.map(|meta| pair("meta", meta)));
            (id, encode::value(&Value::Map(pairs)).unwrap())
        },
    );
    let any_id = any::<u16>().prop_map(SchemaId);
    let odd = prop_oneof![
        value().prop_map(|it| encode::value(&it).unwrap()),
        prop::collection::vec(any::<u8>(), 1..24),
    ];
    let body = prop_oneof![4 => body, 1 => (any_id, odd)];
    (header(), body, prop::option::weighted(0.1, any::<(u32, u16, u32)>())).prop_map(
        |(header, (schema_id, body), odd)| {
            let body_len = u32::try_from(body.len()).unwrap();
            let mut raw = Header { schema_id, ..header }.raw(body_len);
            if let Some(odd) = odd {
                (raw.flags, raw.reserved2, raw.reserved4) = odd;
            }
            RawFrame { frame_len: 64 + body_len, header: raw, body: &body }.encode()
        },
    )
}

/// A control frame of either side; behind one that announces a message, that message.
fn session_unit() -> impl Strategy<Value = Vec<u8>> {
    (0..9_u8, header(), any::<[u64; 2]>(), any::<[bool; 2]>(), [".{0,8}", ".{0,8}"], bus_message()).prop_map(
        |(which, header, [one, other], [is_so, has_token], [a, b], message)| {
            let (a, b) = (&*a, &*b);
            let mut out = Vec::new();
            let client = match which {
                0 => {
                    let token = has_token.then_some(Token(b));
                    Some(FromClient::Hello { v: one, client: a, kind: b, token })
                }
                1 => Some(FromClient::Subscribe { sub: one, topic: a }),
                2 => Some(FromClient::Unsubscribe { sub: one }),
                3 => Some(FromClient::Publish { topic: a, ack: is_so }),
                4 => Some(FromClient::Ping {}),
                _ => None,
            };
            let broker = match which {
                5 => FromBroker::Welcome { session: one, kind: a, body_bytes_max: other, server: b },
                6 => FromBroker::Ok { re: one },
                7 => FromBroker::Error { re: one, code: a, message: b },
                _ => FromBroker::Deliver { sub: one, topic: a },
            };
            match client {
                Some(client) => control::append(&mut out, &header, &client),
                None => control::append(&mut out, &header, &broker),
            }
            // With a TTL of 0 the control frame is not taken, and announces nothing.
            if matches!(which, 3 | 8) && header.ttl_ms > 0 {
                out.extend(message);
            }
            out
        },
    )
}

/// A request of a call that carries no envelope.
fn plain_request() -> impl Strategy<Value = (Rpc, Vec<u8>)> {
    let initialize = ([".{0,8}", ".{0,8}", ".{0,8}"], any::<[bool; 3]>()).prop_map(
        |([name, version, value], [has_client, has_sessions, stream])| {
            let client = ClientInfo { name: name.clone(), version: value.clone(), ..Default::default() };
            let experimental = ExperimentalCapabilities { features: [(name, value)].into() };
            let capabilities = Capabilities {
                sessions: has_sessions.then_some(SessionsCapability { stream }),
                experimental: stream.then_some(experimental),
                ..Default::default()
            };
            let request = InitializeRequest {
                supported_protocol_versions: vec!["1.0".to_owned(), version],
                client_info: has_client.then_some(client),
                capabilities: Some(capabilities),
            };
            (Rpc::Initialize, request.encode_to_vec())
        },
    );
    let named = (0..3_u8, ".{0,8}", ".{0,8}").prop_map(|(which, id, reason)| match which {
        0 => (Rpc::GetSession, GetSessionRequest { session_id: id }.encode_to_vec()),
        1 => (Rpc::CancelSession, CancelSessionRequest { session_id: id, reason }.encode_to_vec()),
        _ => (Rpc::GetManifest, GetManifestRequest { agent_id: id }.encode_to_vec()),
    });
    let empty = [Rpc::ListModes, Rpc::WatchModeRegistry, Rpc::ListRoots, Rpc::WatchRoots];
    let empty = prop::sample::select(empty.to_vec()).prop_map(|rpc| (rpc, Vec::new()));
    prop_oneof![4 => initialize, 4 => named, 1 => empty]
}

/// A frame of any link, or the few that belong together, with its format.
pub(super) fn frame() -> impl Strategy<Value = (Format, Vec<u8>)> {
    prop_oneof![
        line().prop_map(|it| (Format::Mpp, it)),
        request().prop_map(|it| (Format::Macp(Rpc::Send), it)),
        request().prop_map(|it| (Format::Macp(Rpc::StreamSession), it)),
        plain_request().prop_map(|(rpc, it)| (Format::Macp(rpc), it)),
        message().prop_map(|it| (Format::Plugin, it)),
        unit().prop_map(|it| (Format::Rmp(RmpUnits::Json), it)),
        bus_message().prop_map(|it| (Format::Rmp(RmpUnits::Frames), it)),
        session_unit().prop_map(|it| (Format::Rmp(RmpUnits::Session), it)),
    ]
}

/// These bytes with another one at a place.
///
/// # Errors
/// Rejects the case in which it is the same, or there is none.
pub(super) fn changed(
    wire: &[u8],
    at: prop::sample::Index,
    byte: u8,
) -> Result<Vec<u8>, proptest::test_runner::TestCaseError> {
    prop_assume!(!wire.is_empty());
    let mut changed = wire.to_vec();
    let old = std::mem::replace(&mut changed[at.index(wire.len())], byte);
    prop_assume!(old != byte);
    Ok(changed)
}

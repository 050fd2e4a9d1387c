//! The snippets that are shipped.

use std::sync::LazyLock;

use super::snippet::Snippet;

/// A shipped snippet.
#[derive(Debug)]
pub(crate) struct Shipped {
    /// Its name: the link's, and that of the file.
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) text: &'static str,
    /// What it says.
    pub(crate) snippet: Snippet,
}

macro_rules! files {
    ($( $link:literal: $($name:literal)+; )+) => {
        /// The files by their names.
        pub(super) const FILES: &[(&str, &str)] = &[
            $( $( (
                concat!($link, "/", $name),
                include_str!(concat!($link, "/", $name, ".toml")),
            ), )+ )+
        ];
    };
}

files! {
    "mpp":
        "hello" "hello-ack" "invocation" "pull" "ack" "applied" "done" "failed" "failed-refund"
        "heartbeat" "heartbeat-to-adapter" "log" "state-write" "protocol-error"
        "protocol-error-to-adapter" "unsupported-mpp-version" "unpaired" "invalid-token"
        "pack-id-mismatch" "manifest-hash-mismatch"
        "already-connected" "not-utf8" "not-json" "not-object" "version" "no-type" "unknown-type"
        "hello-first" "second-hello" "wrong-direction" "missing" "mistyped" "already-parked"
        "still-in-flight" "no-such-queue" "not-dispatched-here" "already-ended" "not-applied"
        "already-applied" "refund-after-applied" "undeclared-key" "not-the-writer" "state-schema"
        "state-too-large" "too-large" "too-slow";
    "rmp":
        "hello" "subscribe" "unsubscribe" "ping" "publish" "intent" "toolresult" "artifact" "critique"
        "statedelta" "error-report" "run-submit" "run-cancel" "describe-agents" "action-request"
        "action-decision" "welcome" "ok" "error" "deliver" "pong" "invalid-magic"
        "unsupported-version" "truncated-header" "invalid-header-flags" "reserved-bytes"
        "length-mismatch" "unknown-schema" "body-too-large" "invalid-ttl" "invalid-expiry" "expired"
        "duplicate" "body-decode-error" "body-type-mismatch" "forbidden" "invalid-topic"
        "not-subscribed" "unauthorized" "busy" "json-hello" "json-publish" "json-subscribe"
        "json-unsubscribe" "json-hello-ack" "json-publish-ack" "json-subscribe-ack" "json-message"
        "json-error"
        "json-message-expired" "json-invalid-ttl" "json-body-length-mismatch" "json-forbidden"
        "json-body-type-mismatch" "json-invalid-expiry" "json-unknown-schema" "json-malformed"
        "json-too-large";
    "macp":
        "session-start" "session-start-rounds" "proposal" "evaluation" "objection" "vote" "commitment"
        "contribute" "message" "signal" "duplicate" "initialize" "stream-session" "get-session"
        "cancel-session" "get-manifest" "list-modes" "list-roots" "invalid-macp-version"
        "invalid-envelope" "not-a-participant" "duplicate-session" "invalid-ttl" "invalid-payload"
        "unknown-session" "session-not-open" "ttl-expired" "unknown-mode" "payload-too-large"
        "invalid-argument" "not-found" "unimplemented" "watch-roots" "resource-exhausted" "internal"
        "unavailable";
    "plugin":
        "get-followed-live" "set-upstream" "get-credential" "notify" "log" "register-panel"
        "get-panel-values" "set-status" "answer" "initialize" "initialized" "ping" "invoke-action"
        "on-stream-start" "on-stream-stop" "on-channel-change" "on-watch-tick" "on-followed-live"
        "on-chat-message" "on-settings-change" "on-panel-change" "result" "error" "shutdown" "exit"
        "parse-error" "invalid-request" "method-not-found" "invalid-params" "capability-denied"
        "consent-denied" "unknown-stream" "rate-limited" "shutting-down" "credential-unavailable"
        "no-length" "two-lengths" "length-not-decimal" "no-colon" "headers-too-long" "body-too-long";
}

/// All of them, by link, the well-formed frames of each first.
pub(crate) fn shipped() -> &'static [Shipped] {
    static ALL: LazyLock<Vec<Shipped>> = LazyLock::new(|| {
        let read = |(name, text): &(&'static str, &'static str)| {
            // A test reads each of them: none is left out.
            let snippet = Snippet::read(&format!("{name}.toml"), text).ok()?;
            Some(Shipped { name, text, snippet })
        };
        FILES.iter().filter_map(read).collect()
    });
    &ALL
}

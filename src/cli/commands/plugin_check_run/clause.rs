//! What is checked.

macro_rules! clauses {
    ($( $variant:ident = $name:literal, $says:literal; )*) => {
        /// A clause of the specification, in the order of the output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Clause {
            $( #[doc = $says] $variant, )*
        }

        impl Clause {
            /// All of them.
            pub(super) const ALL: [Self; [ $( $name, )* ].len()] = [ $( Self::$variant, )* ];

            /// Its name for scripts.
            pub(super) const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// What it asks for.
            pub(super) const fn says(self) -> &'static str {
                match self { $( Self::$variant => $says, )* }
            }
        }
    };
}

clauses! {
    HandshakeFull = "handshake_full", "Handshake: initialize is answered within 10 s, under the full grant";
    HandshakePartial = "handshake_partial", "Handshake: a partial grant is accepted, and the plugin keeps running";
    HandshakeEmpty = "handshake_empty", "Handshake: an empty grant is accepted, and the plugin keeps running";
    Ping = "ping", "Health: ping is answered with a result within 10 s";
    UnknownMethod = "unknown_method", "Errors: an unknown method is answered with -32601";
    SplitFrame = "split_frame", "Transport: a frame written byte by byte is read";
    JoinedFrames = "joined_frames", "Transport: two frames in one write are read";
    Headers = "headers", "Transport: header names in any case, and additional headers, are read";
    UnknownNotification = "unknown_notification", "Transport: an unknown notification is ignored, without a response";
    UnknownMembers = "unknown_members", "Versioning: unknown members are ignored";
    LargeFrame = "large_frame", "Transport: a frame of 1 MiB is read";
    Events = "events", "Events: the event of every hook is accepted";
    Actions = "actions", "Actions: every declared action is answered with a result or an error";
    Grant = "grant", "Versioning: no host method is called outside the grant";
    Methods = "methods", "Errors: only known host methods are called, with valid params";
    Envelopes = "envelopes", "Transport: every body is one JSON-RPC 2.0 message";
    Stdout = "stdout", "Transport: stdout carries frames only";
    Rate = "rate", "Rates: at most 1,000 calls per second";
    Credential = "credential", "Credentials: a token is used and not repeated to the host";
    Processes = "processes", "Process: no process leaves the plugin's own tree";
    Runs = "runs", "Health: the process runs, with stdout open, until exit";
    Shutdown = "shutdown", "Shutdown: shutdown is answered with null within 5 s";
    Exit = "exit", "Shutdown: the process ends with code 0 within 5 s after exit";
    Gone = "gone", "Shutdown: stdout is closed after the process ended";
    Stderr = "stderr", "Transport: stderr is free-form";
}

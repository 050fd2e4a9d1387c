//! What a plugin can break: frames that end its process, and what is noted and passed over.

use crate::tap::entry::names::names;

names! {
    /// A frame that cannot be read; the process is ended and restarted (streamnook-plugin-v1, Transport;
    /// ruling Plugins 5). The text beside it is what was seen.
    Violation {
        /// The headers have no `Content-Length`.
        NoLength = "no_length",
        /// The headers have more than one `Content-Length`.
        TwoLengths = "two_lengths",
        /// The length is no decimal number.
        LengthNotDecimal = "length_not_decimal",
        /// A header line has no colon.
        NoColon = "no_colon",
        /// The headers are longer than 4,096 bytes.
        HeadersTooLong = "headers_too_long",
        /// The body is longer than 4,194,304 bytes.
        BodyTooLong = "body_too_long",
        /// The stream ended within a frame.
        EndInFrame = "end_in_frame",
    }
    /// A departure from the specification that ends nothing.
    Lint {
        /// A header line ends with LF alone.
        BareLf = "bare_lf",
        /// An answer has no `jsonrpc`, or another than "2.0".
        AnswerVersion = "answer_version",
        /// An answer has both `result` and `error`, or neither.
        AnswerShape = "answer_shape",
        /// An answer fits no request that waits.
        UnmatchedAnswer = "unmatched_answer",
        /// A method that only requests call came as a notification; it was dropped.
        NotARequest = "not_a_request",
        /// A notification of an unknown method.
        UnknownNotification = "unknown_notification",
        /// A notification outside the grant; it was dropped.
        NotGranted = "not_granted",
        /// A notification whose params are not those of its method; it was dropped.
        NotificationParams = "notification_params",
        /// The answer to `initialize` has no `hooks`, or they are no list of strings.
        Hooks = "hooks",
        /// A hook that is not granted; it was ignored.
        HookNotGranted = "hook_not_granted",
        /// The answer to `initialize` has no `plugin_version`.
        PluginVersion = "plugin_version",
        /// A `log` without its level or message.
        LogParams = "log_params",
        /// A status of a slot that the manifest does not declare.
        UndeclaredSlot = "undeclared_slot",
        /// A status over `limits.plugin.status_bytes_max`.
        StatusTooLong = "status_too_long",
        /// A member of a panel's schema that is not as the specification has it; the panel was accepted.
        Panel = "panel",
        /// `ping` was answered by an error.
        PingError = "ping_error",
        /// The process ended otherwise than with code 0 after it was asked to.
        ExitCode = "exit_code",
        /// A token that was handed over came back; it was masked.
        TokenReturned = "token_returned",
    }
}

impl Violation {
    /// The violation in a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoLength => "a frame without Content-Length",
            Self::TwoLengths => "a frame with two Content-Length headers",
            Self::LengthNotDecimal => "a Content-Length that is no decimal number",
            Self::NoColon => "a header line without a colon",
            Self::HeadersTooLong => "headers over 4,096 bytes",
            Self::BodyTooLong => "a body over 4,194,304 bytes",
            Self::EndInFrame => "stdout ended within a frame",
        }
    }
}

impl Lint {
    /// The departure in a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::BareLf => "a header line ends with LF instead of CRLF",
            Self::AnswerVersion => "an answer without jsonrpc \"2.0\"",
            Self::AnswerShape => "an answer needs either result or error",
            Self::UnmatchedAnswer => "an answer to no open request",
            Self::NotARequest => "a request method without id: dropped",
            Self::UnknownNotification => "an unknown notification: dropped",
            Self::NotGranted => "a notification that is not granted: dropped",
            Self::NotificationParams => "a notification with invalid params: dropped",
            Self::Hooks => "initialize was answered without a list of hooks",
            Self::HookNotGranted => "a hook that is not granted: ignored",
            Self::PluginVersion => "initialize was answered without plugin_version",
            Self::LogParams => "a log without level or message",
            Self::UndeclaredSlot => "a status slot that the manifest does not declare: ignored",
            Self::StatusTooLong => "a status value over the limit: ignored",
            Self::Panel => "a panel member that is not as specified",
            Self::PingError => "ping was answered by an error",
            Self::ExitCode => "the exit code after exit is not 0",
            Self::TokenReturned => "a credential came back: masked",
        }
    }
}

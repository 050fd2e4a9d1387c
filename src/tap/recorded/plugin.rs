//! The plugin host: heads, verdicts, transitions.

use std::sync::Arc;

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    tap::entry::plugin::{
        About, ActionEnd, Code, Decision, DisableCause, ExitStatus, Head, Level, Lint, LogSource,
        StreamChange, Transition, UnhealthyCause, Verdict, Violation,
    },
    time::ClockShift,
};

recorded! {
    codes Code = PluginCode {
        ParseError, InvalidRequest, MethodNotFound, InvalidParams, InternalError, CapabilityDenied,
        ConsentDenied, UnknownStream, RateLimited, ShuttingDown, CredentialUnavailable,
    }
    codes Violation = PluginViolation {
        NoLength, TwoLengths, LengthNotDecimal, NoColon, HeadersTooLong, BodyTooLong, EndInFrame,
    }
    codes Lint = PluginLint {
        BareLf, AnswerVersion, AnswerShape, UnmatchedAnswer, NotARequest, UnknownNotification, NotGranted,
        NotificationParams, Hooks, HookNotGranted, PluginVersion, LogParams, UndeclaredSlot, StatusTooLong,
        Panel, PingError, ExitCode, TokenReturned,
    }
    codes UnhealthyCause = PluginUnhealthyCause {
        Exited, StdoutClosed, BrokenFrame, HandshakeTimeout, HandshakeRefused, PingsMissed, NotReading,
    }
    codes DisableCause = PluginDisableCause {
        ByOperator, RestartLimit, ProtocolVersion, EntryNotExecutable, Manifest,
    }
    codes Level = PluginLevel { Debug, Info, Warning, Error }
    codes LogSource = PluginLogSource { Log, Stderr, Host }
    codes Decision = PluginDecision { Allowed, AllowedAlways, Denied, TimedOut, Revoked, Gone }
    struct Head = PluginHead "plugin_head" { plugin, method, id, code, is_answer }
    enum Verdict = plugin_verdict::Kind, "plugin_verdict" in PluginVerdict.kind {
        Accepted = Accepted,
        Answered = Answered,
        Refused(code) = Refused(code),
        Ignored(lint) = Ignored(lint),
        Broken(violation) = Broken(violation),
    }
    struct About = PluginAbout "about" {
        name, version, author, description, folder, command, asks, is_networked, actions, slots, provides,
    }
    enum ExitStatus = plugin_exit_status::Kind, "exit_status" in PluginExitStatus.kind {
        Code(code) = Code(code),
        Signal(signal) = Signal(signal),
        Unknown = Unknown,
    }
    enum ActionEnd = plugin_action_end::Kind, "action_end" in PluginActionEnd.kind {
        Done = Done,
        Failed { code } = Failed(code),
        TimedOut = TimedOut,
        Gone = Gone,
        Refused(code) = Refused(code),
    }
    enum StreamChange = plugin_stream_change::Kind, "stream" in PluginStreamChange.kind {
        Channel { login } = Channel(wire::PluginStreamChannel { login }),
        Live { channels } = Live(channels),
        Session { id, is_there } = Session(wire::PluginStreamSession { id, is_there }),
        Upstream { plugin, id } = Upstream(wire::PluginStreamUpstream { plugin, id }),
        Chat { receivers } = Chat(receivers),
        ChatBatch { messages, receivers } = ChatBatch(wire::PluginStreamChatBatch { messages, receivers }),
        Tick = Tick,
    }
    enum Transition = plugin_transition::Kind, "plugin" in PluginTransition.kind {
        Installed { plugin, about } = Installed(wire::PluginInstalled { plugin, about }),
        Removed { plugin } = Removed(plugin),
        Granted { plugin, capabilities } = Granted(wire::PluginGranted { plugin, capabilities }),
        Revoked { plugin, capability } = Revoked(wire::PluginRevoked { plugin, capability }),
        Enabled { plugin } = Enabled(plugin),
        Starting { plugin, process, restarts } =
            Starting(wire::PluginStarting { plugin, process, restarts }),
        Up { plugin, pid, version, hooks, start_us } =
            Up(wire::PluginUp { plugin, pid, version, hooks, start_us }),
        Pinged { plugin, us } = Pinged(wire::PluginPinged { plugin, us }),
        Missed { plugin, misses } = Missed(wire::PluginMissed { plugin, misses }),
        Unhealthy { plugin, cause } = Unhealthy(wire::PluginUnhealthy { plugin, cause }),
        Waiting { plugin, until, nth } = Waiting(wire::PluginWaiting { plugin, until_ms: until, nth }),
        Disabled { plugin, cause } = Disabled(wire::PluginDisabled { plugin, cause }),
        Stopping { plugin } = Stopping(plugin),
        Stopped { plugin, status } = Stopped(wire::PluginStopped { plugin, status }),
        Linted { plugin, lint } = Linted(wire::PluginLinted { plugin, lint }),
        Notified { plugin, level } = Notified(wire::PluginNotified { plugin, level }),
        Logged { plugin, level, source } = Logged(wire::PluginLogged { plugin, level, source }),
        Status { plugin, slot } = Status(wire::PluginStatus { plugin, slot }),
        Panel { plugin, fields } = Panel(wire::PluginPanel { plugin, fields }),
        ValueSet { plugin, key } = ValueSet(wire::PluginValueSet { plugin, key }),
        Asked { plugin, kind, until } =
            Asked(wire::PluginAsked { plugin, credential: kind, until_ms: until }),
        Decided { plugin, kind, decision } =
            Decided(wire::PluginDecided { plugin, credential: kind, decision }),
        Handed { plugin, kind } = Handed(wire::PluginHanded { plugin, credential: kind }),
        ActionBegun { plugin, action, call } = ActionBegun(wire::PluginActionBegun { plugin, action, call }),
        ActionEnded { plugin, action, call, end, us } =
            ActionEnded(wire::PluginActionEnded { plugin, action, call, end, us }),
        EventsDropped { plugin, events } = EventsDropped(wire::PluginEventsDropped { plugin, events }),
        Throttled { plugin, on } = Throttled(wire::PluginThrottled { plugin, on }),
        Sampled { plugin, memory_bytes, cpu_permille } =
            Sampled(wire::PluginSampled { plugin, memory_bytes, cpu_permille }),
        Stream { change } = Stream(change),
        LinesCut { plugin, cut, dropped } = LinesCut(wire::PluginLinesCut { plugin, cut, dropped }),
    }
}

impl Recorded<Option<wire::PluginAbout>> for Arc<About> {
    fn recorded(&self) -> Option<wire::PluginAbout> {
        Some((**self).recorded())
    }

    fn live(
        it: Option<wire::PluginAbout>,
        field: &'static str,
        shift: ClockShift,
    ) -> Result<Self, DecodeError> {
        About::live(it, field, shift).map(Self::new)
    }
}

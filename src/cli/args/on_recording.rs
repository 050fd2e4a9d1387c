//! What each subcommand makes of `--recording`.

use super::{
    Command, GateAction, MplpAction, PackAction, PluginAction, RunAction, SessionAction, StreamAction,
    TriggerAction,
};

use OnRecording::{Acts, Asks, Neither, NotRecorded};

/// What a subcommand does where a recording is named in the place of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnRecording {
    /// It asks the recording.
    Asks,
    /// It asks for something that only a station has.
    NotRecorded(&'static str),
    /// It would do something.
    Acts,
    /// It has nothing to do with a station, or starts one.
    Neither,
}

impl Command {
    /// What it does there.
    pub(crate) const fn on_recording(&self) -> OnRecording {
        match self {
            Self::Ls(_) | Self::Trace(_) | Self::Tail(_) => Asks,
            Self::Run(action) => of_run(action),
            Self::Session(action) => of_session(action),
            Self::Mplp(action) => of_mplp(action),
            Self::Plugin(action) => of_plugin(action),
            Self::Stream(StreamAction::Show) => NotRecorded("what plays"),
            Self::Gate(GateAction::Ls) => NotRecorded("frames that are held"),
            Self::Trigger(TriggerAction::Ls) => NotRecorded("the triggers of a station"),
            Self::Trigger(TriggerAction::Test(_)) | Self::Opening(_) => Neither,
            Self::Status(_) => NotRecorded("the station's own figures"),
            Self::Invoke(_)
            | Self::Submit(_)
            | Self::Invocation(_)
            | Self::Stream(_)
            | Self::Hold(_)
            | Self::Resume(_)
            | Self::Drain(_)
            | Self::Alert(_)
            | Self::Adapter(_)
            | Self::Peer(_)
            | Self::Host(_)
            | Self::Stop(_)
            | Self::Record(_)
            | Self::Clip(_)
            | Self::Mark(_)
            | Self::Backup(_)
            | Self::Inject(_)
            | Self::Gate(_)
            | Self::Trigger(_)
            | Self::Publish(_)
            | Self::Sim(_)
            | Self::Cancel(_)
            | Self::Settle(_)
            | Self::Approve(_)
            | Self::Reject(_)
            | Self::Kick(_)
            | Self::Pair(_)
            | Self::Pack(PackAction::Migrate)
            | Self::Restart(_) => Acts,
            Self::Serve(_)
            | Self::Attach(_)
            | Self::Service(_)
            | Self::Replay(_)
            | Self::Recording(_)
            | Self::Pack(_)
            | Self::Decode(_)
            | Self::Encode(_)
            | Self::Snippet(_)
            | Self::Doctor
            | Self::Config(_)
            | Self::Keys
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Help(_)
            | Self::ContinueJob { .. } => Neither,
        }
    }
}

const fn of_run(action: &RunAction) -> OnRecording {
    match action {
        RunAction::Show { .. } | RunAction::Events { .. } => Asks,
        RunAction::Artifacts { .. } => NotRecorded("the artifacts of runs"),
        RunAction::Export(_) => NotRecorded("lifecycle records"),
        RunAction::Rate(_) | RunAction::Cancel(_) | RunAction::Approve(_) | RunAction::Reject(_) => Acts,
    }
}

const fn of_session(action: &SessionAction) -> OnRecording {
    match action {
        SessionAction::Show(_) | SessionAction::Ls(_) => Asks,
        SessionAction::Export(_) => NotRecorded("lifecycle records"),
        _ => Acts,
    }
}

const fn of_mplp(action: &MplpAction) -> OnRecording {
    match action {
        MplpAction::Validate(_) => Asks,
        MplpAction::Station(_) => NotRecorded("lifecycle records"),
        _ => Neither,
    }
}

const fn of_plugin(action: &PluginAction) -> OnRecording {
    match action {
        PluginAction::Logs { .. } => Asks,
        PluginAction::Show { .. } | PluginAction::Audit { .. } => {
            NotRecorded("the manifests and audits of plugins")
        }
        PluginAction::Check(_) => Neither,
        _ => Acts,
    }
}

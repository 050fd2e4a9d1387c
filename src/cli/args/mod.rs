//! The command line's grammar. Each flag's name, documentation and parsing stand in one place; help,
//! completions and manual pages come from it.

mod alert;
mod brakes;
mod bus;
mod commands;
mod earlier;
mod frames;
mod gate;
mod global;
mod inject;
mod invocations;
mod ls;
mod ls_flags;
mod mplp;
mod on_recording;
mod plugin;
#[cfg(test)]
mod printed;
mod recording;
mod records;
mod runs;
mod session;
mod sim;
mod sim_plugin;
mod snippet;
mod stop;
#[cfg(test)]
mod tests;
mod trigger;

pub(crate) use alert::AlertWhat;
pub(crate) use bus::{PeerArgs, PublishArgs, TailArgs, with_body};
pub(crate) use commands::{
    AttachArgs, BackupArgs, ClipArgs, Command, CompletionsArgs, ConfigAction, HelpArgs, ManArgs, MarkArgs,
    PackAction, PairArgs, RecordArgs, ServiceArgs,
};
pub(crate) use frames::{DecodeArgs, EncodeArgs, FrameLink, Moment};
pub(crate) use gate::{GateAction, GateArmArgs, GateDisarmArgs, GateEditArgs, OnTimeoutArg};
pub(crate) use global::{Cli, Global, PluginFolderArgs, ScreenArgs};
pub(crate) use inject::InjectArgs;
pub(crate) use invocations::{CancelInvocationsArgs, InvokeArgs, RequeueArgs, SettleArgs, SettleTo};
pub(crate) use ls::LsArgs;
pub(crate) use mplp::{MplpAction, MplpStationArgs, MplpValidateArgs};
pub(crate) use on_recording::OnRecording;
pub(crate) use plugin::{PluginAction, PluginCheckArgs, PluginSourceArgs, StreamAction, StreamSessionAction};
pub(crate) use recording::{
    ExportFormat, RecordingAction, RecordingCutArgs, RecordingExportArgs, ReplayArgs, Shot,
};
pub(crate) use records::{
    AdapterAction, DisconnectPeerArgs, HostAction, InvocationAction, PeerAction, RestartArgs,
};
pub(crate) use runs::{
    ActionName, CancelRunArgs, DecideArgs, OpeningAction, ParamsArgs, RateArgs, RunAction, RunExportArgs,
    RunName, SubmitArgs, TraceArgs, TraceFormat, TraceName,
};
pub(crate) use session::{
    OpeningArgs, Say, SessionAction, SessionCancelArgs, SessionExportArgs, SessionSendArgs, SessionShowArgs,
    SessionStartArgs, SessionStreamArgs, StreamLine, StreamWhat, Who, file_of,
};
pub(crate) use sim::{SimAdapterArgs, SimAgentArgs, SimMode, SimPeer, SimSessionArgs};
pub(crate) use sim_plugin::{SimBadFrame, SimFlood, SimPluginArgs, SimPluginBehaviour};
pub(crate) use snippet::{SnippetAction, SnippetCheckArgs, SnippetShowArgs};
pub(crate) use stop::{StatusArgs, StopArgs};
pub(crate) use trigger::{TriggerAction, TriggerAddArgs, TriggerTestArgs};

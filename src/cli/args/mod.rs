//! The command line's grammar. Each flag's name, documentation and parsing stand in one place; help, completions and manual pages come from
//! it.

mod brakes;
mod commands;
mod global;
mod ls;

pub(crate) use commands::{
    BackupArgs, CancelArgs, CancelWhat, Command, CompletionsArgs, ConfigAction, InvokeArgs, KickWhat, ManArgs, PackAction, PairArgs,
    RecordArgs, RestartArgs, RestartHost, SettleArgs, SettleTo, SimAdapterArgs, SimPeer, default_addr,
};
pub(crate) use global::{Cli, Global};
pub(crate) use ls::{LsArgs, LsWhat};

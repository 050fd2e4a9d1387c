//! What to do about the alerts of the coordination runtime.

use super::health::{host_remedy, port_remedy};
use crate::{
    console::model::{
        alerts::AlertKind,
        health::{command, instruction},
    },
    dissect::macp::describe_turn_away,
    macp::TurnAwayCause,
};

/// The kinds there are.
pub(crate) const KINDS: &[AlertKind] = &[
    AlertKind::new("host_down", |_, _| host_remedy()),
    AlertKind::new("port_down", |_, _| port_remedy()),
    AlertKind::new("turned_away", |alert, _| {
        let cause = TurnAwayCause::from_name(&alert.subject);
        let remedy = cause.map(|cause| instruction(describe_turn_away(cause).1));
        remedy.into_iter().chain(["ls clients", "ls health"].map(command)).collect()
    }),
];

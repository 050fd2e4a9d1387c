//! `gate arm` and `gate disarm`.

use serde::Serialize;

use super::decide::command;
use crate::{
    cli::{
        args::{GateArmArgs, GateDisarmArgs, OnTimeoutArg},
        context::Context,
        error::Error,
        operator,
    },
    port::{Arm, GateCommand, GateOutcome, OnTimeout, Way},
    words::counted,
};

/// A rule that was armed.
#[derive(Serialize)]
struct Armed {
    rule: u64,
}

/// Rules that were disarmed.
#[derive(Serialize)]
struct Disarmed {
    disarmed: Vec<u64>,
}

pub(super) fn arm(context: &mut Context, args: &GateArmArgs) -> Result<(), Error> {
    let way = match (args.inbound, args.outbound) {
        (true, _) => Some(Way::In),
        (false, true) => Some(Way::Out),
        (false, false) => None,
    };
    let arm = Arm {
        filter: args.filter.clone(),
        way,
        then: args.then,
        on_timeout: match args.on_timeout {
            OnTimeoutArg::Pass => OnTimeout::Pass,
            OnTimeoutArg::Drop => OnTimeout::Drop,
        },
        frames_max: args.max,
        per_mille: args.percent,
        seed: args.seed,
        for_ms: args.for_ms,
        // This command is over at once.
        stays: true,
    };
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let GateOutcome::Armed { rule } = command(&station, GateCommand::Arm(arm)).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&Armed { rule }, |row| format!("rule {} armed", row.rule))
    })
}

pub(super) fn disarm(context: &mut Context, args: &GateDisarmArgs) -> Result<(), Error> {
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let disarm = GateCommand::Disarm { rule: args.rule };
        let GateOutcome::Disarmed { rules: disarmed } = command(&station, disarm).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&Disarmed { disarmed }, |row| match &row.disarmed[..] {
            [] => "no rule is armed".to_owned(),
            [rule] => format!("rule {rule} disarmed"),
            rules => format!("{} disarmed", counted(rules.len() as u64, "rule")),
        })
    })
}

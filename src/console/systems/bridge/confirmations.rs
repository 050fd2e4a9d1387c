//! The questions before the bridge's rows are cancelled, settled or moved, and before its adapter is dropped.

use std::collections::BTreeMap;

use crate::{
    console::{
        draw::{format, theme::Role},
        input::action::Action,
        model::Model,
        overlays::{Answer, Answers, Confirm, DEFAULT_REASON, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        systems::bridge::{
            bulk::{self, BulkVerb},
            outcomes::bridge_command,
        },
        ui::{effect::Effect, state::Ui},
    },
    ids::{EventName, InvocationId, Peer, QueueName},
    mpp,
    tap::entry::mpp::RowState,
};

/// Rows and queues that are named one by one.
const LISTED_MAX: usize = 6;

/// Cancel this pending row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cancel {
    pub(crate) id: InvocationId,
    pub(crate) queue: QueueName,
    pub(crate) event: EventName,
}

impl Confirm for Cancel {
    fn title(&self) -> String {
        format!("Cancel {}?", self.id)
    }

    fn describe(&self, refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let Self { id, queue, event } = self;
        let mut words = vec![(
            format!("{id} {event} is pending on {queue}. It will be marked failed and never dispatched."),
            Role::Text,
        )];
        match no_longer_pending(model).get(id) {
            Some(RowState::Dispatched | RowState::Applied) => {
                words.push((
                    "It was dispatched meanwhile: the cancellation will be refused.".to_owned(),
                    Role::Warn,
                ));
            }
            Some(_) => {
                words.push((
                    "It has ended meanwhile: the cancellation will be refused.".to_owned(),
                    Role::Warn,
                ));
            }
            None => {}
        }
        words.push((describe_refund(refund, 1), Role::Accent));
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["End work manually", "cancel"])
    }

    fn answers(&self) -> Answers {
        Answers::Refund("cancel it")
    }

    fn commit(&self, answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let reason = DEFAULT_REASON.to_owned();
        let command = mpp::Command::Cancel { ids: vec![self.id], reason, refund: answer.refund };
        Ok(vec![bridge_command(command)])
    }
}

/// Cancel these rows, those of them that are still pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CancelMany {
    pub(crate) rows: Vec<(InvocationId, QueueName)>,
}

impl Confirm for CancelMany {
    fn title(&self) -> String {
        format!("Cancel {} marked?", format::count(self.rows.len() as u64))
    }

    fn describe(&self, refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_cancel_many(&self.rows, refund, model)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["End work manually", "cancel"])
    }

    fn answers(&self) -> Answers {
        Answers::Refund("cancel all")
    }

    fn commit(&self, answer: Answer<'_>, ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let moved = no_longer_pending(model);
        for (id, _) in self.rows.iter().filter(|(id, _)| moved.contains_key(id)) {
            ui.systems.bridge.marked_rows.remove(*id);
        }
        let ids = self.rows.iter().map(|(id, _)| *id).filter(|id| !moved.contains_key(id)).collect();
        Ok(bulk::start(ui, ids, BulkVerb::Cancel { refund: answer.refund }))
    }
}

/// End this row that was left in applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settle {
    pub(crate) id: InvocationId,
    pub(crate) queue: QueueName,
    pub(crate) event: EventName,
}

impl Confirm for Settle {
    fn title(&self) -> String {
        format!("Settle {}?", self.id)
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        let Self { id, queue, event } = self;
        let (done, failed) = (view.key(Action::SettleDone), view.key(Action::SettleFailed));
        let mut words = vec![
            (format!("Mark {id} as done ({done}) or as failed ({failed})?"), Role::Text),
            (
                format!("{event} on {queue} was applied, then the adapter was lost; outcome unknown."),
                Role::Muted,
            ),
        ];
        if !model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.orphaned)) {
            words.push(("It has ended meanwhile: settling will be refused.".to_owned(), Role::Warn));
        }
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["End work manually", "settle"])
    }

    fn answers(&self) -> Answers {
        Answers::Outcome
    }

    fn commit(&self, answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let to =
            if answer.chosen == Action::SettleDone { mpp::Settlement::Done } else { mpp::Settlement::Failed };
        Ok(vec![bridge_command(mpp::Command::Settle { id: self.id, to })])
    }
}

/// Move the pending rows of another manifest to the one in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Migrate;

impl Confirm for Migrate {
    fn title(&self) -> String {
        "Move rows to this pack?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_migrate(model)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("pack", ["Change a pack"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("move")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        Ok(vec![bridge_command(mpp::Command::Migrate)])
    }
}

/// Drop this adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kick {
    pub(crate) peer: Peer,
}

impl Confirm for Kick {
    fn title(&self) -> String {
        "Disconnect the adapter?".to_owned()
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_kick(model, &self.peer)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["Disconnect"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("disconnect")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let adapter = model.mpp().and_then(|mpp| mpp.adapter.as_ref());
        if adapter.is_none_or(|adapter| adapter.peer != self.peer) {
            return Err(format!("{} has already disconnected", self.peer));
        }
        Ok(vec![bridge_command(mpp::Command::Kick)])
    }
}

fn describe_refund(refund: bool, rows: usize) -> String {
    let yes = if rows == 1 { "yes".to_owned() } else { "yes, for each".to_owned() };
    format!("refund: {}", if refund { yes } else { "no".to_owned() })
}

/// Rows that are no longer pending, as far as the console knows.
fn no_longer_pending(model: &Model) -> BTreeMap<InvocationId, RowState> {
    let Some(mpp) = model.mpp() else { return BTreeMap::new() };
    let ended = mpp.recent.iter().map(|row| (row.id, row.state));
    ended.chain(mpp.live.iter().map(|(id, live)| (*id, live.state))).collect()
}

fn describe_cancel_many(
    rows: &[(InvocationId, QueueName)],
    refund: bool,
    model: &Model,
) -> Vec<(String, Role)> {
    let moved = no_longer_pending(model);
    let mut queues: BTreeMap<&QueueName, usize> = BTreeMap::new();
    let mut gone: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, queue) in rows {
        match moved.get(id) {
            Some(state) => *gone.entry(state.name()).or_default() += 1,
            None => *queues.entry(queue).or_default() += 1,
        }
    }
    let pending: usize = queues.values().sum();
    let each: Vec<String> = queues.iter().map(|(queue, count)| format!("{count} on {queue}")).collect();
    let mut words = vec![(
        format!(
            "{pending} pending: {}. They will be marked failed and never dispatched.",
            join_some(&each, LISTED_MAX)
        ),
        Role::Text,
    )];
    if pending == 0 {
        words = vec![("None of them is still pending.".to_owned(), Role::Warn)];
    }
    if !gone.is_empty() {
        let count: usize = gone.values().sum();
        let states: Vec<String> = gone.iter().map(|(state, count)| format!("{count} {state}")).collect();
        words.push((format!("{count} no longer pending, skipped: {}.", states.join(", ")), Role::Warn));
    }
    words.push((describe_refund(refund, rows.len()), Role::Accent));
    words
}

fn describe_migrate(model: &Model) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let of = mpp.queues.iter().filter(|(_, queue)| queue.other_manifest > 0);
    let each: Vec<String> = of.map(|(name, queue)| format!("{} on {name}", queue.other_manifest)).collect();
    let count: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if count == 0 {
        return vec![("None is still pending.".to_owned(), Role::Warn)];
    }
    vec![
        (format!("{count} pending under a stale manifest: {}.", join_some(&each, LISTED_MAX)), Role::Text),
        (format!("Rows that fit {} {} move to it and are dispatched in order.", mpp.pack.id, mpp.pack.version), Role::Text),
        (
            "Rows of a queue it lacks fail. Rows that do not fit its schemas, or belong to another pack, are left unchanged.".to_owned(),
            Role::Text,
        ),
    ]
}

fn describe_kick(model: &Model, peer: &Peer) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let mut words = vec![(format!("{peer} will be disconnected; it may reconnect at once."), Role::Text)];
    let with_it = |state| {
        mpp.live
            .iter()
            .filter(move |(_, live)| live.state == state && !live.orphaned)
            .map(|(id, _)| id.to_string())
    };
    let dispatched: Vec<_> = with_it(RowState::Dispatched).collect();
    let applied: Vec<_> = with_it(RowState::Applied).collect();
    if !dispatched.is_empty() {
        let (count, ids) = (dispatched.len(), join_some(&dispatched, LISTED_MAX));
        words.push((
            format!("{count} dispatched will be requeued at the head, and may be applied twice: {ids}."),
            Role::Warn,
        ));
    }
    if !applied.is_empty() {
        words.push((
            format!(
                "{} applied will be orphaned, to be settled manually: {}.",
                applied.len(),
                join_some(&applied, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    if mpp.adapter.as_ref().is_none_or(|adapter| adapter.peer != *peer) {
        words.push(("It has already disconnected.".to_owned(), Role::Warn));
    }
    words
}

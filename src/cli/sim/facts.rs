//! What an adapter knows of its pack.

use crate::{
    ids::{ManifestHash, PackId, QueueName, StateKey},
    mpp::{
        ReadyAfter,
        manifest::{Pack, StateDecl, Writer},
    },
};

/// A pack as an adapter needs it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    /// Its identifier.
    pub(crate) pack_id: PackId,
    /// Its manifest's hash.
    pub(crate) manifest_hash: ManifestHash,
    /// Every queue.
    pub(crate) queues: Vec<(QueueName, ReadyAfter)>,
    /// The state keys that an adapter writes.
    pub(crate) keys: Vec<(StateKey, StateDecl)>,
}

impl Facts {
    /// What an adapter needs of a pack.
    pub(crate) fn of(pack: &Pack) -> Self {
        let keys = pack.state.iter().filter(|(_, decl)| decl.writer == Writer::Adapter);
        Self {
            pack_id: pack.id.clone(),
            manifest_hash: pack.hash.clone(),
            queues: pack.queues.iter().map(|(name, queue)| (name.clone(), queue.ready_after)).collect(),
            keys: keys.map(|(key, decl)| (key.clone(), decl.clone())).collect(),
        }
    }
}

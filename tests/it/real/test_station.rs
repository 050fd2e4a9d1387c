//! A paired data folder with a station on it, as tests from the shell and from the wire need one.

use rl_console::{
    ids::InvocationId,
    port::{Operator, Page, Query},
    station::OperatorClient,
    tap::entry::mpp::RowState,
};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use super::{Adapter, Station, json, pair};

/// A paired data folder with a station on it.
pub(crate) struct TestStation {
    pub(crate) folder: TempDir,
    pub(crate) token: String,
    pub(crate) station: Station,
}

impl TestStation {
    pub(crate) fn open() -> Self {
        let folder = tempdir().unwrap();
        let token = pair(folder.path());
        let station = Station::start(folder.path());
        Self { folder, token, station }
    }

    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        json(self.folder.path(), args)
    }

    pub(crate) fn adapter(&self) -> Adapter {
        Adapter::ready(self.station.mpp, &self.token)
    }

    pub(crate) fn give_item(&self) -> u64 {
        self.json(&["invoke", "give_item", "--params", r#"{"item_id":4,"count":1}"#])[0]["id"]
            .as_u64()
            .unwrap()
    }

    pub(crate) fn state_of(&self, id: u64) -> String {
        let rows = self.json(&["ls", "invocations"]);
        let row = rows.iter().find(|row| row["id"] == id).unwrap();
        row["state"].as_str().unwrap().to_owned()
    }

    /// Waits, without polling, until the row has this state.
    pub(crate) fn wait_for(&self, id: u64, state: RowState) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reached = runtime.block_on(async {
            let client = OperatorClient::connect(self.folder.path()).await.unwrap();
            client
                .query(Query::InvocationWhen { id: InvocationId(id), state, timeout_ms: 30_000 })
                .await
                .unwrap()
        });
        let Page::Invocation(Some(row)) = reached else { panic!("{reached:?}") };
        assert_eq!(row.state, state);
    }
}

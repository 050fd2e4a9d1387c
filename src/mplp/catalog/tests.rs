use std::collections::BTreeSet;

use serde_json::Value;

use super::{SchemaGroup as G, *};

#[test]
fn names_paths_and_ids_are_those_of_the_facts() {
    let mut seen = BTreeSet::new();
    for id in SchemaId::ALL {
        let file = id.path().rsplit('/').next().unwrap();
        let name = file.strip_suffix(".schema.json").unwrap();
        assert_eq!(id.name(), name.strip_prefix("mplp-").unwrap_or(name));
        assert_eq!([SchemaId::named(id.name()), SchemaId::named(id.path())], [Some(id); 2]);
        assert_eq!(SchemaId::ALL[id.place()], id);
        let folder = id.path().split_once('/').map_or("module", |it| it.0);
        assert_eq!(id.group().as_str(), folder);
        let document: Value = serde_json::from_str(id.text()).unwrap();
        assert_eq!(document["$schema"], "http://json-schema.org/draft-07/schema#");
        let expected = match id.group() {
            SchemaGroup::Module | SchemaGroup::Common => {
                format!("https://schemas.mplp.dev/v1.0/{}", id.path())
            }
            SchemaGroup::Event | SchemaGroup::Learning => {
                format!("https://mplp.dev/schemas/v1.0/{}", id.path())
            }
            SchemaGroup::Integration => {
                let path = id.path().replace("-event.schema.json", "-event.json");
                format!("https://mplp.dev/schemas/v1.0/{path}")
            }
        };
        assert_eq!(document["$id"], expected);
        assert!(document["title"].is_string() && document["description"].is_string());
        let meta = serde_json::json!({
            "protocolVersion": "1.0.0", "frozen": true, "freezeDate": "2025-12-03", "governance": "MPGC"
        });
        assert_eq!(document["x-mplp-meta"], meta);
        assert!(seen.insert(id.name()) && seen.insert(id.path()), "{id} twice");
    }
    let count = |group| SchemaId::ALL.iter().filter(|it| it.group() == group).count();
    assert_eq!([G::Module, G::Common, G::Event, G::Integration, G::Learning].map(count), [10, 6, 6, 4, 3]);
    assert_eq!(SchemaId::named("mplp-plan"), None);
}

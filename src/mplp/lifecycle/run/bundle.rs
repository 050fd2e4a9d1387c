//! The bundle of a record (ruling MPLP 12).

use serde_json::{Map, Value};

use super::super::item::Item;
use crate::mplp::{
    Profile,
    bundle::{BUNDLE_MEMBERS, BundleMember, PROTOCOL_VERSION, member_of},
};

/// The objects and events of one record: the Context, Plan, Trace, Core and Network, Roles, Extensions,
/// Confirms, Dialogs and Collabs, then the events of all families as they happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    profile: Profile,
    items: Vec<Item>,
}

impl Bundle {
    /// Puts the items of a record in the order of ruling 12; those of one member keep theirs. What no member
    /// of a bundle holds is left out, and so is a second object of a kind of which a bundle has one.
    #[must_use]
    pub fn new(profile: Profile, items: Vec<Item>) -> Self {
        let mut members: [Vec<Item>; BUNDLE_MEMBERS.len()] = Default::default();
        for item in items {
            let Some((name, member)) = member_of(item.schema) else { continue };
            let Some(place) = BUNDLE_MEMBERS.iter().position(|(known, _)| *known == name) else { continue };
            if !matches!(member, BundleMember::One(_)) || members[place].is_empty() {
                members[place].push(item);
            }
        }
        Self { profile, items: members.into_iter().flatten().collect() }
    }

    /// The profile that the record claims (ruling MPLP 15).
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Its objects and events, in the bundle's order.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// It as JSON. A list is there where it has an item.
    #[must_use]
    pub fn value(&self) -> Value {
        self.clone().into_value()
    }

    /// It as JSON, without a copy.
    #[must_use]
    pub fn into_value(self) -> Value {
        let mut members = Map::new();
        members.insert("mplp".to_owned(), PROTOCOL_VERSION.into());
        members.insert("profile".to_owned(), self.profile.as_str().into());
        for Item { schema, object, .. } in self.items {
            let Some((name, member)) = member_of(schema) else { continue };
            if matches!(member, BundleMember::One(_)) {
                members.insert(name.to_owned(), object);
            } else if let Value::Array(list) = members.entry(name).or_insert_with(|| Value::Array(Vec::new()))
            {
                list.push(object);
            }
        }
        Value::Object(members)
    }
}

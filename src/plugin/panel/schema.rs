//! What a panel has.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PathFault, read};
use crate::limits;

macro_rules! field_types {
    ($( $(#[$doc:meta])* $variant:ident = $text:literal ),* $(,)?) => {
        /// The type of a field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FieldType {
            $( $(#[$doc])* $variant, )*
        }

        impl FieldType {
            /// All of them, in the order of the catalogue.
            pub const ALL: [Self; [ $( $text, )* ].len()] = [ $( Self::$variant, )* ];

            /// Its name in a schema.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $text, )* }
            }

            /// The one of this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $text => Some(Self::$variant), )* _ => None }
            }
        }
    };
}

field_types! {
    /// On or off: a boolean.
    Toggle = "toggle",
    /// A number.
    Number = "number",
    /// The value of one of its options.
    Select = "select",
    /// A string.
    Text = "text",
    /// A list of strings.
    StringList = "string_list",
    /// A list of channels.
    ChannelList = "channel_list",
    /// A number, shown on a scale.
    Slider = "slider",
    /// A path, a string; empty for the plugin's default.
    Folder = "folder",
}

/// A panel that was registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Its title, 1 to 60 characters.
    pub title: Arc<str>,
    /// Its sections, at most 32. No two fields of them have the same key.
    pub sections: Vec<Section>,
}

/// A section of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its label.
    pub label: Arc<str>,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Its fields, at most 64.
    pub fields: Vec<Field>,
}

/// A field of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its key, `[A-Za-z0-9_.-]{1,64}`.
    pub key: Arc<str>,
    /// Its label.
    pub label: Arc<str>,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Its value until one is stored. It is a value of the field.
    pub default: Option<Value>,
    /// What is shown in place of an empty value.
    pub placeholder: Option<Arc<str>>,
    /// The unit of its value.
    pub unit: Option<Arc<str>>,
    /// Its type, with what only that one has.
    pub kind: FieldKind,
}

/// The type of a field, with what only that one has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// [`FieldType::Toggle`].
    Toggle,
    /// [`FieldType::Number`].
    Number(Range),
    /// [`FieldType::Select`], with one option at least.
    Select(Vec<Choice>),
    /// [`FieldType::Text`].
    Text,
    /// [`FieldType::StringList`].
    StringList,
    /// [`FieldType::ChannelList`].
    ChannelList,
    /// [`FieldType::Slider`].
    Slider {
        /// From where to where it goes.
        range: Range,
        /// What the value is divided by where it is shown; above 0.
        display_divisor: Option<f64>,
    },
    /// [`FieldType::Folder`].
    Folder,
}

/// The numbers that a field takes. Where both ends are there, the first is not above the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The smallest.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// How far a key press goes, above 0. Values between are taken as well.
    pub step: Option<f64>,
}

/// An option of a select.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Its value: a string, a number or a boolean.
    pub value: Value,
    /// Its label.
    pub label: Arc<str>,
}

impl Schema {
    /// The most characters of a title.
    pub const TITLE_CHARACTERS_MAX: usize = 60;
    /// The most sections.
    pub const SECTIONS_MAX: usize = 32;
    /// The most fields of a section.
    pub const SECTION_FIELDS_MAX: usize = 64;
    /// The most characters of a key.
    pub const KEY_CHARACTERS_MAX: usize = 64;

    /// Reads the params of `register_panel`, given as JSON text, and what in them is not as the specification
    /// has it, at most `shown_names_max` of it. Unknown members are ignored (streamnook-plugin-v1, Versioning
    /// rules).
    ///
    /// # Errors
    /// Where and why they are refused with `-32602`. A schema over `panel_bytes_max` is not read.
    pub fn parse(params: &str, limits: &limits::Plugin) -> Result<(Self, Vec<PathFault>), PathFault> {
        read::schema(params, limits)
    }

    /// All fields, in the order of the panel.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.sections.iter().flat_map(|section| &section.fields)
    }

    /// The field of this key.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields().find(|field| &*field.key == key)
    }
}

impl FieldKind {
    /// The type.
    #[must_use]
    pub const fn field_type(&self) -> FieldType {
        match self {
            Self::Toggle => FieldType::Toggle,
            Self::Number(_) => FieldType::Number,
            Self::Select(_) => FieldType::Select,
            Self::Text => FieldType::Text,
            Self::StringList => FieldType::StringList,
            Self::ChannelList => FieldType::ChannelList,
            Self::Slider { .. } => FieldType::Slider,
            Self::Folder => FieldType::Folder,
        }
    }
}

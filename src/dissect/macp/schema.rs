//! What the messages of the coordination protocol are made of, as its own descriptors say.

use std::{collections::BTreeMap, sync::LazyLock};

use prost::{Message as _, encoding::WireType};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};

use crate::{macp::proto, tap::recorded};

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Text,
    Bytes,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A number of eight bytes with a point.
    Double,
    /// One of the names of this enumeration.
    Enum(String),
    /// A message of this name.
    Message(String),
    /// Something that the protocol does not use.
    Other,
}

impl FieldType {
    /// How such a field is written; nothing for types that the protocol does not use.
    pub(crate) const fn wire_type(&self) -> Option<WireType> {
        match self {
            Self::Text | Self::Bytes | Self::Message(_) => Some(WireType::LengthDelimited),
            Self::Boolean | Self::Integer | Self::Enum(_) => Some(WireType::Varint),
            Self::Double => Some(WireType::SixtyFourBit),
            Self::Other => None,
        }
    }
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    #[expect(clippy::struct_field_names, reason = "`type` is a word of the language")]
    pub(crate) field_type: FieldType,
    /// Whether there can be several.
    pub(crate) is_repeated: bool,
}

/// All messages and enumerations, by their full names.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    messages: BTreeMap<String, BTreeMap<u32, Field>>,
    enums: BTreeMap<String, BTreeMap<i32, String>>,
}

impl Schema {
    /// The protocol's own.
    pub(crate) fn of_macp() -> &'static Self {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of(proto::DESCRIPTOR));
        &SCHEMA
    }

    /// That of entries and snapshots in their recorded form.
    pub(crate) fn of_tap() -> &'static Self {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of(recorded::DESCRIPTOR));
        &SCHEMA
    }

    /// That of a file descriptor set.
    fn of(descriptor: &[u8]) -> Self {
        let mut schema = Self::default();
        for file in FileDescriptorSet::decode(descriptor).unwrap_or_default().file {
            let package = format!(".{}", file.package());
            file.message_type.iter().for_each(|message| schema.add_message(&package, message));
            file.enum_type.iter().for_each(|it| schema.add_enum(&package, it));
        }
        schema
    }

    fn add_message(&mut self, within: &str, message: &DescriptorProto) {
        let name = format!("{within}.{}", message.name());
        message.nested_type.iter().for_each(|nested| self.add_message(&name, nested));
        message.enum_type.iter().for_each(|nested| self.add_enum(&name, nested));
        let fields = message.field.iter().filter_map(|field| {
            let holds = match field.r#type() {
                Type::String => FieldType::Text,
                Type::Bytes => FieldType::Bytes,
                Type::Bool => FieldType::Boolean,
                Type::Int32 | Type::Int64 | Type::Uint32 | Type::Uint64 => FieldType::Integer,
                Type::Double => FieldType::Double,
                Type::Enum => FieldType::Enum(field.type_name().to_owned()),
                Type::Message => FieldType::Message(field.type_name().to_owned()),
                _ => FieldType::Other,
            };
            let field_of = Field {
                name: field.name().to_owned(),
                field_type: holds,
                is_repeated: field.label() == Label::Repeated,
            };
            Some((u32::try_from(field.number()).ok()?, field_of))
        });
        self.messages.insert(name, fields.collect());
    }

    fn add_enum(&mut self, within: &str, it: &EnumDescriptorProto) {
        let values = it.value.iter().map(|value| (value.number(), value.name().to_owned()));
        self.enums.insert(format!("{within}.{}", it.name()), values.collect());
    }

    /// A field of a message by its number.
    pub(crate) fn field(&self, message: &str, number: u32) -> Option<&Field> {
        self.messages.get(message)?.get(&number)
    }

    /// A field of a message by its name, with its number.
    pub(crate) fn named(&self, message: &str, name: &str) -> Option<(u32, &Field)> {
        let mut fields = self.messages.get(message)?.iter();
        fields.find(|(_, field)| field.name == name).map(|(number, field)| (*number, field))
    }

    /// The number of a name of an enumeration.
    pub(crate) fn number(&self, of: &str, name: &str) -> Option<i32> {
        let mut names = self.enums.get(of)?.iter();
        names.find(|(_, known)| *known == name).map(|(number, _)| *number)
    }

    /// The fields of a message by their numbers; nothing for a message that is not known.
    #[cfg(test)]
    fn fields(&self, message: &str) -> impl Iterator<Item = (u32, &Field)> {
        self.messages.get(message).into_iter().flatten().map(|(number, field)| (*number, field))
    }

    /// What a number of an enumeration is called.
    pub(crate) fn name(&self, of: &str, number: u64) -> Option<&str> {
        self.enums.get(of)?.get(&i32::try_from(number).ok()?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_has_the_fields_that_the_protocol_prints() {
        let fields: Vec<_> = Schema::of_macp()
            .fields(".macp.v1.Envelope")
            .map(|(number, field)| (number, field.name.as_str()))
            .collect();
        let printed = [
            "macp_version",
            "mode",
            "message_type",
            "message_id",
            "session_id",
            "sender",
            "timestamp_unix_ms",
            "payload",
        ];
        assert_eq!(fields, (1..).zip(printed).collect::<Vec<_>>());
        let ack = Schema::of_macp().field(".macp.v1.SendResponse", 1).unwrap();
        assert_eq!(ack.field_type, FieldType::Message(".macp.v1.Ack".to_owned()));
        assert_eq!(Schema::of_macp().name(".macp.v1.SessionState", 3), Some("SESSION_STATE_EXPIRED"));
        assert!(Schema::of_macp().field(".macp.v1.SessionStartPayload", 2).unwrap().is_repeated);
    }
}

//! The pass itself: a table and a text, side by side.

use super::{
    json::{Cursor, Number, is_private},
    table::{Asks, ListAsks, Node, NodeId, ObjectAsks, Table, kind},
};

/// Items of a list without doubles that are compared with each other, at most.
const UNIQUE_MAX: usize = 16;

/// Whether bytes are JSON, nested so deep at most, that satisfies all that a table asks.
pub(super) fn is_clean_by(table: &Table, text: &str, levels_max: usize) -> bool {
    let mut walk = Walk { table, cursor: Cursor::new(text, levels_max) };
    walk.value(0).is_some() && walk.cursor.is_at_end()
}

struct Walk<'a> {
    table: &'a Table,
    cursor: Cursor<'a>,
}

impl Walk<'_> {
    fn value(&mut self, id: NodeId) -> Option<()> {
        match self.table.node(id) {
            Node::Any => self.cursor.value(),
            Node::Closer => None,
            Node::Asks(asks) => self.asked(asks),
        }
    }

    #[inline]
    fn asked(&mut self, asks: &Asks) -> Option<()> {
        let allows = |kinds: u8| (asks.kinds & kinds != 0).then_some(());
        match self.cursor.peek()? {
            b'"' => {
                allows(kind::STRING)?;
                let text = self.cursor.string()?;
                let admits = if text.is_whole {
                    asks.text.admit(text.beginning)
                } else {
                    asks.text.admit_beginning(text.beginning)
                };
                admits.then_some(())
            }
            b'{' => {
                allows(kind::OBJECT)?;
                self.object(&asks.object)
            }
            b'[' => {
                allows(kind::ARRAY)?;
                if asks.list.is_unique { self.unique_list(&asks.list) } else { self.list(&asks.list) }
            }
            b'-' | b'0'..=b'9' => {
                let number = self.cursor.number()?;
                allows(if number.fraction_is_zero.is_none() { kind::INTEGER } else { kind::FRACTION })?;
                is_within(number, asks).then_some(())
            }
            b't' => allows(kind::BOOLEAN).and_then(|()| self.cursor.word("true")),
            b'f' => allows(kind::BOOLEAN).and_then(|()| self.cursor.word("false")),
            b'n' => allows(kind::NULL).and_then(|()| self.cursor.word("null")),
            _ => None,
        }
    }

    fn object(&mut self, asks: &ObjectAsks) -> Option<()> {
        let mut there = 0_u64;
        let mut is_more = self.cursor.open(b'}')?;
        while is_more {
            let name = self.cursor.name()?;
            if let Some(place) = asks.names.find(name) {
                let bit = 1 << place;
                if there & bit != 0 {
                    return None;
                }
                there |= bit;
                self.value(*asks.members.get(place)?)?;
            } else if asks.is_closed || is_private(name) {
                return None;
            } else {
                self.cursor.value()?;
            }
            is_more = self.cursor.more(b'}')?;
        }
        let has = |members: u64| there & members == members;
        let holds =
            has(asks.required) && asks.alternatives.iter().all(|it| it.iter().any(|group| has(*group)));
        holds.then_some(())
    }

    fn list(&mut self, asks: &ListAsks) -> Option<()> {
        let mut count = 0;
        let mut is_more = self.cursor.open(b']')?;
        while is_more {
            self.value(asks.item)?;
            count += 1;
            is_more = self.cursor.more(b']')?;
        }
        (count >= asks.items_min).then_some(())
    }

    /// A list without doubles, if its items are few texts without escapes.
    fn unique_list(&mut self, asks: &ListAsks) -> Option<()> {
        let mut texts = [""; UNIQUE_MAX];
        let mut count = 0;
        let mut is_more = self.cursor.open(b']')?;
        while is_more {
            let mut ahead = self.cursor.clone();
            self.value(asks.item)?;
            let text = (ahead.peek()? == b'"').then(|| ahead.string())??;
            if !text.is_whole || texts.get(..count)?.contains(&text.beginning) {
                return None;
            }
            *texts.get_mut(count)? = text.beginning;
            count += 1;
            is_more = self.cursor.more(b']')?;
        }
        (count >= asks.items_min).then_some(())
    }
}

/// Whether a number is certainly within its bounds.
fn is_within(number: Number, asks: &Asks) -> bool {
    let Number { whole, is_negative, fraction_is_zero } = number;
    if asks.least.is_none() && asks.most.is_none() {
        return true;
    }
    // What is between a number and zero, and a zero with a sign, are left to the judge.
    if is_negative && (fraction_is_zero.is_some() || whole == 0) {
        return false;
    }
    let is_whole = fraction_is_zero.unwrap_or(true);
    asks.least.is_none_or(|it| whole >= it)
        && asks.most.is_none_or(|it| whole < it || whole == it && is_whole)
}

//! The entries that are kept for looking back, in the order of the tap, bounded by count and by memory.
//!
//! They are kept as they were read: a batch shares its segment with the tap's ring and outlives it there,
//! small batches are made one. What is kept is counted as it is held, what is shared included; the oldest
//! batch goes first and whole.
//!
//! Every entry has an index: how many came to this console before it. Indexes never change and are never used
//! again, so that a reader who remembers the last one that it saw finds what is new ([`EntryBuffer::end`])
//! and what is gone ([`EntryBuffer::first`]).
//!
//! ```text
//!   evicted      first              end
//!   ········ [batch][batch]   [batch]
//!                          gap: lost before the batch behind it
//! ```

#[expect(clippy::module_inception, reason = "what it holds is what it is called")]
mod entry_buffer;
#[cfg(test)]
mod tests;

pub(crate) use entry_buffer::EntryBuffer;

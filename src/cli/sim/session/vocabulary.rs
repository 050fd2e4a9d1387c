//! What simulated participants are called and what they talk about.

/// Names; further participants are numbered.
const NAMES: [&str; 12] =
    ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj"];

/// Topics to decide, each with its options.
pub(super) const TOPICS: [(&str, [&str; 3]); 6] = [
    ("which boss comes next", ["the dragon", "the lich", "the twins"]),
    ("where the party goes", ["into the mine", "over the bridge", "back to town"]),
    ("what the chat may do", ["give an item", "heal the party", "spawn a boss"]),
    ("which song follows", ["the slow one", "the loud one", "the one from yesterday"]),
    ("how long the break is", ["five minutes", "ten minutes", "no break"]),
    ("which rule is dropped", ["no healing", "one life", "no map"]),
];

/// Why somebody thinks well of a proposal.
pub(super) const PRO: [&str; 4] = ["it was fun last time", "the chat asks for it", "we have the time", ""];

/// Why somebody does not.
pub(super) const CONTRA: [&str; 4] =
    ["too soon after the last one", "the queue is full", "no one has read the rules", ""];

/// The name of a participant, by their place.
pub(super) fn name(place: usize) -> String {
    NAMES.get(place).map_or_else(|| format!("agent-{}", place + 1), |name| (*name).to_owned())
}

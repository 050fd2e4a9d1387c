//! What a plugin can ask for: the vocabulary of the catalogue, and the lines of consent.

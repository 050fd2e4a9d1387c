//! What a client of its own reads as the answer to a snippet's frames is, byte for byte, what was foreseen of
//! them and what the tap has. Of two stations that are alike the snippets go through the doors of one; to the
//! other the client sends the same frames. A plugin is its own client: it keeps what it reads.

mod bridge;
mod bus;
mod plugins;
mod runtime;
mod twins;

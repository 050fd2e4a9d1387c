//! What the program does as a whole, a module per topic.

mod store;

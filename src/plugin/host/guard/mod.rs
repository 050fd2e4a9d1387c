//! The guard of a plugin: the process that ends with the station and takes all with it that the plugin started.

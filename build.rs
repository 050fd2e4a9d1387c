//! Compiles the recorded and sent form of the tap's entries, without protoc.

use std::{env, error::Error, fs, path::PathBuf};

const PROTO: &str = "tap.proto";
const FOLDER: &str = "src/tap";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={FOLDER}/{PROTO}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut compiler = protox::Compiler::new([FOLDER])?;
    compiler.include_source_info(true).include_imports(true).open_file(PROTO)?;
    prost_build::Config::new().compile_fds(compiler.file_descriptor_set())?;
    // Recordings carry the schema without its comments.
    compiler.include_source_info(false);
    fs::write(out.join("tap.fds"), compiler.encode_file_descriptor_set())?;
    Ok(())
}

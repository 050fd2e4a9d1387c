//! Compiles the messages and the service of MACP for the bench's client and for the bare server that it is
//! held against, without protoc.

const PROTO: &str = "../src/macp/proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO}");
    let mut compiler = protox::Compiler::new([PROTO])?;
    compiler.include_imports(true).open_files(["macp/v1/envelope.proto", "macp/v1/core.proto"])?;
    tonic_prost_build::configure()
        .build_transport(true)
        .build_client(false)
        .bytes(".")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

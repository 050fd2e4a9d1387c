//! Compiles the recorded and sent form of the tap's entries and the messages and service of MACP, without
//! protoc.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use tonic_build::manual;

const TAP: &str = "src/tap";
const MACP: &str = "src/macp/proto";
const MACP_FILES: [&str; 3] =
    ["macp/v1/envelope.proto", "macp/v1/core.proto", "macp/modes/decision/v1/decision.proto"];

/// The calls: name, request, response, whether requests and responses are streams.
const CALLS: [(&str, &str, bool, bool); 10] = [
    ("initialize", "Initialize", false, false),
    ("send", "Send", false, false),
    ("stream_session", "StreamSession", true, true),
    ("get_session", "GetSession", false, false),
    ("cancel_session", "CancelSession", false, false),
    ("get_manifest", "GetManifest", false, false),
    ("list_modes", "ListModes", false, false),
    ("watch_mode_registry", "WatchModeRegistry", false, true),
    ("list_roots", "ListRoots", false, false),
    ("watch_roots", "WatchRoots", false, true),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={TAP}/tap.proto");
    println!("cargo:rerun-if-changed={MACP}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    tap(&out)?;
    macp(&out)?;
    service(&out);
    Ok(())
}

fn tap(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut compiler = protox::Compiler::new([TAP])?;
    compiler.include_source_info(true).include_imports(true).open_file("tap.proto")?;
    prost_build::Config::new().compile_fds(compiler.file_descriptor_set())?;
    // Recordings carry the schema without its comments.
    compiler.include_source_info(false);
    fs::write(out.join("tap.fds"), compiler.encode_file_descriptor_set())?;
    Ok(())
}

/// The messages, and a client as any other has it.
fn macp(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut compiler = protox::Compiler::new([MACP])?;
    compiler.include_source_info(true).include_imports(true).open_files(MACP_FILES)?;
    let builder = tonic_prost_build::configure().build_server(false).build_transport(true).bytes(".");
    builder.compile_fds(compiler.file_descriptor_set())?;
    compiler.include_source_info(false);
    fs::write(out.join("macp.fds"), compiler.encode_file_descriptor_set())?;
    Ok(())
}

/// The service, whose codec keeps the exact bytes of what comes.
fn service(out: &Path) {
    let mut service = manual::Service::builder().name("MACPRuntimeService").package("macp.v1");
    for (name, route, client_streams, server_streams) in CALLS {
        let mut method = manual::Method::builder()
            .name(name)
            .route_name(route)
            .input_type(format!("crate::macp::host::Received<crate::macp::proto::v1::{route}Request>"))
            .output_type("crate::macp::host::Reply")
            .codec_path("crate::macp::host::Exact");
        if client_streams {
            method = method.client_streaming();
        }
        if server_streams {
            method = method.server_streaming();
        }
        service = service.method(method.build());
    }
    manual::Builder::new().build_client(false).build_transport(true).out_dir(out).compile(&[service.build()]);
}

//! `pair`: makes the token that adapters connect with. It is shown once; only its hash is kept (ruling MPP
//! 15).

use std::{fs::File, io::Write as _, path::Path};

use serde::Serialize;

use crate::{
    cli::{args::PairArgs, context::Context, error::Error, operator},
    mpp,
    port::PortError,
    private_files,
    station::pairing,
};

/// The output.
#[derive(Serialize)]
struct Paired<'a> {
    token: &'a str,
}

/// The output where the token itself is not printed.
#[derive(Serialize)]
struct TokenFile {
    path: String,
}

/// A file that was not there, which its owner alone can read.
fn new_file(path: &Path) -> Result<File, Error> {
    private_files::create_new(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::usage(
            format!("{} already exists", path.display()),
            "choose a new file, or move the existing one away: it may contain the active token",
        ),
        _ => Error::io(path.display().to_string())(error),
    })
}

pub(in crate::cli) fn run(context: &mut Context, args: &PairArgs) -> Result<(), Error> {
    let data = context.settings.data()?;
    // Made before the token is: one that could not be kept would be lost.
    let file = args.out.as_deref().map(new_file).transpose()?;
    let paired = pairing::pair(&data, args.rotate);
    if let (Err(_), Some(path)) = (&paired, &args.out) {
        let _ = std::fs::remove_file(path);
    }
    let token = paired?;
    let told = operator::block_on(async {
        let station = match operator::connect(&context.settings).await {
            Err(Error::Port(PortError::NoStation { .. })) => return Ok(()),
            station => station?,
        };
        operator::mpp(&station, mpp::Command::Pair { token_sha256: token.sha256() }).await.map(|_| ())
    });
    // The token is in force at the next start in any case, and cannot be shown again.
    match (file, &args.out) {
        (Some(file), Some(path)) => {
            let written = private_files::fill_new(file, path, |file| writeln!(file, "{}", token.reveal()));
            let path = path.display().to_string();
            written.map_err(Error::io(path.clone()))?;
            context.out.row(&TokenFile { path }, |kept| format!("token written to {}", kept.path))?;
        }
        _ => context.out.row(&Paired { token: token.reveal() }, |paired| paired.token.to_owned())?,
    }
    context.out.flush()?;
    told
}

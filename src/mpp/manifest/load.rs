//! A manifest and its schemas from disk.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use super::{ManifestError, Pack};

/// A manifest or a schema's file of more bytes is not read.
pub const SOURCE_BYTES_MAX: u64 = 1_048_576;

/// Reads the manifest at `path` and the schemas beside it.
///
/// # Errors
/// Every fault there is, in the order of their places; one at 1:1 when the file cannot be read.
pub fn load(path: &Path) -> Result<Pack, Vec<ManifestError>> {
    let bytes = bytes(path).map_err(|why| vec![ManifestError::whole(why)])?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    Pack::parse(&bytes, &mut |relative| self::bytes(&inside(folder, relative)?))
}

/// The path of a file that lies in the folder even behind its links.
fn inside(folder: &Path, relative: &str) -> Result<PathBuf, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {relative}: {error}");
    let folder = folder.canonicalize().map_err(unreadable)?;
    let path = folder.join(relative).canonicalize().map_err(unreadable)?;
    if path.starts_with(&folder) {
        Ok(path)
    } else {
        Err(format!("{relative} is outside of the manifest's folder"))
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    // Asked before opening: opening a pipe would wait for its writer.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > SOURCE_BYTES_MAX {
        return Err(format!("{} has more than {SOURCE_BYTES_MAX} bytes", path.display()));
    }
    Ok(bytes)
}

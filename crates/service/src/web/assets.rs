//! The pages' static files: embedded, and named after their content, so that a browser may cache them permanently.
//!
//! A script imports another as `./name.js`; it is served with the name that carries the content's digest.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::http::Problem;
use crate::http::extract::Segment;

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Name, media type and content of every file.
const FILES: &[(&str, &str, &str)] = &[
    ("pages.css", CSS, include_str!("assets/pages.css")),
    ("forms.css", CSS, include_str!("assets/forms.css")),
    ("dialog.css", CSS, include_str!("assets/dialog.css")),
    ("widget.css", CSS, include_str!("assets/widget.css")),
    ("mark.svg", SVG, include_str!("assets/mark.svg")),
    ("widget.js", JS, include_str!("assets/widget.js")),
    ("api.js", JS, include_str!("assets/api.js")),
    ("catalog.js", JS, include_str!("assets/catalog.js")),
    ("dom.js", JS, include_str!("assets/dom.js")),
    ("flow.js", JS, include_str!("assets/flow.js")),
    ("follow.js", JS, include_str!("assets/follow.js")),
    ("list.js", JS, include_str!("assets/list.js")),
    ("mfa.js", JS, include_str!("assets/mfa.js")),
    ("seal.js", JS, include_str!("assets/seal.js")),
];

/// A file as it is served.
struct Asset {
    name: &'static str,
    served_as: String,
    media_type: &'static str,
    content: String,
}

/// The digest of all files: a script's name has to change with its imports.
static DIGEST: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    for (name, _, content) in FILES {
        digest.update(name);
        digest.update((content.len() as u64).to_be_bytes());
        digest.update(content);
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
});

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let versioned = |name: &str| match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}.{}.{extension}", *DIGEST),
        None => name.to_owned(),
    };
    FILES
        .iter()
        .map(|(name, media_type, content)| Asset {
            name,
            served_as: versioned(name),
            media_type,
            content: FILES.iter().fold((*content).to_owned(), |content, (other, _, _)| {
                content.replace(&format!("\"./{other}\""), &format!("\"./{}\"", versioned(other)))
            }),
        })
        .collect()
});

/// The path at which a file is served. For a name that does not exist, the path does not exist either.
pub(super) fn path(name: &str) -> String {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    format!("/assets/{}", asset.map_or(name, |asset| asset.served_as.as_str()))
}

/// GET /assets/{file}
pub(super) async fn serve(Segment(file): Segment, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.served_as == file) else {
        return Problem::not_found("file", &file).into_response();
    };
    let tag = format!("\"{}\"", *DIGEST);
    let known =
        headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|tags| {
            tags.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
        });
    let kept = [
        (CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    let tag = [(ETAG, tag)];
    if known {
        return (StatusCode::NOT_MODIFIED, kept, tag).into_response();
    }
    (kept, tag, [(CONTENT_TYPE, asset.media_type)], asset.content.clone()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_script_imports_is_served_under_the_name_it_imports() {
        for asset in ASSETS.iter().filter(|asset| asset.media_type == JS) {
            for line in asset.content.lines().filter(|line| line.starts_with("import ") || line.contains(" from \"")) {
                let imported = line.split("\"./").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
                assert!(ASSETS.iter().any(|other| other.served_as == imported), "{}: {imported}", asset.name);
            }
        }
    }

    #[test]
    fn no_file_is_loaded_from_elsewhere() {
        for (name, _, content) in FILES {
            let elsewhere = content.replace("http://www.w3.org/2000/svg", "");
            assert!(!elsewhere.contains("//www.") && !elsewhere.contains("https://"), "{name}");
        }
    }
}

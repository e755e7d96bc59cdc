//! The pages' static files: embedded, and named after their content, so that a browser may cache them permanently.
//!
//! A page of one version may ask a node of another version for its files, while an operator replaces nodes one by one, or after
//! an upgrade. So each node leaves its files in the store, and answers for those of others.
//!
//! A script imports another as `./name.js`; it is served with the name that carries the content's digest.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use ordersync_api::hex;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::http::Problem;
use crate::http::conditional::Conditions;
use crate::http::extract::Segment;
use crate::http::problem::Answered;

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Name, media type and content of every file.
const FILES: &[(&str, &str, &str)] = &[
    ("pages.css", CSS, include_str!("assets/pages.css")),
    ("forms.css", CSS, include_str!("assets/forms.css")),
    ("orders.css", CSS, include_str!("assets/orders.css")),
    ("dialog.css", CSS, include_str!("assets/dialog.css")),
    ("widget.css", CSS, include_str!("assets/widget.css")),
    ("mark.svg", SVG, include_str!("assets/mark.svg")),
    ("widget.js", JS, include_str!("assets/widget.js")),
    ("api.js", JS, include_str!("assets/api.js")),
    ("catalog.js", JS, include_str!("assets/catalog.js")),
    ("dom.js", JS, include_str!("assets/dom.js")),
    ("flow.js", JS, include_str!("assets/flow.js")),
    ("follow.js", JS, include_str!("assets/follow.js")),
    ("frame.js", JS, include_str!("assets/frame.js")),
    ("list.js", JS, include_str!("assets/list.js")),
    ("mfa.js", JS, include_str!("assets/mfa.js")),
    ("news.js", JS, include_str!("assets/news.js")),
    ("seal.js", JS, include_str!("assets/seal.js")),
];

/// A file as it is served.
struct Asset {
    name: &'static str,
    served_as: String,
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
    hex::encode(&digest.finalize()[..8])
});

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let versioned = |name: &str| match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}.{}.{extension}", *DIGEST),
        None => name.to_owned(),
    };
    FILES
        .iter()
        .map(|(name, _, content)| Asset {
            name,
            served_as: versioned(name),
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

/// All files of this version, by the names that they are served as.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    ASSETS.iter().map(|asset| (asset.served_as.as_str(), asset.content.as_str()))
}

/// GET /assets/{file}
pub(super) async fn serve(
    State(app): State<Arc<App>>,
    Segment(file): Segment,
    conditions: Conditions,
) -> Answered<Response> {
    let Some((digest, media_type)) = parse(&file) else { return Err(Problem::not_found("file", &file)) };
    let content = match ASSETS.iter().find(|asset| asset.served_as == file) {
        Some(asset) => asset.content.clone(),
        None => app.store.page_file(&file).await?.ok_or_else(|| Problem::not_found("file", &file))?,
    };
    let tag = format!("\"{digest}\"");
    let is_known = conditions.has(&tag);
    let kept = [
        (CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    let tag = [(ETAG, tag)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, kept, tag).into_response());
    }
    Ok((kept, tag, [(CONTENT_TYPE, media_type)], content).into_response())
}

/// The digest and the media type of a file of any version, by the name that it is served as.
fn parse(file: &str) -> Option<(&str, &'static str)> {
    let (versioned, extension) = file.rsplit_once('.')?;
    let (_, digest) = versioned.rsplit_once('.')?;
    let media_type = match extension {
        "css" => CSS,
        "js" => JS,
        "svg" => SVG,
        _ => return None,
    };
    let is_digest = digest.len() == DIGEST.len() && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then_some((digest, media_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_script_imports_is_served_under_the_name_it_imports() {
        for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".js")) {
            for line in asset.content.lines().filter(|line| line.starts_with("import ") || line.contains(" from \"")) {
                let imported = line.split("\"./").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
                assert!(ASSETS.iter().any(|other| other.served_as == imported), "{}: {imported}", asset.name);
            }
        }
    }

    #[test]
    fn every_file_has_the_name_of_one() {
        for (asset, (_, media_type, _)) in ASSETS.iter().zip(FILES) {
            assert_eq!(parse(&asset.served_as), Some((DIGEST.as_str(), *media_type)));
        }
        for other in ["", "pages.css", "pages.0123456789abcdeg.css", "pages.0123456789abcdef.html", "pages.0123.css"] {
            assert_eq!(parse(other), None, "{other}");
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

//! On the way to the service.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use serde_json::json;

use super::peer::{NOBODY, always, http, json, start};
use super::{Home, Scene};
use crate::support::{Running, set_mode};

/// Those that are tried again end by themselves well before.
const RETAILERS: [&str; 3] = ["retailers", "--timeout", "60s"];

/// A service with a certificate of its own, until it is dropped.
struct Tls {
    _child: Running,
    home: Home,
    port: String,
}

impl Tls {
    fn start(name: &str, years: (i32, i32)) -> Self {
        let home = Home::new();
        let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("key")).expect("issuer");
        let mut own = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        (own.not_before, own.not_after) = (date_time_ymd(years.0, 1, 1), date_time_ymd(years.1, 1, 1));
        let key = KeyPair::generate().expect("key");
        let certificate = own.signed_by(&key, &authority).expect("certificate");
        let write = |name: &str, text: String| std::fs::write(home.path().join(name), text).expect("write");
        write("authority.pem", authority.pem());
        write("own.pem", certificate.pem());
        write("own.key", key.serialize_pem());
        set_mode(&home.path().join("own.key"), 0o600);
        let arguments =
            ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--tls-certificate", "own.pem", "--tls-key", "own.key"];
        let mut child = home.command(&arguments).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr")).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("listening on ")).expect("its address");
        std::thread::spawn(move || lines.for_each(drop));
        let port = line.split(':').next_back().unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
        Self { _child: Running(child), home, port }
    }

    fn scene(self, scheme: &str, trusts: bool) -> Scene {
        let scene = Scene::at(&format!("{scheme}://localhost:{}", self.port), &RETAILERS);
        let authority = self.home.path().join("authority.pem");
        let scene = if trusts { scene.env("SSL_CERT_FILE", authority) } else { scene };
        scene.keeping(self)
    }
}

fn at(address: &str) -> Scene {
    Scene::at(address, &RETAILERS)
}

fn by_proxy(address: &str) -> Scene {
    at("https://orders.test").env("HTTPS_PROXY", format!("http://{address}"))
}

pub(super) fn scene(code: &str) -> Option<Scene> {
    Some(match code {
        "NAME_UNKNOWN" => at("https://nowhere.invalid"),
        "UNREACHABLE" => at(&format!("http://{NOBODY}")),
        "ANSWER_CUT" => at(&always(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n[{\"retailerId\":".to_vec())),
        "CERTIFICATE_UNTRUSTED" => Tls::start("localhost", (2020, 2090)).scene("https", false),
        "CERTIFICATE_EXPIRED" => Tls::start("localhost", (2020, 2021)).scene("https", true),
        "CERTIFICATE_NOT_YET_VALID" => Tls::start("localhost", (2089, 2090)).scene("https", true),
        "CERTIFICATE_WRONG_HOST" => Tls::start("other.test", (2020, 2090)).scene("https", true),
        "NEEDS_TLS" => Tls::start("localhost", (2020, 2090)).scene("http", true),
        "NOT_TLS" => at(&always(http(400, "", "")).replace("http:", "https:")),
        // An alert: handshake_failure.
        "TLS" => at(&always(b"\x15\x03\x03\x00\x02\x02\x28".to_vec()).replace("http:", "https:")),
        "PROXY_UNREACHABLE" => by_proxy(NOBODY),
        "PROXY_AUTH" => by_proxy(&start(|_| http(407, "", ""))),
        "PROXY_REFUSED" => by_proxy(&start(|_| http(403, "", ""))),
        "WEB_PAGE" => {
            let page = "<html>Sign in to the hotel</html>";
            at(&always(http(200, "content-type: text/html\r\nx-request-id: req_1\r\n", page))).answered()
        }
        "WRONG_CONTENT_TYPE" => {
            at(&always(http(200, "content-type: text/plain\r\nx-request-id: req_1\r\n", "hello"))).answered()
        }
        "UNEXPECTED_ANSWER" => at(&always(json(200, &json!({"retailers": "none"})))).answered(),
        "UNSOUND_LIST" => {
            let rows: Vec<_> = (0..1000).map(|id| json!({"id": id.to_string(), "orderDate": "2026-01-01"})).collect();
            Scene::at(&always(json(200, &json!(rows))), &["orders", "export"])
        }
        "ANSWER_TOO_LARGE" => at(&always(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n[".to_vec())),
        "REDIRECT" => {
            at(&always(http(302, "location: https://elsewhere.test/\r\nx-request-id: req_1\r\n", ""))).answered()
        }
        _ => return None,
    })
}

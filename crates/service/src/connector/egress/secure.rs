//! Why no secure connection could be made, and what to do about it.

use std::error::Error;
use std::io;

use ordersync_api::SyncErrorCode;
use rustls::CertificateError;

use crate::connector::ConnectorError;

/// What is wrong with the retailer's TLS; `None`: the error is another one. A repetition does not cure it.
pub(super) fn failure(error: &(dyn Error + 'static)) -> Option<ConnectorError> {
    let found = match find_tls(error)? {
        rustls::Error::InvalidCertificate(why) => of_certificate(why),
        rustls::Error::InvalidMessage(_) => {
            "it does not answer with https. If it is a shop on this machine or on a private network that speaks http only, \
             use its address with http://."
        }
        _ => "no secure connection could be made. The retailer has to offer TLS 1.2 or 1.3.",
    };
    let error = ConnectorError::unreachable(SyncErrorCode::RetailerUnavailable);
    Some(error.with_message(format!("The retailer cannot be reached: {found}")))
}

/// Whether the other side ended the connection after it was made. Some servers without https do so.
pub(super) fn is_broken_off(error: &(dyn Error + 'static)) -> bool {
    let is_end =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset);
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| {
        // As in `find_tls`.
        is_end(error) || error.get_ref().is_some_and(|inner| is_broken_off(inner))
    })
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

fn of_certificate(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired. The retailer has to renew it, if the clock of this machine is right."
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet. Check the clock of this machine."
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name. Use the name that the certificate has, for example with www. or without."
        }
        CertificateError::Revoked => "its certificate was revoked. The retailer has to replace it.",
        // Only the words say so.
        CertificateError::Other(why) if format!("{why:?}").contains("CaUsedAsEndEntity") => {
            "it uses the certificate of a certificate authority (CA:TRUE) as its own. The retailer has to replace it."
        }
        // A certificate that signed itself is reported in other ways, too.
        CertificateError::UnknownIssuer | CertificateError::Other(_) => {
            "its certificate is not signed by a certificate authority that this machine trusts. If you know who issued it, \
             add the authority to those of the machine, or name its file in SSL_CERT_FILE, and start the program again."
        }
        _ => "its certificate is not valid. The retailer has to replace it.",
    }
}

/// The first TLS error among the causes. An I/O error's `source` skips the error that it wraps, so this looks inside.
fn find_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    chain(error).find_map(|cause| {
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return Some(tls);
        }
        let inner: &'a (dyn Error + 'static) = cause.downcast_ref::<io::Error>()?.get_ref()?;
        find_tls(inner)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::connector::egress::{CookieJar, Egress, EgressPolicy, Request, Visitor};

    async fn message(url: &str) -> ConnectorError {
        let policy = EgressPolicy { allow_private_network: true, ..EgressPolicy::new(url.parse().unwrap()) };
        let now = chrono::DateTime::UNIX_EPOCH;
        let visitor = Visitor { key: "c-1", now, patience: std::time::Duration::from_secs(60), shared_queue: None };
        let request = Request::get(url.parse().unwrap());
        Egress::new(policy).unwrap().send(request, &mut CookieJar::default(), visitor).await.unwrap_err()
    }

    #[tokio::test]
    async fn a_certificate_of_nobody_and_a_shop_without_https_are_named_with_a_remedy() {
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(pair.signing_key.serialize_der());
        let config = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![pair.cert.der().clone()], key.into())
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(config));
            while let Ok((connection, _)) = listener.accept().await {
                let _refused = acceptor.accept(connection).await;
            }
        });
        let error = message(&format!("https://localhost:{port}/")).await;
        assert_eq!((error.code, error.transient), (SyncErrorCode::RetailerUnavailable, false));
        assert!(error.message.contains("authority that this machine trusts"), "{}", error.message);
        server.abort();

        let plain = wiremock::MockServer::start().await;
        let error = message(&plain.uri().replace("http:", "https:")).await;
        assert!(error.message.contains("use its address with http://"), "{}", error.message);
        assert!(!error.transient);

        // Another one closes the connection and says nothing.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { while listener.accept().await.is_ok() {} });
        let error = message(&url).await;
        assert!(error.message.contains("use its address with http://") && error.transient, "{}", error.message);
        server.abort();
    }

    #[test]
    fn every_fault_of_a_certificate_has_words_of_its_own() {
        let of_authority = CertificateError::Other(rustls::OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity"))));
        for (why, words) in [
            (CertificateError::Expired, "has expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::NotValidForName, "for another name"),
            (CertificateError::UnknownIssuer, "authority that this machine trusts"),
            (CertificateError::Revoked, "was revoked"),
            (CertificateError::BadSignature, "is not valid"),
            (of_authority, "certificate of a certificate authority"),
        ] {
            let wrapped = io::Error::other(io::Error::other(rustls::Error::InvalidCertificate(why)));
            let message = failure(&wrapped).unwrap().message;
            assert!(message.starts_with("The retailer cannot be reached: ") && message.contains(words), "{message}");
        }
        assert!(failure(&io::Error::other("refused")).is_none());
    }
}

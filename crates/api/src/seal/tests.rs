use proptest::prelude::*;

use super::*;

/// RFC 7516 appendix A.1: the content encryption key, the vector and the protected header of a JWE with A256GCM.
/// Only the key's own encryption (RSA-OAEP there, none here) differs from our scheme.
const RFC_7516_A1_KEY: [u8; 32] = [
    177, 161, 244, 128, 84, 143, 225, 115, 63, 180, 3, 255, 107, 154, 212, 246, 138, 7, 110, 91, 112, 46, 34, 105, 47,
    130, 203, 46, 122, 234, 64, 252,
];
const RFC_7516_A1_NONCE: [u8; 12] = [227, 197, 117, 252, 2, 219, 233, 68, 180, 225, 77, 219];

fn credentials(password: &str) -> Credentials {
    [("username", "user_good"), ("password", password)]
        .map(|(name, value)| (name.to_owned(), SecretString::from(value)))
        .into()
}

fn exposed(credentials: &Credentials) -> Vec<(&str, &str)> {
    credentials.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect()
}

#[test]
fn encryption_gives_the_octets_of_rfc_7516_a1() {
    let jwe = encrypt(
        &RFC_7516_A1_KEY,
        &RFC_7516_A1_NONCE,
        br#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#,
        b"The true sign of intelligence is not knowledge but imagination.",
    )
    .unwrap();
    assert_eq!(
        jwe,
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ..48V1_ALb6US04U3b.\
         5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.\
         XFBoMYUZodetZdvTiFvSkQ"
    );
}

#[test]
fn what_is_sealed_opens_with_the_same_token_and_stamp_only() {
    let key = [7; KEY_BYTES];
    let token = URL_SAFE_NO_PAD.encode(key);
    let sealed = DirA256Gcm.seal(&token, "stamp", &credentials("p\u{e4}ss")).unwrap();
    let opened = DirA256Gcm.open(&key, "stamp", &sealed).unwrap();
    assert_eq!(exposed(&opened), [("password", "p\u{e4}ss"), ("username", "user_good")]);
    assert_eq!(DirA256Gcm.open(&[8; KEY_BYTES], "stamp", &sealed).err(), Some(SealError::Authenticity));
    assert_eq!(DirA256Gcm.open(&key, "later", &sealed).err(), Some(SealError::Authenticity));
}

#[test]
fn no_two_seals_are_alike() {
    let token = URL_SAFE_NO_PAD.encode([7; KEY_BYTES]);
    let seal = || DirA256Gcm.seal(&token, "stamp", &credentials("x")).unwrap();
    assert_ne!(seal(), seal());
}

#[test]
fn a_token_of_another_length_is_no_key() {
    for token in ["", "AAAA", "not base64!"] {
        assert_eq!(DirA256Gcm.seal(token, "stamp", &credentials("x")).err(), Some(SealError::Key));
    }
}

/// A correctly encrypted JWE whose header has those members in addition to ours.
fn sealed_with(members: &str) -> String {
    let header = format!(r#"{{"alg":"dir","enc":"A256GCM","kid":"stamp"{members}}}"#);
    encrypt(&[7; KEY_BYTES], &[1; NONCE_BYTES], header.as_bytes(), br#"{"username":"u"}"#).unwrap()
}

#[test]
fn a_header_that_demands_other_processing_is_refused_and_other_members_are_ignored() {
    for demanding in [
        r#","crit":["x"],"x":1"#,
        r#","crit":["b64"],"b64":false"#,
        r#","crit":[]"#,
        r#","crit":null"#,
        r#","crit":"exp""#,
        r#","crit":["alg"]"#,
        r#","crit":["x"],"crit":["y"]"#,
        r#","zip":"DEF""#,
        r#","zip":"none""#,
        r#","zip":null"#,
        r#","\u007aip":"DEF""#,
        r#","b64":false"#,
        r#","epk":{"kty":"OKP"}"#,
        r#","iv":"AAAA","tag":"AAAA""#,
        r#","p2s":"AAAA","p2c":1000"#,
        r#","alg":"dir""#,
    ] {
        let opened = DirA256Gcm.open(&[7; KEY_BYTES], "stamp", &sealed_with(demanding));
        assert_eq!(opened.err(), Some(SealError::Form), "{demanding}");
    }
    for harmless in ["", r#","typ":"JWE""#, r#","cty":"json""#, r#","x":{"crit":["x"],"zip":"DEF"}"#, r#","Zip":1"#] {
        assert!(DirA256Gcm.open(&[7; KEY_BYTES], "stamp", &sealed_with(harmless)).is_ok(), "{harmless}");
    }
}

proptest! {
    #[test]
    fn one_changed_character_anywhere_is_noticed(at in 0_usize..200, to in "[A-Za-z0-9_.-]") {
        let key = [7; KEY_BYTES];
        let sealed = DirA256Gcm.seal(&URL_SAFE_NO_PAD.encode(key), "stamp", &credentials("secret")).unwrap();
        let at = at % sealed.len();
        let mut changed = sealed.clone();
        changed.replace_range(at..=at, &to);
        prop_assume!(changed != sealed);
        prop_assert!(DirA256Gcm.open(&key, "stamp", &changed).is_err());
    }

    #[test]
    fn no_text_makes_opening_panic(text in "\\PC{0,200}") {
        prop_assert!(DirA256Gcm.open(&[7; KEY_BYTES], "stamp", &text).is_err());
    }
}

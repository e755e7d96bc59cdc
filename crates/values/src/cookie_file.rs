//! Cookies that a browser exported: the Netscape format, as curl describes it ("Cookie file format", curl.se/docs/http-cookies.html).
//!
//! A line has seven fields, between tabs: domain, whether hosts below the domain get it, path, whether only https does, when it
//! expires (seconds since 1970; 0: with the browser), name and value.

/// Before the domain of a cookie that scripts do not see.
const HTTP_ONLY: &str = "#HttpOnly_";

/// A cookie of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileCookie<'a> {
    domain: &'a str,
    has_subdomains: bool,
    /// The paths that it is for.
    pub path: &'a str,
    /// Whether it is for https only.
    pub secure: bool,
    /// Seconds since 1970; none: as long as the browser is open.
    pub expires: Option<i64>,
    /// Its name.
    pub name: &'a str,
    /// Its value: a secret.
    pub value: &'a str,
    /// The line that it is in.
    line: &'a str,
}

/// A line that has no cookie, counted from 1. It is not quoted: it may have a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCookie(pub usize);

impl std::fmt::Debug for FileCookie<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileCookie").field("domain", &self.domain).finish_non_exhaustive()
    }
}

/// The cookies in the text of a file.
/// Fails with the first line that has none, and is neither empty nor a comment.
pub fn parse(text: &str) -> Result<Vec<FileCookie<'_>>, NoCookie> {
    let mut cookies = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim_end_matches('\r');
        let is_comment = line.starts_with('#') && !line.starts_with(HTTP_ONLY);
        if is_comment || line.trim().is_empty() {
            continue;
        }
        cookies.push(FileCookie::parse(line).ok_or(NoCookie(index + 1))?);
    }
    Ok(cookies)
}

impl<'a> FileCookie<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.strip_prefix(HTTP_ONLY).unwrap_or(line).split('\t').collect();
        let (&[domain, has_subdomains, path, secure, expires, name], rest) = fields.split_first_chunk()?;
        let value = match rest {
            [] => "",
            [value] => value,
            _ => return None,
        };
        let is_plain = |text: &str| text.bytes().all(|byte| byte > b' ' && byte != b';' && byte != 0x7f);
        let is_usable = !domain.is_empty() && path.starts_with('/') && !name.is_empty() && !name.contains('=');
        // Browsers write fractions of a second, too.
        let expires: f64 = expires.parse().ok()?;
        let seconds = expires as i64;
        (is_usable && is_plain(name) && value.bytes().all(|byte| (b' '..0x7f).contains(&byte) && byte != b';'))
            .then_some(Self {
                domain,
                has_subdomains: flag(has_subdomains)?,
                path,
                secure: flag(secure)?,
                expires: (seconds > 0).then_some(seconds),
                name,
                value,
                line,
            })
    }

    /// Whether requests to this host get it.
    pub fn is_for(&self, host: &str) -> bool {
        covers(self.domain, host)
            && (self.has_subdomains || self.domain.trim_start_matches('.').eq_ignore_ascii_case(host))
    }

    /// Whether it has not expired. `now`: seconds since 1970.
    pub fn is_valid(&self, now: i64) -> bool {
        self.expires.is_none_or(|at| at > now)
    }
}

/// Whether a domain is this host's, or that of hosts above it (RFC 6265 §5.1.3).
pub fn covers(domain: &str, host: &str) -> bool {
    let domain = domain.trim_start_matches('.').to_ascii_lowercase();
    host == domain || host.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The lines of these cookies, as a file.
pub fn lines<'a>(cookies: impl Iterator<Item = FileCookie<'a>>) -> String {
    cookies.map(|cookie| format!("{}\n", cookie.line)).collect()
}

fn flag(word: &str) -> Option<bool> {
    match word {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Netscape HTTP Cookie File\r\n\r\n.shop.test\tTRUE\t/\tTRUE\t1900000000.5\tsession\ta b=c\r\n\
        #HttpOnly_www.shop.test\tFALSE\t/gp\tFALSE\t0\tat-main\t\"Atza|x\"\nother.test\tFALSE\t/\tTRUE\t0\tx\n";

    #[test]
    fn a_cookie_goes_to_its_host_alone() {
        let cookies = parse(FILE).expect("cookies");
        let names = |host: &str| -> Vec<&str> {
            cookies.iter().filter(|cookie| cookie.is_for(host)).map(|cookie| cookie.name).collect()
        };
        assert_eq!(names("www.shop.test"), ["session", "at-main"]);
        assert_eq!(names("shop.test"), ["session"]);
        assert_eq!(names("a.other.test"), [""; 0]);
        assert_eq!(names("workshop.test"), [""; 0]);
        assert_eq!((cookies[0].value, cookies[0].expires), ("a b=c", Some(1_900_000_000)));
        assert_eq!((cookies[1].value, cookies[1].expires, cookies[1].path), ("\"Atza|x\"", None, "/gp"));
        assert_eq!((cookies[2].value, cookies[2].secure), ("", true));
        assert!(
            cookies[0].is_valid(1_899_999_999) && !cookies[0].is_valid(1_900_000_000) && cookies[1].is_valid(i64::MAX)
        );
        assert_eq!(parse(&lines(cookies.iter().copied())).expect("the same"), cookies);
    }

    #[test]
    fn a_line_that_is_no_cookie_is_named_by_its_number() {
        for (bad, line) in [
            ("{\"cookies\": []}", 1),
            ("# Netscape\na\tTRUE\t/\tTRUE\t0", 2),
            ("a\tTRUE\t/\tyes\t0\tn\tv", 1),
            ("a\tTRUE\tpath\tTRUE\t0\tn\tv", 1),
            ("a\tTRUE\t/\tTRUE\tsoon\tn\tv", 1),
            ("a\tTRUE\t/\tTRUE\t0\tn\tv\tw", 1),
            ("a\tTRUE\t/\tTRUE\t0\tn\tv; Domain=.b", 1),
            ("a\tTRUE\t/\tTRUE\t0\tn=m\tv", 1),
        ] {
            assert!(matches!(parse(bad), Err(NoCookie(found)) if found == line), "{bad}");
        }
    }
}

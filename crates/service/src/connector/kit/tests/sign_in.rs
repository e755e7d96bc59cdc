use ordersync_api::SyncErrorCode;
use scraper::{ElementRef, Html};
use url::Url;

use super::super::other_page::OtherPage;
use super::super::page::PageKind;
use super::super::sign_in::{SignInAnswer, SignInPage, only_field};
use super::super::text::selector;

const FORM: &str = "<form method=post><input type=hidden name=nonce value=1><input type=text name=user>\
    <input type=password name=pass></form>";
const CODE: &str = "<form method=post><input name=otp></form>";

fn code_form(form: ElementRef<'_>, _: &Url) -> Option<String> {
    only_field(form.select(selector!("input[name=otp]")))
}

fn url() -> Url {
    Url::parse("http://shop.test/account/").unwrap()
}

fn read(html: &str) -> SignInPage<String> {
    SignInPage::read(&Html::parse_document(html), &url(), code_form)
}

/// What an answer is taken for, or the code of its error.
fn outcome(status: u16, html: &str) -> Result<&'static str, SyncErrorCode> {
    match SignInAnswer::read(PageKind::SignIn, status, &Html::parse_document(html), &url(), code_form) {
        Ok(SignInAnswer::Taken) => Ok("taken"),
        Ok(SignInAnswer::CredentialsAgain) => Ok("credentials again"),
        Ok(SignInAnswer::Locked) => Ok("locked"),
        Ok(SignInAnswer::CodeWanted(_)) => Ok("code"),
        Err(error) => Err(error.code),
    }
}

#[test]
fn each_answer_to_a_sign_in_is_known_whatever_its_status() {
    use SyncErrorCode::{ActionRequired, RetailerChanged, RetailerUnavailable};
    for (status, html, expected) in [
        (302, "", Ok("taken")),
        (200, "<h1>My account</h1><p>Hello", Ok("taken")),
        (200, FORM, Ok("credentials again")),
        (401, FORM, Ok("credentials again")),
        (200, CODE, Ok("code")),
        (200, "", Err(RetailerUnavailable)),
        (200, "{\"redirect\": \"/account\"}", Err(RetailerChanged)),
        (200, "<title>Scheduled maintenance</title><p>Soon", Err(RetailerUnavailable)),
        (200, "<title>Just a moment...</title><p>Wait", Err(ActionRequired)),
        (200, "<h1>My account</h1><div class='g-recaptcha'></div>", Err(ActionRequired)),
        (200, "<h1>Please accept our terms</h1>", Err(ActionRequired)),
        (200, "<form method=post><input name=totp></form>", Err(ActionRequired)),
        (200, "<form method=post><input name=x autocomplete=one-time-code></form>", Err(ActionRequired)),
        (200, "<h1>My account</h1><input type=hidden name=mfa value=off>", Ok("taken")),
        (200, "<h1>My account</h1><form method=post><input name=coupon_code></form>", Ok("taken")),
        (418, "<h1>My account</h1>", Err(RetailerChanged)),
        (500, "", Err(RetailerChanged)),
    ] {
        assert_eq!(outcome(status, html), expected, "{status} {html}");
    }
}

#[test]
fn the_form_for_user_name_and_password_is_that_page_and_no_other() {
    let form = read(FORM).credentials_form(200).unwrap();
    assert_eq!((form.username.as_str(), form.password.as_str()), ("user", "pass"));
    assert_eq!(&*form.form.fill(&[("user", "a b")]), "nonce=1&user=a+b");
    let registers = FORM.replace("</form>", "<input type=password name=again></form>");
    for (status, html, code) in [
        (200, CODE, SyncErrorCode::RetailerChanged),
        (200, "<h1>Welcome</h1>", SyncErrorCode::RetailerChanged),
        (200, &registers, SyncErrorCode::RetailerChanged),
        (404, FORM, SyncErrorCode::RetailerChanged),
        (200, "<title>Wartung</title>x", SyncErrorCode::RetailerUnavailable),
        (200, "<title>Captcha</title>x", SyncErrorCode::ActionRequired),
    ] {
        assert_eq!(read(html).credentials_form(status).err().map(|error| error.code), Some(code), "{status} {html}");
    }
}

#[test]
fn what_comes_in_place_of_a_page_says_what_to_do_and_whether_to_ask_again() {
    for (page, is_transient, words) in [
        (OtherPage::Empty, true, "empty"),
        (OtherPage::NoPage, true, "data that is no page"),
        (OtherPage::OutOfOrder, true, "Sync again later"),
        (OtherPage::RobotCheck, false, "Sign in on the retailer's own site"),
        (OtherPage::Action, false, "confirm"),
        (OtherPage::SecondFactor, false, "asks for a second factor that its recipe does not describe. Turn it off"),
        (OtherPage::Unknown, true, "in place of the order list"),
    ] {
        let error = page.error(PageKind::OrderList);
        assert!(error.transient == is_transient && error.message.contains(words), "{error}");
    }
}

#[test]
fn an_account_is_locked_only_if_a_message_says_that_it_is() {
    for (message, expected) in [
        ("<div role=alert>Your account has been locked.</div>", "locked"),
        ("<ul class=errorlist><li>Account locked: too many login attempts.</ul>", "locked"),
        ("<p class='notice is-error'>Too many failed login attempts. Try again in 20 minutes.</p>", "locked"),
        ("<div class='alert alert-danger'>Ihr Konto wurde gesperrt.</div>", "locked"),
        (
            "<p class=error>Wrong password. After two more your account will be locked: account locked",
            "credentials again",
        ),
        ("<p class=error>The sign-in was incorrect or your account is locked.</p>", "credentials again"),
        ("<p class=notice>If your account is locked, write to us.</p>", "credentials again"),
        ("<p>Your account is locked</p>", "credentials again"),
        ("<p class=error>Wrong password.</p>", "credentials again"),
    ] {
        assert_eq!(outcome(200, &format!("{message}{FORM}")), Ok(expected), "{message}");
    }
    assert_eq!(outcome(403, "<h1>Account locked</h1>"), Ok("locked"));
    assert_eq!(outcome(302, "<h1>Account locked</h1>"), Ok("taken"), "a redirect says that the form was taken");
}

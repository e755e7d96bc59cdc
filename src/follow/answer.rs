//! Answers to a retailer's verification requests: from flags, standard input, a command, or a person.

use std::collections::HashSet;
use std::io::BufRead as _;
use std::time::{Duration, Instant};

use ordersync_api::mfa::MfaOption;
use ordersync_api::{MfaEventType, MfaRequest, MfaSubmission, RetailerSyncSession};
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::child;
use super::label::key;
use crate::cli::shared::MfaArgs;
use crate::client::Client;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::Mark;
use crate::prompt::Question;

/// A deadline further away than this is no help to anybody, and most likely a clock that is wrong.
const FARTHEST: Duration = Duration::from_secs(3600);

/// A request that waits for an answer.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// What the retailer is called.
    pub name: String,
    /// Who asks.
    pub retailer: &'a RetailerSyncSession,
    /// What identifies the request.
    pub req_id: &'a str,
    /// What is asked.
    pub mfa: &'a MfaRequest,
}

impl Request<'_> {
    /// What is asked, as a sentence.
    pub(super) fn text(&self) -> String {
        let default = if self.is_choice() { "Choose how to get the code." } else { "Enter the code." };
        let text = self.mfa.prompt.as_deref().unwrap_or(default).trim_end_matches([':', ' ']);
        let stop = if text.ends_with(['.', '?', '!']) { "" } else { "." };
        let options: Vec<&str> = self.mfa.options.iter().map(|option| option.id.as_str()).collect();
        if options.is_empty() {
            format!("{text}{stop}")
        } else {
            format!("{text}{stop} Methods: {}.", options.join(", "))
        }
    }

    /// The flag of `ordersync mfa` that answers it.
    pub(super) fn flag(&self) -> Vec<String> {
        match self.mfa.options.first() {
            Some(first) if self.is_choice() => vec!["--option".to_owned(), first.id.to_string()],
            _ => vec!["--code-stdin".to_owned()],
        }
    }

    /// How long an answer is taken; none where that is not said, or the clocks differ too much to tell.
    fn left(&self) -> Option<Duration> {
        let until = self.mfa.expires_at.as_ref()?.known()?;
        (until.0 - crate::clock::now()).to_std().ok().filter(|left| !left.is_zero() && *left <= FARTHEST)
    }

    /// " for 4 more minutes", or nothing where that is not known.
    pub(super) fn minutes_left(&self) -> String {
        match self.left().map(|left| left.as_secs().div_ceil(60)) {
            None => String::new(),
            Some(0 | 1) => " for one more minute".to_owned(),
            Some(minutes) => format!(" for {minutes} more minutes"),
        }
    }

    /// The question, until the answer is not taken any more or the time to wait for anything is over.
    fn question(&self, context: &Context, default: &str, instead: &str) -> Question {
        let text = self.mfa.prompt.as_deref().unwrap_or(default);
        Question::new(&format!("{}: {text}", self.name), instead).until(self.until(context))
    }

    /// Until when an answer is waited for.
    fn until(&self, context: &Context) -> Option<Instant> {
        let taken_until = self.left().and_then(|left| Instant::now().checked_add(left));
        taken_until.into_iter().chain(context.deadline).min()
    }

    fn is_choice(&self) -> bool {
        self.mfa.event_type.is(&MfaEventType::Choose)
    }
}

/// What became of a request.
#[derive(Debug)]
pub enum Answer {
    /// It was answered.
    Given,
    /// The time for it was over before somebody had answered.
    Expired,
    /// There is no answer to it, and why, where there is more to say than that nobody gave one.
    None(Option<String>),
}

/// What answers requests.
#[derive(Debug)]
pub struct Answers {
    means: MfaArgs,
    /// The connections whose retailers were sent a code: a further request means that it was wrong.
    tried: HashSet<String>,
    /// The requests that need no answer any more, though they may be shown as open for a moment.
    done: HashSet<String>,
}

impl Answers {
    /// Answers by these means, else by asking.
    #[must_use]
    pub fn new(means: &MfaArgs) -> Self {
        Self { means: means.clone(), tried: HashSet::new(), done: HashSet::new() }
    }

    /// Marks a request as one that needs no answer any more.
    pub fn ignore(&mut self, req_id: &str) {
        self.done.insert(req_id.to_owned());
    }

    /// Whether a request needs no answer any more.
    #[must_use]
    pub fn is_done(&self, req_id: &str) -> bool {
        self.done.contains(req_id)
    }

    /// Answers a request, where there is an answer to it.
    ///
    /// # Errors
    /// Where the service refuses the answer, the command for codes fails, or Ctrl-C ends it.
    pub async fn answer(&mut self, context: &Context, client: &Client, request: &Request<'_>) -> Result<Answer> {
        let (selected_option, code) = if request.is_choice() {
            match self.option(context, request).await? {
                Found::One(option) => (Some(option), None),
                Found::Expired => return Ok(self.expired(context, request)),
                Found::None(why) => return Ok(Answer::None(why)),
            }
        } else {
            let wrong = self.wrong_code(request);
            let say = || {
                if let Some(wrong) = &wrong {
                    context.output.marked_note(Mark::Attention, &format!("{}: {wrong}", request.name));
                }
            };
            let is_given = self.means.mfa_code_stdin || self.means.mfa_command.is_some();
            let asks = !is_given && context.prompt.is_possible();
            if asks {
                say();
            }
            match self.code(context, request).await? {
                Found::One(code) => {
                    if !asks {
                        say();
                    }
                    (None, Some(code))
                }
                Found::Expired => return Ok(self.expired(context, request)),
                // Told once, in the error.
                Found::None(why) => {
                    let wrong = wrong.map(|wrong| wrong.replacen("that", "That", 1));
                    return Ok(Answer::None(why.or(wrong)));
                }
            }
        };
        if code.is_some() {
            self.tried.insert(key(request.retailer));
        }
        let submission = MfaSubmission {
            event_type: if code.is_some() { MfaEventType::Enter } else { MfaEventType::Choose },
            req_id: request.req_id.into(),
            selected_option,
            otp_value: code.as_ref().map(|code| code.expose_secret().to_owned()),
        };
        let sent = client.submit_mfa(&submission).await;
        drop(submission.otp_value.map(Zeroizing::new));
        sent?;
        self.ignore(request.req_id);
        Ok(Answer::Given)
    }

    fn expired(&mut self, context: &Context, request: &Request<'_>) -> Answer {
        if context.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            // Nobody waits any more, but the request may still be answered.
            return Answer::Expired;
        }
        self.ignore(request.req_id);
        let text = format!("{}: the time to answer is over.", request.name);
        context.output.marked_note(Mark::Attention, &text);
        Answer::Expired
    }

    /// The method to choose.
    async fn option(&self, context: &Context, request: &Request<'_>) -> Result<Found<String>> {
        let options = &request.mfa.options;
        if let Some(wanted) = &self.means.mfa_option {
            return Ok(match options.iter().find(|option| option.id.as_str().eq_ignore_ascii_case(wanted)) {
                Some(option) => Found::One(option.id.0.clone()),
                None => Found::None(Some(format!("\"{wanted}\" is not among them."))),
            });
        }
        if let [only] = options.as_slice() {
            return Ok(Found::One(only.id.0.clone()));
        }
        if !context.prompt.is_possible() || options.is_empty() {
            return Ok(Found::None(None));
        }
        let label = |option: &MfaOption| option.label.clone().unwrap_or_else(|| option.id.0.clone());
        let question = request.question(context, "Choose how to get the code", "Give --mfa-option ID.");
        let chosen = context.prompt.choose(&question, options.iter().map(label).collect()).await?;
        let Some(chosen) = chosen else { return Ok(Found::Expired) };
        Ok(options.get(chosen).map_or(Found::None(None), |option| Found::One(option.id.0.clone())))
    }

    async fn code(&self, context: &Context, request: &Request<'_>) -> Result<Found<SecretString>> {
        if self.means.mfa_code_stdin {
            let read = timeout_at(request.until(context), code_from_stdin()).await;
            return Ok(match read {
                Some(code) => code?.map_or(Found::None(None), Found::One),
                None => Found::Expired,
            });
        }
        if let Some(command) = &self.means.mfa_command {
            let run = timeout_at(request.until(context), code_from_command(command, request)).await;
            return match run {
                Some(code) => code.map(Found::One),
                None => {
                    let text =
                        format!("{}: the command for the code did not end in time, and was ended.", request.name);
                    context.output.marked_note(Mark::Attention, &text);
                    Ok(Found::Expired)
                }
            };
        }
        if !context.prompt.is_possible() {
            return Ok(Found::None(None));
        }
        let question = request.question(context, "Enter the code", "Give --mfa-code-stdin or --mfa-command COMMAND.");
        Ok(context.prompt.secret(&question).await?.map_or(Found::Expired, |typed| {
            match as_code(typed.expose_secret()) {
                Some(code) => Found::One(code),
                None => Found::None(None),
            }
        }))
    }

    /// That the code before was wrong, where there was one.
    fn wrong_code(&self, request: &Request<'_>) -> Option<String> {
        if !self.tried.contains(&key(request.retailer)) {
            return None;
        }
        let left = match request.mfa.attempts_left {
            Some(1) => "; 1 try left".to_owned(),
            Some(left) => format!("; {left} tries left"),
            None => String::new(),
        };
        Some(format!("that code was wrong{left}."))
    }
}

/// What was looked for as an answer.
enum Found<T> {
    One(T),
    /// Nobody gave one in time.
    Expired,
    /// There is none, and why, where there is more to say.
    None(Option<String>),
}

/// What comes of it until then; none if the time is over.
async fn timeout_at<T>(until: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) => tokio::time::timeout_at(until.into(), work).await.ok(),
        None => Some(work.await),
    }
}

/// The next line that is not empty; none where standard input has ended.
async fn code_from_stdin() -> Result<Option<SecretString>> {
    let line = tokio::task::spawn_blocking(|| {
        let mut line = Zeroizing::new(String::new());
        let mut stdin = std::io::stdin().lock();
        while line.trim().is_empty() {
            line.clear();
            if stdin.read_line(&mut line)? == 0 {
                break;
            }
        }
        Ok::<_, std::io::Error>(line)
    })
    .await;
    match line {
        Ok(Ok(line)) => Ok(as_code(&line)),
        Ok(Err(why)) => Err(Error::usage(format!("The code cannot be read from standard input: {why}."))),
        Err(_) => Err(Error::usage("The code cannot be read from standard input.")),
    }
}

/// What the command prints. Its standard error goes where ours goes, so that it can say what is wrong.
async fn code_from_command(command: &str, request: &Request<'_>) -> Result<SecretString> {
    let failed = |why: &str| {
        Error::of(&codes::command::MFA_COMMAND, format!("The command for the verification code {why}."))
            .hint(format!("It was: {command}"))
    };
    let environment = [
        ("ORDERSYNC_MFA_REQ_ID", request.req_id.to_owned()),
        ("ORDERSYNC_MFA_RETAILER_ID", request.retailer.retailer_id.to_string()),
        ("ORDERSYNC_MFA_PROMPT", request.mfa.prompt.clone().unwrap_or_default()),
    ];
    let output = child::output(command, &environment).await.map_err(|why| failed(&format!("cannot be run: {why}")))?;
    if !output.status.success() {
        return Err(failed(&format!("failed: {}", output.status)));
    }
    let bytes = Zeroizing::new(output.stdout);
    std::str::from_utf8(&bytes).ok().and_then(as_code).ok_or_else(|| failed("printed nothing"))
}

fn as_code(text: &str) -> Option<SecretString> {
    let code = text.trim();
    (!code.is_empty()).then(|| SecretString::from(code))
}

//! Answers to a retailer's verification requests: from flags, standard input, a command, or a person.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use clap::Args;
use ordersync_api::mfa::MfaOption;
use ordersync_api::{MfaEventType, MfaSubmission};
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::label::key;
use super::request::PendingRequest;
use super::{code, elsewhere};
use crate::client::Client;
use crate::context::Context;
use crate::errors::Result;
use crate::output::Mark;

/// Fewer tries than a retailer gives at first.
const FEW: u32 = 2;
/// Codes of a command for one retailer, at most: retailers lock accounts after several wrong ones.
const MOST_CODES: u32 = 5;
/// Why standard input has no answer although it should.
const NO_CODE: &str = "Standard input has no code.";

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It was answered.
    Given,
    /// The time for it was over before somebody had answered.
    Expired,
    /// It was answered elsewhere, or ended, while the user was asked here.
    Settled,
    /// There is no answer to it, and why, where there is more to say than that nobody gave one.
    None(Option<String>),
}

/// How a retailer's verification request is answered.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Verification (MFA)")]
pub(crate) struct MfaArgs {
    /// Verification method to choose (sms, email, …)
    #[arg(long, value_name = "ID")]
    pub mfa_option: Option<String>,
    /// Read the code from standard input, one line per attempt
    #[arg(long, group = "stdin")]
    pub mfa_code_stdin: bool,
    /// Run a shell command that prints the code
    #[arg(long, value_name = "COMMAND", conflicts_with = "mfa_code_stdin")]
    pub mfa_command: Option<String>,
}

/// What answers requests.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    means: MfaArgs,
    /// How many codes the retailers were sent, by connection: a further request means that the last was wrong.
    tried: HashMap<String, u32>,
    /// What the retailers said with their last requests for a code, by connection.
    said: HashMap<String, Option<String>>,
    /// The requests that need no answer any more, though they may be shown as open for a moment.
    done: HashSet<String>,
    stdin: code::Stdin,
}

impl Answers {
    /// Answers by these means, else by asking.
    pub(crate) fn new(means: &MfaArgs) -> Self {
        Self { means: means.clone(), ..Self::default() }
    }

    /// Marks a request as one that needs no answer any more.
    pub(crate) fn ignore(&mut self, req_id: &str) {
        self.done.insert(req_id.to_owned());
    }

    /// Whether a request needs no answer any more.
    pub(crate) fn is_done(&self, req_id: &str) -> bool {
        self.done.contains(req_id)
    }

    /// Answers a request, if it has an answer.
    pub(crate) async fn answer(
        &mut self,
        context: &Context,
        client: &Client,
        request: &PendingRequest<'_>,
    ) -> Result<Answer> {
        if request.kind().is_none() {
            let why = format!(
                "This version does not know how to answer a request of the kind \"{}\".",
                request.mfa.event_type
            );
            return Ok(Answer::None(Some(why)));
        }
        let (selected_option, code) = if request.is_choice() {
            match self.option(context, client, request).await? {
                Answered::One(option) => (Some(option), None),
                Answered::Expired => return Ok(self.expired(context, request)),
                Answered::Settled => return Ok(self.settled(context, request)),
                Answered::None(why) => return Ok(Answer::None(why)),
            }
        } else {
            let wrong = self.wrong_code(request);
            self.said.insert(key(request.retailer), request.mfa.prompt.clone());
            let asks = self.asks_for_code(context);
            if asks {
                match wrong.as_ref().map(|wrong| wrong.note(request)) {
                    Some(wrong) => context.output.marked_note(Mark::Attention, &wrong),
                    None => context.output.announce(with_left(request, few_left(request))),
                }
            }
            match self.code(context, client, request).await? {
                Answered::One(code) => {
                    if let Some(wrong) = wrong.filter(|_| !asks) {
                        let text = format!("{}: that code was wrong{}.", request.name, wrong.left("; "));
                        context.output.marked_note(Mark::Attention, &text);
                    }
                    (None, Some(code))
                }
                Answered::Expired => return Ok(self.expired(context, request)),
                Answered::Settled => return Ok(self.settled(context, request)),
                // Said once, in the error.
                Answered::None(why) => {
                    let left = || few_left(request).map(|left| format!("{}.", tries_left(left)));
                    return Ok(Answer::None(wrong.map(|wrong| wrong.why()).or_else(left).or(why)));
                }
            }
        };
        if code.is_some() {
            *self.tried.entry(key(request.retailer)).or_default() += 1;
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

    fn expired(&mut self, context: &Context, request: &PendingRequest<'_>) -> Answer {
        if context.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            // Nobody waits any more, but the request may still be answered.
            return Answer::Expired;
        }
        self.ignore(request.req_id);
        let text = format!("{}: the time to answer is over.", request.name);
        context.output.marked_note(Mark::Attention, &text);
        Answer::Expired
    }

    /// Marks a request as settled, and says so.
    pub(super) fn settled(&mut self, context: &Context, request: &PendingRequest<'_>) -> Answer {
        self.ignore(request.req_id);
        let text =
            format!("{}: no answer is needed any more: it was given elsewhere, or the sync ended.", request.name);
        context.output.marked_note(Mark::Attention, &text);
        Answer::Settled
    }

    /// The method to choose.
    async fn option(
        &self,
        context: &Context,
        client: &Client,
        request: &PendingRequest<'_>,
    ) -> Result<Answered<String>> {
        let options = &request.mfa.options;
        if let Some(wanted) = &self.means.mfa_option {
            return Ok(match options.iter().find(|option| option.id.as_str().eq_ignore_ascii_case(wanted)) {
                Some(option) => Answered::One(option.id.0.clone()),
                None => Answered::None(Some(format!("\"{wanted}\" is not among them."))),
            });
        }
        if let [only] = options.as_slice() {
            return Ok(Answered::One(only.id.0.clone()));
        }
        if !context.prompt.is_possible() || options.is_empty() {
            return Ok(Answered::None(None));
        }
        let label = |option: &MfaOption| option.label.clone().unwrap_or_else(|| option.id.0.clone());
        context.output.announce(request.said("Choose how to get the code"));
        let question = request.question(context, "Method", "Give --mfa-option ID.");
        let chosen = context.prompt.choose(&question, options.iter().map(label).collect());
        let chosen = unless_settled(context, client, request, chosen).await?;
        let id = |option: &MfaOption| Answered::One(option.id.0.clone());
        Ok(chosen.and_then(|chosen| options.get(chosen).map_or(Answered::None(None), id)))
    }

    /// Whether a person is asked for the code.
    fn asks_for_code(&self, context: &Context) -> bool {
        !self.means.mfa_code_stdin && self.means.mfa_command.is_none() && context.prompt.is_possible()
    }

    async fn code(
        &mut self,
        context: &Context,
        client: &Client,
        request: &PendingRequest<'_>,
    ) -> Result<Answered<SecretString>> {
        if self.means.mfa_code_stdin {
            let read = async { timeout_at(request.until(context), self.stdin.code()).await.transpose() };
            let answered = unless_settled(context, client, request, read).await?;
            let no_code = || Answered::None(Some(NO_CODE.to_owned()));
            return Ok(answered.and_then(|code| code.map_or_else(no_code, Answered::One)));
        }
        if let Some(command) = &self.means.mfa_command {
            if self.tried.get(&key(request.retailer)).is_some_and(|tried| *tried >= MOST_CODES) {
                let why = format!("{MOST_CODES} codes of the command were given, and none was taken.");
                return Ok(Answered::None(Some(why)));
            }
            let run = code::from_command(command, request);
            let run = async { timeout_at(request.until(context), run).await.transpose() };
            let answered = unless_settled(context, client, request, run).await?;
            if let Answered::Expired = answered {
                let text =
                    format!("{}: the command for the code did not finish in time, and was stopped.", request.name);
                context.output.marked_note(Mark::Attention, &text);
            }
            return Ok(answered);
        }
        if !context.prompt.is_possible() {
            return Ok(Answered::None(None));
        }
        let question = request.question(context, "Code", "Give --mfa-code-stdin or --mfa-command COMMAND.").masked();
        // Shown while it is typed: it is valid only once, and is easily mistyped unseen.
        let typed = async {
            let typed = context.prompt.text(&question).await?;
            Ok(typed.map(Zeroizing::new).and_then(|typed| code::read(&typed)))
        };
        unless_settled(context, client, request, typed).await
    }

    /// That the code before was wrong, if there was one.
    fn wrong_code(&self, request: &PendingRequest<'_>) -> Option<WrongCode> {
        let key = key(request.retailer);
        let says_so = match self.said.get(&key) {
            Some(said) => request.mfa.prompt.is_some() && *said != request.mfa.prompt,
            None => false,
        };
        self.tried.contains_key(&key).then_some(WrongCode { left: request.mfa.attempts_left, says_so })
    }
}

/// A code was wrong.
struct WrongCode {
    /// How many more may be tried.
    left: Option<u32>,
    /// The retailer says something else than before, most likely this.
    says_so: bool,
}

impl WrongCode {
    fn left(&self, before: &str) -> String {
        self.left.map(|left| format!("{before}{}", tries_left(left))).unwrap_or_default()
    }

    /// What is printed before the next code is asked for.
    fn note(&self, request: &PendingRequest<'_>) -> String {
        if !self.says_so {
            return format!("{}: that code was wrong{}.", request.name, self.left("; "));
        }
        with_left(request, self.left)
    }

    /// What an error says after the retailer's text.
    fn why(&self) -> String {
        let text = if self.says_so { self.left("") } else { format!("That code was wrong{}", self.left("; ")) };
        if text.is_empty() { text } else { format!("{text}.") }
    }
}

/// The tries left if they are few: a code may have been wrong before this command, which does not know of it.
fn few_left(request: &PendingRequest<'_>) -> Option<u32> {
    request.mfa.attempts_left.filter(|left| *left <= FEW)
}

fn tries_left(left: u32) -> String {
    if left == 1 { "1 try left".to_owned() } else { format!("{left} tries left") }
}

/// What the retailer says, with the tries left.
fn with_left(request: &PendingRequest<'_>, left: Option<u32>) -> String {
    let said = request.said("Enter the code");
    left.map_or_else(|| said.clone(), |left| format!("{said} ({})", tries_left(left)))
}

/// Asks, unless the request is settled meanwhile: answered in another terminal or in the widget, or over.
async fn unless_settled<T>(
    context: &Context,
    client: &Client,
    request: &PendingRequest<'_>,
    question: impl Future<Output = Result<Option<T>>>,
) -> Result<Answered<T>> {
    tokio::select! {
        biased;
        answer = question => Ok(answer?.map_or(Answered::Expired, Answered::One)),
        // A request that ended at its own deadline was not answered elsewhere: it had no answer.
        () = elsewhere::settled(context, client, request) => {
            Ok(if request.is_over() { Answered::Expired } else { Answered::Settled })
        }
    }
}

/// What was looked for as an answer.
enum Answered<T> {
    One(T),
    /// Nobody gave one in time.
    Expired,
    /// None is needed any more.
    Settled,
    /// No answer, and why, if there is more to say.
    None(Option<String>),
}

impl<T> Answered<T> {
    /// Turns an answer into another one.
    fn and_then<U>(self, next: impl FnOnce(T) -> Answered<U>) -> Answered<U> {
        match self {
            Self::One(answer) => next(answer),
            Self::Expired => Answered::Expired,
            Self::Settled => Answered::Settled,
            Self::None(why) => Answered::None(why),
        }
    }
}

/// Awaits `work`; `None` at the deadline.
async fn timeout_at<T>(until: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) => tokio::time::timeout_at(until.into(), work).await.ok(),
        None => Some(work.await),
    }
}

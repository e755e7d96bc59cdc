//! `ordersync api`: any request, signed in, its answer as received.

mod fields;
mod headers;
mod pages;

use bytes::Bytes;
use reqwest::Method;
use serde_json::Value;

use super::shared::back_end;
use crate::auth::store::trimmed;
use crate::cli::api::ApiArgs;
use crate::cli::shared::ClientSecretArgs;
use crate::client::Client;
use crate::client::request::Call;
use crate::client::wire::{X_CLIENT_SECRET, X_LINK_TOKEN};
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Hint, Result};
use crate::output::shape::colour::Layout;
use fields::Field;

struct ApiRequest {
    method: Method,
    path: String,
    query: Vec<(String, String)>,
    body: Option<Bytes>,
    headers: headers::Headers,
}

/// Sends a request and prints the answer.
pub(super) async fn run(context: &Context, arguments: ApiArgs) -> Result<()> {
    let ApiArgs { paginate, slurp, include, silent, .. } = arguments;
    let request = ApiRequest::read(context, arguments).await?;
    let client = context.client().await?;
    if paginate {
        return pages::run(context, client, request, slurp).await;
    }
    let answer = client.send(request.call(context, client, &[]).await?).await.map_err(|error| {
        error.where_unknown(Hint::run("Paths are as in openapi.yaml, for example", context.command("api /sync/orders")))
    })?;
    if include {
        let head = headers::shown(&answer);
        context.output.foreign(head.as_bytes())?;
    }
    if silent {
        return Ok(());
    }
    if context.output.reshapes() {
        return context.output.shown(&answer.json::<Value>()?).map(drop);
    }
    let layout = context.output.layout();
    // What is nested too deeply for one library would use up the stack of the other.
    if answer.is_json() && (layout.terminal || layout.coloured) && answer.json::<Value>().is_ok() {
        let layout = Layout { indented: true, ..layout };
        if let Some(document) = layout.document(answer.body(), 0) {
            context.output.raw(&document)?;
            return context.output.raw(b"\n");
        }
    }
    context.output.foreign(answer.body())?;
    // On a terminal, JSON without a line's end would leave the shell's prompt behind it. A pipe gets the exact body.
    if layout.terminal && answer.body().last().is_some_and(|last| *last != b'\n') && answer.is_json() {
        context.output.raw(b"\n")?;
    }
    Ok(())
}

impl ApiRequest {
    async fn read(context: &Context, arguments: ApiArgs) -> Result<Self> {
        let has_fields = !(arguments.fields.is_empty() && arguments.raw_fields.is_empty());
        // Pages are got, never posted.
        let has_content = !arguments.paginate && (arguments.input.is_some() || has_fields);
        let method = method(arguments.method.as_deref(), &arguments.path, has_content)?;
        let mut fields = Vec::new();
        for text in &arguments.raw_fields {
            fields.push(Field::raw(text)?);
        }
        for text in arguments.fields {
            // A file may be read for it.
            fields.push(context.read("the file of a field", move || Field::typed(&text)).await?);
        }
        let input = match arguments.input {
            Some(path) => Some(context.read("--input", move || fields::read(&path)).await?),
            None => None,
        };
        let into_query = input.is_some() || method.is_safe() || method == Method::DELETE;
        let (query, body) = match (input, into_query) {
            (input, true) => (fields.into_iter().map(Field::into_text).collect(), input),
            (_, false) if fields.is_empty() => (Vec::new(), None),
            (_, false) => (Vec::new(), Some(fields::body(fields)?)),
        };
        Ok(Self { method, path: arguments.path, query, body, headers: headers::parse(&arguments.headers)? })
    }

    /// The request, with these besides in its query.
    async fn call(&self, context: &Context, client: &Client, more: &[(&str, String)]) -> Result<Call> {
        let url = client.address(&self.path)?;
        let is_backend = url.path().contains("/v1/");
        let mut call = Call::path(self.method.clone(), url)?;
        for (name, value) in &self.query {
            call = call.query(name, Some(value));
        }
        for (name, value) in more {
            call = call.query(*name, Some(value));
        }
        for (name, value) in &self.headers {
            call = call.header(name.clone(), value.clone());
        }
        if let Some(body) = &self.body {
            call = call.body(body.clone());
        }
        if is_backend {
            call = with_secrets(context, call).await?;
        }
        Ok(call)
    }
}

/// The method that is meant: the one that was given, else what the rest of the command line makes of it.
fn method(given: Option<&str>, path: &str, has_content: bool) -> Result<Method> {
    let Some(given) = given else {
        // Of one argument, it is the path.
        return match path {
            "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => {
                Err(Error::usage(format!("{path} which path?"))
                    .hint(Hint::command(format!("ordersync api {path} /sync/…"))))
            }
            _ if has_content => Ok(Method::POST),
            _ => Ok(Method::GET),
        };
    };
    Method::from_bytes(given.to_ascii_uppercase().as_bytes())
        .ok()
        .filter(|method| method.as_str().bytes().all(|letter| letter.is_ascii_alphabetic()))
        .ok_or_else(|| Error::usage(format!("\"{given}\" is no method.")).hint("GET, POST, PUT, DELETE"))
}

async fn with_secrets(context: &Context, mut call: Call) -> Result<Call> {
    if let Some(secret) = back_end::client_secret(context, &ClientSecretArgs::default()).await? {
        call = call.secret(X_CLIENT_SECRET, &secret, "The client secret")?;
    }
    if let Some(token) = context.environment.get(&env::LINK_TOKEN) {
        call = call.secret(X_LINK_TOKEN, &trimmed(token), "The link token")?;
    }
    Ok(call)
}

/// The list that an answer is, or holds (see the tolerance of [`ordersync_api::List`]).
fn list(value: Value) -> Option<Vec<Value>> {
    serde_json::from_value::<ordersync_api::List<Value>>(value).ok().map(|list| list.0)
}

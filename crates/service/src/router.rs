//! The table of all routes, and the layers around them.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

pub(crate) use crate::http::route::Route;

use crate::app::Shared;
use crate::http::gate::{Gate, gate};
use crate::http::problem;
use crate::http::route::RouteTable;
use crate::web::{ErrorPages, errors_as_pages};
use crate::{interface, oauth, web};

/// All routes of the service; those of the sandbox only if it is one.
pub fn routes(with_sandbox: bool) -> Vec<Route> {
    table(with_sandbox, with_sandbox)
}

fn table(with_sandbox: bool, with_tokens: bool) -> Vec<Route> {
    let mut routes = interface::routes();
    routes.extend(oauth::routes());
    routes.extend(web::routes());
    if with_sandbox {
        routes.extend(web::sandbox_routes());
        routes.extend(interface::controls(with_tokens));
    }
    routes
}

/// The whole service as a single request handler.
pub(crate) fn router(app: Shared) -> Router {
    // Inside a command, the sandbox's controls accept only the token of that command.
    let has_tokens = app.local_token.is_none();
    let is_sandbox = app.environment.is_sandbox();
    let mut routes = table(is_sandbox, has_tokens);
    if app.local_token.is_some() {
        routes.extend(interface::local());
        routes.extend(web::local_routes());
    }
    let known = RouteTable::of(&routes);
    let router = routes
        .into_iter()
        .fold(Router::new(), |router, route| router.route(route.path, route.handler))
        .method_not_allowed_fallback(problem::method_not_allowed)
        .fallback(problem::no_such_path)
        .layer(CatchPanicLayer::custom(problem::panicked));
    let router = match is_sandbox {
        true => router.layer(from_fn_with_state(Arc::clone(&app), interface::force)),
        false => router,
    };
    router
        .layer(from_fn_with_state(Gate { app: Arc::clone(&app), routes: known.clone() }, gate))
        .layer(from_fn_with_state(ErrorPages { app: Arc::clone(&app), routes: known }, errors_as_pages))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_routes_of_a_path_say_the_same_of_themselves() {
        // `RouteTable::of` ensures it.
        let routes = routes(true);
        assert!(routes.len() > 40);
        RouteTable::of(&routes);
    }
}

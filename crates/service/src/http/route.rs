//! Routes and their properties. No other list of paths exists.

use std::collections::HashMap;
use std::sync::Arc;

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{self, MethodRouter};

use crate::app::Shared;

/// A route, as tests compare it with the contract.
pub struct Route {
    pub method: Method,
    /// The path, with `{name}` for variable segments.
    pub path: &'static str,
    pub(crate) handler: MethodRouter<Shared>,
    traits: Traits,
    query: Query,
}

/// The parameters that a route takes in its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// Those that it knows; others are refused.
    Only(&'static [&'static str]),
    /// Any; those that it does not know are ignored.
    Any,
}

/// The properties of a route. All routes of a path have the same ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It needs no access token.
    pub(crate) is_public: bool,
    /// People see it: its refusals are shown as pages.
    pub(crate) is_page: bool,
    /// It does not count against the rate limit.
    pub(crate) is_unlimited: bool,
    /// It controls a sandbox.
    pub(crate) is_control: bool,
    /// It is a list that is read in pages.
    pub(crate) is_list: bool,
    /// Clients present their secrets here: such requests do count for the client.
    pub(crate) takes_secrets: bool,
}

impl Route {
    fn new(method: Method, path: &'static str, handler: MethodRouter<Shared>) -> Self {
        Self { method, path, handler, traits: Traits::default(), query: Query::Only(&[]) }
    }

    pub(crate) fn get<T: 'static>(path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        Self::new(Method::GET, path, routing::get(handler))
    }

    pub(crate) fn post<T: 'static>(path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        Self::new(Method::POST, path, routing::post(handler))
    }

    pub(crate) fn put<T: 'static>(path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        Self::new(Method::PUT, path, routing::put(handler))
    }

    pub(crate) fn delete<T: 'static>(path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        Self::new(Method::DELETE, path, routing::delete(handler))
    }

    pub(crate) fn public(mut self) -> Self {
        self.traits.is_public = true;
        self
    }

    /// Marks it as a page: it needs no access token, its refusals are pages as well, and people may add to its address.
    pub(crate) fn page(mut self) -> Self {
        self.traits.is_page = true;
        self.public().any_query()
    }

    /// Says which parameters it takes in its query. Without this, it takes none.
    pub(crate) fn query(mut self, names: &'static [&'static str]) -> Self {
        self.query = Query::Only(names);
        self
    }

    /// Ignores parameters of the query that it does not know, as OAuth demands (RFC 6749 §3.1, §3.2).
    pub(crate) fn any_query(mut self) -> Self {
        self.query = Query::Any;
        self
    }

    /// Exempts it from the rate limit: it is outside the interface that the limit applies to.
    pub(crate) fn unlimited(mut self) -> Self {
        self.traits.is_unlimited = true;
        self
    }

    /// Marks it as a control of a sandbox.
    pub(crate) fn control(mut self) -> Self {
        self.traits.is_control = true;
        self.unlimited()
    }

    /// Marks it as a list that is read in pages.
    pub(crate) fn list(mut self) -> Self {
        self.traits.is_list = true;
        self
    }

    /// Clients authenticate here with their own credentials: there is no access token yet.
    pub(crate) fn client_secret(mut self) -> Self {
        self.traits.takes_secrets = true;
        self.public()
    }

    /// The parameters that it takes in its query.
    pub const fn parameters(&self) -> Query {
        self.query
    }

    /// Whether it needs no access token.
    pub const fn is_public(&self) -> bool {
        self.traits.is_public
    }

    /// Whether people see it.
    pub const fn is_page(&self) -> bool {
        self.traits.is_page
    }

    /// Whether it does not count against the rate limit.
    pub const fn is_unlimited(&self) -> bool {
        self.traits.is_unlimited
    }
}

/// The properties of the routes, by path.
#[derive(Debug, Clone)]
pub(crate) struct RouteTable(Arc<HashMap<&'static str, Listed>>);

#[derive(Debug)]
struct Listed {
    traits: Traits,
    methods: Vec<(Method, Query)>,
}

impl RouteTable {
    pub(crate) fn of(routes: &[Route]) -> Self {
        let mut table: HashMap<&'static str, Listed> = HashMap::new();
        for route in routes {
            let entry = table.entry(route.path).or_insert(Listed { traits: route.traits, methods: Vec::new() });
            debug_assert_eq!(entry.traits, route.traits, "{}", route.path);
            entry.methods.push((route.method.clone(), route.query));
        }
        Self(Arc::new(table))
    }

    /// The properties of this path's routes; the default if the path is not a route.
    pub(crate) fn traits(&self, path: Option<&str>) -> Traits {
        path.and_then(|path| self.0.get(path)).map(|entry| entry.traits).unwrap_or_default()
    }

    /// Whether any route has this method.
    pub(crate) fn has_method(&self, method: &str) -> bool {
        self.0.values().any(|entry| entry.methods.iter().any(|(known, _)| known.as_str() == method))
    }

    /// The parameters of the route's query, if there is such a route. A request with HEAD is one with GET.
    pub(crate) fn query(&self, path: Option<&str>, method: &Method) -> Option<Query> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let entry = path.and_then(|path| self.0.get(path))?;
        entry.methods.iter().find(|(known, _)| known == method).map(|(_, query)| *query)
    }

    /// Whether a route matches the path, with its variable segments filled in or not.
    pub(crate) fn leads_to(&self, path: &str) -> bool {
        self.0.iter().any(|(route, entry)| !entry.traits.is_control && leads_to(path, route))
    }
}

/// Whether the path matches the route, with its variable segments filled in or not.
fn leads_to(path: &str, route: &str) -> bool {
    let (mut segments, mut places) = (path.split('/'), route.split('/'));
    loop {
        match (segments.next(), places.next()) {
            (None, None) => return true,
            (Some(segment), Some(place)) if segment == place || (place.starts_with('{') && !segment.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_that_of_a_route_with_its_variable_parts_filled_or_not() {
        for path in ["/sync/orders/{id}", "/sync/orders/item_1"] {
            assert!(leads_to(path, "/sync/orders/{id}"), "{path}");
        }
        for path in ["/sync/orders", "/sync/orders/", "/sync/orders/a/b", "sync/orders/a", "/sync/ordres/a", ""] {
            assert!(!leads_to(path, "/sync/orders/{id}"), "{path}");
        }
    }
}

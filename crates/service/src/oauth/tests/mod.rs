//! The authorization server over real HTTP, on a clock that the tests move. Only the pages' results (who signed in,
//! what was decided) are set by direct calls.

mod bearer;
mod browser;
mod clients;
mod code;
mod device;
mod gateway;
mod limits;
mod links;
mod one_time_password;
mod refresh;
mod revoke;
mod world;

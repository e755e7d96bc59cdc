#!/bin/sh
# Drives the pages in a real Chromium, against the built binary. Installs what it needs: Chromium from Debian, the rest
# with npm. Screenshots of every page, narrow and wide, light and dark, are left in target/screenshots/.
#   ORDERSYNC_BIN  the binary under test; without it, target/debug/ordersync, which is then built
#   CHROMIUM       the browser; without it, /usr/bin/chromium
# Arguments: the tests, if not those of this folder. BROWSER_TESTS_AT_ONCE: how many files of them run at a time (1).
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- ./*.test.js

if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
  apt-get -o Acquire::Retries=5 update -qq
  DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends chromium
fi
# The examples use it too, maybe at this moment. What is installed stays: `npm ci` would take it from a running test.
exec 9<package-lock.json
flock 9
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --fetch-retries=5
exec 9<&-
if [ -z "${ORDERSYNC_BIN:-}" ]; then
  cargo build --quiet --manifest-path ../../Cargo.toml
fi
exec node --test --test-concurrency="${BROWSER_TESTS_AT_ONCE:-1}" --test-reporter=spec "$@"

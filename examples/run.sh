#!/bin/sh
# Installs each example app with the commands of its README, and runs the tests: its own, those in a browser, and of
# docs/integrating.md. Pictures are left in target/screenshots/.
#   ORDERSYNC_BIN  the service; without it, target/debug/ordersync, which is then built
set -eu
cd "$(dirname "$0")"
export npm_config_fetch_retries=5 npm_config_fund=false npm_config_audit=false PIP_RETRIES=10 PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -z "${ORDERSYNC_BIN:-}" ]; then
  cargo build --quiet --manifest-path ../Cargo.toml
fi
node tests/snippets.js
for name in express fastapi; do
  node tests/install.js "$name" | (cd "$name" && sh -eu)
done
(cd express && npm test --silent)
(cd fastapi && .venv/bin/pip install --quiet --requirement requirements-dev.txt && .venv/bin/python -m pytest --quiet)
export BROWSER_TESTS_AT_ONCE=2
exec ../tests/browser/run.sh "$PWD"/tests/*.test.js

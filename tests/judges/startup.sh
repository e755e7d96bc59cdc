#!/bin/bash
# How long the command takes to start, beside jq, measured in the same run. Prints the medians; judges nothing.
# Needs: hyperfine, jq, a release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin="${ORDERSYNC_BIN:-target/release/ordersync}"
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
export ORDERSYNC_HOME="$home"
"$bin" retailers >/dev/null # makes the store, which the measured runs then find
hyperfine --shell=none --warmup 10 --runs 200 --export-json "$home/version.json" "$bin --version" "jq --version" >&2
hyperfine --shell=none --warmup 3 --runs 50 --export-json "$home/retailers.json" "$bin retailers" >&2
jq -r '.results[] | "\(.command | split("/") | last): median \(.median * 10000 | round / 10) ms"' \
    "$home/version.json" "$home/retailers.json"

#!/bin/bash
# Where a sign-in is kept: in a real Secret Service (gnome-keyring) and nowhere else; if there is none, in a private
# file that is named; where there is one that never answers, the same after three seconds.
# Needs: dbus, gnome-keyring, libsecret-tools, python3-dbus (Debian's names), a built ordersync.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${1:-}" = "" ]; then
    exec /usr/bin/python3 tests/judges/judge.py --rate-limit off -- "$0" beside-a-service
fi

bin="${ORDERSYNC_BIN:-}"
for candidate in target/release/ordersync target/debug/ordersync; do
    [ -n "$bin" ] || { [ -x "$candidate" ] && bin="$PWD/$candidate"; }
done
token="$ORDERSYNC_TOKEN"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
# An empty home, and nothing that leads to a keyring or past one.
unset ORDERSYNC_TOKEN ORDERSYNC_HOME DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME DISPLAY CI

fail() {
    echo "keyring: $*" >&2
    exit 1
}
says() { grep -qF -- "$1" "$HOME/err" || fail "\"$1\" is not in: $(cat "$HOME/err")"; }
login() { printf '%s' "$token" | "$bin" auth login --with-token 2>"$HOME/err" || fail "login: $(cat "$HOME/err")"; }
ends() {
    local wanted="$1" status=0
    shift
    "$bin" "$@" >"$HOME/out" 2>"$HOME/err" || status=$?
    [ "$status" = "$wanted" ] || fail "$* ended with $status: $(cat "$HOME/err")"
}
home() {
    export HOME="$scratch/$1"
    mkdir -p "$HOME"
}
kept() { find "$HOME" -path '*/sign-in/*.json'; }
in_file() {
    local file
    file="$(kept)"
    [ -n "$file" ] && [ "$(stat -c %a "$file")" = 600 ] || fail "no private file, but: $file"
    says "$file"
    ends 0 auth status
    grep -qF "$file" "$HOME/out" || fail "status does not name $file: $(cat "$HOME/out")"
    ends 0 connections
    ends 0 auth logout
    [ -z "$(kept)" ] || fail "something is left: $(kept)"
}
# All of it, and only then is it searched: who closes a pipe early ends the command that writes to it.
in_keyring() { secret-tool search --all service ordersync >"$scratch/in-keyring" 2>/dev/null || true; }
export -f fail says login ends home kept in_file in_keyring
export bin token scratch

home real
dbus-run-session -- bash -euo pipefail -c '
    gnome-keyring-daemon --foreground --unlock --components=secrets <<<test >/dev/null 2>&1 &
    daemon=$!
    trap "kill $daemon || true" EXIT
    # Asking the keyring itself would start another one.
    until [[ "$(dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
        string:org.freedesktop.secrets)" == *true* ]]; do
        [ "$SECONDS" -lt 120 ] || fail "no keyring after two minutes"
        sleep 0.1
    done
    login
    says "Stored in the system'"'"'s keyring"
    in_keyring
    grep -qF "$token" "$scratch/in-keyring" || fail "the token is not in the keyring"
    ends 0 connections
    ends 0 auth status
    grep -qF "keyring" "$HOME/out" || fail "status does not say where"
    # The last output of the command, which the test asked for, is not kept.
    rm -f "$HOME/out" "$HOME/err"
    ! grep -rqF "$token" "$HOME" || fail "the token is in: $(grep -rlF "$token" "$HOME")"
    [ -z "$(kept)" ] || fail "there is a file: $(kept)"
    ends 0 auth logout
    in_keyring
    [ ! -s "$scratch/in-keyring" ] || fail "something is left in the keyring"
    ends 4 auth status
'
echo "a real keyring: kept there, and nowhere else"

home none
login
says "Not in the system's keyring"
in_file
echo "no keyring: kept in a private file, which is named"

home silent
dbus-run-session -- bash -euo pipefail -c '
    exec 3< <(exec /usr/bin/python3 tests/judges/silent_keyring.py)
    silent=$!
    trap "kill $silent || true" EXIT
    read -r _ <&3
    milliseconds() {
        local began="$(date +%s%N)"
        "$@"
        took=$((($(date +%s%N) - began) / 1000000))
    }
    # A busy machine adds to the three seconds, but hardly every time.
    for attempt in 1 2 3 4 5; do
        milliseconds login
        says "did not answer within 3 seconds"
        says "$(kept)"
        [ "$(stat -c %a "$(kept)")" = 600 ] || fail "the file is not private"
        [ "$took" -ge 3000 ] || fail "a keyring that hangs took $took ms"
        [ "$took" -ge 4500 ] || break
        [ "$attempt" -lt 5 ] || fail "a keyring that hangs took $took ms"
        ends 0 auth logout
    done
    hung="$took"
    # From then on, the file is found first, and nobody waits.
    for attempt in 1 2 3 4 5; do
        milliseconds ends 0 connections
        [ "$took" -ge 1500 ] || break
        [ "$attempt" -lt 5 ] || fail "the file was not looked into first"
    done
    ends 0 auth logout
    [ -z "$(kept)" ] || fail "something is left: $(kept)"
    ends 4 connections
    says "cannot be read"
    ORDERSYNC_TOKEN_STORE=keyring
    export ORDERSYNC_TOKEN_STORE
    ends 4 auth status
    says "token_store file"
    echo "a keyring that hangs: $hung ms, then a private file"
'

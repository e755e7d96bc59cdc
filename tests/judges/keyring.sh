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
export -f fail says login ends home kept in_file
export bin token scratch

home real
dbus-run-session -- bash -euo pipefail -c '
    gnome-keyring-daemon --foreground --unlock --components=secrets <<<test >/dev/null 2>&1 &
    daemon=$!
    for _ in $(seq 100); do
        # Asking the keyring itself would start another one.
        dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
            string:org.freedesktop.secrets | grep -q true && break
        sleep 0.1
    done
    login
    says "Stored in the system'"'"'s keyring"
    secret-tool search service ordersync 2>/dev/null | grep -qF "$token" || fail "the token is not in the keyring"
    ends 0 connections
    ends 0 auth status
    grep -qF "keyring" "$HOME/out" || fail "status does not say where"
    # The last output of the command, which the test asked for, is not kept.
    rm -f "$HOME/out" "$HOME/err"
    ! grep -rqF "$token" "$HOME" || fail "the token is in: $(grep -rlF "$token" "$HOME")"
    [ -z "$(kept)" ] || fail "there is a file: $(kept)"
    ends 0 auth logout
    ! secret-tool search service ordersync 2>/dev/null | grep -q . || fail "something is left in the keyring"
    ends 4 auth status
    kill "$daemon"
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
    read -r _ <&3
    began="$(date +%s%N)"
    login
    took=$((($(date +%s%N) - began) / 1000000))
    says "did not answer within 3 seconds"
    says "$(kept)"
    [ "$(stat -c %a "$(kept)")" = 600 ] || fail "the file is not private"
    [ "$took" -ge 3000 ] && [ "$took" -lt 4500 ] || fail "a keyring that hangs took $took ms"
    # From then on, the file is found first, and nobody waits.
    began="$(date +%s%N)"
    ends 0 connections
    [ $((($(date +%s%N) - began) / 1000000)) -lt 1500 ] || fail "the file was not looked into first"
    ends 0 auth logout
    [ -z "$(kept)" ] || fail "something is left: $(kept)"
    ends 4 connections
    says "cannot be read"
    ORDERSYNC_TOKEN_STORE=keyring
    export ORDERSYNC_TOKEN_STORE
    ends 4 auth status
    says "token_store file"
    kill "$silent"
    echo "a keyring that hangs: $took ms, then a private file"
'

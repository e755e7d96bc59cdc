#!/bin/sh
# Makes the README's pictures from the real program: terminal.svg, widget.png and summary.png. Needs python3 with venv,
# Node and npm. Installs the rest: Python packages in target/picture, Chromium from Debian.
#   ORDERSYNC_BIN  the binary to show; without it, target/release/ordersync, which is then built
#   CHROMIUM       the browser; without it, /usr/bin/chromium
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
python="$root/target/picture/bin/python"
export PYTHONDONTWRITEBYTECODE=1

if [ -z "${ORDERSYNC_BIN:-}" ]; then
  cargo build --quiet --release --manifest-path "$root/Cargo.toml"
  ORDERSYNC_BIN="$root/target/release/ordersync"
fi
export ORDERSYNC_BIN
if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
fi
[ -x "$python" ] || python3 -m venv "$root/target/picture"
"$python" -m pip install --quiet --disable-pip-version-check "pexpect~=4.9" "pyte~=0.8.2" pillow
npm ci --silent --prefix "$root/tests/browser"

"$python" "$here/record.py"
node "$here/pages.mjs"
"$python" "$here/palette.py" "$here/summary.png" "$here/widget.png"

#!/bin/bash
# A real shop to sync from: django-oscar with customers and orders, on 127.0.0.1 only.
#
#   tests/shops/oscar/run.sh WORK_DIR              serves in the foreground on port 8101; Ctrl-C stops it
#   PORT=0 ...                                     on a port of the system's choosing, which the log tells
#   PORT=8102 MFA=1 tests/shops/oscar/run.sh DIR   the sign-in asks mfa@shop.test for a code (totp.py prints it)
#   OSCAR_LANG=de ...                              dates and money the German way
#   SEED=variants OSCAR_VARIANTS=FOLDER ...        changed templates by request, and a customer made for them (variants.py)
#   SEED=large ...                                 one customer with 500 orders (compare.py)
#   RESEED=1 ...                                   throws the shop away and fills it anew
#
# Everything is written below WORK_DIR: the Python environment, the database, images, and run.PORT.pid. The first start
# installs from PyPI and takes about a minute. Several shops may share WORK_DIR, each on its own port.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
work="${1:?usage: $0 WORK_DIR}"
mkdir -p "$work"
work="$(cd "$work" && pwd)"
port="${PORT:-8101}"

export OSCAR_DB="$work/${SEED:-shop}.sqlite3" OSCAR_FILES="$work/files"
export OSCAR_MFA="${MFA:-0}" OSCAR_LANG="${OSCAR_LANG:-en-gb}"
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1

# Several judges may start the first shop at once.
exec 9>"$work/lock"
flock 9
if ! "$work/venv/bin/gunicorn" --version >/dev/null 2>&1; then
    python3 -m venv --clear "$work/venv"
    "$work/venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
fi
if [ -n "${RESEED:-}" ]; then rm -f "$OSCAR_DB" "$OSCAR_DB"-*; fi
if [ ! -s "$OSCAR_DB" ]; then
    # Filled beside its place and moved there whole, so that an interrupted start leaves no half of a shop.
    rm -f "$OSCAR_DB.new"
    OSCAR_DB="$OSCAR_DB.new" "$work/venv/bin/python" "$here/manage.py" migrate -v0
    OSCAR_DB="$OSCAR_DB.new" "$work/venv/bin/python" -W ignore -m "shop.seed${SEED:+_$SEED}"
    mv "$OSCAR_DB.new" "$OSCAR_DB"
fi
exec 9>&-
echo $$ > "$work/run.$port.pid"
cd "$work"
# A page may take its time on a busy machine.
exec venv/bin/gunicorn --workers "${WORKERS:-2}" --timeout 300 --bind "127.0.0.1:$port" --no-control-socket --access-logfile - shop.wsgi

#!/bin/bash
# schemathesis over openapi.yaml and openapi-pages.yaml against a live `serve --sandbox`: examples, coverage, fuzzing and stateful phases, good
# and bad requests, all checks. Whatever it finds fails. More flags for `st run` may follow.
# Needs: schemathesis and joserfc (in $VENV, target/judges by default), a built ordersync.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv="${VENV:-target/judges}"
st="$venv/bin/st"
[ -x "$st" ] || { echo "no schemathesis at $st" >&2; exit 1; }
"$st" --version
for document in openapi.yaml openapi-pages.yaml; do
    echo "== $document"
    flags=()
    # The pages take what a browser was shown before: a form that nobody was shown is refused, however well it is formed.
    [ "$document" = openapi.yaml ] || flags=(--exclude-checks positive_data_acceptance,negative_data_rejection)
    PYTHONPATH=tests/judges PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" tests/judges/judge.py --rate-limit off --speed 1000 -- \
        bash -c '"$@" --url "$ORDERSYNC_BASE_URL"' schemathesis \
        "$st" --config-file tests/judges/schemathesis.toml run "$document" \
        --mode all --phases examples,coverage,fuzzing,stateful \
        --max-examples "${MAX_EXAMPLES:-150}" --seed "${SEED:-1}" --workers 1 "${flags[@]}" "$@"
done

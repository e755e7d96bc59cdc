#!/usr/bin/env bash
# Calls every endpoint of the service with curl, in an order that works; CI runs it. It needs jq, and for sealing Python with joserfc:
#
#   ordersync serve --sandbox --listen 127.0.0.1:8080
#   examples/curl.sh
#
# It writes its files to the current folder.
set -euo pipefail

# The first four and the metadata need no token. A sandbox issues tokens for the phone numbers +15550100 to +15550199.
base=${base:-http://127.0.0.1:8080}
json='Content-Type: application/json'
curl -sf $base/sync/retailers | jq -c '.[11]'
curl -sf $base/healthz
curl -sf $base/readyz
curl -sf $base/metrics
token=$(curl -sf $base/sandbox/token -H "$json" -d '{"phone":"+15550100"}' | jq -r .access_token)
auth="Authorization: Bearer $token"
curl -sf $base/sync/profile -H "$auth" | jq .
curl -sf $base/.well-known/oauth-authorization-server | jq .
curl -sf $base/oauth/device_authorization -d client_id=ordersync-cli | jq .
secret=ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one
machine=$(curl -sf $base/oauth/token -u "sandbox:$secret" -d grant_type=client_credentials -d scope=users:share | jq -r .access_token)
curl -sf $base/oauth/revoke -u "sandbox:$secret" -d token=$machine

# Seal the credentials, for example in Python with joserfc, and connect:
curl -sf $base/sync/auth/totp -H "$auth" | jq .
cat > seal.py <<'END'
import json, sys
from joserfc import jwe
from joserfc.jwk import OctKey

totp = json.load(sys.stdin)
header = {"alg": "dir", "enc": "A256GCM", "kid": totp["currentStamp"]}
key = OctKey.import_key({"kty": "oct", "k": totp["token"]})
fields = {"username": sys.argv[1], "password": "pass_good"}
info = jwe.encrypt_compact(header, json.dumps(fields), key, algorithms=["dir", "A256GCM"])
print(json.dumps({"retailerId": 12, "connectionInfo": info, "currentStamp": totp["currentStamp"], "mode": "CONNECT"}))
END
curl -sf $base/sync/auth/totp -H "$auth" | python3 seal.py user_mfa_enter > connect.json
batch=$(curl -sf $base/sync/connections/connect -H "$auth" -H "$json" -H "Idempotency-Key: connect-1" \
    -d @connect.json | jq -r .batchId)

# Poll the session until its `status` is `normal`, and answer the retailer:
answer() {
    until reqid=$(curl -sf $base/sync/sessions/$1 -H "$auth" | jq -er '[.events[] | select(.type == "mfa")][-1].reqId'); do
        sleep 1
    done
    curl -sf $base/sync/mfa -H "$auth" -H "$json" -d "{\"eventType\":\"enter\",\"reqId\":\"$reqid\",\"otpValue\":\"123456\"}"
}
answer $batch
until curl -sf $base/sync/sessions/latest -H "$auth" | jq -e '.status == "normal"' > latest.json; do
    sleep 1
done
id=$(curl -sf "$base/sync/connections?status=valid" -H "$auth" | jq -r '.[0].connectionId')
curl -sf $base/sync/connections/$id -H "$auth" | jq .

# Repair a connection, which this example makes invalid first. Then sync one, all, or those of a retailer:
curl -sf $base/sandbox/break -H "$auth" -H "$json" -d "{\"connectionId\":\"$id\"}" | jq -r .status
curl -sf $base/sync/auth/totp -H "$auth" | python3 seal.py user_mfa_enter > fix.json
batch=$(curl -sf -X PUT $base/sync/connections/$id -H "$auth" -H "$json" -d @fix.json | jq -r .batchId)
answer $batch
until curl -sf $base/sync/connections/$id -H "$auth" | jq -e '.lastSyncAt and .status == "valid"' > fixed.json; do
    sleep 1
done
until curl -sf $base/sync/sessions/latest -H "$auth" | jq -e '.status == "normal"' > latest.json; do
    sleep 1
done
wait_for_it() { until curl -sf $base/sync/sessions/latest -H "$auth" | jq -e '.status == "normal"' > latest.json; do sleep 1; done; }
curl -sf -X POST $base/sync/connections/$id/sync -H "$auth" | jq -r .batchId; wait_for_it
curl -sf -X POST $base/sync/connections/sync -H "$auth" | jq -r .batchId; wait_for_it
curl -sf -X POST "$base/sync/orders/sync?retailer=12" -H "$auth" | jq -r .batchId; wait_for_it

curl -sf "$base/sync/orders?limit=2" -H "$auth" | jq .
curl -sf "$base/sync/orders?format=csv&limit=1000&start_date=2026-01-01" -H "$auth" -o orders.csv
item=$(curl -sf "$base/sync/orders?limit=1" -H "$auth" | jq -r '.[0].id')
curl -sf $base/sync/orders/$item -H "$auth" | jq -r .itemName
curl -sf $base/sync/imports -H "$auth" -H "$json" -d '{"retailerName":"Corner Shop","source":"my-shop","orders":[{"orderId":"A-1",
    "orderDate":"2026-01-02T03:04:05Z","currency":"EUR","orderTotal":12.5,"items":[{"itemName":"Mug","quantity":1,"lineTotal":12.5}]}]}' | jq .
connection=$(curl -sf $base/sync/connections -H "$auth" | jq -r '.[] | select(.displayName == "Corner Shop").connectionId')
curl -sf $base/sync/documents -H "$auth" -H "$json" -d "{\"connectionId\":\"$connection\",\"documents\":[{\"orderId\":\"A-1\",
    \"name\":\"receipt.txt\",\"mediaType\":\"text/plain\",\"content\":\"$(echo thanks | base64)\"}]}" | jq .
document=$(curl -sf "$base/sync/documents?order_id=A-1" -H "$auth" | jq -r '.[0].documentId')
curl -sf $base/sync/documents/$document -H "$auth" | jq -r .content | base64 -d
curl -sf $base/sync/completeness -H "$auth" | jq -r '.complete, .connections[].completeness.reasons[].message'

# A client's back end creates a link token, and reads what the user shares. Both print `USER_NOT_FOUND` until the user has
# opened the widget:
link=$(curl -sf $base/v1/link/token -H "$auth" -H "X-Client-Secret: $secret" -H "$json" \
    -d '{"external_user_id":"u-1"}' | jq -r .link_token)
curl -s $base/v1/users/share -H "$auth" -H "X-Client-Secret: $secret" -H "X-Link-Token: $link" | jq -r .code
machine=$(curl -sf $base/oauth/token -u "sandbox:$secret" -d grant_type=client_credentials | jq -r .access_token)
as_backend() { curl -s "$base$1" -H "Authorization: Bearer $machine" -H "X-Client-Secret: $secret" -H "X-Link-Token: $link"; }
as_backend "/sync/orders?limit=2&include=adjustments" | jq -r .code
as_backend /sync/sessions/latest | jq -r .code

# Removing ends the client's access; when the last client has lost it, the connection is deleted. Then the controls of the
# sandbox:
curl -sf -X DELETE $base/sync/connections/$id -H "$auth" -o removed.txt -w '%{http_code}\n'
curl -sf "$base/sandbox/otp?phone=%2B15550100" -H "$auth" | jq .
curl -sf $base/sandbox/fail -H "$auth" -H "$json" -d '{"status":503,"count":2,"retryAfter":1,"path":"/sync/orders"}'
curl -s -o failed.json -w '%{http_code}\n' $base/sync/orders -H "$auth"
curl -sf -X DELETE $base/sandbox/fail -H "$auth" -o cleared.txt -w '%{http_code}\n'
curl -s $base/sandbox/unbind -H "$auth" -H "$json" -d '{"external_user_id":"customer-4711"}'
curl -sf $base/sandbox/clock -H "$auth" -H "$json" -d '{"advanceSeconds":300}'
curl -sf $base/sandbox/reset -H "$auth" -H "$json" -d '{}'

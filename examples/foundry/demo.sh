#!/bin/sh
set -eu
export ETH_RPC_URL="${RPC_URL:-http://127.0.0.1:8545}"
# The first account of the dev chain. Its key is public.
KEY=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80

forge script Deploy --broadcast --rpc-url "$ETH_RPC_URL" --private-key "$KEY" | tee deploy.log
COUNTER=$(sed -n 's/.*counter: contract Counter \(0x[0-9a-fA-F]*\).*/\1/p' deploy.log)
cast send --private-key "$KEY" "$COUNTER" 'count()' >/dev/null
test "$(cast call "$COUNTER" 'number()(uint256)')" = 1
forge test --fork-url "$ETH_RPC_URL"
echo "the counter at $COUNTER is 1"

"""Sends ether on the dev chain and takes the transfer back."""

import os

from web3 import HTTPProvider, Web3

w3 = Web3(HTTPProvider(os.environ.get("RPC_URL", "http://127.0.0.1:8545")))
alice, bob = w3.eth.accounts[:2]

snapshot = w3.provider.make_request("evm_snapshot", [])["result"]
before = w3.eth.get_balance(bob)

sent = w3.eth.send_transaction({"from": alice, "to": bob, "value": w3.to_wei(1, "ether")})
receipt = w3.eth.wait_for_transaction_receipt(sent)
assert receipt.status == 1
assert w3.eth.get_balance(bob) - before == w3.to_wei(1, "ether")

# The key of an account is not needed for a transaction that was signed elsewhere.
stranger = w3.eth.account.create()
w3.provider.make_request("anvil_setBalance", [stranger.address, hex(w3.to_wei(1, "ether"))])
signed = stranger.sign_transaction(
    {
        "to": bob,
        "value": 1,
        "gas": 21_000,
        "nonce": 0,
        "chainId": w3.eth.chain_id,
        "maxFeePerGas": w3.to_wei(3, "gwei"),
        "maxPriorityFeePerGas": w3.to_wei(1, "gwei"),
    }
)
assert w3.eth.wait_for_transaction_receipt(w3.eth.send_raw_transaction(signed.raw_transaction)).status == 1

w3.provider.make_request("evm_revert", [snapshot])
assert w3.eth.get_balance(bob) == before
print(f"sent and reverted on chain {w3.eth.chain_id}")

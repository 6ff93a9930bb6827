/**
 * Whose conventions answers follow where clients of private networks and today's clients expect different things.
 *
 * | | `besu` (networks, genesis files) | `geth` (dev chain) |
 * |---|---|---|
 * | call reverted | -32000 `Execution reverted`, data | 3 `execution reverted: <reason>`, data |
 * | call failed otherwise | -32603 `Internal error` | -32015 with the cause, as `out of gas` |
 * | sender cannot pay | -32004 | -32000 `insufficient funds for gas * price + value…` |
 * | gas below intrinsic cost | -32003 | -32000 `intrinsic gas too low…` |
 * | unknown block of a state query | -32000 `Block not found` | -32000 `header not found` |
 * | block parameter of eth_call left out | -32602 | the head |
 * | eth_getBlockReceipts of an unknown block | -32000 `Block not found` | null |
 * | eth_getProof of an absent account | -32000 `Account not found` | exclusion proof |
 * | eth_call, eth_estimateGas: `value` above the balance | fails | fails |
 * | eth_estimateGas: `gas` of the call | ignored | upper bound |
 * | eth_createAccessList `gasUsed` | with room for the 63/64 rule | what the run used |
 * | eth_getTransactionCount `pending` | after all that waits, up to the first gap in it | after what can be executed |
 * | `pending` of other eth_ methods | the head | the next block, made of the pool's executable transactions |
 * | eth_feeHistory | without blob columns | with blob columns |
 * | eth_gasPrice | percentile of legacy prices, at least `--min-gas-price` | next base fee and suggested priority fee |
 * | eth_subscribe: unknown type, bad options | -32600 `Invalid Request` | -32601, -32602 |
 * | eth_subscribe `newPendingTransactions` with transactions | on `{includeTransactions: true}`, few members | also on `true`, as the pool shows them |
 * | trace_* of a block before which no state is kept | an empty list, or null | -32000 `missing trie node` |
 * | opcode tracer of debug_trace* | stack before, memory and storage after every opcode | everything before the opcode, storage only where it is used |
 * | trace_call, trace_callMany, trace_rawTransaction: not valid as a transaction | -32603 `Internal error` | -32000 with the cause |
 * | trace_call, trace_callMany without a price | refused where there is a base fee | free, as in eth_call |
 * | an address or a slot of fewer than 20 or 32 bytes | padded on the left | -32602 |
 * | `safe`, `finalized` and `pending` of trace_filter | -32603 `Internal error` | as in eth_getLogs |
 * | a WebSocket message that is not JSON | -32603 `Internal error` | -32700 `parse error` |
 * | parameters by name (an object) | -32600 `Invalid Request` | -32601 for an unknown method, else -32602 |
 * | eth_getProof: key of slot `0x01` | `0x01`, whole bytes | as it was given, all 32 bytes or a quantity |
 * | debug_batchSendRawTransaction: why the pool refused | name of the reason, `NONCE_TOO_LOW` | go-ethereum's words |
 * | net_version, eth_chainId, blocks, receipts, logs | the same | the same |
 * @module
 */
export type RpcProfile = 'besu' | 'geth'

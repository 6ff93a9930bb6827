/**
 * Conventions of answers where clients of private networks and clients of public networks have different expectations.
 *
 * | | `besu` (networks, genesis files) | `geth` (dev chain) |
 * |---|---|---|
 * | call reverted | -32000 `Execution reverted`, data | 3 `execution reverted: <reason>`, data |
 * | call failed otherwise | -32603 `Internal error` | -32015 with the cause, e.g. `out of gas` |
 * | sender cannot pay | -32004 | -32000 `insufficient funds for gas * price + value…` |
 * | gas below intrinsic cost | -32003 | -32000 `intrinsic gas too low…` |
 * | unknown block of a state query | -32000 `Block not found` | -32000 `header not found` |
 * | block parameter of eth_call omitted | -32602 | the head |
 * | eth_getBlockReceipts of an unknown block | -32000 `Block not found` | null |
 * | eth_getProof of an absent account | -32000 `Account not found` | exclusion proof |
 * | eth_call, eth_estimateGas: `value` above the balance | fails | fails |
 * | eth_estimateGas: `gas` of the call | ignored | upper bound |
 * | eth_createAccessList `gasUsed` | including a reserve for the 63/64 rule | gas used |
 * | eth_getTransactionCount `pending` | after all waiting transactions up to the first gap | after all executable transactions |
 * | `pending` of other eth_ methods | the head | the next block, built from the pool's executable transactions |
 * | eth_feeHistory | without blob columns | with blob columns |
 * | eth_gasPrice | percentile of legacy prices, at least `--min-gas-price` | next base fee and suggested priority fee |
 * | eth_subscribe: unknown type, bad options | -32600 `Invalid Request` | -32601, -32602 |
 * | eth_subscribe `newPendingTransactions` with transactions | for `{includeTransactions: true}`, few members | also for `true`, as in the pool methods |
 * | trace_* of a block whose parent state is not available | an empty list, or null | -32000 `missing trie node` |
 * | opcode tracer of debug_trace* | stack before, memory and storage after every opcode | everything before the opcode, storage only for opcodes that access it |
 * | trace_call, trace_callMany, trace_rawTransaction: not a valid transaction | -32603 `Internal error` | -32000 with the cause |
 * | trace_call, trace_callMany without a price | refused if the block has a base fee | free, as in eth_call |
 * | an address or a slot of fewer than 20 or 32 bytes | padded on the left | -32602 |
 * | `safe`, `finalized` and `pending` of trace_filter | -32603 `Internal error` | as in eth_getLogs |
 * | a WebSocket message that is not JSON | -32603 `Internal error` | -32700 `parse error` |
 * | named parameters (an object) | -32600 `Invalid Request` | -32601 for an unknown method, else -32602 |
 * | eth_getProof: key of slot `0x01` | `0x01`, whole bytes | as given, all 32 bytes or a quantity |
 * | debug_batchSendRawTransaction: reason of a refusal | its name, e.g. `NONCE_TOO_LOW` | go-ethereum's message |
 * | errors of GraphQL | texts of graphql-java | plain messages |
 * | maxPriorityFeePerGas of GraphQL | percentile of the offered priority fees, 0 without any | as eth_maxPriorityFeePerGas |
 * | `pending` of GraphQL | the head | the next block |
 * | net_version, eth_chainId, blocks, receipts, logs | the same | the same |
 * @module
 */
export type RpcProfile = 'besu' | 'geth'

/**
 * Conventions of answers where clients of private networks and clients of public networks have different expectations.
 * @module
 */

/** `besu` is the default on networks and with a genesis file, `geth` on the dev chain. */
export type RpcProfile = 'besu' | 'geth'

export interface ProfileDifference {
  /** Markdown, as in the columns of the two profiles. */
  readonly subject: string
  readonly besu: string
  readonly geth: string
}

/** Differences by subject, for docs/profiles.md. Numbers and messages of errors differ further: see rpc/errorTable.ts. */
export const PROFILE_DIFFERENCES: Readonly<Record<string, readonly ProfileDifference[]>> = {
  Calls: [
    {
      subject: 'call reverted',
      besu: '-32000 `Execution reverted`, with data',
      geth: '3 `execution reverted: <reason>`, with data',
    },
    {
      subject: 'call failed otherwise',
      besu: '-32603 `Internal error`',
      geth: '-32015 with the cause, such as `out of gas`',
    },
    { subject: 'sender cannot pay', besu: '-32004', geth: '-32000 `insufficient funds for gas * price + value…`' },
    { subject: 'gas below the intrinsic cost', besu: '-32003', geth: '-32000 `intrinsic gas too low…`' },
    { subject: 'block parameter of `eth_call` absent', besu: '-32602', geth: 'the head' },
    {
      subject: '`gas` of a call absent',
      besu: 'the gas limit of the block',
      geth: '`--rpc-call-gas-cap`',
    },
    {
      subject: '`eth_call`, `eth_estimateGas`: `value` above the balance',
      besu: 'the missing amount is added, unless the call has `strict: true` or a price',
      geth: 'fails',
    },
    { subject: '`eth_estimateGas`: `gas` of the call', besu: 'ignored', geth: 'upper bound' },
    {
      subject: '`eth_createAccessList`: `gasUsed`',
      besu: 'with a reserve for the 63/64 rule',
      geth: 'the gas that was used',
    },
    {
      subject: '`priv_call` failed',
      besu: '-32602 `Invalid params`, without data',
      geth: '3 `execution reverted`, or -32015',
    },
  ],
  'Blocks and state': [
    {
      subject: 'unknown block of a state query',
      besu: '-32000 `Block not found`',
      geth: '-32000 `header not found`',
    },
    {
      subject: '`eth_getBlockReceipts` of an unknown block',
      besu: '-32000 `Block not found`',
      geth: 'null',
    },
    {
      subject: '`eth_getLogs` with an unknown `blockHash`',
      besu: 'an empty list',
      geth: '-32000 `unknown block`',
    },
    { subject: '`eth_getProof` of an absent account', besu: '-32000 `Account not found`', geth: 'a proof of absence' },
    {
      subject: '`eth_getProof`: key of slot `0x01`',
      besu: '`0x01`, whole bytes',
      geth: 'as given: all 32 bytes or a quantity',
    },
    {
      subject: '`debug_storageRangeAt`: state',
      besu: 'after the transaction',
      geth: 'before the transaction',
    },
    {
      subject: 'an address or a slot of fewer than 20 or 32 bytes',
      besu: 'padded with zeros on the left',
      geth: '-32602',
    },
    {
      subject: '`eth_getTransactionCount` with `pending`',
      besu: 'after all waiting transactions up to the first gap',
      geth: 'after all executable transactions',
    },
    {
      subject: '`pending` of other `eth_` methods',
      besu: 'the head',
      geth: "the next block, built from the pool's executable transactions",
    },
  ],
  'Fees and the pool': [
    { subject: '`eth_feeHistory`', besu: 'without columns for blobs', geth: 'with columns for blobs' },
    {
      subject: '`eth_feeHistory`: percentiles that do not ascend',
      besu: 'sorted',
      geth: '-32602 `invalid reward percentile`',
    },
    {
      subject: '`eth_gasPrice`',
      besu: 'a percentile of legacy prices, at least `--min-gas-price`',
      geth: 'the next base fee and the suggested priority fee',
    },
    {
      subject: '`debug_batchSendRawTransaction`: reason of a refusal',
      besu: 'its name, such as `NONCE_TOO_LOW`',
      geth: "go-ethereum's message",
    },
  ],
  Subscriptions: [
    {
      subject: '`eth_subscribe`: unknown type, bad options',
      besu: '-32600 `Invalid Request`',
      geth: '-32601, -32602',
    },
    {
      subject: '`eth_subscribe` to `newPendingTransactions` with transactions',
      besu: 'for `{includeTransactions: true}`, with few members',
      geth: 'also for `true`, as in the methods of the pool',
    },
  ],
  Traces: [
    {
      subject: '`debug_trace*` of something unknown, or without its state',
      besu: 'null',
      geth: '-32000 with the reason',
    },
    {
      subject: '`trace_*` of a block without the state before it',
      besu: 'an empty list, or null',
      geth: '-32000 `missing trie node`',
    },
    {
      subject: 'opcode tracer of `debug_trace*`',
      besu: 'the stack before, memory and storage after every opcode',
      geth: 'all before the opcode, storage only for opcodes that access it',
    },
    {
      subject: '`debug_traceBlock*` without `tracer`: an entry',
      besu: 'the trace',
      geth: '`txHash` and `result`',
    },
    {
      subject: '`trace_call`, `trace_callMany`, `trace_rawTransaction`: not a valid transaction',
      besu: '-32603 `Internal error`',
      geth: '-32000 with the cause',
    },
    {
      subject: '`trace_call`, `trace_callMany` without a price',
      besu: 'refused if the block has a base fee',
      geth: 'free, as in `eth_call`',
    },
    {
      subject: '`safe`, `finalized` and `pending` of `trace_filter`',
      besu: '-32603 `Internal error`',
      geth: 'as in `eth_getLogs`',
    },
  ],
  'JSON-RPC and HTTP': [
    {
      subject: 'a WebSocket message that is not JSON',
      besu: '-32603 `Internal error`',
      geth: '-32700 `parse error`',
    },
    {
      subject: 'named parameters (an object)',
      besu: '-32600 `Invalid Request`',
      geth: '-32601 for an unknown method, else -32602',
    },
    { subject: 'HTTP status of -32600 from a method', besu: '400', geth: '200' },
    { subject: '`GET /`', besu: '201 without a body', geth: '200 and a few lines for people' },
  ],
  GraphQL: [
    { subject: 'errors', besu: 'texts of graphql-java', geth: 'plain messages' },
    {
      subject: '`maxPriorityFeePerGas`',
      besu: 'a percentile of the offered priority fees, 0 without any',
      geth: 'as `eth_maxPriorityFeePerGas`',
    },
    { subject: '`pending`', besu: 'the head', geth: 'the next block' },
  ],
}

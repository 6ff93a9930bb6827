/**
 * Domain error code → JSON-RPC error. Numbers and messages are those of Besu 23.4; `geth` holds go-ethereum's where
 * client libraries match them.
 * @module
 */
import type { ErrorRow } from './errorRow.ts'
import { FURTHER_ERRORS, loadFurtherErrors } from './furtherErrors.ts'

/** Errors that methods of every node give. */
const ROWS: Readonly<Record<string, ErrorRow>> = {
  // The envelope
  PARSE_ERROR: { code: -32700, message: 'Parse error', geth: { message: 'parse error' } },
  INVALID_REQUEST: { code: -32600, message: 'Invalid Request', geth: { message: 'invalid request' } },
  METHOD_NOT_FOUND: { code: -32601, message: 'Method not found', geth: {} },
  METHOD_NOT_ENABLED: { code: -32604, message: 'Method not enabled', geth: { code: -32601 } },
  METHOD_NOT_LOADED: { code: -32603, message: 'Internal error', geth: {} },
  INVALID_PARAMS: { code: -32602, message: 'Invalid params', geth: {} },
  INTERNAL_ERROR: { code: -32603, message: 'Internal error' },
  TIMEOUT: { code: -32603, message: 'Timeout expired', geth: { code: -32002, message: 'request timed out' } },
  UNAUTHORIZED: { code: -40100, message: 'Unauthorized' },
  RATE_LIMITED: { code: -32005, message: 'Too many requests' },
  BATCH_TOO_LARGE: {
    code: -32005,
    message: 'Number of requests exceeds max batch size',
    geth: { code: -32600, message: 'batch too large' },
  },
  SEND_TRANSACTION_NOT_AVAILABLE: {
    code: -32604,
    message:
      'The method eth_sendTransaction is not supported. Use eth_sendRawTransaction to send a signed transaction to the node.',
  },
  RESPONSE_TOO_LARGE: {
    code: -32005,
    message: 'Response exceeds maximum size',
    geth: { code: -32003, message: 'response too large' },
  },
  // Blocks, state and filters
  UNKNOWN_BLOCK: { code: -39001, message: 'Unknown block', geth: {} },
  BLOCK_NOT_FOUND: { code: -32000, message: 'Block not found', geth: { message: 'header not found' } },
  JSON_RPC_NOT_CANONICAL_ERROR: { code: -32000, message: 'Invalid input' },
  STORE_DAMAGED: { code: -32603, message: 'Internal error', geth: {}, isLogged: true },
  STATE_PRUNED: { code: -32000, message: 'World state unavailable', geth: {}, data: 'text' },
  WORLD_STATE_UNAVAILABLE: { code: -32000, message: 'World state unavailable', geth: { message: 'missing trie node' } },
  STATE_NOT_AVAILABLE: { code: -32000, message: 'World state unavailable', geth: {} },
  CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE: { code: -32008, message: 'Initial sync is still in progress' },
  RANGE_TOO_LARGE: { code: -32005, message: 'Requested range exceeds maximum RPC range limit', geth: { code: -32602 } },
  SUBSCRIPTION_NOT_FOUND: {
    code: -32000,
    message: 'Subscription not found',
    geth: { message: 'subscription not found' },
  },
  TOO_MANY_SUBSCRIPTIONS: { code: -32005, message: 'Too many subscriptions', geth: {} },
  INVALID_SUBSCRIPTION: { code: -32600, message: 'Invalid Request', geth: { code: -32602 } },
  SUBSCRIPTION_TYPE_UNKNOWN: { code: -32600, message: 'Invalid Request', geth: { code: -32601 } },
  INVALID_BLOCK: { code: -32000, message: 'Invalid block', geth: {} },
  // Numbers, messages and data of Hardhat
  TRANSACTION_FAILED: { code: -32603, message: 'Transaction reverted', geth: {}, data: 'failure' },
  TRANSACTION_OUT_OF_GAS: { code: -32000, message: 'Transaction ran out of gas', geth: {}, data: 'failure' },
  // Transactions and calls
  INTRINSIC_GAS_EXCEEDS_LIMIT: {
    code: -32003,
    message: 'Intrinsic gas exceeds gas limit',
    geth: { code: -32000 },
  },
  TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE: {
    code: -32004,
    message: 'Upfront cost exceeds account balance',
    geth: { code: -32000, message: 'insufficient funds for gas * price + value' },
  },
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: {
    code: -32000,
    message: 'Max priority fee per gas exceeds max fee per gas',
    geth: { message: 'max priority fee per gas higher than max fee per gas' },
  },
  INVALID_TRANSACTION_ENCODING: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  EXECUTION_FAILED: { code: -32603, message: 'Internal error', geth: { code: -32015 } },
  EXECUTION_REVERTED: {
    code: -32000,
    message: 'Execution reverted',
    geth: { code: 3, message: 'execution reverted' },
    data: 'revert',
  },
  FEE_CAP_BELOW_BASE_FEE: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  CALL_STATE_UNAVAILABLE: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
  INVALID_OVERRIDE: { code: -32000, message: 'Invalid override', geth: {} },
  EXECUTION_TIMEOUT: { code: -32603, message: 'Timeout expired', geth: { code: -32000 } },
  EXECUTION_ABORTED: { code: -32603, message: 'Timeout expired', geth: { code: -32000 } },
  DISK_FULL: { code: -32000, message: 'No room left on the disk for the database', data: 'text', isLogged: true },
  STORE_FAILED: { code: -32000, message: 'The database cannot be read or written', isLogged: true },
  EXECUTION_OUT_OF_MEMORY: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
  // Others
  P2P_DISABLED: { code: -32000, message: 'P2P has been disabled. This functionality is not available' },
  P2P_NETWORK_NOT_RUNNING: { code: -32000, message: 'P2P network is not running' },
}

const TABLE = new Map(Object.entries({ ...ROWS, ...FURTHER_ERRORS }))

export const ERROR_TABLE: ReadonlyMap<string, ErrorRow> = TABLE

/** Adds the rows that a page does not have from the start. */
export async function loadErrorTable(): Promise<void> {
  for (const [code, row] of Object.entries(await loadFurtherErrors())) TABLE.set(code, row)
}

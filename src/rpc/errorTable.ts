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
  FILTER_NOT_FOUND: { code: -32000, message: 'Filter not found', geth: { message: 'filter not found' } },
  LOGS_FILTER_NOT_FOUND: { code: -32000, message: 'Logs filter not found', geth: { message: 'filter not found' } },
  SUBSCRIPTION_NOT_FOUND: {
    code: -32000,
    message: 'Subscription not found',
    geth: { message: 'subscription not found' },
  },
  TOO_MANY_FILTERS: { code: -32005, message: 'Too many filters', geth: {} },
  TOO_MANY_SUBSCRIPTIONS: { code: -32005, message: 'Too many subscriptions', geth: {} },
  INVALID_SUBSCRIPTION: { code: -32600, message: 'Invalid Request', geth: { code: -32602 } },
  SUBSCRIPTION_TYPE_UNKNOWN: { code: -32600, message: 'Invalid Request', geth: { code: -32601 } },
  INVALID_BLOCK: { code: -32000, message: 'Invalid block', geth: {} },
  // Transactions and calls
  // Numbers, messages and data of Hardhat
  TRANSACTION_FAILED: { code: -32603, message: 'Transaction reverted', geth: {}, data: 'failure' },
  TRANSACTION_OUT_OF_GAS: { code: -32000, message: 'Transaction ran out of gas', geth: {}, data: 'failure' },
  // Transactions and calls
  TRANSACTION_ALREADY_KNOWN: { code: -32000, message: 'Known transaction', geth: { message: 'already known' } },
  TRANSACTION_REPLACEMENT_UNDERPRICED: {
    code: -32000,
    message: 'Replacement transaction underpriced',
    geth: { message: 'replacement transaction underpriced' },
  },
  NONCE_TOO_LOW: { code: -32001, message: 'Nonce too low', geth: { code: -32000, message: 'nonce too low' } },
  NONCE_TOO_HIGH: { code: -32006, message: 'Nonce too high', geth: { code: -32000, message: 'nonce too high' } },
  NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER: {
    code: -32000,
    message: 'Transaction nonce is too distant from current sender nonce',
  },
  LOWER_NONCE_INVALID_TRANSACTION_EXISTS: { code: -32000, message: 'An invalid transaction with a lower nonce exists' },
  INVALID_TRANSACTION_SIGNATURE: {
    code: -32002,
    message: 'Invalid signature',
    geth: { code: -32000, message: 'invalid sender' },
  },
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
  EXCEEDS_BLOCK_GAS_LIMIT: {
    code: -32005,
    message: 'Transaction gas limit exceeds block gas limit',
    geth: { code: -32000, message: 'exceeds block gas limit' },
  },
  TX_SENDER_NOT_AUTHORIZED: {
    code: -32007,
    message: 'Sender account not authorized to send transactions',
    geth: { code: -32000 },
  },
  GAS_PRICE_TOO_LOW: {
    code: -32009,
    message: 'Gas price below configured minimum gas price',
    geth: { code: -32000, message: 'transaction underpriced' },
  },
  WRONG_CHAIN_ID: { code: -32000, message: 'Wrong chainId', geth: { message: 'invalid chain id for signer' } },
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: { code: -32000, message: 'ChainId not supported' },
  REPLAY_PROTECTED_SIGNATURE_REQUIRED: {
    code: -32000,
    message: 'ChainId is required',
    geth: { message: 'only replay-protected (EIP-155) transactions allowed over RPC' },
  },
  TX_FEECAP_EXCEEDED: { code: -32000, message: 'Transaction fee cap exceeded', geth: {} },
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: {
    code: -32000,
    message: 'Max priority fee per gas exceeds max fee per gas',
    geth: { message: 'max priority fee per gas higher than max fee per gas' },
  },
  TRANSACTION_POOL_FULL: { code: -32000, message: 'Transaction pool is full', geth: { message: 'txpool is full' } },
  TRANSACTION_GAS_LIMIT_TOO_HIGH: { code: -32000, message: 'Transaction gas limit too high', geth: {} },
  TRANSACTION_FEE_OVERFLOW: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  NONCE_OVERFLOW: { code: -32602, message: 'Invalid params', geth: { code: -32000, message: 'nonce has max value' } },
  INIT_CODE_TOO_LARGE: {
    code: -32602,
    message: 'Invalid params',
    geth: { code: -32000, message: 'max initcode size exceeded' },
  },
  INVALID_BLOB_TRANSACTION: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  MISSING_BLOB_SIDECAR: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  INVALID_BLOB_SIDECAR: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  EMPTY_AUTHORIZATION_LIST: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  UNSUPPORTED_TRANSACTION_TYPE: {
    code: -32602,
    message: 'Invalid params',
    geth: { code: -32000, message: 'transaction type not supported' },
  },
  INVALID_TRANSACTION_ENCODING: { code: -32602, message: 'Invalid params', geth: { code: -32000 } },
  UNDECODABLE_TRANSACTION: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
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
  COINBASE_NOT_SPECIFIED: { code: -32000, message: 'Coinbase must be explicitly specified' },
  P2P_DISABLED: { code: -32000, message: 'P2P has been disabled. This functionality is not available' },
  P2P_NETWORK_NOT_RUNNING: { code: -32000, message: 'P2P network is not running' },
}

const TABLE = new Map(Object.entries({ ...ROWS, ...FURTHER_ERRORS }))

export const ERROR_TABLE: ReadonlyMap<string, ErrorRow> = TABLE

/** Adds the rows that a page does not have from the start. */
export async function loadErrorTable(): Promise<void> {
  for (const [code, row] of Object.entries(await loadFurtherErrors())) TABLE.set(code, row)
}

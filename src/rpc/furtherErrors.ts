/**
 * Rows of the error table that a page loads with the methods that need them (furtherErrors.page.ts).
 * @module
 */
import type { ErrorRow } from './errorRow.ts'

type Rows = Readonly<Record<string, ErrorRow>>

export const FURTHER_ERRORS: Rows = {
  // The envelope
  /** A message of IPC that exceeds its maximum length; HTTP has a status for it. */
  REQUEST_TOO_LARGE: { code: -32600, message: 'Request too large', geth: { message: 'request too large' } },
  READ_ONLY_NODE: {
    code: -32604,
    message: 'Method not available on a read-only node',
    geth: { code: -32601, message: 'method not available on a read-only node' },
  },
  // Blocks, state and filters
  PARENT_BLOCK_NOT_FOUND: { code: -32000, message: 'Parent block not found', geth: {} },
  INVALID_BLOCK_HEX: { code: -32603, message: 'Internal error', geth: { code: -32602 } },
  SEARCH_INCOMPLETE: { code: -32005, message: 'Search incomplete', geth: {}, data: 'text' },
  FILTER_NOT_FOUND: { code: -32000, message: 'Filter not found', geth: { message: 'filter not found' } },
  LOGS_FILTER_NOT_FOUND: { code: -32000, message: 'Logs filter not found', geth: { message: 'filter not found' } },
  TOO_MANY_FILTERS: { code: -32005, message: 'Too many filters', geth: {} },
  NO_ACCOUNT_FOUND: { code: -32000, message: 'Account not found' },
  BLOCK_RLP_IMPORT_ERROR: { code: -32000, message: 'Could not decode RLP for Block' },
  BLOCK_IMPORT_ERROR: { code: -32000, message: 'Could not import Block' },
  TRANSACTION_NOT_FOUND: { code: -32000, message: 'Transaction not found', geth: { message: 'transaction not found' } },
  NOT_TRACEABLE: { code: -32000, message: 'Block not found', geth: {} },
  GENESIS_NOT_TRACEABLE: { code: -32000, message: 'genesis is not traceable' },
  // Forks of other chains
  FORK_UNAVAILABLE: { code: -32000, message: 'The forked chain cannot be reached', geth: {} },
  FORK_RATE_LIMITED: { code: -32005, message: 'The forked chain limits the rate of requests', geth: {} },
  HISTORY_PRUNED: { code: 4444, message: 'pruned history unavailable', geth: {}, data: 'text' },
  FORK_STATE_PRUNED: { code: -32000, message: 'World state unavailable', geth: {} },
  FORK_BLOCK_CHANGED: { code: -32000, message: 'The forked chain has changed', geth: {} },
  FORK_UNPROVEN: { code: -32000, message: 'A value of the forked chain is not proven', geth: {} },
  FORK_OFFLINE: { code: -32000, message: 'A value of the forked chain was not fetched', geth: {} },
  FORK_UNSUPPORTED: { code: -32000, message: 'Not supported on a fork', geth: {} },
  PROOF_INVALID: { code: -32000, message: 'The forked chain sent wrong data', geth: {} },
  /** Sent as the other node sent it. */
  REMOTE_REFUSED: { code: -32000, message: 'The other node refused the request', geth: {}, data: 'text' },
  // Mirrors
  MIRROR_UNAVAILABLE: { code: -32000, message: 'The mirror cannot be reached', geth: {}, isLogged: true },
  MIRROR_DAMAGED: { code: -32000, message: 'The mirror is damaged', geth: {}, isLogged: true },
  MIRROR_BEHIND: { code: -32000, message: 'The mirror is behind', geth: {} },
  MIRROR_FENCED: { code: -32000, message: 'Another publisher has taken over the mirror', geth: {} },
  MIRROR_OF_OTHER_CHAIN: { code: -32000, message: 'The mirror is of another chain', geth: {} },
  MIRROR_FORMAT: { code: -32000, message: 'The mirror has an unknown format', geth: {}, isLogged: true },
  MIRROR_UNSIGNED: { code: -32000, message: 'The mirror is not trusted', geth: {}, isLogged: true },
  READS_EXCEEDED: { code: -32005, message: 'The request needs too many reads of the mirror', geth: {} },
  // Signers and validators
  NO_SUCH_BLOCK: { code: -32603, message: 'Internal error', geth: {} },
  VALIDATORS_UNKNOWN: { code: -32603, message: 'Internal error', geth: {} },
  VALIDATOR_HAS_SIGNED: { code: -32000, message: 'Validator has signed above this block', geth: {} },
  TOO_MANY_PROPOSALS: { code: -32005, message: 'Too many proposals', geth: {} },
  COINBASE_NOT_SPECIFIED: { code: -32000, message: 'Coinbase must be explicitly specified' },
  // Submitted transactions
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
  UNDECODABLE_TRANSACTION: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
  // Other requests
  CHAIN_MOVED: { code: -32000, message: 'Blocks were removed during the request', geth: {} },
  RECEIPT_WAIT_EXPIRED: { code: 4, message: 'The transaction was not mined in time', geth: {}, data: 'text' },
  STORAGE_SLOT_NOT_FOUND: { code: -32000, message: 'Storage slot not found', geth: {} },
  UNKNOWN_TRANSFER: { code: -32000, message: 'Unknown transfer of a chain', geth: {}, data: 'text' },
  INVALID_DUMP: { code: -32602, message: 'Invalid state dump', geth: {} },
  MISSING_PREIMAGE: { code: -32000, message: 'Address or slot of a hash is unknown', geth: {} },
  UNKNOWN_ACCOUNT: { code: -32000, message: 'Unknown account', geth: { message: 'unknown account' } },
  ACCOUNT_LOCKED: {
    code: -32000,
    message: 'Account is locked',
    geth: { message: 'authentication needed: password or unlock' },
  },
  WRONG_PASSPHRASE: {
    code: -32000,
    message: 'Wrong passphrase',
    geth: { message: 'could not decrypt key with given password' },
  },
  // EIP-3326
  UNRECOGNIZED_CHAIN: { code: 4902, message: 'Unrecognized chain ID', geth: {} },
  // EIP-5792
  UNSUPPORTED_CAPABILITY: { code: 5700, message: 'Unsupported non-optional capability', geth: {} },
  UNSUPPORTED_CHAIN: { code: 5710, message: 'Unsupported chain id', geth: {} },
  DUPLICATE_BATCH: { code: 5720, message: 'Duplicate ID', geth: {} },
  UNKNOWN_BATCH: { code: 5730, message: 'Unknown bundle id', geth: {} },
  CALL_BATCH_TOO_LARGE: { code: 5740, message: 'Bundle too large', geth: {} },
  ATOMICITY_NOT_SUPPORTED: { code: 5760, message: 'Atomicity not supported', geth: {} },
  TRACED_CALL_INVALID: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
  TRACER_FAILED: { code: -32000, message: 'The tracer failed', geth: {}, data: 'text' },
  JS_TRACERS_UNAVAILABLE: { code: -32000, message: 'JavaScript tracers are not available', geth: {}, data: 'text' },
  SCRIPT_STOPPED: { code: -32000, message: 'The tracer was stopped', geth: {} },
  REPLAY_FAILED: { code: -32603, message: 'Internal error', geth: { code: -32000 } },
  WORKERS_BUSY: { code: -32000, message: 'Too many traces are waiting', geth: {} },
  WORKER_FAILED: { code: -32603, message: 'Internal error', geth: {} },
  WORKER_UNAVAILABLE: { code: -32000, message: 'The process that writes the chain does not answer', geth: {} },
  TRACE_FILES_UNAVAILABLE: { code: -32000, message: 'There is no place for trace files' },
  TRACE_FILES_FULL: { code: -32000, message: 'The trace files take too much room' },
  TRACE_FILE_FAILED: { code: -32000, message: 'The trace files cannot be written' },
  TRACE_DISK_FULL: { code: -32000, message: 'No room left on the disk for trace files' },
  // eth_simulateV1: numbers of execution-apis
  SIMULATION_NONCE_TOO_LOW: { code: -38010, message: 'Nonce too low', geth: {} },
  SIMULATION_NONCE_TOO_HIGH: { code: -38011, message: 'Nonce too high', geth: {} },
  SIMULATION_BASE_FEE_TOO_LOW: { code: -38012, message: 'Max fee per gas below base fee', geth: {} },
  SIMULATION_INTRINSIC_GAS: { code: -38013, message: 'Intrinsic gas exceeds gas limit', geth: {} },
  SIMULATION_INSUFFICIENT_FUNDS: { code: -38014, message: 'Upfront cost exceeds account balance', geth: {} },
  SIMULATION_BLOCK_GAS_LIMIT: { code: -38015, message: 'Block gas limit exceeded', geth: {} },
  SIMULATION_BLOCK_NUMBER: { code: -38020, message: 'Block numbers are not in order', geth: {} },
  SIMULATION_BLOCK_TIMESTAMP: { code: -38021, message: 'Block timestamps are not in order', geth: {} },
  SIMULATION_SENDER_NOT_EOA: { code: -38024, message: 'Sender is not an externally owned account', geth: {} },
  SIMULATION_INIT_CODE_SIZE: { code: -38025, message: 'Init code is too large', geth: {} },
  SIMULATION_TOO_LARGE: { code: -38026, message: 'Too many blocks', geth: {} },
  SIMULATION_INVALID_TRANSACTION: { code: -32603, message: 'Internal error', geth: {} },
  DATA_GAS_TOO_HIGH: { code: -32000, message: 'Total data gas too high' },
  // Mining
  NO_MINING_WORK_FOUND: { code: -32000, message: 'No mining work available yet' },
  MALFORMED_MINER_INPUT: { code: -32603, message: 'Internal error', geth: { code: -32602 } },
  COINBASE_NOT_SET: { code: -32010, message: 'Coinbase not set. Unable to start mining without a coinbase' },
  NO_HASHES_PER_SECOND: { code: -32011, message: 'No hashes being generated by the current node' },
  TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED: {
    code: -32011,
    message: "The node is not attempting to target a gas limit so the target can't be changed",
  },
  // Peers
  CANT_CONNECT_TO_LOCAL_PEER: { code: -32100, message: 'Cannot add local node as peer.' },
  ENODE_ID_INVALID: {
    code: -32000,
    message:
      "Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix.",
  },
  NON_PERMITTED_NODE_CANNOT_BE_ADDED_AS_A_PEER: { code: -32000, message: 'Cannot add a non-permitted node as a peer' },
  INVALID_ENODE_URL: { code: -32700, message: 'Parse error', geth: {} },
  TOO_MANY_PEERS: { code: -32005, message: 'Too many peers', geth: {} },
  // Log and bloom files
  TOO_MANY_LOG_LEVELS: { code: -32005, message: 'Too many log levels', geth: {} },
  BLOOM_FILE_FAILED: { code: -32603, message: 'Internal error', isLogged: true },
  // Engine API
  UNKNOWN_PAYLOAD: { code: -32001, message: 'Payload does not exist / is not available' },
  INVALID_TERMINAL_BLOCK: { code: -32002, message: "Terminal block doesn't satisfy terminal block conditions" },
  INVALID_FORKCHOICE_STATE: { code: -38002, message: 'Invalid forkchoice state' },
  INVALID_PAYLOAD_ATTRIBUTES: { code: -38003, message: 'Invalid payload attributes' },
  TOO_LARGE_REQUEST: { code: -38004, message: 'Too large request' },
  // Permissioning
  ACCOUNT_ALLOWLIST_NOT_ENABLED: { code: -32000, message: 'Account allowlist has not been enabled' },
  MALFORMED_ACCOUNT: { code: -32603, message: 'Internal error', geth: { code: -32602 } },
  ACCOUNT_ALLOWLIST_EMPTY_ENTRY: { code: -32000, message: 'Request contains an empty list of accounts' },
  ACCOUNT_ALLOWLIST_INVALID_ENTRY: { code: -32000, message: 'Request contains an invalid account' },
  ACCOUNT_ALLOWLIST_DUPLICATED_ENTRY: { code: -32000, message: 'Request contains duplicate accounts' },
  ACCOUNT_ALLOWLIST_EXISTING_ENTRY: { code: -32000, message: 'Cannot add an existing account to allowlist' },
  ACCOUNT_ALLOWLIST_ABSENT_ENTRY: { code: -32000, message: 'Cannot remove an absent account from allowlist' },
  NODE_ALLOWLIST_NOT_ENABLED: { code: -32000, message: 'Node allowlist has not been enabled' },
  NODE_ALLOWLIST_EMPTY_ENTRY: { code: -32000, message: 'Request contains an empty list of nodes' },
  NODE_ALLOWLIST_INVALID_ENTRY: { code: -32000, message: 'Request contains an invalid node' },
  NODE_ALLOWLIST_DUPLICATED_ENTRY: { code: -32000, message: 'Request contains duplicate nodes' },
  NODE_ALLOWLIST_EXISTING_ENTRY: { code: -32000, message: 'Cannot add an existing node to allowlist' },
  NODE_ALLOWLIST_MISSING_ENTRY: { code: -32000, message: 'Cannot remove an absent node from allowlist' },
  NODE_ALLOWLIST_FIXED_NODE_CANNOT_BE_REMOVED: {
    code: -32000,
    message: 'Cannot remove a fixed node (bootnode or static node) from allowlist',
  },
  ALLOWLIST_PERSIST_FAILURE: {
    code: -32000,
    message: 'Unable to persist changes to allowlist configuration file. Changes reverted',
  },
  ALLOWLIST_FILE_SYNC: {
    code: -32000,
    message:
      'The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk',
  },
  ALLOWLIST_RELOAD_ERROR: {
    code: -32000,
    message:
      'Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists',
  },
  PERMISSIONING_NOT_ENABLED: { code: -32000, message: 'Node/Account allowlist has not been enabled' },
  // Privacy
  ENCLAVE_ERROR: { code: -50100, message: 'Error communicating with enclave' },
  UNIMPLEMENTED_PRIVATE_TRANSACTION_TYPE: { code: -50100, message: 'Unimplemented private transaction type' },
  PRIVACY_NOT_ENABLED: { code: -50100, message: 'Privacy is not enabled' },
  CREATE_PRIVACY_GROUP_ERROR: { code: -50100, message: 'Error creating privacy group' },
  DECODE_ERROR: { code: -50100, message: 'Unable to decode the private signed raw transaction' },
  DELETE_PRIVACY_GROUP_ERROR: { code: -50100, message: 'Error deleting privacy group' },
  ETHER_VALUE_NOT_SUPPORTED: { code: -50100, message: 'ether value is not supported for private transactions' },
  FIND_PRIVACY_GROUP_ERROR: { code: -50100, message: 'Error finding privacy group' },
  FIND_FLEXIBLE_PRIVACY_GROUP_ERROR: { code: -50100, message: 'Error finding flexible privacy group' },
  GET_PRIVATE_TRANSACTION_NONCE_ERROR: { code: -50100, message: 'Unable to determine nonce for account in group.' },
  OFFCHAIN_PRIVACY_GROUP_DOES_NOT_EXIST: { code: -50100, message: 'Offchain Privacy group does not exist.' },
  FLEXIBLE_PRIVACY_GROUP_DOES_NOT_EXIST: { code: -50100, message: 'Flexible Privacy group does not exist.' },
  FLEXIBLE_PRIVACY_GROUP_NOT_ENABLED: { code: -50100, message: 'Flexible privacy groups not enabled.' },
  OFFCHAIN_PRIVACY_GROUP_NOT_ENABLED: {
    code: -50100,
    message: "Offchain privacy group can't be used with Flexible privacy groups enabled.",
  },
  FLEXIBLE_PRIVACY_GROUP_ID_NOT_AVAILABLE: {
    code: -50100,
    message: 'Private transactions to flexible privacy groups must use privacyGroupId',
  },
  PMT_FAILED_INTRINSIC_GAS_EXCEEDS_LIMIT: {
    code: -50100,
    message:
      'Privacy Marker Transaction failed due to intrinsic gas exceeding the limit. Gas limit used from the Private Transaction.',
  },
  PRIVATE_FROM_DOES_NOT_MATCH_ENCLAVE_PUBLIC_KEY: {
    code: -50100,
    message: 'Private from does not match enclave public key',
  },
  VALUE_NOT_ZERO: { code: -50100, message: 'We cannot transfer ether in a private transaction yet.' },
  // Enclave: passed through under the enclave's names
  NODE_MISSING_PEER_URL: { code: -50200, message: 'NodeMissingPeerUrl' },
  NODE_PUSHING_TO_PEER: { code: -50200, message: 'NodePushingToPeer' },
  NODE_PROPAGATING_TO_ALL_PEERS: { code: -50200, message: 'NodePropagatingToAllPeers' },
  NO_SENDER_KEY: { code: -50200, message: 'NoSenderKey' },
  INVALID_PAYLOAD: { code: -50200, message: 'InvalidPayload' },
  ENCLAVE_CREATE_KEY_PAIR: { code: -50200, message: 'EnclaveCreateKeyPair' },
  ENCLAVE_DECODE_PUBLIC_KEY: { code: -50200, message: 'EnclaveDecodePublicKey' },
  ENCLAVE_DECRYPT_WRONG_PRIVATE_KEY: { code: -50200, message: 'EnclaveDecryptWrongPrivateKey' },
  ENCLAVE_ENCRYPT_COMBINE_KEYS: { code: -50200, message: 'EnclaveEncryptCombineKeys' },
  ENCLAVE_MISSING_PRIVATE_KEY_PASSWORD: { code: -50200, message: 'EnclaveMissingPrivateKeyPasswords' },
  ENCLAVE_NO_MATCHING_PRIVATE_KEY: { code: -50200, message: 'EnclaveNoMatchingPrivateKey' },
  ENCLAVE_NOT_PAYLOAD_OWNER: { code: -50200, message: 'EnclaveNotPayloadOwner' },
  ENCLAVE_UNSUPPORTED_PRIVATE_KEY_TYPE: { code: -50200, message: 'EnclaveUnsupportedPrivateKeyType' },
  ENCLAVE_STORAGE_DECRYPT: { code: -50200, message: 'EnclaveStorageDecrypt' },
  ENCLAVE_PRIVACY_GROUP_CREATION: { code: -50200, message: 'EnclavePrivacyGroupIdCreation' },
  ENCLAVE_PAYLOAD_NOT_FOUND: { code: -50200, message: 'EnclavePayloadNotFound' },
  CREATE_GROUP_INCLUDE_SELF: { code: -50200, message: 'CreatePrivacyGroupShouldIncludeSelf' },
  ENCLAVE_UNABLE_STORE_PRIVACY_GROUP: { code: -50200, message: 'PrivacyGroupNotStored' },
  ENCLAVE_UNABLE_DELETE_PRIVACY_GROUP: { code: -50200, message: 'PrivacyGroupNotDeleted' },
  ENCLAVE_UNABLE_PUSH_DELETE_PRIVACY_GROUP: { code: -50200, message: 'PrivacyGroupNotPushed' },
  ENCLAVE_PRIVACY_GROUP_MISSING: { code: -50200, message: 'PrivacyGroupNotFound' },
  ENCLAVE_PRIVACY_QUERY_ERROR: { code: -50200, message: 'PrivacyGroupQueryError' },
  ENCLAVE_KEYS_CANNOT_DECRYPT_PAYLOAD: { code: -50200, message: 'EnclaveKeysCannotDecryptPayload' },
  METHOD_UNIMPLEMENTED: { code: -50200, message: 'MethodUnimplemented' },
  TESSERA_NODE_MISSING_PEER_URL: { code: -50200, message: 'Recipient not found for key:' },
  TESSERA_CREATE_GROUP_INCLUDE_SELF: {
    code: -50200,
    message: 'The list of members in a privacy group should include self',
  },
  // Plugins
  PLUGIN_NOT_FOUND: { code: -60000, message: 'Plugin not found' },
  PLUGIN_INTERNAL_ERROR: { code: -32603, message: 'Plugin internal error', data: 'text' },
}

export function loadFurtherErrors(): Promise<Rows> {
  return Promise.resolve(FURTHER_ERRORS)
}

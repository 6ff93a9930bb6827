/**
 * JSON Schemas of answers, under the names of execution-apis.
 * @module
 */
import type { JsonSchema } from '../method.ts'

export const UINT: JsonSchema = {
  title: 'uint',
  description: 'hex encoded unsigned integer',
  type: 'string',
  pattern: '^0x(0|[1-9a-f][0-9a-f]*)$',
}
export const UINT64: JsonSchema = {
  title: 'uint64',
  description: 'hex encoded 64 bit unsigned integer',
  type: 'string',
  pattern: '^0x(0|[1-9a-f][0-9a-f]{0,15})$',
}
export const UINT256: JsonSchema = {
  title: 'uint256',
  description: 'hex encoded 256 bit unsigned integer',
  type: 'string',
  pattern: '^0x(0|[1-9a-f][0-9a-f]{0,63})$',
}
export const BYTES: JsonSchema = {
  title: 'bytes',
  description: 'hex encoded bytes',
  type: 'string',
  pattern: '^0x([0-9a-f]{2})*$',
}
export const HASH: JsonSchema = {
  title: 'hash32',
  description: '32 bytes in hex',
  type: 'string',
  pattern: '^0x[0-9a-f]{64}$',
}
export const ADDRESS: JsonSchema = {
  title: 'address',
  description: 'hex encoded address',
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{40}$',
}
export const BOOLEAN: JsonSchema = { type: 'boolean' }

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: 'null' }] })

/** An object whose members are all required, except those that `optional` names. */
export function objectSchema(
  title: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    title,
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  }
}

const ACCESS_LIST_ENTRY = objectSchema('AccessListEntry', { address: ADDRESS, storageKeys: listOf(HASH) })
export const ACCESS_LIST: JsonSchema = { title: 'AccessList', ...listOf(ACCESS_LIST_ENTRY) }

export const AUTHORIZATION: JsonSchema = objectSchema('Authorization', {
  chainId: UINT,
  address: ADDRESS,
  nonce: UINT64,
  yParity: UINT,
  r: UINT256,
  s: UINT256,
})

export const WITHDRAWAL: JsonSchema = objectSchema('Withdrawal', {
  index: UINT64,
  validatorIndex: UINT64,
  address: ADDRESS,
  amount: UINT64,
})

/** Members of some transaction types, or of waiting transactions only. */
const SOME_TRANSACTIONS = {
  accessList: ACCESS_LIST,
  authorizationList: listOf(AUTHORIZATION),
  chainId: orNull(UINT),
  maxPriorityFeePerGas: UINT256,
  maxFeePerGas: UINT256,
  maxFeePerBlobGas: UINT256,
  yParity: UINT,
  blobVersionedHashes: listOf(HASH),
  publicKey: BYTES,
  raw: BYTES,
}

export const TRANSACTION_INFO: JsonSchema = objectSchema(
  'TransactionInfo',
  {
    blockHash: orNull(HASH),
    blockNumber: orNull(UINT),
    from: ADDRESS,
    gas: UINT,
    gasPrice: UINT256,
    hash: HASH,
    input: BYTES,
    nonce: UINT64,
    to: orNull(ADDRESS),
    transactionIndex: orNull(UINT),
    type: UINT,
    value: UINT256,
    v: UINT,
    r: UINT256,
    s: UINT256,
    ...SOME_TRANSACTIONS,
  },
  Object.keys(SOME_TRANSACTIONS),
)

/** Members that forks introduced. */
const SOME_BLOCKS = {
  baseFeePerGas: UINT256,
  withdrawalsRoot: HASH,
  withdrawals: listOf(WITHDRAWAL),
  blobGasUsed: UINT64,
  excessBlobGas: UINT64,
  parentBeaconBlockRoot: HASH,
  requestsHash: HASH,
}

const BLOCK_MEMBERS = {
  number: UINT,
  hash: HASH,
  mixHash: HASH,
  parentHash: HASH,
  nonce: BYTES,
  sha3Uncles: HASH,
  logsBloom: BYTES,
  transactionsRoot: HASH,
  stateRoot: HASH,
  receiptsRoot: HASH,
  miner: ADDRESS,
  difficulty: UINT256,
  extraData: BYTES,
  size: UINT,
  gasLimit: UINT,
  gasUsed: UINT,
  timestamp: UINT,
  uncles: listOf(HASH),
  transactions: { oneOf: [listOf(HASH), listOf(TRANSACTION_INFO)] },
  ...SOME_BLOCKS,
}

export const BLOCK: JsonSchema = objectSchema(
  'Block',
  { ...BLOCK_MEMBERS, totalDifficulty: UINT256 },
  Object.keys(SOME_BLOCKS),
)

export const LOG: JsonSchema = objectSchema('Log', {
  logIndex: UINT,
  removed: BOOLEAN,
  blockNumber: UINT,
  blockHash: HASH,
  transactionHash: HASH,
  transactionIndex: UINT,
  address: ADDRESS,
  data: BYTES,
  topics: listOf(HASH),
})

export const RECEIPT: JsonSchema = objectSchema(
  'ReceiptInfo',
  {
    blockHash: HASH,
    blockNumber: UINT,
    contractAddress: orNull(ADDRESS),
    cumulativeGasUsed: UINT,
    from: ADDRESS,
    gasUsed: UINT,
    effectiveGasPrice: UINT256,
    blobGasUsed: UINT,
    blobGasPrice: UINT256,
    logs: listOf(LOG),
    logsBloom: BYTES,
    root: HASH,
    status: UINT,
    to: orNull(ADDRESS),
    transactionHash: HASH,
    transactionIndex: UINT,
    revertReason: BYTES,
    type: UINT,
  },
  ['blobGasUsed', 'blobGasPrice', 'root', 'status', 'revertReason'],
)

const SIMULATED_CALL = objectSchema(
  'SimulatedCall',
  {
    returnData: BYTES,
    logs: listOf(LOG),
    gasUsed: UINT,
    maxUsedGas: UINT,
    status: UINT,
    error: objectSchema('SimulatedCallError', { code: { type: 'integer' }, message: { type: 'string' }, data: BYTES }, [
      'data',
    ]),
  },
  ['error'],
)

export const SIMULATED_BLOCK: JsonSchema = objectSchema(
  'SimulatedBlock',
  { ...BLOCK_MEMBERS, calls: listOf(SIMULATED_CALL) },
  Object.keys(SOME_BLOCKS),
)

export const ACCOUNT_PROOF: JsonSchema = objectSchema('AccountProof', {
  address: ADDRESS,
  accountProof: listOf(BYTES),
  balance: UINT256,
  codeHash: HASH,
  nonce: UINT64,
  storageHash: HASH,
  storageProof: listOf(objectSchema('StorageProof', { key: BYTES, value: UINT256, proof: listOf(BYTES) })),
})

export const FEE_HISTORY: JsonSchema = objectSchema(
  'FeeHistoryResults',
  {
    oldestBlock: UINT,
    baseFeePerGas: listOf(UINT256),
    gasUsedRatio: listOf({ type: 'number' }),
    baseFeePerBlobGas: listOf(UINT256),
    blobGasUsedRatio: listOf({ type: 'number' }),
    reward: listOf(listOf(UINT256)),
  },
  ['baseFeePerBlobGas', 'blobGasUsedRatio', 'reward'],
)

export const MINER_DATA: JsonSchema = objectSchema('MinerData', {
  netBlockReward: HASH,
  staticBlockReward: HASH,
  transactionFee: HASH,
  uncleInclusionReward: HASH,
  uncleRewards: listOf(objectSchema('UncleReward', { hash: HASH, coinbase: ADDRESS })),
  coinbase: ADDRESS,
  extraData: BYTES,
  difficulty: HASH,
  totalDifficulty: HASH,
})

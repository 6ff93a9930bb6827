/**
 * The schema: EIP-1767 with the fields of Besu 23.4, the root query `account`, and additions of execution-apis.
 * @module
 */
export const SCHEMA: string = `
"20 bytes in hex with 0x."
scalar Address
"32 bytes in hex with 0x; shorter values are padded on the left."
scalar Bytes32
"Bytes in hex with 0x."
scalar Bytes
"An unsigned integer of up to 256 bits: hex with 0x. A number is accepted too."
scalar BigInt
"An integer of 64 bits: a number. Text in decimal or hex is accepted too."
scalar Long

schema {
  query: Query
  mutation: Mutation
}

type Query {
  "A block by number or hash; without both, the head."
  block(number: Long, hash: Bytes32): Block
  "Canonical blocks, both ends inclusive; the default of \`to\` is the head."
  blocks(from: Long, to: Long): [Block!]!
  "Waiting transactions, and state of the next block."
  pending: Pending!
  "A transaction, waiting or mined."
  transaction(hash: Bytes32!): Transaction
  "Logs of canonical blocks; the default of the range is the head."
  logs(filter: FilterCriteria!): [Log!]!
  "Suggested price of a legacy transaction in wei."
  gasPrice: BigInt!
  "Suggested priority fee in wei."
  maxPriorityFeePerGas: BigInt!
  "Progress of the synchronisation; null when there is none."
  syncing: SyncState
  chainID: BigInt!
  "An account at a block; default: the head."
  account(address: Address!, blockNumber: Long): Account!
  "Highest version of the eth protocol."
  protocolVersion: Int!
}

type Mutation {
  "Submits a signed transaction and returns its hash."
  sendRawTransaction(data: Bytes!): Bytes32!
}

"An account in the state after a block."
type Account {
  address: Address!
  "wei"
  balance: BigInt!
  "The nonce."
  transactionCount: Long!
  code: Bytes!
  storage(slot: Bytes32!): Bytes32!
}

type Log {
  "Index in the block."
  index: Int!
  "The contract that wrote the log, at the given block or at the block of the log."
  account(block: Long): Account!
  topics: [Bytes32!]!
  data: Bytes!
  transaction: Transaction!
}

"EIP-2930"
type AccessTuple {
  address: Address!
  storageKeys: [Bytes32!]!
}

type Transaction {
  hash: Bytes32!
  nonce: Long!
  "Index in the block; null while the transaction waits."
  index: Int
  from(block: Long): Account!
  "null for a contract creation."
  to(block: Long): Account
  "wei"
  value: BigInt!
  "Effective price of a mined transaction, otherwise the highest price; wei per unit of gas."
  gasPrice: BigInt!
  maxFeePerGas: BigInt
  maxPriorityFeePerGas: BigInt
  "Part of the price that the beneficiary receives, wei per unit of gas."
  effectiveTip: BigInt
  "Gas limit."
  gas: Long!
  inputData: Bytes!
  "null while the transaction waits."
  block: Block
  "1: success, 0: failure; null before Byzantium and while the transaction waits."
  status: Long
  gasUsed: Long
  cumulativeGasUsed: Long
  effectiveGasPrice: BigInt
  "Contract that the transaction created."
  createdContract(block: Long): Account
  logs: [Log!]
  r: BigInt!
  s: BigInt!
  v: BigInt!
  "Parity of the signature's y coordinate; null for legacy transactions."
  yParity: BigInt
  "EIP-2718"
  type: Int
  accessList: [AccessTuple!]
  "The transaction in its EIP-2718 encoding."
  raw: Bytes!
  "The receipt in its EIP-2718 encoding; empty while the transaction waits."
  rawReceipt: Bytes!
  maxFeePerBlobGas: BigInt
  blobGasUsed: Long
  blobGasPrice: BigInt
  blobVersionedHashes: [Bytes32!]
  "Always null: the node has no private transactions."
  isPrivate: Boolean
  "Always null: the node has no private transactions."
  privateInputData: Bytes
}

"EIP-4895"
type Withdrawal {
  index: Long!
  validator: Long!
  address: Address!
  "Gwei"
  amount: Long!
}

"Filter of the logs of one block."
input BlockFilterCriteria {
  "Addresses of contracts; missing or empty: any."
  addresses: [Address!]
  "Alternatives by position; an empty list matches any topic."
  topics: [[Bytes32!]!]
}

type Block {
  number: Long!
  hash: Bytes32!
  "null for the genesis block."
  parent: Block
  nonce: Bytes!
  transactionsRoot: Bytes32!
  transactionCount: Int
  stateRoot: Bytes32!
  receiptsRoot: Bytes32!
  "The beneficiary, at the given block or at this one."
  miner(block: Long): Account!
  extraData: Bytes!
  gasLimit: Long!
  gasUsed: Long!
  "wei per unit of gas; null before London."
  baseFeePerGas: BigInt
  "Base fee of the next block; null before London."
  nextBaseFeePerGas: BigInt
  "Seconds since 1970."
  timestamp: Long!
  logsBloom: Bytes!
  mixHash: Bytes32!
  difficulty: BigInt!
  totalDifficulty: BigInt!
  "null for a block that is itself an ommer."
  ommerCount: Int
  ommers: [Block]
  ommerAt(index: Int!): Block
  ommerHash: Bytes32!
  transactions: [Transaction!]
  transactionAt(index: Int!): Transaction
  logs(filter: BlockFilterCriteria!): [Log!]!
  "An account in the state after this block."
  account(address: Address!): Account
  "Runs a call on the state after this block; a revert has status 0."
  call(data: CallData!): CallResult
  "Gas limit with which a transaction on this block would succeed."
  estimateGas(data: CallData!): Long!
  "RLP of the header."
  rawHeader: Bytes!
  "RLP of the block."
  raw: Bytes!
  "null before Shanghai."
  withdrawalsRoot: Bytes32
  "null before Shanghai."
  withdrawals: [Withdrawal!]
  "null before Cancun."
  blobGasUsed: Long
  "null before Cancun."
  excessBlobGas: Long
}

input CallData {
  from: Address
  to: Address
  gas: Long
  gasPrice: BigInt
  maxFeePerGas: BigInt
  maxPriorityFeePerGas: BigInt
  value: BigInt
  data: Bytes
}

type CallResult {
  "Output, also of a revert."
  data: Bytes!
  gasUsed: Long!
  "1: success, 0: failure"
  status: Long!
}

"Filter of the logs of canonical blocks."
input FilterCriteria {
  fromBlock: Long
  toBlock: Long
  "Addresses of contracts; missing or empty: any."
  addresses: [Address!]
  "Alternatives by position; an empty list matches any topic."
  topics: [[Bytes32!]!]
}

type SyncState {
  startingBlock: Long!
  currentBlock: Long!
  highestBlock: Long!
}

type Pending {
  transactionCount: Int!
  "In order of admission."
  transactions: [Transaction!]
  account(address: Address!): Account
  call(data: CallData!): CallResult
  estimateGas(data: CallData!): Long!
}
`

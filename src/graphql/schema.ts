/**
 * The schema: EIP-1767 with the fields of Besu 23.4, the root query `account`, and additions of execution-apis. Each type,
 * field and argument has a description, which introspection shows.
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

"Blocks, transactions, logs and accounts of the canonical chain, and the waiting transactions."
type Query {
  "A block by number or hash; without both, the head."
  block("Number of a canonical block." number: Long, "Hash of a block." hash: Bytes32): Block
  "Canonical blocks."
  blocks("Number of the first block." from: Long, "Number of the last block, included; default: the head." to: Long): [Block!]!
  "Waiting transactions, and state of the next block."
  pending: Pending!
  "A transaction, waiting or mined; null if it is not known."
  transaction("Hash of the transaction." hash: Bytes32!): Transaction
  "Logs of canonical blocks."
  logs("Which logs of which blocks." filter: FilterCriteria!): [Log!]!
  "Suggested price of a legacy transaction in wei per unit of gas."
  gasPrice: BigInt!
  "Suggested priority fee in wei per unit of gas."
  maxPriorityFeePerGas: BigInt!
  "Progress of the synchronisation; null when there is none."
  syncing: SyncState
  "Chain id, which signatures of transactions contain (EIP-155)."
  chainID: BigInt!
  "An account at a block."
  account("Address of the account." address: Address!, "The state after this block; default: the head." blockNumber: Long): Account!
  "Highest version of the eth protocol."
  protocolVersion: Int!
}

"Changes."
type Mutation {
  "Submits a signed transaction and returns its hash."
  sendRawTransaction("The transaction in its EIP-2718 encoding." data: Bytes!): Bytes32!
}

"An account in the state after a block."
type Account {
  "Address of the account."
  address: Address!
  "Balance in wei."
  balance: BigInt!
  "The nonce: transactions sent, or contracts created by a contract."
  transactionCount: Long!
  "Code of a contract; empty for other accounts."
  code: Bytes!
  "A word of the storage of a contract; zero where nothing was written."
  storage("Position of the word." slot: Bytes32!): Bytes32!
}

"A log that a contract wrote."
type Log {
  "Index in the block."
  index: Int!
  "The contract that wrote the log."
  account("Number of the block whose state is read; default: the block of the log." block: Long): Account!
  "Up to 4 topics; the first is usually the hash of the event's signature."
  topics: [Bytes32!]!
  "The part of the event that is not indexed, ABI-encoded."
  data: Bytes!
  "The transaction that wrote the log."
  transaction: Transaction!
}

"An entry of an access list (EIP-2930)."
type AccessTuple {
  "The account that the transaction announces."
  address: Address!
  "Positions in its storage."
  storageKeys: [Bytes32!]!
}

"A transaction that waits or was mined."
type Transaction {
  "Hash of the transaction."
  hash: Bytes32!
  "Nonce of the sender."
  nonce: Long!
  "Index in the block; null while the transaction waits."
  index: Int
  "The sender."
  from("Number of the block whose state is read; default: that of the transaction, or the head." block: Long): Account!
  "The recipient; null for a contract creation."
  to("Number of the block whose state is read; default: that of the transaction, or the head." block: Long): Account
  "Amount that the recipient receives, in wei."
  value: BigInt!
  "Effective price of a mined transaction, otherwise the highest price; wei per unit of gas."
  gasPrice: BigInt!
  "Highest price in wei per unit of gas (EIP-1559); null for types 0 and 1."
  maxFeePerGas: BigInt
  "Highest priority fee in wei per unit of gas (EIP-1559); null for types 0 and 1."
  maxPriorityFeePerGas: BigInt
  "Part of the price that the beneficiary receives, wei per unit of gas."
  effectiveTip: BigInt
  "Gas limit."
  gas: Long!
  "Input of the call, or init code of the contract."
  inputData: Bytes!
  "null while the transaction waits."
  block: Block
  "1: success, 0: failure; null before Byzantium and while the transaction waits."
  status: Long
  "Gas that the transaction used; null while it waits."
  gasUsed: Long
  "Gas used by this transaction and those before it in the block; null while it waits."
  cumulativeGasUsed: Long
  "Price that the sender paid, in wei per unit of gas; null while the transaction waits."
  effectiveGasPrice: BigInt
  "Contract that the transaction created; null if it created none."
  createdContract("Number of the block whose state is read; default: the block of the transaction." block: Long): Account
  "Logs that the transaction wrote; null while it waits."
  logs: [Log!]
  "The value r of the signature."
  r: BigInt!
  "The value s of the signature."
  s: BigInt!
  "The value v of the signature; for types above 0 its parity, 0 or 1."
  v: BigInt!
  "Parity of the signature's y coordinate, 0 or 1; null for legacy transactions."
  yParity: BigInt
  "Type of the envelope (EIP-2718); 0 for legacy transactions."
  type: Int
  "The access list (EIP-2930); null for legacy transactions."
  accessList: [AccessTuple!]
  "The transaction in its EIP-2718 encoding."
  raw: Bytes!
  "The receipt in its EIP-2718 encoding; empty while the transaction waits."
  rawReceipt: Bytes!
  "Highest price in wei per unit of blob gas (EIP-4844); null for other types than 3."
  maxFeePerBlobGas: BigInt
  "Gas used by the blobs; null for other types than 3 and while the transaction waits."
  blobGasUsed: Long
  "Price in wei per unit of blob gas; null for other types than 3 and while the transaction waits."
  blobGasPrice: BigInt
  "Versioned hashes of the blobs; null for other types than 3."
  blobVersionedHashes: [Bytes32!]
  "Always null: the node has no private transactions."
  isPrivate: Boolean
  "Always null: the node has no private transactions."
  privateInputData: Bytes
}

"A withdrawal from the beacon chain (EIP-4895)."
type Withdrawal {
  "Index among all withdrawals."
  index: Long!
  "Index of the validator."
  validator: Long!
  "The account that receives the amount."
  address: Address!
  "Amount in Gwei."
  amount: Long!
}

"Filter of the logs of one block."
input BlockFilterCriteria {
  "Addresses of contracts; missing or empty: any."
  addresses: [Address!]
  "Alternatives by position; an empty list matches any topic."
  topics: [[Bytes32!]!]
}

"A block of the chain, or an ommer."
type Block {
  "Number of the block; the genesis block has 0."
  number: Long!
  "Hash of the header."
  hash: Bytes32!
  "The block before; null for the genesis block."
  parent: Block
  "Nonce of the seal, 8 bytes."
  nonce: Bytes!
  "Root of the trie of the transactions."
  transactionsRoot: Bytes32!
  "Number of transactions; 0 for an ommer."
  transactionCount: Int
  "Root of the state after the block."
  stateRoot: Bytes32!
  "Root of the trie of the receipts."
  receiptsRoot: Bytes32!
  "The beneficiary."
  miner("Number of the block whose state is read; default: this block." block: Long): Account!
  "Bytes that the producer chose, or that the consensus needs."
  extraData: Bytes!
  "Gas that the transactions may use together."
  gasLimit: Long!
  "Gas that the transactions used together."
  gasUsed: Long!
  "wei per unit of gas; null before London."
  baseFeePerGas: BigInt
  "Base fee of the next block in wei per unit of gas; null before London."
  nextBaseFeePerGas: BigInt
  "Seconds since 1970."
  timestamp: Long!
  "Bloom filter of the addresses and topics of the logs, 256 bytes."
  logsBloom: Bytes!
  "Mix hash of proof of work; since the Merge the value of PREVRANDAO."
  mixHash: Bytes32!
  "Difficulty of proof of work."
  difficulty: BigInt!
  "Sum of the difficulties up to this block."
  totalDifficulty: BigInt!
  "Number of ommers; null for a block that is itself an ommer."
  ommerCount: Int
  "Headers of the ommers; empty for a block that is itself an ommer."
  ommers: [Block]
  "An ommer; null if there are fewer."
  ommerAt("Index, from 0." index: Int!): Block
  "Hash of the list of ommers."
  ommerHash: Bytes32!
  "Transactions in their order; empty for an ommer."
  transactions: [Transaction!]
  "A transaction; null if there are fewer."
  transactionAt("Index, from 0." index: Int!): Transaction
  "Logs of the block, in their order."
  logs("Which logs." filter: BlockFilterCriteria!): [Log!]!
  "An account in the state after this block."
  account("Address of the account." address: Address!): Account
  "Runs a call on the state after this block; a revert has status 0."
  call("The call." data: CallData!): CallResult
  "Gas limit with which a transaction on this block would succeed."
  estimateGas("The transaction." data: CallData!): Long!
  "RLP of the header."
  rawHeader: Bytes!
  "RLP of the block."
  raw: Bytes!
  "Root of the trie of the withdrawals; null before Shanghai."
  withdrawalsRoot: Bytes32
  "Withdrawals of the block; null before Shanghai."
  withdrawals: [Withdrawal!]
  "Gas that the blobs used together; null before Cancun."
  blobGasUsed: Long
  "Blob gas above the target, from which the price follows; null before Cancun."
  excessBlobGas: Long
}

"A call that is run without a transaction, or a transaction whose gas is estimated."
input CallData {
  "The sender; default: the zero address."
  from: Address
  "The recipient; missing for a contract creation."
  to: Address
  "Gas limit; default: the most that the node allows."
  gas: Long
  "Price in wei per unit of gas; excludes the two fees of EIP-1559."
  gasPrice: BigInt
  "Highest price in wei per unit of gas (EIP-1559)."
  maxFeePerGas: BigInt
  "Highest priority fee in wei per unit of gas (EIP-1559)."
  maxPriorityFeePerGas: BigInt
  "Amount in wei; default: 0."
  value: BigInt
  "Input of the call, or init code of the contract; default: empty."
  data: Bytes
}

"Outcome of a call."
type CallResult {
  "Output, also of a revert."
  data: Bytes!
  "Gas that the call used."
  gasUsed: Long!
  "1: success, 0: failure."
  status: Long!
}

"Filter of the logs of canonical blocks."
input FilterCriteria {
  "Number of the first block; default: the head."
  fromBlock: Long
  "Number of the last block, included; default: the head."
  toBlock: Long
  "Addresses of contracts; missing or empty: any."
  addresses: [Address!]
  "Alternatives by position; an empty list matches any topic."
  topics: [[Bytes32!]!]
}

"Progress of the synchronisation, as numbers of blocks."
type SyncState {
  "Number of the block at which it began."
  startingBlock: Long!
  "Number of the newest block that the node has."
  currentBlock: Long!
  "Number of the highest block that peers have announced."
  highestBlock: Long!
}

"Waiting transactions, and the state after the pending block, or after the head without one."
type Pending {
  "Number of waiting transactions."
  transactionCount: Int!
  "Waiting transactions in order of admission."
  transactions: [Transaction!]
  "An account in the pending state."
  account("Address of the account." address: Address!): Account
  "Runs a call on the pending state; a revert has status 0."
  call("The call." data: CallData!): CallResult
  "Gas limit with which a transaction on the pending state would succeed."
  estimateGas("The transaction." data: CallData!): Long!
}
`

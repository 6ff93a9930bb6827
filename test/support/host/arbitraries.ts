/**
 * Random protocol objects for property tests.
 * @module
 */
import fc from 'fast-check'
import type { Block, Header, Withdrawal } from '../../../src/types/block.ts'
import type { Log, StoredReceipt } from '../../../src/types/receipt.ts'
import type { AccessList, Authorization, Transaction } from '../../../src/types/transaction.ts'

export const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length })
const EDGES = [0n, 1n, 127n, 128n, 255n, 256n]
export const uint = (bits: number): fc.Arbitrary<bigint> => {
  const max = 2n ** BigInt(bits) - 1n
  return fc.oneof(fc.constantFrom(...EDGES.filter((edge) => edge <= max)), fc.bigInt(0n, max))
}
const data = fc.uint8Array({ maxLength: 100 })

const accessList: fc.Arbitrary<AccessList> = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)

export const authorization: fc.Arbitrary<Authorization> = fc.record({
  chainId: uint(256),
  address: bytes(20),
  nonce: uint(64),
  yParity: uint(8),
  r: uint(256),
  s: uint(256),
})

const common = {
  nonce: uint(64),
  gasLimit: uint(64),
  value: uint(256),
  data,
  r: uint(256),
  s: uint(256),
}
const typed = { ...common, chainId: uint(64), accessList, yParity: fc.constantFrom(0n, 1n) }
const feeMarket = { ...typed, maxPriorityFeePerGas: uint(256), maxFeePerGas: uint(256) }
const optionalTo = fc.option(bytes(20), { nil: undefined })

export const transaction: fc.Arbitrary<Transaction> = fc.oneof(
  fc
    .record({
      ...common,
      to: optionalTo,
      gasPrice: uint(256),
      chainId: fc.option(uint(64), { nil: undefined }),
      parity: uint(1),
    })
    .map(({ parity, ...fields }): Transaction => {
      const { chainId } = fields
      const v = chainId === undefined ? 27n + (parity & 1n) : 35n + 2n * chainId + (parity & 1n)
      return { type: 0, ...fields, v }
    }),
  fc.record({ type: fc.constant(1 as const), ...typed, to: optionalTo, gasPrice: uint(256) }),
  fc.record({ type: fc.constant(2 as const), ...feeMarket, to: optionalTo }),
  fc.record({
    type: fc.constant(3 as const),
    ...feeMarket,
    to: bytes(20),
    maxFeePerBlobGas: uint(256),
    blobVersionedHashes: fc.array(bytes(32), { maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant(4 as const),
    ...feeMarket,
    to: bytes(20),
    authorizationList: fc.array(authorization, { maxLength: 3 }),
  }),
)

const frontier = {
  parentHash: bytes(32),
  ommersHash: bytes(32),
  beneficiary: bytes(20),
  stateRoot: bytes(32),
  transactionsRoot: bytes(32),
  receiptsRoot: bytes(32),
  logsBloom: bytes(256),
  difficulty: uint(256),
  number: uint(64),
  gasLimit: uint(64),
  gasUsed: uint(64),
  timestamp: uint(64),
  extraData: data,
  mixHash: bytes(32),
  nonce: bytes(8),
}
const london = { ...frontier, baseFeePerGas: uint(256) }
const shanghai = { ...london, withdrawalsRoot: bytes(32) }
const cancun = { ...shanghai, blobGasUsed: uint(64), excessBlobGas: uint(64), parentBeaconBlockRoot: bytes(32) }

export const header: fc.Arbitrary<Header> = fc.oneof(
  fc.record(frontier),
  fc.record(london),
  fc.record(shanghai),
  fc.record(cancun),
  fc.record({ ...cancun, requestsHash: bytes(32) }),
)

const withdrawal: fc.Arbitrary<Withdrawal> = fc.record({
  index: uint(64),
  validatorIndex: uint(64),
  address: bytes(20),
  amount: uint(64),
})

const body = {
  header,
  transactions: fc.array(transaction, { maxLength: 4 }),
  ommers: fc.array(header, { maxLength: 2 }),
}

export const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record(body),
  fc.record({ ...body, withdrawals: fc.array(withdrawal, { maxLength: 3 }) }),
)

export const log: fc.Arbitrary<Log> = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data,
})

const receiptCommon = {
  type: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const, 4 as const),
  cumulativeGasUsed: uint(64),
  gasUsed: uint(64),
  logsBloom: fc.oneof(bytes(256), fc.constant(new Uint8Array(256))),
  logs: fc.array(log, { maxLength: 3 }),
}

export const storedReceipt: fc.Arbitrary<StoredReceipt> = fc.oneof(
  fc.record({ ...receiptCommon, status: fc.boolean() }),
  fc.record({ ...receiptCommon, postState: bytes(32) }),
  fc.record({ ...receiptCommon, status: fc.boolean(), contractAddress: bytes(20), revertReason: data }),
)

/** The loops of `evm.bench.mjs`, each as a block of one transaction under the rules of Cancun. */
import { bytesToBigInt, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../src/base/primitives/secp256k1.ts'
import type { Header } from '../../../src/types/block.ts'
import { EMPTY_BLOOM } from '../../../src/types/bloom.ts'
import type { LegacyTransaction, Transaction } from '../../../src/types/transaction.ts'
import { signingHash } from '../../../src/types/transactionCodec.ts'
import { configOf } from '../../support/chains/chainConfig.ts'
import type { SetBlock } from '../../support/recorded/publicSets.ts'
import { loopPrograms } from '../evmPrograms.mjs'

/** Of one message of `evm.bench.mjs`, to make a block of at least some million gas. */
const REPETITIONS = 10n
const COUNT_DIGITS = 64
const GAS_LIMIT = 1_000_000_000n
const KEY = new Uint8Array(32).fill(1)
const ZERO = new Uint8Array(32)

interface LoopProgram {
  readonly name: string
  readonly to: string
  /** Begins with the count. */
  readonly data: string
  readonly accounts: readonly {
    readonly address: string
    readonly code: string
    readonly storage: Readonly<Record<string, string>>
  }[]
}

/** @param only text that the name of the loop contains */
export function* loopBlocks(only: string): Generator<SetBlock> {
  const config = configOf({ activations: [{ fork: 'cancun', time: 0n }], consensus: { kind: 'proofOfStake' } })
  const sender = { address: publicKeyToAddress(publicKeyOf(KEY)), balance: 10n ** 20n }
  for (const program of (loopPrograms() as LoopProgram[]).filter(({ name }) => name.includes(only))) {
    const contracts = program.accounts.map(({ address, code, storage }) => ({
      address: hexToBytes(`0x${address}`),
      balance: 0n,
      nonce: 1n,
      code: hexToBytes(`0x${code}`),
      storage: Object.entries(storage).map(
        ([slot, value]) => [hexToBytes(`0x${slot}`), hexToBytes(`0x${value}`)] as const,
      ),
    }))
    yield {
      name: program.name,
      program: program.name,
      config,
      alloc: [sender, ...contracts],
      setup: [],
      block: { header: HEADER, transactions: [callOf(program)], ommers: [], withdrawals: [] },
      ancestors: new Map([[0n, ZERO]]),
      readsAncestors: false,
      expected: {},
    }
  }
}

function callOf({ to, data }: LoopProgram): Transaction {
  const count = (BigInt(`0x${data.slice(0, COUNT_DIGITS)}`) * REPETITIONS).toString(16).padStart(COUNT_DIGITS, '0')
  const unsigned: LegacyTransaction = {
    type: 0,
    chainId: 1n,
    nonce: 0n,
    gasPrice: 10n,
    gasLimit: GAS_LIMIT,
    to: hexToBytes(`0x${to}`),
    value: 0n,
    data: hexToBytes(`0x${count}${data.slice(COUNT_DIGITS)}`),
    v: 37n,
    r: 0n,
    s: 0n,
  }
  const { signature, yParity } = signHash(signingHash(unsigned), KEY)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(bytesToBigInt) as [bigint, bigint]
  return { ...unsigned, v: 37n + BigInt(yParity), r, s }
}

/** The results are not known in advance. */
const HEADER: Header = {
  parentHash: ZERO,
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20).fill(0xbb),
  stateRoot: ZERO,
  transactionsRoot: ZERO,
  receiptsRoot: ZERO,
  logsBloom: EMPTY_BLOOM,
  difficulty: 0n,
  number: 1n,
  gasLimit: GAS_LIMIT,
  gasUsed: 0n,
  timestamp: 1000n,
  extraData: new Uint8Array(0),
  mixHash: ZERO,
  nonce: new Uint8Array(8),
  baseFeePerGas: 7n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO,
}

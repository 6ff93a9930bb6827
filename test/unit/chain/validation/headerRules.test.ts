import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../../src/base/primitives/keccak.ts'
import { checkRequiredBlock, type HeaderContext, validateHeader } from '../../../../src/chain/validation/headerRules.ts'
import type { ChainConfigOptions } from '../../../../src/config/chainConfig.ts'
import { type ForkName, forkRules } from '../../../../src/config/forks.ts'
import type { Header } from '../../../../src/types/block.ts'
import { configOf } from '../../../support/chains/chainConfig.ts'

const ZERO_HASH = new Uint8Array(32)

const FRONTIER: Header = {
  parentHash: ZERO_HASH,
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20),
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 131072n,
  number: 10n,
  gasLimit: 1_024_000n,
  gasUsed: 0n,
  timestamp: 1000n,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
}
const LONDON: Header = { ...FRONTIER, baseFeePerGas: 1000n, gasUsed: 512_000n }
const CANCUN: Header = {
  ...LONDON,
  difficulty: 0n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
}
const PRAGUE: Header = { ...CANCUN, requestsHash: ZERO_HASH }

function context(fork: ForkName, parent: Header, options: Partial<ChainConfigOptions> = {}): HeaderContext {
  return { config: configOf(options), rules: forkRules(fork), parent, engine: {} }
}

const child = (parent: Header, changes: Partial<Header> = {}): Header => ({
  ...parent,
  number: parent.number + 1n,
  timestamp: parent.timestamp + 1n,
  ...changes,
})

describe('validateHeader', () => {
  const frontier = context('frontier', FRONTIER)
  const reasonOf = (changes: Partial<Header>): string | undefined => validateHeader(child(FRONTIER, changes), frontier)

  it('accepts a header that follows its parent, on every fork', () => {
    expect(validateHeader(child(FRONTIER), frontier)).toBeUndefined()
    expect(validateHeader(child(LONDON), context('london', LONDON))).toBeUndefined()
    expect(validateHeader(child(CANCUN), context('cancun', CANCUN))).toBeUndefined()
    expect(validateHeader(child(PRAGUE), context('prague', PRAGUE))).toBeUndefined()
  })

  it('names the actual and the expected value', () => {
    expect(reasonOf({ number: 12n })).toBe("invalid block number: 12, the parent's is 10")
    expect(reasonOf({ timestamp: 1000n })).toBe("invalid timestamp: 1000, the parent's is 1000")
    expect(reasonOf({ gasUsed: 1_024_001n })).toBe('invalid gas used: 1024001, the gas limit is 1024000')
  })

  it('accepts the timestamp of the parent only if the engine does', () => {
    const engine = { allowsEqualTimestamps: true }
    expect(validateHeader(child(FRONTIER, { timestamp: 1000n }), { ...frontier, engine })).toBeUndefined()
    expect(validateHeader(child(FRONTIER, { timestamp: 999n }), { ...frontier, engine })).toContain('invalid timestamp')
    const strict = { allowsEqualTimestamps: false }
    expect(validateHeader(child(FRONTIER, { timestamp: 1000n }), { ...frontier, engine: strict })).toContain(
      'invalid timestamp',
    )
  })

  it('lets the gas limit change by less than a 1024th', () => {
    expect(reasonOf({ gasLimit: 1_024_999n })).toBeUndefined()
    expect(reasonOf({ gasLimit: 1_023_001n })).toBeUndefined()
    expect(reasonOf({ gasLimit: 1_025_000n })).toBe(
      'invalid gas limit: 1025000, must differ from 1024000 by less than 1000',
    )
    expect(reasonOf({ gasLimit: 1_023_000n })).toContain('invalid gas limit')
    expect(reasonOf({ gasLimit: 4999n })).toBe('invalid gas limit: 4999, the minimum is 5000')
    expect(reasonOf({ gasLimit: 2n ** 63n })).toContain('the maximum is 9223372036854775807')
  })

  it('doubles the reference of the gas limit at London, and starts the base fee at 1 gwei', () => {
    const london = context('london', FRONTIER)
    const first = child(FRONTIER, { gasLimit: 2_048_000n, baseFeePerGas: 1_000_000_000n })
    expect(validateHeader(first, london)).toBeUndefined()
    expect(validateHeader({ ...first, gasLimit: 1_024_000n }, london)).toContain('must differ from 2048000')
    expect(validateHeader({ ...first, baseFeePerGas: 7n }, london)).toBe('invalid base fee: 7, must be 1000000000')
  })

  it('keeps the base fee at 0 if the network requires it', () => {
    const free = context('london', FRONTIER, { zeroBaseFee: true })
    expect(validateHeader(child(FRONTIER, { gasLimit: 2_048_000n, baseFeePerGas: 0n }), free)).toBeUndefined()
  })

  it('requires exactly the fields of the fork', () => {
    expect(reasonOf({ baseFeePerGas: 1n })).toBe('unexpected baseFeePerGas: frontier has none')
    const { baseFeePerGas: _, ...withoutBaseFee } = child(LONDON)
    expect(validateHeader(withoutBaseFee, context('london', LONDON))).toBe('missing baseFeePerGas: london requires it')
    expect(validateHeader(child(CANCUN), context('prague', CANCUN))).toBe('missing requestsHash: prague requires it')
    expect(validateHeader(child(PRAGUE), context('cancun', PRAGUE))).toBe('unexpected requestsHash: cancun has none')
    expect(validateHeader(child(CANCUN), context('shanghai', CANCUN))).toBe('unexpected blobGasUsed: shanghai has none')
  })

  it('checks blob gas against the limit of the fork and the parent', () => {
    const cancun = context('cancun', CANCUN)
    const used = (blobs: bigint): Header => child(CANCUN, { blobGasUsed: blobs * 131_072n })
    expect(validateHeader(used(6n), cancun)).toBeUndefined()
    expect(validateHeader(used(7n), cancun)).toBe('invalid blob gas used: 917504, the limit is 786432')
    expect(validateHeader(child(CANCUN, { blobGasUsed: 1n }), cancun)).toContain('not a multiple of 131072')
    const full = { ...CANCUN, blobGasUsed: 786_432n }
    expect(validateHeader(child(CANCUN), context('cancun', full))).toBe('invalid excess blob gas: 0, must be 393216')
  })

  it('requires the DAO extra data for ten blocks', () => {
    const dao = hexToBytes('0x64616f2d686172642d666f726b')
    const at = (parentNumber: bigint, extraData: Uint8Array): string | undefined => {
      const parent = { ...FRONTIER, number: parentNumber }
      return validateHeader(child(parent, { extraData }), context('homestead', parent, { daoForkBlock: 100n }))
    }
    const none = new Uint8Array(0)
    expect(at(98n, none)).toBeUndefined()
    expect(at(99n, none)).toContain('the DAO fork requires 0x64616f2d686172642d666f726b')
    expect(at(99n, dao)).toBeUndefined()
    expect(at(108n, none)).toContain('invalid extra data')
    expect(at(109n, none)).toBeUndefined()
  })
})

describe('checkRequiredBlock', () => {
  it('checks only one height', () => {
    const config = configOf({ requiredBlock: { number: 5n, hash: ZERO_HASH } })
    const other = new Uint8Array(32).fill(1)
    expect(checkRequiredBlock(4n, other, config)).toBeUndefined()
    expect(checkRequiredBlock(5n, ZERO_HASH, config)).toBeUndefined()
    expect(checkRequiredBlock(5n, other, config)).toContain('invalid block hash at 5: 0x0101')
  })
})

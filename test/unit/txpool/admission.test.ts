import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { SECP256K1_ORDER } from '../../../src/base/primitives/secp256k1Order.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { toRpcError } from '../../../src/rpc/errors.ts'
import type { PermissionVerdict } from '../../../src/txpool/admission.ts'
import type { IncomingTransaction, PoolSettings } from '../../../src/txpool/contract.ts'
import type { Transaction } from '../../../src/types/transaction.ts'
import { admitted, codeOf, localTransaction, openPool } from '../../support/chains/pool.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const alice = hexToBytes(ALICE.address)
const ETHER = 10n ** 18n

type Fields = Parameters<typeof signed>[1]

/** The dev chain with one block, in which Alice has sent nonce 0. */
let chain: Chain
beforeAll(async () => {
  chain = await openDevChain()
  await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 }))] }])
})

async function local(fields: Fields): Promise<IncomingTransaction> {
  return localTransaction(await signed(ALICE, fields))
}

async function remote(fields: Fields): Promise<IncomingTransaction> {
  return { ...(await local(fields)), isLocal: false }
}

function changed(candidate: IncomingTransaction, fields: Partial<Transaction>): IncomingTransaction {
  return { ...candidate, transaction: { ...candidate.transaction, ...fields } as Transaction }
}

function refusal(
  candidate: IncomingTransaction,
  settings: Partial<PoolSettings> = {},
  isSealing = true,
): string | undefined {
  const pool = openPool(chain, { settings, isSealing: () => isSealing })
  const code = codeOf(() => admitted(pool, candidate))
  expect(pool.size).toBe(code === undefined ? 1 : 0)
  return code
}

describe('an admissible transaction', () => {
  it('is found by hash and by sender, and announced', async () => {
    const pool = openPool(chain)
    const told: unknown[] = []
    pool.events.on('added', (pooled) => told.push(pooled))
    const pooled = admitted(pool, await local({ nonce: 1 }))
    expect(told).toEqual([pooled])
    expect(pool.byHash(pooled.hash)).toBe(pooled)
    expect(pooled).toMatchObject({ sender: alice, isLocal: true, addedAtMs: Date.UTC(2030, 0, 1) })
    expect([...pool.transactions()]).toEqual([pooled])
    expect([...pool.senders()]).toEqual([alice])
    expect(pool.bySender(alice)).toEqual([pooled])
    expect(pool.nextNonce(alice)).toBe(2n)
    expect(pool.nextNonce(hexToBytes(BOB.address))).toBeUndefined()
    expect([pool.size, pool.localCount, pool.maxSize]).toEqual([1, 1, 4096])
  })

  it('may pay less than the base fee, and less than the minimum price if this node produces blocks', async () => {
    expect(refusal(await local({ nonce: 1, maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }))).toBeUndefined()
  })

  it('changes nothing when it is only checked', async () => {
    const pool = openPool(chain)
    pool.check(await local({ nonce: 1 }))
    expect(pool.size).toBe(0)
    expect(pool.check(candidate)?.code).toBe('NONCE_TOO_LOW')
  })

  let candidate: IncomingTransaction
  beforeAll(async () => {
    candidate = await local({ nonce: 0 })
  })
})

describe('a transaction is refused', () => {
  it('when its gas costs more than the cap, if it is local', async () => {
    const dear = { nonce: 1, gas: 1_000_000n, maxFeePerGas: 10n ** 12n + 1n, maxPriorityFeePerGas: 1n }
    expect(refusal(await local(dear))).toBe('TX_FEECAP_EXCEEDED')
    expect(refusal(await local({ ...dear, maxFeePerGas: 10n ** 12n }))).toBeUndefined()
    expect(refusal(await local(dear), { feeCap: 0n })).toBeUndefined()
    expect(refusal(await remote(dear))).toBeUndefined()
  })

  it('below the minimum price, if it is remote or this node produces no blocks', async () => {
    const cheap = { nonce: 1, maxFeePerGas: 999n, maxPriorityFeePerGas: 1n }
    expect(refusal(await local(cheap))).toBeUndefined()
    expect(refusal(await local(cheap), {}, false)).toBe('GAS_PRICE_TOO_LOW')
    expect(refusal(await remote(cheap))).toBe('GAS_PRICE_TOO_LOW')
    expect(refusal(await remote({ ...cheap, maxFeePerGas: 1000n }))).toBeUndefined()
    expect(refusal(await local({ ...cheap, maxFeePerGas: 6n }))).toBe('GAS_PRICE_TOO_LOW')
  })

  it('below the minimum base fee, unless the next block has a lower one', async () => {
    const free = await local({ nonce: 1, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
    const refusalAt = (baseFee: bigint | undefined): string | undefined => {
      const pool = openPool(chain, { givenBaseFee: () => baseFee })
      return codeOf(() => admitted(pool, free))
    }
    expect(refusalAt(undefined)).toBe('GAS_PRICE_TOO_LOW')
    expect(refusalAt(1n)).toBe('GAS_PRICE_TOO_LOW')
    expect(refusalAt(100n)).toBe('GAS_PRICE_TOO_LOW')
    expect(refusalAt(0n)).toBeUndefined()
  })

  it('below an increased minimum price', async () => {
    const pool = openPool(chain, { isSealing: () => false })
    pool.setMinGasPrice(10n ** 11n)
    expect(pool.settings.minGasPrice).toBe(10n ** 11n)
    const candidate = await local({ nonce: 1 })
    expect(codeOf(() => admitted(pool, candidate))).toBe('GAS_PRICE_TOO_LOW')
  })

  it('for another chain', async () => {
    expect(refusal(await local({ nonce: 1, chainId: 5 }))).toBe('WRONG_CHAIN_ID')
  })

  it('with a high s, or with a signature without a signer', async () => {
    const candidate = await local({ nonce: 1 })
    const { s } = candidate.transaction
    expect(refusal(changed(candidate, { s: SECP256K1_ORDER - s }))).toBe('INVALID_TRANSACTION_SIGNATURE')
    expect(refusal(changed(candidate, { r: 5n }))).toBe('INVALID_TRANSACTION_SIGNATURE')
  })

  it('with the last nonce or with too much init code', async () => {
    const candidate = { ...(await local({ nonce: 1 })), impersonatedSender: alice }
    expect(refusal(changed(candidate, { nonce: 2n ** 64n - 1n }))).toBe('NONCE_OVERFLOW')
    const creation = { to: undefined, data: new Uint8Array(49_153), gasLimit: 5_000_000n }
    expect(refusal(changed(candidate, creation))).toBe('INIT_CODE_TOO_LARGE')
  })

  it('with a priority fee above the whole fee', async () => {
    const candidate = { ...(await local({ nonce: 1 })), impersonatedSender: alice }
    const fees = { maxFeePerGas: 2000n, maxPriorityFeePerGas: 2001n }
    expect(refusal(changed(candidate, fees))).toBe('MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS')
  })

  it('with too little gas, including that for its data and its access list', async () => {
    expect(refusal(await local({ nonce: 1, gas: 20_999n }))).toBe('INTRINSIC_GAS_EXCEEDS_LIMIT')
    expect(refusal(await local({ nonce: 1, gas: 21_000n }))).toBeUndefined()
    expect(refusal(await local({ nonce: 1, gas: 21_039n, data: '0xff' }))).toBe('INTRINSIC_GAS_EXCEEDS_LIMIT')
    const accessList = [{ address: BOB.address, storageKeys: [] }]
    expect(refusal(await local({ nonce: 1, gas: 23_399n, accessList }))).toBe('INTRINSIC_GAS_EXCEEDS_LIMIT')
  })

  it('without a chain id, if one is required', async () => {
    const raw = await ALICE.signTransaction({
      type: 'legacy',
      nonce: 1,
      gas: 21_000n,
      gasPrice: 10n ** 9n,
      to: BOB.address,
    })
    const candidate = localTransaction(hexToBytes(raw))
    expect(refusal(candidate)).toBeUndefined()
    expect(refusal(candidate, { requireReplayProtection: true })).toBe('REPLAY_PROTECTED_SIGNATURE_REQUIRED')
    expect(refusal({ ...candidate, isLocal: false }, { requireReplayProtection: true })).toBeUndefined()
  })

  it('above the gas limit of the block, or of a transaction', async () => {
    const limited = { nonce: 1, gas: 16_777_217n, maxFeePerGas: 10n ** 10n }
    expect(refusal(await local(limited))).toBe('TRANSACTION_GAS_LIMIT_TOO_HIGH')
    const pool = openPool(chain, { blockGasLimit: () => 99_999n })
    const candidate = await local({ nonce: 1 })
    expect(codeOf(() => admitted(pool, candidate))).toBe('EXCEEDS_BLOCK_GAS_LIMIT')
  })

  it('while the state of the head is not available', async () => {
    const pool = openPool(chain, { states: { at: () => undefined } })
    const candidate = await local({ nonce: 1 })
    expect(codeOf(() => admitted(pool, candidate))).toBe('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE')
  })

  it('when the sender cannot pay gas and value', async () => {
    const code = 'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE'
    expect(refusal(await local({ nonce: 1, value: 10_000n * ETHER }))).toBe(code)
    expect(refusal(await local({ nonce: 0, value: 10_000n * ETHER }))).toBe(code)
  })

  it('with a nonce that is used', async () => {
    expect(refusal(await local({ nonce: 0 }))).toBe('NONCE_TOO_LOW')
  })

  it('when the sender has code, unless it only delegates', async () => {
    const own = await openDevChain()
    const candidate = await local({ nonce: 0 })
    await devWriter(own).amendHead((state) => state.setCode(alice, hexToBytes(`0xef0100${'11'.repeat(20)}`)))
    expect(codeOf(() => admitted(openPool(own), candidate))).toBeUndefined()
    await devWriter(own).amendHead((state) => state.setCode(alice, hexToBytes('0x00')))
    expect(codeOf(() => admitted(openPool(own), candidate))).toBe('TX_SENDER_NOT_AUTHORIZED')
    expect(codeOf(() => admitted(openPool(own), { ...candidate, impersonatedSender: alice }))).toBeUndefined()
  })

  it('when the sender has no permission', async () => {
    const asked: string[] = []
    let verdict: PermissionVerdict = 'refused'
    const permits = (sender: Uint8Array): PermissionVerdict => {
      asked.push(bytesToHex(sender))
      return verdict
    }
    const pool = openPool(chain, { permits })
    const candidate = await local({ nonce: 1 })
    expect(codeOf(() => admitted(pool, candidate))).toBe('TX_SENDER_NOT_AUTHORIZED')
    expect(asked).toEqual([ALICE.address.toLowerCase()])
    verdict = 'undecided'
    expect(codeOf(() => admitted(pool, candidate))).toBe('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE')
    verdict = 'allowed'
    expect(codeOf(() => admitted(pool, candidate))).toBeUndefined()
  })

  it('when it is known', async () => {
    const pool = openPool(chain)
    const candidate = await local({ nonce: 1 })
    admitted(pool, candidate)
    expect(codeOf(() => admitted(pool, candidate))).toBe('TRANSACTION_ALREADY_KNOWN')
    expect(pool.size).toBe(1)
  })

  it('with a nonce that is too far ahead', async () => {
    expect(refusal(await local({ nonce: 5 }))).toBeUndefined()
    expect(refusal(await local({ nonce: 6 }))).toBe('NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER')
    expect(refusal(await local({ nonce: 6 }), { limitByAccount: 1 })).toBeUndefined()
  })

  it('from the network, after an invalid transaction of the same sender, until that nonce is filled', async () => {
    const pool = openPool(chain)
    const poor = await remote({ nonce: 2, value: 10_000n * ETHER })
    expect(codeOf(() => admitted(pool, poor))).toBe('TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE')
    const [third, second] = [await remote({ nonce: 3 }), await remote({ nonce: 2 })]
    expect(codeOf(() => admitted(pool, third))).toBe('LOWER_NONCE_INVALID_TRANSACTION_EXISTS')
    admitted(pool, second)
    admitted(pool, third)
    expect(pool.size).toBe(2)
  })

  it('from the network, not after an invalid transaction in place of a pooled one', async () => {
    const pool = openPool(chain)
    admitted(pool, await remote({ nonce: 2 }))
    const poor = await remote({ nonce: 2, value: 10_000n * ETHER })
    expect(codeOf(() => admitted(pool, poor))).toBe('TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE')
    admitted(pool, await remote({ nonce: 3 }))
    expect(pool.size).toBe(2)
  })

  it('as a blob transaction without its blobs', async () => {
    const raw = await ALICE.signTransaction({
      type: 'eip4844',
      chainId: 31337,
      nonce: 1,
      gas: 21_000n,
      to: BOB.address,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 10n ** 9n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
      sidecars: false,
    })
    const candidate = localTransaction(hexToBytes(raw))
    expect(refusal(candidate)).toBe('MISSING_BLOB_SIDECAR')
    const sidecar = { version: 0 as const, blobs: [], commitments: [], proofs: [] }
    expect(refusal({ ...candidate, isLocal: false, sidecar })).toBe('INVALID_BLOB_SIDECAR')
    expect(refusal({ ...candidate, isLocal: false, sidecar: { ...sidecar, version: 1 } })).toBeUndefined()
    // Clients from before EIP-7594 know no other version.
    expect(refusal({ ...candidate, sidecar })).toBeUndefined()
  })
})

describe('errors follow the order of the checks', () => {
  it('price before chain, chain before signature, gas before funds, funds before nonce', async () => {
    const candidate = await local({ nonce: 1 })
    const wrong: Partial<Transaction>[] = [
      { maxFeePerGas: 3n },
      { chainId: 5n },
      { s: SECP256K1_ORDER - 1n },
      { maxPriorityFeePerGas: 10n ** 18n },
      { gasLimit: 1n },
      { value: 2n ** 255n },
      { nonce: 0n },
    ]
    const expected = [
      'GAS_PRICE_TOO_LOW',
      'WRONG_CHAIN_ID',
      'INVALID_TRANSACTION_SIGNATURE',
      'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
      'INTRINSIC_GAS_EXCEEDS_LIMIT',
      'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE',
      'NONCE_TOO_LOW',
    ]
    const codes = wrong.map((_, from) => {
      const all = Object.assign({}, ...wrong.slice(from)) as Partial<Transaction>
      return refusal({ ...changed(candidate, all), sender: alice })
    })
    expect(codes).toEqual(expected)
  })
})

describe('errors reach clients', () => {
  const answer = async (fields: Fields, profile: 'besu' | 'geth') => {
    const candidate = await local(fields)
    try {
      admitted(openPool(chain), candidate)
      return undefined
    } catch (error) {
      return toRpcError(error, profile)
    }
  }

  it("as Besu's error numbers", async () => {
    expect(await answer({ nonce: 0 }, 'besu')).toEqual({ code: -32001, message: 'Nonce too low' })
    expect(await answer({ nonce: 1, gas: 1n }, 'besu')).toMatchObject({ code: -32003 })
  })

  it("in geth's wording, with details", async () => {
    expect(await answer({ nonce: 0 }, 'geth')).toEqual({
      code: -32000,
      message: 'nonce too low: next nonce 1, tx nonce 0',
    })
    expect(await answer({ nonce: 1, gas: 1n }, 'geth')).toMatchObject({
      message: 'intrinsic gas too low: have 1, want 21000',
    })
    expect(await answer({ nonce: 1, gas: 21_039n, data: '0xff' }, 'geth')).toEqual({
      code: -32000,
      message: 'insufficient gas for floor data gas cost: have 21039, want 21040',
    })
    const poor = await answer({ nonce: 1, value: 10_000n * ETHER }, 'geth')
    expect(poor?.message).toMatch(/^insufficient funds for gas \* price \+ value: address 0x[0-9a-f]{40} have \d+ want/)
    const dear = await answer({ nonce: 1, gas: 1_500_000n, maxFeePerGas: 10n ** 12n }, 'geth')
    expect(dear?.message).toBe('tx fee (1.50 ether) exceeds the configured cap (1.00 ether)')
  })
})

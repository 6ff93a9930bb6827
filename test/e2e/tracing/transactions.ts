/** The transactions of the traced chain, signed, and deterministic for a seed. */
import { concatHex, fromRlp, type Hex, sha256, sliceHex, toHex, toRlp } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from '../../../src/config/devGenesis.ts'
import type { Random } from '../../support/host/random.ts'
import { assembled } from './assembly.ts'
import {
  addressOf,
  CREATIONS,
  GAS_EATER,
  LEVEL_ADDRESSES,
  LOGGER,
  LONG_MODEXP,
  PRECOMPILE_CALLS,
  REFUNDER,
  RICH,
  RING_ADDRESSES,
  RING_ENDINGS,
  STACK_FILLER,
  STRANGER,
} from './contracts.ts'

export interface SignedTransaction {
  /** Purpose of the transaction, for identifying a difference. */
  readonly name: string
  readonly raw: Hex
}

interface Fields {
  readonly to?: string | undefined
  readonly data?: Hex
  readonly gas?: number
  readonly value?: bigint
  readonly type?: 'legacy' | 'eip2930' | 'eip1559' | 'eip7702' | 'eip4844'
  readonly authorizationList?: readonly unknown[]
  readonly blobVersionedHashes?: readonly Hex[]
}

const FEE = 10_000_000_000n
const BLOB_BYTES = 131_072
const CELLS = 128
/** Commitment and proofs of a blob of zeros. */
const INFINITY: Hex = `0xc0${'00'.repeat(47)}`
const CHANCE_CALLS = 161
const CALL_GAS = [60_000, 100_000, 200_000, 400_000, 1_000_000, 3_000_000]
const TYPES = ['legacy', 'eip2930', 'eip1559'] as const

/** Accounts that set delegations and send nothing. */
const AUTHORITIES = [1, 2, 3].map((i) => privateKeyToAccount(toHex(0xa07000 + i, { size: 32 })))

/**
 * Sends two transactions: one sets its delegation, the other calls itself; its delegated code may then consume nonces.
 */
const DELEGATED_SENDER = privateKeyToAccount(toHex(0x5e1f, { size: 32 }))

/** Accounts without code that must exist from the start. */
export function fundedAccounts(): Readonly<Record<string, { readonly balance: string }>> {
  const poor = [RICH, ...AUTHORITIES.map(({ address }) => address)].map((one) => [one, { balance: '0x64' }])
  return { ...Object.fromEntries(poor), [DELEGATED_SENDER.address]: { balance: toHex(10n ** 20n) } }
}

/** Signs in order of inclusion. */
class Signer {
  readonly transactions: SignedTransaction[] = []
  readonly #random: Random
  readonly #senders = DEV_ACCOUNTS.map(({ privateKey }) => privateKeyToAccount(privateKey as Hex))
  readonly #nonces = new Map<string, number>()

  constructor(random: Random) {
    this.#random = random
  }

  sender(): PrivateKeyAccount {
    return this.#random.pick(this.#senders)
  }

  nonce({ address }: PrivateKeyAccount): number {
    return this.#nonces.get(address) ?? 0
  }

  /** Returns the nonce for an account's next transaction or authorization, and increments it. */
  use(account: PrivateKeyAccount): number {
    const nonce = this.nonce(account)
    this.#nonces.set(account.address, nonce + 1)
    return nonce
  }

  async add(name: string, fields: Fields, from: PrivateKeyAccount = this.sender()): Promise<void> {
    const { type = this.#random.pick(TYPES), gas = 1_000_000, ...rest } = fields
    const accessList = type === 'eip2930' || this.#random.chance(20) ? this.#accessList() : undefined
    const prices =
      type === 'legacy' || type === 'eip2930' ? { gasPrice: FEE } : { maxFeePerGas: FEE, maxPriorityFeePerGas: 7n }
    const whole = {
      chainId: DEV_CHAIN_ID,
      type,
      nonce: this.use(from),
      gas: BigInt(gas),
      ...prices,
      ...(type === 'legacy' || accessList === undefined ? {} : { accessList }),
      ...(type === 'eip4844' ? { maxFeePerBlobGas: FEE } : {}),
      ...rest,
    }
    const raw = await from.signTransaction(whole as unknown as Parameters<PrivateKeyAccount['signTransaction']>[0])
    this.transactions.push({
      name: `${this.transactions.length} ${name}`,
      raw: type === 'eip4844' ? withBlob(raw) : raw,
    })
  }

  #accessList(): object[] {
    const slots = [1, 2, 7].map((slot) => toHex(slot, { size: 32 }))
    const address = this.#random.pick(LEVEL_ADDRESSES.flat())
    return [
      { address, storageKeys: slots.slice(this.#random.below(4)) },
      { address: RICH, storageKeys: [] },
    ]
  }
}

function withBlob(raw: Hex): Hex {
  const proofs = Array.from({ length: CELLS }, () => INFINITY)
  const blob: Hex = `0x${'00'.repeat(BLOB_BYTES)}`
  return concatHex(['0x03', toRlp([fromRlp(sliceHex(raw, 1)), '0x01', [blob], [INFINITY], proofs])])
}

export async function transactions(random: Random): Promise<readonly SignedTransaction[]> {
  const signer = new Signer(random)
  await addEndings(signer)
  await addRings(signer, random)
  await addCreations(signer, random)
  await addPrecompiles(signer, random)
  await addTransfers(signer)
  await addDelegations(signer, random)
  await addSpecials(signer)
  await addChanceCalls(signer, random)
  return signer.transactions
}

/** Every contract of the lowest level has a different ending. */
async function addEndings(signer: Signer): Promise<void> {
  for (const to of LEVEL_ADDRESSES[0] ?? []) await signer.add(`ending ${to}`, { to, gas: 500_000 })
}

async function addRings(signer: Signer, random: Random): Promise<void> {
  for (let i = 0; i < 3 * RING_ENDINGS; i++) {
    const depth = i % 3 === 0 ? 40 : 1 + random.below(12)
    const ending = i % RING_ENDINGS
    const data = concatHex([depth, ending, random.below(2)].map((value) => toHex(value, { size: 32 })))
    // If the ring starts at its last contract, the first call is a STATICCALL, so all calls below are static.
    const to = RING_ADDRESSES[i % 4 === 1 ? RING_ADDRESSES.length - 1 : 0]
    await signer.add(`ring ${depth} ${ending}`, { to, data, gas: 2_000_000, type: 'eip1559' })
  }
}

async function addCreations(signer: Signer, random: Random): Promise<void> {
  for (const [i, creation] of CREATIONS.entries()) {
    const data = toHex(assembled(creation(random)))
    await signer.add(`creation ${i}`, { data, gas: 600_000 })
    await signer.add(`creation ${i} with value`, { data, gas: 100_000, value: 3n })
  }
  await signer.add('creation of nothing', { gas: 100_000 })
  await signer.add('creation whose deposit is too expensive', {
    data: toHex(assembled('0x400 0 RETURN')),
    gas: 120_000,
  })
}

async function addPrecompiles(signer: Signer, random: Random): Promise<void> {
  for (const [i, { to, input }] of PRECOMPILE_CALLS.entries()) {
    const value = random.chance(20) ? 1n : 0n
    await signer.add(`precompile ${i}`, { to, data: toHex(input), gas: 400_000, value, type: 'eip1559' })
  }
  const { to, input } = PRECOMPILE_CALLS[LONG_MODEXP] as (typeof PRECOMPILE_CALLS)[number]
  await signer.add('modexp of long numbers without gas', { to, data: toHex(input), gas: 40_000, type: 'legacy' })
  await signer.add('precompile without gas', { to: addressOf(2), data: '0x01', gas: 21_500, type: 'legacy' })
}

async function addTransfers(signer: Signer): Promise<void> {
  await signer.add('transfer', { to: RICH, value: 1n, gas: 21_000, type: 'legacy' })
  await signer.add('transfer to nobody', { to: addressOf(0xabcdef), value: 1n, gas: 40_000 })
  await signer.add('transfer of nothing to nobody', { to: STRANGER, gas: 40_000 })
  await signer.add('transfer with data', { to: RICH, data: '0x1234', value: 1n, gas: 40_000 })
  await signer.add('much data', { to: RICH, data: `0x${'ab'.repeat(2000)}`, gas: 160_000 })
  const self = signer.sender()
  await signer.add('transfer to itself', { to: self.address, value: 5n, gas: 40_000 }, self)
}

async function addDelegations(signer: Signer, random: Random): Promise<void> {
  const [first, second, third] = AUTHORITIES as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
  const authorize = async (account: PrivateKeyAccount, contractAddress: string, changes: object = {}) =>
    account.signAuthorization({
      contractAddress: contractAddress as Hex,
      chainId: DEV_CHAIN_ID,
      nonce: signer.nonce(account),
      ...changes,
    })
  const used = async (account: PrivateKeyAccount, contractAddress: string, changes: object = {}) => {
    const authorization = await authorize(account, contractAddress, changes)
    signer.use(account)
    return authorization
  }
  const send = (name: string, to: string, authorizationList: readonly unknown[], from?: PrivateKeyAccount) =>
    signer.add(name, { to, authorizationList, type: 'eip7702', gas: 800_000 }, from)
  const levels = LEVEL_ADDRESSES.slice(1).flat()

  await send('delegation', RICH, [await used(first, random.pick(levels))])
  await send('delegation that is called', second.address, [await used(second, random.pick(levels))])
  await send('delegation to an account without code', third.address, [await used(third, RICH)])
  await send('delegation of a wrong nonce', first.address, [await authorize(first, RICH, { nonce: 77 })])
  await send('delegation of another chain', first.address, [await authorize(first, RICH, { chainId: 5 })])
  await send('delegation of any chain', first.address, [await used(first, random.pick(levels), { chainId: 0 })])
  await send('delegations, one of them bad', RICH, [
    await authorize(second, RICH, { nonce: 9 }),
    await used(third, random.pick(levels)),
    await used(third, random.pick(levels)),
  ])
  await send('delegation to a precompile', second.address, [await used(second, addressOf(4))])
  await send('delegation to a delegated account', second.address, [await used(second, first.address)])
  const self = DELEGATED_SENDER
  const nonce = 1
  await send('delegation of the sender', RICH, [await authorize(self, random.pick(levels), { nonce })], self)
  signer.use(self)
  await signer.add('call of the sender that is delegated', { to: self.address, gas: 300_000 }, self)
  for (const { address } of AUTHORITIES) await signer.add('call of a delegated account', { to: address, gas: 400_000 })
  await send('delegation that is cleared', RICH, [await used(first, addressOf(0))])
  await signer.add('call of an account that was delegated', { to: first.address, gas: 400_000 })
}

async function addSpecials(signer: Signer): Promise<void> {
  const hash = sha256(INFINITY)
  const blobVersionedHashes: readonly Hex[] = [`0x01${hash.slice(4)}`]
  for (const to of [RICH, ...(LEVEL_ADDRESSES[2]?.slice(0, 2) ?? [])]) {
    await signer.add('blob', { to, type: 'eip4844', blobVersionedHashes, gas: 600_000 })
  }
  await signer.add('stack overflow', { to: STACK_FILLER, gas: 60_000 })
  await signer.add('gas eater', { to: GAS_EATER, gas: 300_000 })
  await signer.add('log after one that is undone', { to: LOGGER, gas: 100_000 })
  for (let i = 0; i < 2; i++) await signer.add('refunds', { to: REFUNDER, gas: 100_000 })
}

async function addChanceCalls(signer: Signer, random: Random): Promise<void> {
  const targets = [...(LEVEL_ADDRESSES[1] ?? []), ...(LEVEL_ADDRESSES[2] ?? []), ...(LEVEL_ADDRESSES[3] ?? [])]
  for (let i = 0; i < CHANCE_CALLS; i++) {
    const gas = random.chance(25) ? 34_000 + random.below(30_000) : random.pick(CALL_GAS)
    const data = toHex(random.bytes(random.below(100)))
    const to = random.pick(targets)
    const isDear = random.chance(30)
    await signer.add(`call ${to}`, { to, data, gas, value: isDear ? 1n : 0n })
  }
}

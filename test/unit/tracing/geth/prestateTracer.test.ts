import { getContractAddress, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { GETH_TRACERS, type TracerMaker } from '../../../../src/tracing/geth/index.ts'
import { type GenesisAccount, openTracedChain } from '../../../support/chains/tracedChain.ts'
import { ALICE, BOB, DEV_CHAIN, signed } from '../../../support/nodes/devChain.ts'
import {
  at,
  callTo,
  code,
  createFrom,
  DELEGATECALL,
  POP,
  returnBytes,
  SELFDESTRUCT,
  SSTORE,
  STATICCALL,
} from './programs.ts'

interface AccountText {
  readonly balance?: string
  readonly code?: string
  readonly codeHash?: string
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}
type StateText = Readonly<Record<string, AccountText>>
interface Difference {
  readonly post: StateText
  readonly pre: StateText
}

const prestateTracer = GETH_TRACERS.get('prestateTracer') as TracerMaker
const FROM = ALICE.address.toLowerCase()
const ALICE_BALANCE = '0x21e19e0c9bab2400000'
/** The fee recipient; the zero address before the first block. */
const MINER = at(0)
const STRANGER = at(0xeeeeee)
const word = (value: number | bigint): string => `0x${value.toString(16).padStart(64, '0')}`

type Contracts = Readonly<Record<string, GenesisAccount>>

async function traceOf<T>(contracts: Contracts, config: unknown, fields: object = {}): Promise<T> {
  const chain = await openTracedChain(contracts)
  const raw = await signed(ALICE, { nonce: 0, to: at(0x1000) as `0x${string}`, gas: 1_000_000n, ...fields })
  const [value] = await chain.trace<T>(prestateTracer(config), raw)
  return value as T
}

const prestateOf = (contracts: Contracts, config?: unknown, fields?: object): Promise<StateText> =>
  traceOf(contracts, config, fields)

async function differenceOf(contracts: Contracts, fields?: object): Promise<Difference> {
  const { post, pre } = await traceOf<Difference>(contracts, { diffMode: true }, fields)
  return { post: withoutFee(post), pre: withoutFee(pre) }
}

/** Fees always change these two. */
function withoutFee({ [FROM]: _, [MINER]: __, ...state }: StateText): StateText {
  return state
}

function hashOf({ code }: GenesisAccount): string {
  return keccak256(bytesToHex(code ?? new Uint8Array(0)) as `0x${string}`)
}

describe('prestateTracer', () => {
  it('shows sender and recipient as they were before the fee', async () => {
    const state = await prestateOf({ [STRANGER]: { balance: 7n } }, undefined, { to: STRANGER, value: 5n })
    expect(state).toEqual({ [STRANGER]: { balance: '0x7' }, [FROM]: { balance: ALICE_BALANCE } })
  })

  it('omits empty accounts unless requested', async () => {
    expect(Object.keys(await prestateOf({}, null, { to: STRANGER }))).toEqual([FROM])
    expect(await prestateOf({}, { includeEmpty: true }, { to: STRANGER })).toEqual({
      [MINER]: { balance: '0x0' },
      [STRANGER]: { balance: '0x0' },
      [FROM]: { balance: ALICE_BALANCE },
    })
  })

  it('shows every touched account and slot, in order', async () => {
    const looked = { balance: 1n }
    const contract = {
      ...code(
        [BigInt(at(0xa1)), 0x31, POP],
        [BigInt(at(0xa2)), 0x3b, POP],
        [BigInt(at(0xa3)), 0x3f, POP],
        [1n, 0n, 0n, BigInt(at(0xa4)), 0x3c],
        callTo(at(0xa5), { kind: STATICCALL }),
        callTo(at(0xa6), { kind: DELEGATECALL }),
        [9n, 0x54, POP],
        [5n, 2n, SSTORE],
        [BigInt(at(0xa7)), SELFDESTRUCT],
      ),
      storage: { [word(2)]: word(3), [word(4)]: word(5) },
    }
    const addresses = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7].map(at)
    const state = await prestateOf({
      [at(0x1000)]: contract,
      ...Object.fromEntries(addresses.map((address) => [address, looked])),
    })
    expect(Object.keys(state)).toEqual([...addresses, at(0x1000), FROM])
    expect(state[at(0x1000)]).toEqual({
      balance: '0x0',
      code: bytesToHex(contract.code),
      codeHash: hashOf(contract),
      storage: { [word(2)]: word(3), [word(9)]: word(0) },
    })
  })

  it('omits accesses that an opcode did not reach', async () => {
    const state = await prestateOf(
      {
        [at(0x1000)]: code(callTo(at(0x2000), { gas: 1000n }), callTo(at(0x3000), { gas: 50_000n }), 0x31),
        [at(0x2000)]: code(7n, 0x54),
        [at(0x3000)]: code(7n, 0x54, POP, 0xfe),
      },
      undefined,
    )
    expect(state[at(0x2000)]).not.toHaveProperty('storage')
    expect(state[at(0x3000)]?.storage).toEqual({ [word(7)]: word(0) })
  })

  it('omits code and storage on request', async () => {
    const contract = code(1n, 1n, SSTORE)
    const state = await prestateOf({ [at(0x1000)]: contract }, { disableCode: true, disableStorage: true })
    expect(state[at(0x1000)]).toEqual({ balance: '0x0', codeHash: hashOf(contract) })
  })

  it('shows the address of a new contract that existed in part before', async () => {
    const created = getContractAddress({ from: ALICE.address, nonce: 0n }).toLowerCase()
    const state = await prestateOf({ [created]: { balance: 1n } }, undefined, { to: undefined, data: '0x' })
    expect(state[created]).toEqual({ balance: '0x1' })
    const fresh = await prestateOf({}, undefined, { to: undefined, data: '0x' })
    expect(fresh).not.toHaveProperty(created)
  })

  it('shows authorities and the code that runs for them when a contract calls them', async () => {
    const bobCaller = code(callTo(BOB.address.toLowerCase() as `0x${string}`))
    const contracts = { [at(0x1000)]: bobCaller, [at(0x2000)]: code(0x00), [at(0x3000)]: code(0x00) }
    const authorize = (contractAddress: string, nonce: number) =>
      BOB.signAuthorization({ contractAddress: contractAddress as `0x${string}`, chainId: DEV_CHAIN, nonce })
    const bob = BOB.address.toLowerCase()
    const fields = { type: 'eip7702', authorizationList: [await authorize(at(0x2000), 0)] }
    const { [bob]: before, ...others } = await prestateOf(contracts, undefined, fields)
    expect(before).toEqual({ balance: ALICE_BALANCE })
    expect(others).toHaveProperty(at(0x2000))
    // As with go-ethereum, the recipient's own code is that before the authorizations.
    expect(await prestateOf(contracts, undefined, { ...fields, to: BOB.address })).not.toHaveProperty(at(0x2000))
    const difference = await differenceOf(contracts, fields)
    const delegation = `0xef0100${at(0x2000).slice(2)}` as const
    expect(difference.post).toEqual({ [bob]: { code: delegation, codeHash: keccak256(delegation), nonce: 1 } })
    const vain = { type: 'eip7702', to: at(0x3000), authorizationList: [await authorize(at(0x2000), 9)] }
    expect(await prestateOf(contracts, undefined, vain)).toHaveProperty(bob)
  })

  it('refuses contradictory options', () => {
    expect(() => prestateTracer({ diffMode: true, includeEmpty: true })).toThrow(
      'cannot use diffMode with includeEmpty',
    )
    expect(() => prestateTracer({ diffMode: 'yes' })).toThrow(
      'tracerConfig: diffMode: expected true or false, got "yes"',
    )
  })
})

describe('prestateTracer with diffMode', () => {
  it('shows changed balances and nonces, post state first', async () => {
    const value = await traceOf<Difference>({}, { diffMode: true }, { to: STRANGER, value: 5n })
    expect(Object.keys(value)).toEqual(['post', 'pre'])
    expect(value.pre).toEqual({ [FROM]: { balance: ALICE_BALANCE } })
    expect(value.post[STRANGER]).toEqual({ balance: '0x5' })
    expect(value.post[FROM]?.nonce).toBe(1)
  })

  it('shows changed slots, and omits zeros', async () => {
    const writes = [
      [1, 5],
      [2, 6],
      [3, 0],
      [4, 8],
    ].flatMap(([slot, value]) => [BigInt(value as number), BigInt(slot as number), SSTORE])
    const contract = {
      ...code(writes, 9n, 0x54, POP),
      storage: { [word(2)]: word(2), [word(3)]: word(3), [word(4)]: word(8), [word(9)]: word(9) },
    }
    const { post, pre } = await differenceOf({ [at(0x1000)]: contract })
    expect(post).toEqual({ [at(0x1000)]: { storage: { [word(1)]: word(5), [word(2)]: word(6) } } })
    expect(pre[at(0x1000)]).toEqual({
      balance: '0x0',
      code: bytesToHex(contract.code),
      codeHash: hashOf(contract),
      storage: { [word(2)]: word(2), [word(3)]: word(3) },
    })
  })

  it('shows an account whose only change is a cleared slot', async () => {
    const contract = { ...code(0n, 3n, SSTORE), storage: { [word(3)]: word(3) } }
    const { post, pre } = await differenceOf({ [at(0x1000)]: contract })
    expect(post).toEqual({ [at(0x1000)]: {} })
    expect(pre[at(0x1000)]?.storage).toEqual({ [word(3)]: word(3) })
  })

  it('shows nothing that was reverted', async () => {
    const contracts = { [at(0x1000)]: code(1n, 1n, SSTORE, 0n, 0n, 0xfd) }
    expect(await differenceOf(contracts)).toEqual({ post: {}, pre: {} })
  })

  it('shows a new contract only in the post state', async () => {
    const { post, pre } = await differenceOf({ [at(0x1000)]: code(createFrom(returnBytes('0x00'))) })
    const created = getContractAddress({ from: at(0x1000) as `0x${string}`, nonce: 0n }).toLowerCase()
    expect(post[created]).toEqual({ code: '0x00', codeHash: keccak256('0x00'), nonce: 1 })
    expect(post[at(0x1000)]).toEqual({ nonce: 1 })
    expect(Object.keys(pre)).toEqual([at(0x1000)])
  })

  it('omits a contract that is created and destroyed', async () => {
    const init = [1n, 1n, SSTORE, BigInt(STRANGER), SELFDESTRUCT]
    const { post, pre } = await differenceOf({ [at(0x1000)]: code(createFrom(init, { value: 3n })) }, { value: 3n })
    expect(post).toEqual({ [at(0x1000)]: { nonce: 1 }, [STRANGER]: { balance: '0x3' } })
    expect(Object.keys(pre)).toEqual([at(0x1000)])
  })
})

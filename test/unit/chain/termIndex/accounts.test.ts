import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import { create2Address, createAddress } from '../../../../src/types/address.ts'
import { addressOf, impersonated, nextNonce, numbers } from '../../../support/chains/indexedChain.ts'
import { devWriter, TEST_CLOCK } from '../../../support/chains/testChain.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { ALICE, openDevChain, sealBlocks } from '../../../support/nodes/devChain.ts'

const pushed = (address: Uint8Array): string => `73${bytesToHexUnprefixed(address)}`
const REVERT = '60006000fd'
const INVALID = 'fe'
const callWith =
  (opcode: string, takesValue: boolean, value = '6000') =>
  (address: Uint8Array): string =>
    `6000600060006000${takesValue ? value : ''}${pushed(address)}5a${opcode}50`
const call = callWith('f1', true)
const pay = callWith('f1', true, '6001')
const callcode = callWith('f2', true)
const delegatecall = callWith('f4', false)
const staticcall = callWith('fa', false)
const selfdestruct = (beneficiary: Uint8Array): string => `${pushed(beneficiary)}ff`
/** Init code that destroys its contract. */
const create = (beneficiary: Uint8Array, salt?: string): string => {
  const init = selfdestruct(beneficiary)
  return `75${init}600052${salt ?? ''}6016600a6000${salt === undefined ? 'f0' : 'f5'}50`
}
const initCodeHash = (beneficiary: Uint8Array): Uint8Array => keccak256(hexToBytes(selfdestruct(beneficiary)))

const A = addressOf(0x51)
const B = addressOf(0x52)
const C = addressOf(0x53)
const D = addressOf(0x54)
const E = addressOf(0x55)
const F = addressOf(0x56)
const G = addressOf(0x57)
const H = addressOf(0x58)
const NOBODY = addressOf(0x5f)
const COINBASE = addressOf(0xc0)
const SENDER = hexToBytes(ALICE.address)
const SALT = new Uint8Array(32)

interface Tree {
  readonly name: string
  readonly codes: readonly (readonly [Uint8Array, string])[]
  /** undefined: a creation with this input. */
  readonly to: Uint8Array | undefined
  readonly input?: string
  readonly setsBalance?: readonly Uint8Array[]
  /** Sender and recipient of every frame. */
  readonly accounts: readonly Uint8Array[]
}

const TREES: readonly Tree[] = [
  { name: 'a transfer to nobody', codes: [], to: H, accounts: [H] },
  {
    name: 'every kind of call, one in another',
    codes: [
      [A, call(B)],
      [B, delegatecall(C)],
      [C, staticcall(D)],
      [D, call(E)],
      [E, delegatecall(F)],
    ],
    to: A,
    accounts: [A, B, C, D, E, F],
  },
  { name: 'a call of code of another', codes: [[A, callcode(B) + staticcall(G)]], to: A, accounts: [A, B, G] },
  {
    name: 'calls of accounts without code, and a payment that nobody can make',
    codes: [[A, call(B) + delegatecall(C) + staticcall(D) + callcode(E) + pay(F)]],
    to: A,
    accounts: [A, B, C, D, E, F],
  },
  {
    name: 'calls inside frames that are reverted or fail',
    codes: [
      [A, call(B) + delegatecall(D)],
      [B, call(C) + REVERT],
      [D, staticcall(E) + call(F) + INVALID],
    ],
    to: A,
    accounts: [A, B, C, D, E, F],
  },
  {
    name: 'a transaction that is reverted as a whole',
    codes: [
      [A, call(B) + create(C) + REVERT],
      [B, selfdestruct(D)],
    ],
    to: A,
    accounts: [A, B, C, D, createAddress(A, 0n)],
  },
  {
    name: 'a transaction that runs out of gas',
    codes: [
      [A, call(B)],
      [B, `${call(C)}5b600056`],
    ],
    to: A,
    accounts: [A, B, C],
  },
  {
    name: 'creations, and who gets what they hold',
    codes: [
      [A, create(B) + create(C, '6000') + call(D)],
      [D, create(E) + REVERT],
    ],
    to: A,
    accounts: [
      ...[A, B, C, D, E],
      createAddress(A, 0n),
      create2Address(A, SALT, initCodeHash(C)),
      createAddress(D, 0n),
    ],
  },
  { name: 'a self-destruct with a balance', codes: [[A, selfdestruct(B)]], setsBalance: [A], to: A, accounts: [A, B] },
  { name: 'a payment', codes: [[A, pay(B)]], setsBalance: [A], to: A, accounts: [A, B] },
  { name: 'a creation by transaction', codes: [], to: undefined, input: call(B) + selfdestruct(C), accounts: [B, C] },
  {
    name: 'a delegated account',
    codes: [
      [A, `ef0100${bytesToHexUnprefixed(B)}`],
      [B, call(C)],
    ],
    to: A,
    accounts: [A, B, C],
  },
]

async function openWith(evm: 'native' | 'reference'): Promise<Chain> {
  const load = evm === 'native' ? loadTestNativeEvm : loadReferenceEvm
  return openDevChain({ evm: await load(TEST_CLOCK) })
}

/** The accounts that the index finds in a block. */
function found(chain: Chain, number: number, accounts: readonly Uint8Array[]): string[] {
  return accounts
    .filter((account) => [...chain.index.blocksWithAccounts([account], number, number)].length > 0)
    .map(bytesToHex)
}

describe.each(['native', 'reference'] as const)('the index of accounts, filled by the %s EVM', (evm) => {
  let chain: Chain

  beforeAll(async () => {
    chain = await openWith(evm)
  })

  it.each(TREES)(
    'contains sender and recipient of every frame: $name',
    async ({ codes, to, input, setsBalance = [], accounts }) => {
      const start = await devWriter(chain).checkpoint()
      await devWriter(chain).amendHead((state) => {
        for (const [address, code] of codes) state.setCode(address, hexToBytes(code))
        for (const address of setsBalance) state.setBalance(address, 10n)
      })
      const nonce = nextNonce(chain)
      const data = input === undefined ? EMPTY_BYTES : hexToBytes(input)
      const refused: unknown[] = []
      const [block] = await sealBlocks(chain, [
        {
          beneficiary: COINBASE,
          transactions: [impersonated(nonce, to, data)],
          refused: (_, rejection) => refused.push(rejection),
        },
      ])
      expect(refused).toEqual([])
      const ends = [SENDER, COINBASE, ...accounts, ...(to === undefined ? [createAddress(SENDER, nonce)] : [])]
      const number = Number(block?.header.number)
      expect(found(chain, number, ends)).toEqual(ends.map(bytesToHex))
      expect(found(chain, number, [NOBODY])).toEqual([])
      await devWriter(chain).restore(start)
    },
  )

  it('finds blocks by any of several accounts', async () => {
    const first = Number(chain.head.header.number) + 1
    const nonce = nextNonce(chain)
    const targets = [B, C, NOBODY, B]
    const plans = targets.map((to, i) => ({ transactions: [impersonated(nonce + BigInt(i), to, EMPTY_BYTES)] }))
    await sealBlocks(chain, plans)
    const blocks = [...chain.index.blocksWithAccounts([B, C], 0, first + targets.length)]
    expect(blocks).toEqual([first, first + 1, first + 3])
    expect([...chain.index.blocksWithAccounts([SENDER], 0, first + 10)]).toEqual(numbers(first, first + 3))
    expect([...chain.index.blocksWithAccounts([], 0, first + 10)]).toEqual([])
  })
})

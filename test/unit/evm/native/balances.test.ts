// slow: generated programs on both EVMs
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToBigInt, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm, MessageResult } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { assemble } from './assemblyHarness.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')
const THIRD = hexToBytes('0x5000000000000000000000000000000000000005')
const PLAIN = hexToBytes('0x6000000000000000000000000000000000000006')
const PRECOMPILE = hexToBytes('0x0000000000000000000000000000000000000004')
const CONTRACTS = [CONTRACT, OTHER, THIRD]
const WATCHED = [...CONTRACTS, PLAIN, PRECOMPILE, SENDER]
/** Bounds the recursion of generated programs. */
const GAS = 400_000n

type Part = readonly (number | bigint)[]

const address = (bytes: Uint8Array): bigint => bytesToBigInt(bytes)

/** Logs the balances of all watched accounts, and that of the running one if the fork has SELFBALANCE. */
function observe(hasSelfBalance: boolean): Part {
  const own = hasSelfBalance ? [0x47, 0n, 0x52] : [0x30, 0x31, 0n, 0x52]
  const others = WATCHED.flatMap((watched, i) => [address(watched), 0x31, BigInt(32 + 32 * i), 0x52])
  return [...own, ...others, BigInt(32 + 32 * WATCHED.length), 0n, 0xa0]
}

const [CALL, CALLCODE, DELEGATECALL, CREATE] = [0xf1, 0xf2, 0xf4, 0xf0]
const wei = fc.constantFrom(0n, 1n, 60n, 500n)
const gas = fc.constantFrom(1000n, 40_000n, 90_000n)
const target = fc.constantFrom(...CONTRACTS, ...CONTRACTS, PLAIN, PRECOMPILE, SENDER)
const call = fc
  .tuple(fc.constantFrom(CALL, CALL, CALLCODE), wei, target, gas)
  .map(([kind, value, to, limit]): Part => [0n, 0n, 0n, 0n, value, address(to), limit, kind, 0x50])
const delegation = fc
  .tuple(target, gas)
  .map(([to, limit]): Part => [0n, 0n, 0n, 0n, address(to), limit, DELEGATECALL, 0x50])
/** Init code that returns nothing, halts, or gives its balance away. */
const creation = fc
  .tuple(
    wei,
    fc.constantFrom(Uint8Array.of(0x00), Uint8Array.of(0xfe), Uint8Array.of(0x30, 0xff), Uint8Array.of(0x33, 0xff)),
  )
  .map(
    ([value, code]): Part => [
      bytesToBigInt(code),
      0n,
      0x52,
      BigInt(code.length),
      BigInt(32 - code.length),
      value,
      CREATE,
      0x31,
      0x50,
    ],
  )
const observation: Part = []
const ending = fc.oneof(
  fc.constantFrom<Part>([0x00], [0x00], [0xfe], [0n, 0n, 0xfd]),
  target.map((to): Part => [address(to), 0xff]),
)
const program = fc.tuple(
  fc.array(fc.oneof(call, call, delegation, creation, fc.constant(observation)), { minLength: 1, maxLength: 5 }),
  ending,
)

function codeOf([steps, end]: readonly [readonly Part[], Part], fork: ForkName): Uint8Array {
  const watch = observe(environmentOf(fork).rules.eips.has(1884))
  return assemble(...watch, ...steps.flatMap((step) => [...step, ...watch]), ...end)
}

async function resultOf(evm: Evm, fork: ForkName, codes: readonly Uint8Array[]): Promise<MessageResult> {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  for (const [i, contract] of CONTRACTS.entries()) {
    state.setBalance(contract, 100n)
    state.setNonce(contract, 1n)
    state.setCode(contract, codes[i] as Uint8Array)
  }
  state.beginTransaction()
  return await runMessage(evm, messageTo(CONTRACT, { gas: GAS, value: 5n }), environmentOf(fork), state)
}

describe('balances that code reads', () => {
  let reference: Evm
  let native: Evm
  beforeAll(async () => {
    reference = await loadReferenceEvm(testClock)
    native = await loadTestNativeEvm(testClock)
  })

  it.each<ForkName>(['frontier', 'spuriousDragon', 'istanbul', 'berlin', 'cancun', 'osaka'])(
    'follow calls, creations, self-destructs and failures: %s',
    { timeout: 60_000 },
    async (fork) => {
      await fc.assert(
        fc.asyncProperty(fc.tuple(program, program, program), async (programs) => {
          const codes = programs.map((parts) => codeOf(parts, fork))
          expect(await resultOf(native, fork, codes)).toEqual(await resultOf(reference, fork, codes))
        }),
        { numRuns: 60, seed: 14 },
      )
    },
  )
})

// slow: generated programs on both EVMs
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToBigInt, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { generatedCases } from '../../../support/host/generatedCases.ts'
import { assemble } from './assemblyHarness.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')
const IDENTITY = hexToBytes('0x0000000000000000000000000000000000000004')
const [CALL, CALLCODE, DELEGATECALL, STATICCALL] = [0xf1, 0xf2, 0xf4, 0xfa]

type Part = readonly (number | bigint)[]

const address = (bytes: Uint8Array): bigint => bytesToBigInt(bytes)

/** Logs the size and the start of the return data, the size of the memory, and 96 bytes of it. */
const OBSERVE: Part = [
  ...[0x59, 0x3d, 160n, 0x52, 192n, 0x52],
  // RETURNDATACOPY of at most 31 bytes, so that it never reads too far
  ...[31n, 0x3d, 0x16, 0n, 224n, 0x3e],
  ...[96n, 160n, 0xa0, 96n, 0n, 0xa0],
]
const offset = fc.constantFrom(0n, 1n, 40n, 90n, 5000n)
const length = fc.constantFrom(0n, 1n, 15n, 16n, 31n, 33n, 64n, 100n, 3000n, 70_000n)
const gas = fc.constantFrom(0n, 14n, 15n, 18n, 24n, 500n, 60_000n)
const ranges = fc.tuple(length, offset, length, offset)

function callTo(target: Uint8Array, gases: fc.Arbitrary<bigint>, values: fc.Arbitrary<bigint>): fc.Arbitrary<Part> {
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(CALL, CALLCODE), ranges, values, gases)
      .map(([kind, range, value, limit]): Part => [...range, value, address(target), limit, kind, 0x50]),
    fc
      .tuple(fc.constantFrom(DELEGATECALL, STATICCALL, STATICCALL), ranges, gases)
      .map(([kind, range, limit]): Part => [...range, address(target), limit, kind, 0x50]),
  )
}

const toIdentity = callTo(IDENTITY, gas, fc.constantFrom(0n, 0n, 0n, 1n))
const toOther = callTo(OTHER, fc.constant(60_000n), fc.constantFrom(0n, 1n))
const ending = fc.constantFrom<Part>([0x00], [0x00], [0n, 0n, 0xfd], [0xfe])
const fill: Part = [2n ** 255n + 0x1234_5678_9abc_def0n, 3n, 0x52, 2n ** 200n - 99n, 47n, 0x52]
const programOf = (steps: fc.Arbitrary<Part>) =>
  fc
    .tuple(fc.array(steps, { minLength: 1, maxLength: 6 }), ending)
    .map(([parts, end]) => assemble(...fill, ...parts.flatMap((part) => [...part, ...OBSERVE]), ...end))
const programs = fc.tuple(programOf(fc.oneof(toIdentity, toIdentity, toOther)), programOf(toIdentity))
/** The account of the precompile before the message. */
const account = fc.constantFrom('absent', 'empty', 'funded')

async function outcomeOf(
  evm: Evm,
  fork: ForkName,
  codes: readonly Uint8Array[],
  before: string,
): Promise<readonly unknown[]> {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  for (const [i, contract] of [CONTRACT, OTHER].entries()) {
    state.setBalance(contract, 100n)
    state.setCode(contract, codes[i] as Uint8Array)
  }
  if (before === 'empty') state.createAccount(IDENTITY)
  if (before === 'funded') state.setBalance(IDENTITY, 7n)
  state.beginTransaction()
  const environment = environmentOf(fork)
  const result = await runMessage(evm, messageTo(CONTRACT, { gas: 500_000n }), environment, state)
  state.endTransaction({ selfDestructs: [], clearEmpty: environment.rules.eips.has(161) })
  return [result, state.getAccount(IDENTITY)]
}

describe('calls of the identity precompile', () => {
  let reference: Evm
  let native: Evm
  beforeAll(async () => {
    reference = await loadReferenceEvm(testClock)
    native = await loadTestNativeEvm(testClock)
  })

  it.each<ForkName>(['homestead', 'byzantium', 'berlin', 'osaka'])(
    'give the same result on both EVMs: %s',
    { timeout: 60_000 },
    async (fork) => {
      await fc.assert(
        fc.asyncProperty(programs, account, async (codes, before) => {
          expect(await outcomeOf(native, fork, codes, before)).toEqual(await outcomeOf(reference, fork, codes, before))
        }),
        { numRuns: generatedCases(120), seed: 4 },
      )
    },
  )

  it('copy an input that exceeds the memory of a new frame', async () => {
    const copy: Part = [100_000n, 0n, 100_000n, 0n, address(IDENTITY), 90_000n, STATICCALL, 0x50]
    const code = assemble(1n, 99_968n, 0x52, ...copy, ...copy, ...copy, ...[0x3d, 0n, 0n, 0x3e, 0x3d, 0n, 0xf3])
    const [result] = await outcomeOf(native, 'osaka', [code, code], 'absent')
    const expected = new Uint8Array(100_000)
    expected[99_999] = 1
    expect(result).toMatchObject({ outcome: 'success', output: expected })
  })
})

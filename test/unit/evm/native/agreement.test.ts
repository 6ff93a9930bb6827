// slow: generated programs on both EVMs
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  bytesToHexUnprefixed,
  concatBytes,
  hexToBytes,
  numberToBytes,
  padLeft,
} from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm, MessageResult } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import type { MutableState } from '../../../../src/state/contract.ts'
import { lossy, MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { generatedCases } from '../../../support/host/generatedCases.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')
const THIRD = hexToBytes('0x5000000000000000000000000000000000000005')
const EMPTY_ACCOUNT = hexToBytes('0x6000000000000000000000000000000000000006')
const ABSENT = hexToBytes('0x7000000000000000000000000000000000000007')
const DELEGATED = hexToBytes('0x8000000000000000000000000000000000000008')

const FORKS: readonly ForkName[] = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'istanbul',
  'berlin',
  'london',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
]

let reference: Evm
let native: Evm
beforeAll(async () => {
  reference = await loadReferenceEvm(testClock)
  native = await loadTestNativeEvm(testClock)
})

type Code = readonly number[]

const push = (bytes: Uint8Array): Code => [0x5f + bytes.length, ...bytes]
const small = fc.integer({ min: 0, max: 70 }).map((value) => push(Uint8Array.of(value)))
const wide = fc.uint8Array({ minLength: 1, maxLength: 32 }).map(push)
const target = fc
  .constantFrom(CONTRACT, OTHER, THIRD, EMPTY_ACCOUNT, ABSENT, DELEGATED, SENDER, ...[1, 2, 3, 4, 5, 9].map(precompile))
  .map(push)
const gas = fc.constantFrom(0, 700, 3000, 60_000, 1_000_000).map((value) => push(padLeft(numberToBytes(value), 3)))
const value = fc.constantFrom(0, 0, 1, 100).map((wei) => push(Uint8Array.of(wei)))
const opcode = (...bytes: number[]) => fc.constantFrom(...bytes).map((byte): Code => [byte])
const sequence = (...parts: fc.Arbitrary<Code>[]) => fc.tuple(...parts).map((codes): Code => codes.flat())

function precompile(number: number): Uint8Array {
  return padLeft(Uint8Array.of(number), 20)
}

/** An opcode with mostly meaningful operands. */
const instruction: fc.Arbitrary<Code> = fc.oneof(
  sequence(
    wide,
    wide,
    opcode(0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0b, 0x10, 0x12, 0x13, 0x16, 0x1a, 0x1c, 0x1d),
  ),
  sequence(wide, wide, wide, opcode(0x08, 0x09)),
  sequence(small, wide, opcode(0x0a)),
  sequence(small, small, opcode(0x20, 0x52, 0x53, 0x55, 0x5d, 0xa0)),
  sequence(small, opcode(0x15, 0x19, 0x1e, 0x35, 0x40, 0x49, 0x51, 0x54, 0x5c)),
  sequence(small, small, small, opcode(0x37, 0x39, 0x3e, 0x5e, 0xa1)),
  sequence(target, opcode(0x31, 0x3b, 0x3f)),
  sequence(small, small, small, target, opcode(0x3c)),
  opcode(0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x46, 0x47, 0x48, 0x58, 0x59, 0x5a, 0x5b),
  opcode(0x50, 0x80, 0x81, 0x90, 0x91),
  sequence(small, small, small, small, value, target, gas, opcode(0xf1, 0xf2)),
  sequence(small, small, small, small, target, gas, opcode(0xf4, 0xfa)),
  sequence(small, small, value, opcode(0xf0)),
  sequence(small, small, small, value, opcode(0xf5)),
)
const ending = fc.oneof(
  opcode(0x00),
  sequence(small, small, opcode(0xf3, 0xfd)),
  sequence(target, opcode(0xff)),
  opcode(0xfe),
)
/** Stores init code in memory first, for use by a creation. */
const initCode: Code = [...push(hexToBytes('0x60ff60005560016000f3')), 0x60, 0, 0x52]
const program = fc
  .tuple(fc.boolean(), fc.array(instruction, { maxLength: 14 }), ending)
  .map(([creates, body, end]) => Uint8Array.from([...(creates ? initCode : []), ...body.flat(), ...end]))

function stateWith(codes: readonly Uint8Array[]): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setNonce(SENDER, 1n)
  for (const [i, address] of [CONTRACT, OTHER, THIRD].entries()) {
    state.setBalance(address, 150n)
    state.setNonce(address, 1n)
    state.setCode(address, codes[i] as Uint8Array)
    for (const slot of [0, 1, 2]) state.setStorage(address, word(slot), word(slot))
  }
  state.createAccount(EMPTY_ACCOUNT)
  state.setCode(DELEGATED, concatBytes(hexToBytes('0xef0100'), OTHER))
  state.beginTransaction()
  return state
}

function word(number: number): Uint8Array {
  return padLeft(Uint8Array.of(number), 32)
}

interface Outcome {
  readonly result: MessageResult
  readonly accounts: Record<string, unknown>
}

interface Run {
  readonly fork: ForkName
  readonly codes: readonly Uint8Array[]
  readonly creates?: boolean
  readonly residency?: boolean
  readonly scheduler?: ExecutionScheduler
}

/** A scheduler that yields without waiting. */
function hurry(): ExecutionScheduler {
  return new ExecutionScheduler({ clock: { now: () => 0, monotonic: () => 0 }, yieldToHost: async () => {} })
}

async function outcomeOf(evm: Evm, run: Run): Promise<Outcome> {
  const { fork, codes, creates = false, residency = false, scheduler } = run
  const memory = stateWith(codes)
  const part = lossy(memory)
  const state: MutableState = residency ? part.state : memory
  const environment = environmentOf(fork)
  const message = creates
    ? messageTo(undefined, { data: codes[0] as Uint8Array })
    : messageTo(CONTRACT, { data: word(7) })
  const result = await runMessage(evm, message, environment, state, {
    collectAccessed: true,
    transferLogs: true,
    ...(residency ? { residency: part.residency } : {}),
    scheduler,
  })
  memory.endTransaction({ selfDestructs: result.selfDestructs, clearEmpty: environment.rules.eips.has(161) })
  const accounts = [...memory.entries()].map(([address, { account, code, storage }]) => [
    address,
    [account.nonce, account.balance, bytesToHexUnprefixed(code), Object.fromEntries(storage)],
  ])
  return { result: { ...result, accessed: sorted(result.accessed) }, accounts: Object.fromEntries(accounts) }
}

/** The order of warm addresses and slots is unspecified. */
function sorted(list: MessageResult['accessed']): MessageResult['accessed'] {
  return list && [...list].sort((a, b) => (bytesToHexUnprefixed(a.address) < bytesToHexUnprefixed(b.address) ? -1 : 1))
}

describe('the native EVM', () => {
  it.each(FORKS)('agrees with the reference EVM on any program: %s', { timeout: 60_000 }, async (fork) => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(program, program, program), fc.boolean(), async (codes, creates) => {
        const run = { fork, codes, creates }
        expect(await outcomeOf(native, run)).toEqual(await outcomeOf(reference, run))
      }),
      { numRuns: generatedCases(150), seed: 1 },
    )
  })

  it('gives the same result when it pauses at every opportunity', { timeout: 60_000 }, async () => {
    // Every clock read reports that the slice has expired.
    let time = 0
    const hurried = await loadTestNativeEvm({ now: () => 0, monotonic: () => (time += 1000) })
    await fc.assert(
      fc.asyncProperty(fc.tuple(program, program, program), fc.boolean(), async (codes, creates) => {
        const run: Run = { fork: 'cancun', codes, creates }
        expect(await outcomeOf(hurried, { ...run, scheduler: hurry() })).toEqual(await outcomeOf(native, run))
      }),
      { numRuns: generatedCases(150), seed: 3 },
    )
  })

  it('gives the same result when every first read misses', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(program, program, program), fc.boolean(), async (codes, creates) => {
        const run: Run = { fork: 'prague', codes, creates }
        expect(await outcomeOf(native, { ...run, residency: true })).toEqual(await outcomeOf(native, run))
      }),
      { numRuns: generatedCases(150), seed: 2 },
    )
  })
})

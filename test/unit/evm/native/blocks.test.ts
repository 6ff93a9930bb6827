// slow: generated programs on both EVMs
import { beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes, padLeft } from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import {
  END_HALT,
  EXIT_DONE,
  EXIT_PAUSED,
  FRAME_PC,
  FRAME_SP,
  STATE_BUDGET,
  STATE_GAS_AFTER,
} from '../../../../src/evm/native/assembly/layout.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import { lossy, MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { execute, finish, load, newInstance } from './assemblyHarness.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')
/** Jumps before the body: a few, or enough to make the message run by blocks. */
const FEW = 2
const MANY = 600
/** Length of the loop that makes these jumps. */
const HEAD = 14

let reference: Evm
let native: Evm
beforeAll(async () => {
  reference = await loadReferenceEvm(testClock)
  native = await loadTestNativeEvm(testClock)
})

/** Mnemonics used several times here. */
const [STOP, ADD, MUL, GAS, POP, JUMP, JUMPI, JUMPDEST] = [0x00, 0x01, 0x02, 0x5a, 0x50, 0x56, 0x57, 0x5b]
const [MLOAD, MSTORE, MSTORE8, SLOAD, SSTORE, RETURN, DUP1, SWAP1, INVALID] = [
  0x51, 0x52, 0x53, 0x54, 0x55, 0xf3, 0x80, 0x90, 0xfe,
]
const push = (value: number): number[] => [0x61, value >> 8, value & 0xff]
/** Pushes a position in the body. */
const at = (place: number): number[] => push(HEAD + place)
const times = (count: number, ...code: number[]): number[] => Array.from({ length: count }, () => code).flat()
const RETURN_TOP = [...push(0), MSTORE, ...push(32), ...push(0), RETURN]

/** Code that jumps the given number of times and continues with the body, with an empty stack. */
function codeOf(jumps: number, body: readonly number[]): Uint8Array {
  const head = [...push(jumps + 1), JUMPDEST, 0x60, 1, SWAP1, 0x03, DUP1, ...push(3), JUMPI, POP]
  return Uint8Array.from([...head, ...body])
}

const instance = newInstance()

const headGas = new Map<number, bigint>()

/** Gas of the jumps before the body. */
function gasOfJumps(jumps: number): bigint {
  const gas = headGas.get(jumps) ?? execute(instance, { code: codeOf(jumps, []) }).gasUsed
  headGas.set(jumps, gas)
  return gas
}

/** Everything observable of a message that has `gas` for its body. */
function seen(jumps: number, body: readonly number[], gas: bigint, fork: ForkName): unknown {
  const all = gas + gasOfJumps(jumps)
  const outcome = execute(instance, { code: codeOf(jumps, body), gas: all, fork })
  const { frame } = instance
  const isHalted = outcome.end === END_HALT
  return {
    ...outcome,
    gasLeft: all - outcome.gasUsed,
    gasUsed: 0n,
    gasAfter: isHalted && (outcome.halt === 1 || outcome.halt === 4) ? instance.i64(STATE_GAS_AFTER) : 0n,
    place: isHalted ? [instance.u32(frame + FRAME_PC), instance.u32(frame + FRAME_SP) - frame] : [],
  }
}

function stateWith(code: Uint8Array): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setNonce(SENDER, 1n)
  state.setCode(CONTRACT, code)
  state.setNonce(CONTRACT, 1n)
  state.setStorage(CONTRACT, padLeft(Uint8Array.of(1), 32), padLeft(Uint8Array.of(5), 32))
  // Returns 7 + 7 after running its own loop.
  state.setCode(OTHER, codeOf(3, [...push(7), DUP1, ADD, ...RETURN_TOP]))
  state.beginTransaction()
  return state
}

interface Options {
  readonly fork?: ForkName
  readonly creates?: boolean
  readonly residency?: boolean
  readonly scheduler?: ExecutionScheduler
}

/** Result of a message and its final storage; `gas` is for the body. */
async function resultOf(evm: Evm, jumps: number, body: readonly number[], gas: bigint, options: Options = {}) {
  const { fork = 'osaka', creates = false, residency = false, scheduler } = options
  const code = codeOf(jumps, body)
  const memory = stateWith(code)
  const part = lossy(memory)
  const message = messageTo(creates ? undefined : CONTRACT, {
    gas: gas + gasOfJumps(jumps),
    ...(creates ? { data: code } : {}),
  })
  const result = await runMessage(evm, message, environmentOf(fork), residency ? part.state : memory, {
    ...(residency ? { residency: part.residency } : {}),
    scheduler,
  })
  memory.endTransaction({ selfDestructs: result.selfDestructs, clearEmpty: true })
  const storage = [...memory.entries()].map(([address, entry]) => [
    address,
    entry.account.nonce,
    entry.account.balance,
    [...entry.storage],
  ])
  return { ...result, storage }
}

const callOther = [...times(2, 0x60, 32, 0x60, 0), 0x60, 0, 0x73, ...OTHER, GAS, 0xf1]

const BODIES: Readonly<Record<string, readonly number[]>> = {
  'straight code': [...push(3), ...push(5), MUL, DUP1, ADD, 0x30, POP, ...RETURN_TOP],
  'a loop': [...push(9), JUMPDEST, 0x60, 1, SWAP1, 0x03, DUP1, ...at(3), JUMPI, ...RETURN_TOP],
  'GAS in the middle': [...push(1), GAS, ADD, GAS, ADD, ...RETURN_TOP],
  'a stack that is filled to the top': [...times(5, ...times(200, 0x5f), GAS), ...times(19, 0x5f), ADD, STOP],
  'a stack that overflows': [...times(5, ...times(200, 0x5f), GAS), ...times(19, 0x5f), POP, 0x5f, 0x5f, ADD, STOP],
  'a stack that underflows': [...push(1), ...push(2), ADD, ADD, ...push(1), STOP],
  'SWAP and DUP below the stack': [...times(3, 0x5f), 0x92, 0x91, 0x83, STOP],
  'memory that grows': [
    ...push(1),
    ...push(0x400),
    MSTORE,
    ...push(0x900),
    MLOAD,
    ...push(0x1111),
    MSTORE8,
    0x59,
    STOP,
  ],
  'memory before INVALID': [...push(1), ...push(0x400), MSTORE, ...push(0x800), MLOAD, INVALID],
  'memory before a stack that underflows': [...push(1), ...push(0x400), MSTORE, POP],
  'memory before a bad jump': [...push(1), ...push(0x400), MSTORE, ...push(0x600), MLOAD, JUMP],
  'memory beyond all gas': [...push(1), 0x68, ...times(9, 0xff), MSTORE, 0x5f, STOP],
  'a jump into the middle': [
    ...push(1),
    ...push(2),
    JUMPDEST,
    ADD,
    ...push(4),
    DUP1,
    0x82,
    0x10,
    ...at(6),
    JUMPI,
    STOP,
  ],
  'a jump into the data of a PUSH': [0x61, JUMPDEST, JUMPDEST, ...at(1), JUMP],
  'a jump beyond the code': [...push(1), ...push(0xffff), JUMPI],
  'jumps that are not taken': [...times(3, ...push(0), ...push(0xffff), JUMPI), JUMPDEST, ...push(1), STOP],
  'the end of the code': [...push(1), ...push(2), ADD],
  'a PUSH that is cut off': [...push(1), ...push(2), ADD, 0x7f, 1],
  'only JUMPDESTs': times(300, JUMPDEST),
  'a block of 256 opcodes': [...times(127, 0x5f, POP), 0x5f, JUMPDEST, GAS, ...RETURN_TOP],
  'a block that is too long': [...times(150, 0x5f, POP), GAS, ...RETURN_TOP],
  'blocks in the same slot': [
    ...push(4),
    JUMPDEST,
    ...at(4096 + 3),
    JUMP,
    ...times(4096 - 5, STOP),
    ...[JUMPDEST, 0x60, 1, SWAP1, 0x03, DUP1, ...at(3), JUMPI, GAS, ...RETURN_TOP],
  ],
  'hashes, powers and copies': [
    ...[...push(64), ...push(0), 0x20, ...push(3), 0x0a],
    ...[...push(40), ...push(0), ...push(70), 0x37, ...push(40), ...push(0), ...push(7), 0x39],
    ...[...push(64), ...push(0), ...push(33), 0x5e, ...push(1), ...push(0), ...push(0), 0x3e, ...RETURN_TOP],
  ],
  'storage and logs': [
    ...[...push(1), SLOAD, ...push(2), SLOAD, ADD, ...push(2), SSTORE, ...push(0), ...push(1), SSTORE],
    ...[...push(6), ...push(3), 0x5d, ...push(3), 0x5c, ...push(32), ...push(0), 0xa1, 0x47, GAS, ...RETURN_TOP],
  ],
  accounts: [
    ...push(1),
    0x31,
    0x73,
    ...OTHER,
    0x3b,
    ADD,
    0x73,
    ...OTHER,
    0x3f,
    ADD,
    0x43,
    0x40,
    POP,
    GAS,
    ADD,
    ...RETURN_TOP,
  ],
  'a call': [...callOther, POP, ...callOther, ...push(0), MLOAD, ADD, GAS, ADD, ...RETURN_TOP],
}

async function agree(body: readonly number[], gas: bigint, options: Options = {}): Promise<void> {
  const expected = await resultOf(reference, FEW, body, gas, options)
  expect(await resultOf(native, MANY, body, gas, options), `gas ${gas}`).toEqual(expected)
}

/** Gas limits to try one by one: all up to the need of the body, or enough to reach the halt. */
function limits(body: readonly number[]): bigint[] {
  const { end, gasUsed } = execute(instance, { code: codeOf(FEW, body) })
  const needed = end === END_HALT ? 0n : gasUsed - gasOfJumps(FEW)
  const all = Array.from({ length: Math.min(Math.max(Number(needed), 150), 400) + 2 }, (_, gas) => BigInt(gas))
  return [...all, needed, needed + 1n, 1000n, 5000n, 23_000n, 1_000_000n]
}

describe('blocks', () => {
  it.each(Object.entries(BODIES))('are unobservable at any gas limit: %s', (_name, body) => {
    for (const gas of limits(body)) {
      expect(seen(MANY, body, gas, 'osaka'), `gas ${gas}`).toEqual(seen(FEW, body, gas, 'osaka'))
    }
  })

  it.each(Object.entries(BODIES))('agree with the reference EVM: %s', async (_name, body) => {
    for (const gas of limits(body)) if (gas % 5n === 0n || gas > 402n) await agree(body, gas)
  })

  it.each(['frontier', 'istanbul', 'osaka'] as const)(
    'agree with the reference EVM on every opcode: %s',
    { timeout: 60_000 },
    async (fork) => {
      for (let op = 0; op < 256; op++) {
        const body = [...times(3, 0x60, 1), ...times(5, 0x60, 0), op, 0x60, 7, POP, STOP]
        for (const gas of [26n, 150n, 100_000n]) await agree(body, gas, { fork })
        expect(seen(MANY, body, 29n, fork)).toEqual(seen(FEW, body, 29n, fork))
      }
    },
  )

  it('belong to one message: other code at the same position has other costs', async () => {
    const loads = [...push(1), SLOAD, POP, ...push(2), 0x31, POP, STOP]
    const adds = [...push(1), DUP1, ADD, ...push(2), DUP1, POP, STOP]
    for (const fork of ['osaka', 'frontier', 'istanbul', 'osaka'] as const) {
      await agree(loads, 10_000n, { fork })
      await agree(adds, 10_000n, { fork })
    }
  })

  it('are found in init code too: that of the message, and of frames at the same position', async () => {
    await agree(BODIES['a loop'] as number[], 100_000n, { creates: true })
    await agree(BODIES['a PUSH that is cut off'] as number[], 100_000n, { creates: true })
    // Deploys the output of a loop of 3 or 4 rounds, using init codes of the same length that differ in one opcode.
    const created = (op: number): number[] => {
      const init = [0x60, 4, JUMPDEST, 0x60, 1, SWAP1, 0x03, DUP1, 0x60, 2, JUMPI, 0x30, op, 0x60, 0, MSTORE, 0x60, 32]
      const code = [...init, 0x60, 0, RETURN]
      return [0x7f, ...code, ...times(32 - code.length, 0), 0x60, 0, MSTORE, 0x60, code.length, 0x60, 0, 0x60, 0, 0xf0]
    }
    await agree([...created(ADD), ...created(MUL), ...created(POP), 0x03, ...RETURN_TOP], 500_000n)
  })

  it('continue after a pause anywhere, with the same gas', () => {
    const code = codeOf(3000, [GAS, ...RETURN_TOP])
    const whole = execute(instance, { code })
    for (const budget of [1n, 7n, 100n, 1000n]) {
      load(instance, { code, budget })
      let pauses = 0
      while (instance.run() === EXIT_PAUSED) {
        pauses++
        instance.setI64(STATE_BUDGET, budget)
      }
      expect(pauses).toBeGreaterThan(20)
      expect(finish(instance, 10_000_000n)).toEqual(whole)
    }
    expect(instance.run()).toBe(EXIT_DONE)
  })

  it('exceed the budget by at most one block', () => {
    const code = codeOf(3000, [STOP])
    load(instance, { code, budget: 5000n })
    while (instance.run() === EXIT_PAUSED) {
      expect(instance.i64(STATE_BUDGET)).toBeGreaterThan(-100n)
      instance.setI64(STATE_BUDGET, 5000n)
    }
  })

  it('resume at an opcode whose answer was missing', async () => {
    let time = 0
    const hurried = await loadTestNativeEvm({ now: () => 0, monotonic: () => (time += 1000) })
    const scheduler = new ExecutionScheduler({
      clock: { now: () => 0, monotonic: () => 0 },
      yieldToHost: async () => {},
    })
    for (const name of ['storage and logs', 'accounts', 'a call']) {
      const body = BODIES[name] as number[]
      const expected = await resultOf(reference, FEW, body, 200_000n)
      expect(await resultOf(native, MANY, body, 200_000n, { residency: true })).toEqual(expected)
      expect(await resultOf(hurried, MANY, body, 200_000n, { scheduler })).toEqual(expected)
    }
  })

  it('are scanned in a time that the gas pays for', () => {
    const code = Uint8Array.from([...codeOf(MANY, []), JUMPDEST, ...times(24_000, JUMPDEST), ...push(HEAD), JUMP])
    expect(execute(instance, { code, gas: 3_000_000n })).toMatchObject({ end: END_HALT, halt: 1 })
  })
})

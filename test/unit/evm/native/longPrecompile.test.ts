import { beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from '../../../../src/base/ports/host.ts'
import { EMPTY_BYTES, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../src/base/primitives/errors.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm, Message, MessageResult } from '../../../../src/evm/evm.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import { lossy, MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { HookRecorder } from '../../../support/evm/hookRecorder.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'

const BLAKE2F = hexToBytes('0x0000000000000000000000000000000000000009')
const GAS = 2n ** 40n

/** Calls BLAKE2F with its own input and gas, stores the first word of the output and returns all of it. */
const CALLER = evmCode(`
  CALLDATASIZE 0 0 CALLDATACOPY
  64 0 CALLDATASIZE 0 0 9 GAS CALL POP
  0 MLOAD 0 SSTORE
  64 0 RETURN`)

function inputOf(rounds: number): Uint8Array {
  const input = new Uint8Array(213).map((_, i) => (5 * i) & 255)
  new DataView(input.buffer).setUint32(0, rounds)
  input[212] = 0
  return input
}

function contractState(): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setCode(CONTRACT, CALLER)
  state.beginTransaction()
  return state
}

/** Each look at the clock takes a millisecond. */
function tickingClock(): Clock {
  let now = 0
  return { now: () => now, monotonic: () => now++ }
}

/** A scheduler whose turns are counted; `onTurn` runs in each of them. */
function countedTurns(clock: Clock, onTurn: () => void = () => {}) {
  let turns = 0
  const yieldToHost = async (): Promise<void> => {
    turns++
    onTurn()
  }
  return { scheduler: new ExecutionScheduler({ clock, yieldToHost }), turns: () => turns }
}

async function codeOf(run: () => MessageResult | Promise<MessageResult>): Promise<string> {
  try {
    await run()
    return 'finished'
  } catch (error) {
    return isNodeError(error) ? error.code : String(error)
  }
}

describe.each([
  ['a message', (input: Uint8Array) => messageTo(BLAKE2F, { data: input, gas: GAS })],
  ['a contract', (input: Uint8Array) => messageTo(CONTRACT, { data: input, gas: GAS })],
] as const)('a long precompile that %s calls', (_, messageOf: (input: Uint8Array) => Message) => {
  const clock = tickingClock()
  let evm: Evm
  beforeAll(async () => {
    evm = await loadTestNativeEvm(clock)
  })

  it('yields to other work, and has the same result', async () => {
    const message = messageOf(inputOf(200_000))
    const whole = await runMessage(evm, message, environmentOf(), contractState())
    expect(whole).toMatchObject({ outcome: 'success', gasLeft: expect.any(BigInt) })
    expect(whole.output).toHaveLength(64)
    const { scheduler, turns } = countedTurns(clock)
    const { state, residency } = lossy(contractState())
    expect(await runMessage(evm, message, environmentOf(), state, { scheduler, residency })).toEqual(whole)
    expect(turns()).toBeGreaterThan(5)
    expect(scheduler.running).toBe(0)
  })

  it('ends at its deadline', async () => {
    const { scheduler, turns } = countedTurns(clock)
    const message = messageOf(inputOf(2 ** 32 - 1))
    const run = () => runMessage(evm, message, environmentOf(), contractState(), { scheduler, deadlineMs: 100 })
    expect(await codeOf(run)).toBe('EXECUTION_TIMEOUT')
    expect(turns()).toBeLessThan(30)
  })

  it('ends when its caller aborts', async () => {
    const controller = new AbortController()
    const { scheduler, turns } = countedTurns(clock, () => turns() === 3 && controller.abort())
    const options = { scheduler, signal: controller.signal }
    const run = () => runMessage(evm, messageOf(inputOf(2 ** 32 - 1)), environmentOf(), contractState(), options)
    expect(await codeOf(run)).toBe('EXECUTION_ABORTED')
    expect(turns()).toBe(3)
  })

  it('lets eight others proceed in turn', async () => {
    const { scheduler } = countedTurns(clock)
    const order: number[] = []
    const rounds = [240_000, 120_000, ...new Array<number>(6).fill(160_000)]
    const runs = rounds.map(async (count) => {
      const message = messageOf(inputOf(count))
      const result = await runMessage(evm, message, environmentOf(), contractState(), { scheduler })
      order.push(count)
      expect(result).toEqual(await runMessage(evm, message, environmentOf(), contractState()))
    })
    await Promise.all(runs)
    expect([order[0], order.at(-1)]).toEqual([Math.min(...rounds), Math.max(...rounds)])
  })

  it('is reported once to hooks', async () => {
    const message = messageOf(inputOf(100_000))
    const linesOf = async (scheduler: ExecutionScheduler | undefined) => {
      const recorder = new HookRecorder(new Map())
      const { hooks } = recorder
      await runMessage(evm, message, environmentOf(), contractState(), { scheduler, hooks })
      return recorder.lines
    }
    const { scheduler, turns } = countedTurns(clock)
    expect(await linesOf(scheduler)).toEqual(await linesOf(undefined))
    expect(turns()).toBeGreaterThan(1)
  })
})

it('does not pause a message without a scheduler', async () => {
  const evm = await loadTestNativeEvm(testClock)
  const message = messageTo(BLAKE2F, { data: inputOf(200_000), gas: GAS })
  const result = runMessage(evm, message, environmentOf(), contractState())
  expect(result).not.toBeInstanceOf(Promise)
  expect(await result).toMatchObject({ outcome: 'success', gasLeft: GAS - 200_000n, logs: [] })
  const poor = runMessage(evm, { ...message, gas: 199_999n }, environmentOf(), contractState())
  expect(await poor).toMatchObject({ halt: 'INSUFFICIENT_GAS', output: EMPTY_BYTES })
})

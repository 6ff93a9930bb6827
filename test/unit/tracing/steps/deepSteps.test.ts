import { beforeAll, describe, expect, it } from 'vitest'
import {
  MAX_CALL_DATA_BYTES,
  MAX_STEP_DATA_BYTES,
  MAX_STEPS,
  MAX_STEPS_BYTES,
} from '../../../../src/base/limits/limits.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import * as conditions from '../../../../src/tracing/steps/conditions.ts'
import type { WindowRequest } from '../../../../src/tracing/steps/recording.ts'
import { StepRun } from '../../../../src/tracing/steps/stepRun.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, SENDER, testClock } from '../../../support/evm/evm.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { executionOf, oracleOf } from './stepOracle.ts'

const CALLEE = hexToBytes('0x4000000000000000000000000000000000000004')
const CALL_CALLEE = '0 0 0 0 0 0x4000000000000000000000000000000000000004'
/** Ends by a failure with the output of the last call. */
const PASS_ON = 'RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT'
const PARTS: Omit<WindowRequest, 'from' | 'count'> = { showsStack: true, showsMemory: true, showsStorage: true }
/** Calls itself with all gas, then stops. */
const RECURSION = '0 0 0 0 0 ADDRESS GAS CALL STOP'

interface Case {
  readonly code: string
  readonly callee?: string
  readonly gas?: bigint
  readonly isCreation?: boolean
}

function executionIn(evm: Evm, { code, callee = '', gas = 1_000_000n, isCreation = false }: Case) {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setNonce(SENDER, 1n)
  state.setBalance(CONTRACT, 5n)
  state.setCode(CONTRACT, evmCode(code))
  state.setCode(CALLEE, evmCode(callee))
  state.beginTransaction()
  return executionOf(evm, state, isCreation ? { to: undefined, data: evmCode(code), gas } : { to: CONTRACT, gas })
}

const FAILURES: readonly (Case & { readonly name: string; readonly at: string; readonly depth: number })[] = [
  { name: 'a revert', code: '0 0 REVERT', at: 'REVERT', depth: 0 },
  { name: 'an invalid opcode', code: '1 INVALID', at: 'INVALID', depth: 0 },
  { name: 'a bad jump', code: '99 JUMP', at: 'JUMP', depth: 0 },
  { name: 'an empty stack', code: '1 ADD', at: 'ADD', depth: 0 },
  { name: 'gas that is used up', code: 'JUMPDEST 0 JUMP', gas: 1000n, at: 'JUMP', depth: 0 },
  {
    name: 'a call that reverts',
    code: `${CALL_CALLEE} GAS CALL ${PASS_ON}`,
    callee: '7 0 MSTORE 32 0 REVERT',
    at: 'REVERT',
    depth: 1,
  },
  {
    name: 'a call that halts',
    code: `${CALL_CALLEE} 1000 CALL ${PASS_ON}`,
    callee: '1 2 3 99 JUMP',
    at: 'JUMP',
    depth: 1,
  },
  { name: 'a call without gas', code: `${CALL_CALLEE} 5 CALL ${PASS_ON}`, callee: '1 2 3', at: 'PUSH1', depth: 1 },
  { name: 'a precompile', code: `0 0 1 0 0 7 5000 CALL ${PASS_ON}`, at: 'CALL', depth: 0 },
  { name: 'a call without the balance', code: `0 0 0 0 9 0 GAS CALL ${PASS_ON}`, at: 'CALL', depth: 0 },
  {
    name: 'init code that reverts',
    // REVERT(0, 0)
    code: `0x600080fd 0 MSTORE 4 28 0 CREATE ${PASS_ON}`,
    at: 'REVERT',
    depth: 1,
  },
  {
    name: 'code that must not be deployed',
    code: '0xef 0 MSTORE8 1 0 RETURN',
    isCreation: true,
    at: 'RETURN',
    depth: 0,
  },
  {
    name: 'another error than that of the call before it',
    code: `${CALL_CALLEE} GAS CALL 8 0 MSTORE 32 0 REVERT`,
    callee: '7 0 MSTORE 32 0 REVERT',
    at: 'REVERT',
    depth: 0,
  },
  {
    name: 'an empty revert after a call that succeeded',
    code: `${CALL_CALLEE} 5 CALL ${CALL_CALLEE} GAS CALL 0 0 REVERT`,
    callee: '1 2 3',
    at: 'REVERT',
    depth: 0,
  },
]

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
])('steps on the %s EVM', (_, loadEvm) => {
  let evm: Evm
  beforeAll(async () => {
    evm = await loadEvm(testClock)
  })

  it.each(FAILURES)('say where a failure by $name began', async ({ at, depth, ...hostCase }) => {
    const execute = executionIn(evm, hostCase)
    const run = new StepRun(execute)
    const { failure, isFailed, total } = await run.summary()
    const steps = await oracleOf(execute)
    expect({ isFailed, total }).toEqual({ isFailed: true, total: steps.length })
    const { pc, opcode, call } = steps[failure?.index ?? -1] ?? {}
    expect(failure).toEqual({ index: failure?.index, pc, opcode, call, depth })
    const shown = await run.steps({ from: failure?.index ?? 0, count: 1, ...PARTS })
    expect(shown.steps[0]?.op).toBe(at)
    // It is a step that ends a call by a failure.
    const ends = await run.find([conditions.revertCondition], {
      after: (failure?.index ?? 0) - 1,
      before: (failure?.index ?? 0) + 1,
      takes: 'first',
    })
    expect(ends).toEqual(failure)
  })

  it('have no failure after success', async () => {
    const run = new StepRun(executionIn(evm, { code: `${CALL_CALLEE} GAS CALL`, callee: '0 0 REVERT' }))
    expect(await run.summary()).toMatchObject({ isFailed: false, failure: undefined })
  })

  it('go as deep as calls may, within the size of an answer', async () => {
    const execute = executionIn(evm, { code: RECURSION, gas: 2n ** 40n })
    const run = new StepRun(execute)
    const { total } = await run.summary()
    expect(total).toBe(1025 * 9)
    const deepest = await run.find([conditions.depthCondition(1024, 1024)], {
      after: -1,
      before: undefined,
      takes: 'first',
    })
    expect(deepest).toMatchObject({ index: 1024 * 8, depth: 1024, call: 1024 })
    const shown = await run.steps({ from: deepest?.index ?? 0, count: 9, ...PARTS })
    // Each on the way there, and the call that is refused.
    expect(shown.frames.map(({ id }) => id)).toEqual(Array.from({ length: 1026 }, (_, id) => id))
    expect(shown.frames.at(-1)).toMatchObject({ error: 'max call depth exceeded', lastStep: undefined })
    const last = await run.find([conditions.depthCondition(1024, 1024)], {
      after: -1,
      before: undefined,
      takes: 'last',
    })
    expect(last?.index).toBe(1024 * 8 + 8)
  })

  it('cut the data of calls, so that they fit into an answer', async () => {
    // Each call passes 100,000 bytes on.
    const run = new StepRun(executionIn(evm, { code: '0 0 100000 0 0 ADDRESS GAS CALL', gas: 20_000_000n }))
    const { total } = await run.summary()
    const deep = await run.find([conditions.depthCondition(100, 100)], { after: -1, before: undefined, takes: 'first' })
    expect(total).toBeGreaterThan(800)
    const { frames } = await run.steps({ from: deep?.index ?? 0, count: 1, ...PARTS })
    expect(frames).toHaveLength(101)
    expect(frames[50]).toMatchObject({ inputLength: 100_000 })
    expect(frames.every(({ input }) => input.length <= 2 + 2 * MAX_CALL_DATA_BYTES)).toBe(true)
    expect(JSON.stringify(frames.map(({ input }) => input)).length).toBeLessThan(MAX_STEPS_BYTES / 2)
  })

  it('cut a large memory, and give fewer steps than asked for rather than too many bytes', async () => {
    const run = new StepRun(executionIn(evm, { code: `1 2000000 MSTORE ${'1 POP '.repeat(20)}`, gas: 20_000_000n }))
    const first = await run.steps({ from: 3, count: MAX_STEPS, ...PARTS })
    expect(first.steps.length).toBeLessThan(10)
    expect(first.steps[0]).toMatchObject({ memorySize: 2_000_032 })
    expect(first.steps[0]?.memory).toHaveLength(2 + 2 * MAX_STEP_DATA_BYTES)
    expect(first.total).toBeUndefined()
    const next = await run.steps({ from: 3 + first.steps.length, count: 1, ...PARTS })
    expect(next.steps).toHaveLength(1)
  })

  it('are none for an empty init code', async () => {
    const run = new StepRun(executionIn(evm, { code: '', isCreation: true }))
    expect(await run.steps({ from: 0, count: 5, ...PARTS })).toMatchObject({ steps: [], total: 0, isFailed: false })
    expect(await run.find([], { after: -1, before: undefined, takes: 'last' })).toBeUndefined()
  })

  it('end with the error of a hook', async () => {
    const run = new StepRun(executionIn(evm, { code: '1 2 3' }))
    const recorder = {
      step: () => {
        throw new TypeError('the recorder is full')
      },
    }
    await expect(run.at(2, () => true, recorder)).rejects.toThrow('the recorder is full')
  })
})

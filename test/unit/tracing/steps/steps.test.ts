// slow: generated programs on both EVMs
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_STEPS } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { JsonWriter } from '../../../../src/base/primitives/jsonWriter.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import * as conditions from '../../../../src/tracing/steps/conditions.ts'
import type { SearchBounds, StepCondition, StepPosition } from '../../../../src/tracing/steps/contract.ts'
import type { StepWindow, WindowRequest } from '../../../../src/tracing/steps/recording.ts'
import { StepRun } from '../../../../src/tracing/steps/stepRun.ts'
import type { WindowStep } from '../../../../src/tracing/steps/stepTexts.ts'
import { structLogTracer } from '../../../../src/tracing/structLog/structLogTracer.ts'
import { CONTRACT, testClock } from '../../../support/evm/evm.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { type GeneratedMessage, generatedMessage, OTHER, stateOf } from '../../../support/evm/generatedPrograms.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { generatedCases } from '../../../support/host/generatedCases.ts'
import { executionOf, type OracleStep, oracleOf } from './stepOracle.ts'

const RUNS = generatedCases(150)
const SEED = 27

function targetOf(evm: Evm, { codes, fork, gas, creates }: GeneratedMessage) {
  return executionOf(evm, stateOf(codes), { to: creates ? undefined : CONTRACT, fork, gas, data: codes[1] })
}

/** A condition beside a plain function that says the same. */
interface Searched {
  readonly condition: StepCondition
  holds(step: OracleStep): boolean
}

const isWrite = ({ opcode }: OracleStep) => opcode === 0x55 || opcode === 0x5d
const accesses = ({ opcode }: OracleStep) => [0x54, 0x55, 0x5c, 0x5d].includes(opcode)
const small = fc.integer({ min: 0, max: 90 })
const searched: fc.Arbitrary<Searched> = fc.oneof(
  fc
    .array(fc.constantFrom<number[]>(0x01, 0x50, 0x52, 0x54, 0x55, 0x60, 0xf1, 0xfd), { minLength: 1, maxLength: 3 })
    .map((list) => ({
      condition: conditions.opcodeCondition(list),
      holds: ({ opcode }: OracleStep) => list.includes(opcode),
    })),
  fc.array(small, { minLength: 1, maxLength: 20 }).map((pcs) => ({
    condition: conditions.positionCondition(pcs),
    holds: ({ pc }: OracleStep) => pcs.includes(pc),
  })),
  fc.constantFrom(CONTRACT, OTHER).map((address) => ({
    condition: conditions.codeCondition(address),
    holds: ({ target }: OracleStep) => target === bytesToHex(address),
  })),
  fc.tuple(fc.nat(2), fc.nat(2)).map(([min, more]) => ({
    condition: conditions.depthCondition(min, min + more),
    holds: ({ depth }: OracleStep) => depth >= min && depth <= min + more,
  })),
  fc.constant({ condition: conditions.callCondition, holds: ({ begins }: OracleStep) => begins !== undefined }),
  fc.constant({ condition: conditions.revertCondition, holds: ({ fails }: OracleStep) => fails === true }),
  fc.constant({ condition: conditions.writeCondition, holds: isWrite }),
  fc.constant({
    condition: conditions.logCondition,
    holds: ({ opcode }: OracleStep) => opcode >= 0xa0 && opcode <= 0xa4,
  }),
  small.map((slot) => ({
    condition: conditions.slotCondition(BigInt(slot)),
    holds: (step: OracleStep) => accesses(step) && step.stack[0] === BigInt(slot),
  })),
  small.map((topic) => ({
    condition: conditions.topicCondition(BigInt(topic)),
    holds: ({ opcode, stack }: OracleStep) =>
      opcode > 0xa0 && opcode <= 0xa4 && stack.slice(2, 2 + opcode - 0xa0).includes(BigInt(topic)),
  })),
  fc.constant({
    condition: conditions.selectorCondition(new Uint8Array(4)),
    holds: ({ begins }: OracleStep) =>
      begins !== undefined &&
      !begins.kind.startsWith('CREATE') &&
      bytesToHex(begins.input.subarray(0, 4)) === '0x00000000',
  }),
)

/** Holds for every n-th step with the opcode in the outer two calls, from the first step of the execution on. */
function everyNth(opcode: number, every: number, steps: readonly OracleStep[]): Searched {
  const isCounted = (step: OracleStep) => step.opcode === opcode && step.depth < 2
  const matching = steps.filter(isCounted).filter((_, i) => (i + 1) % every === 0)
  let seen = 0
  return {
    condition: {
      ...conditions.opcodeCondition([opcode]),
      hasHistory: true,
      suits: ({ start }) => start.depth < 2,
      step: () => ++seen % every === 0,
    },
    holds: (step) => matching.includes(step),
  }
}

function bruteForce(
  steps: readonly OracleStep[],
  list: readonly Searched[],
  { after, before = steps.length, takes }: SearchBounds,
): StepPosition | undefined {
  const matches = (step: OracleStep) =>
    step.index > after && step.index < before && list.every(({ holds }) => holds(step))
  const found = takes === 'first' ? steps.find(matches) : steps.findLast(matches)
  if (found === undefined) return undefined
  const { index, pc, opcode, depth, call } = found
  return { index, pc, opcode, depth, call }
}

async function structLogOf(evm: Evm, generated: GeneratedMessage) {
  const decoder = new TextDecoder()
  let text = ''
  const sink = {
    isFull: false,
    drained: () => Promise.resolve(),
    write: (chunk: Uint8Array) => {
      text += decoder.decode(chunk, { stream: true })
    },
  }
  const out = new JsonWriter(sink)
  const options = { enableMemory: true, enableReturnData: true }
  await targetOf(evm, generated)(structLogTracer(options, { profile: 'geth' })(out))
  out.flush()
  return JSON.parse(text)
}

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
])('steps of generated programs on the %s EVM', (_, loadEvm) => {
  let evm: Evm
  beforeAll(async () => {
    evm = await loadEvm(testClock)
  })

  it('are those of the struct log, in every window', async () => {
    const windows = fc.tuple(fc.nat(300), fc.nat(40))
    await fc.assert(
      fc.asyncProperty(generatedMessage, windows, async (generated, [from, count]) => {
        const { structLogs, failed } = await structLogOf(evm, generated)
        const run = new StepRun(targetOf(evm, generated))
        const shown = { showsStack: true, showsMemory: true, showsStorage: true }
        const all = await allSteps(run, shown)
        expect(all).toMatchObject({ total: structLogs.length, isFailed: failed })
        expect(all.steps.map(asEntry)).toEqual(structLogs.map(withoutVaried))
        for (const [i, { storage }] of all.steps.entries()) {
          const [slot, value] = storage ?? []
          if (slot !== undefined && structLogs[i].storage !== undefined) expect(structLogs[i].storage[slot]).toBe(value)
        }
        const part = await run.steps({ from, count, ...shown })
        expect(part.steps).toEqual(all.steps.slice(from, from + count))
        for (const frame of part.frames) expect(all.frames[frame.id]).toMatchObject(known(frame))
        for (const { frame } of part.steps) expect(part.frames.map(({ id }) => id)).toContain(frame)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  it('are found by all conditions, in both directions', async () => {
    const bounds = fc.record({
      after: fc.integer({ min: -1, max: 60 }),
      before: fc.option(fc.nat(150), { nil: undefined }),
      takes: fc.constantFrom('first' as const, 'last' as const),
    })
    const searches = fc.array(fc.tuple(fc.array(searched, { minLength: 1, maxLength: 3 }), bounds), {
      minLength: 8,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(generatedMessage, searches, async (generated, list) => {
        const run = new StepRun(targetOf(evm, generated))
        const steps = await oracleOf(targetOf(evm, generated))
        for (const [parts, bounds] of list) {
          const found = await run.find(
            parts.map(({ condition }) => condition),
            bounds,
          )
          expect(found).toEqual(bruteForce(steps, parts, bounds))
        }
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  it('are found by conditions that see the steps before the bounds', async () => {
    const counted = fc.array(fc.tuple(fc.constantFrom(0x01, 0x50, 0x52, 0x60, 0x80), fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 2,
    })
    const bounds = fc.record({
      after: fc.integer({ min: -1, max: 40 }),
      before: fc.option(fc.nat(120), { nil: undefined }),
      takes: fc.constantFrom('first' as const, 'last' as const),
    })
    const further = fc.option(searched, { nil: undefined })
    await fc.assert(
      fc.asyncProperty(generatedMessage, counted, further, bounds, async (generated, list, other, within) => {
        const run = new StepRun(targetOf(evm, generated))
        const steps = await oracleOf(targetOf(evm, generated))
        const parts = list.map(([opcode, every]) => everyNth(opcode, every, steps))
        if (other !== undefined) parts.push(other)
        const found = await run.find(
          parts.map(({ condition }) => condition),
          within,
        )
        expect(found).toEqual(bruteForce(steps, parts, within))
      }),
      { numRuns: 2 * RUNS, seed: SEED },
    )
  })

  it('can be looked at, each with what was recorded before it', async () => {
    await fc.assert(
      fc.asyncProperty(generatedMessage, fc.nat(80), async (generated, index) => {
        const steps = await oracleOf(targetOf(evm, generated))
        const run = new StepRun(targetOf(evm, generated))
        const seen: number[] = []
        const recorder = { step: ({ pc }: { readonly pc: number }) => void seen.push(pc) }
        const view = await run.at(
          index,
          (step) => ({ index: step.index, pc: step.frame.pc, call: step.call.id }),
          recorder,
        )
        const expected = steps[index]
        expect(view).toEqual(expected && { index, pc: expected.pc, call: expected.call })
        expect(seen).toEqual(steps.slice(0, index).map(({ pc }) => pc))
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })
})

describe('steps of a long execution', () => {
  /** A call, a loop of 90,000 steps, and the call again, followed by a short loop. */
  const call = '0 0 0 0 0 data:73 data:4000000000000000000000000000000000000004 GAS CALL POP'
  const loop = (rounds: number, at: number) => `${rounds} JUMPDEST 1 SWAP1 SUB DUP1 ${at} JUMPI POP`
  const codes = [programOf(10_000, 300), evmCode('1 2 ADD POP'), new Uint8Array(0)] as const

  function programOf(long: number, short: number): Uint8Array {
    const first = evmCode(call)
    const begin = first.length + evmCode(String(long)).length
    const middle = evmCode(`${loop(long, begin)} ${call}`)
    const again = first.length + middle.length + evmCode(String(short)).length
    return concatBytes(first, middle, evmCode(loop(short, again)))
  }

  it('are found near and far before a step by a condition that says little', async () => {
    const evm = await loadTestNativeEvm(testClock)
    const execute = executionOf(evm, stateOf(codes), { to: CONTRACT, fork: 'prague', gas: 10_000_000n })
    const steps = await oracleOf(execute)
    expect(steps.length).toBeGreaterThan(70_000)
    const run = new StepRun(execute)
    const deep = { condition: conditions.depthCondition(1, 1), holds: ({ depth }: OracleStep) => depth === 1 }
    const flat = { condition: conditions.depthCondition(0, 0), holds: ({ depth }: OracleStep) => depth === 0 }
    for (const before of [steps.length, steps.length - 1_500, steps.length - 2_500, 70_000, 1_030, 20, 3]) {
      for (const after of [-1, Math.max(-1, before - 1_100), Math.max(-1, before - 3)]) {
        for (const part of [deep, flat]) {
          const bounds = { after, before, takes: 'last' as const }
          expect(await run.find([part.condition], bounds)).toEqual(bruteForce(steps, [part], bounds))
        }
      }
    }
  })
})

/** All steps, in windows as large as an answer may be. */
async function allSteps(run: StepRun, shown: Omit<WindowRequest, 'from' | 'count'>): Promise<StepWindow> {
  const steps: StepWindow['steps'][number][] = []
  const frames = new Map<number, StepWindow['frames'][number]>()
  for (;;) {
    const window = await run.steps({ from: steps.length, count: MAX_STEPS, ...shown })
    steps.push(...window.steps)
    for (const frame of window.frames) frames.set(frame.id, { ...frames.get(frame.id), ...frame })
    if (window.total !== undefined) return { ...window, from: 0, steps, frames: [...frames.values()] }
  }
}

const asEntry = ({ pc, op, gas, gasCost, depth, stack, memory, returnData, refund }: WindowStep) => ({
  pc,
  op,
  gas,
  gasCost,
  depth,
  stack,
  memory,
  ...(returnData !== undefined && { returnData }),
  ...(refund !== 0 && { refund }),
})

const withoutVaried = ({ error: _, storage: __, memory, ...entry }: Readonly<Record<string, unknown>>) => ({
  ...entry,
  memory: `0x${((memory ?? []) as string[]).map((word) => word.slice(2)).join('')}`,
})

/** The parts of a call that are known before it has ended. */
const known = (frame: object) => Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== undefined))

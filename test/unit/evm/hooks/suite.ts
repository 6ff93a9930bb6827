import { beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from '../../../../src/base/ports/host.ts'
import { StoreMiss } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import type { ExecutionHooks } from '../../../../src/evm/hooks.ts'
import { execute, prepare } from '../../../fuzz/execute.mjs'
import { FUZZ_FORKS } from '../../../fuzz/forks.mjs'
import { Fuzzer } from '../../../fuzz/fuzzer.mjs'
import { CONTRACT, testClock } from '../../../support/evm/evm.ts'
import { evmCode, opcodeName } from '../../../support/evm/evmCode.ts'
import { HookRecorder } from '../../../support/evm/hookRecorder.ts'
import { CALLEE, type HookCase, type HookDrive, linesOf, runHooked } from '../../../support/evm/hookRuns.ts'
import { fuzzProject } from '../../../support/host/fuzzProject.ts'
import { CALL_CASES } from './callCases.ts'
import { GasLedger } from './gasLedger.ts'
import { STEP_CASES } from './stepCases.ts'

/** Returns one byte of code. */
const INIT_CODE = evmCode('1 0 RETURN')
const TAKEN: HookCase = { code: '0 0 0 0 CREATE2 0 0 0 0 CREATE2' }
const SLOAD = 0x54
const FUZZ_CASES = 200
const FUZZ_SEED = 5

interface SeenStep {
  readonly index: number
  readonly depth: number
  readonly pc: number
  readonly opcode: number
}

/** The steps that are reported, with indexes that the range has, or else counted. */
async function stepsOf(evm: Evm, hookCase: HookCase, hooks: ExecutionHooks, drive: HookDrive): Promise<SeenStep[]> {
  const seen: SeenStep[] = []
  const step: ExecutionHooks['step'] = ({ depth, pc, opcode, code }) => {
    if (opcode === 0 && code.length === 0) return
    seen.push({ index: (hooks.range?.count ?? seen.length + 1) - 1, depth, pc, opcode })
  }
  await runHooked(evm, hookCase, { ...hooks, step }, drive)
  return seen
}

/** @param loadEvm loads the EVM whose hooks are tested */
export function hooksSuite(loadEvm: (clock: Clock) => Promise<Evm>): void {
  let evm: Evm
  beforeAll(async () => {
    evm = await loadEvm(testClock)
  })

  describe('reports steps:', () => {
    it.each(STEP_CASES)('$name', async ({ lines, ...hookCase }) => {
      expect(await linesOf(evm, hookCase)).toEqual(lines)
    })
  })

  describe('reports calls:', () => {
    it.each(CALL_CASES)('$name', async ({ lines, ...hookCase }) => {
      expect(await linesOf(evm, hookCase)).toEqual(lines)
    })

    it('refused calls and creations at the maximum depth', async () => {
      const code = '0 0 0 0 0 ADDRESS GAS CALL ISZERO 18 JUMPI STOP JUMPDEST 0 0 5 CREATE'
      const lines = await linesOf(evm, { code, message: { gas: 2n ** 40n } })
      const refused = lines.filter((line) => line.startsWith('1025 '))
      expect(refused.map((line) => line.replace(/gas \d+/, 'gas')).slice(0, 2)).toEqual([
        '1025 enter CALL contract > contract, gas, nothing',
        '1025 exit refused DEPTH, used 0',
      ])
      expect(refused[2]).toMatch(/^1025 enter CREATE contract > 0x[0-9a-f]{40}, gas \d+, value 5, nothing$/)
      expect(refused.slice(3)).toEqual(['1025 exit refused DEPTH, used 0'])
      expect(lines.at(-1)).toMatch(/^0 exit success/)
      expect(lines.filter((line) => line.startsWith('!'))).toEqual([])
    })
  })

  describe('reports the same', () => {
    const drives: readonly (readonly [string, HookDrive])[] = [
      ['with a pause whenever there can be one', { slice: 0 }],
      ['when nothing is in memory', { isLossy: true }],
      ['with both', { slice: 0, isLossy: true }],
    ]
    it.each(drives)('%s', async (_, drive) => {
      for (const { name, lines, ...hookCase } of [...STEP_CASES, ...CALL_CASES]) {
        expect({ name, lines: await linesOf(evm, hookCase, drive) }).toEqual({ name, lines })
      }
    })

    it('for a loop with many pauses', async () => {
      const hookCase: HookCase = {
        code: '200 JUMPDEST 1 SWAP1 SUB DUP1 DUP1 SLOAD POP 2 JUMPI',
        message: { gas: 1_000_000n },
      }
      const paused = new HookRecorder()
      const { pauses } = await runHooked(evm, hookCase, paused.hooks, { slice: 0, isLossy: true })
      const whole = new HookRecorder()
      await runHooked(evm, hookCase, whole.hooks)
      expect(paused.lines).toEqual(whole.lines)
      expect(pauses).toBeGreaterThan(5)
    })

    it('for no step before the first one that may be selected', async () => {
      for (const hookCase of [...STEP_CASES, ...CALL_CASES]) {
        const all = await stepsOf(evm, hookCase, {}, {})
        const range = { count: 0, begin: 3, from: 0, to: 5 }
        const opcodes = new Uint8Array(256).fill(1, SLOAD, SLOAD + 2)
        const positions = Uint8Array.of(1, 2)
        const selected = await stepsOf(evm, hookCase, { range, opcodes, positions: () => positions }, {})
        const isSelected = ({ index, opcode, pc }: SeenStep) =>
          index >= 3 && (index < 5 || opcode === SLOAD || opcode === SLOAD + 1 || pc === 0 || pc === 9)
        expect(selected).toEqual(all.filter(isSelected))
      }
    })

    it.each([['at once', {}] as const, ...drives])('for selected steps, %s', async (_, drive) => {
      for (const hookCase of [...STEP_CASES, ...CALL_CASES]) {
        const all = await stepsOf(evm, hookCase, {}, {})
        const isSelected = (step: SeenStep) =>
          (step.index >= 2 && step.index < 6) || step.opcode === SLOAD || step.pc === 0 || step.pc === 9
        const range = { count: 0, from: 2, to: 6 }
        const opcodes = new Uint8Array(256)
        opcodes[SLOAD] = 1
        const positions = Uint8Array.of(1, 2)
        const selected = await stepsOf(evm, hookCase, { range, opcodes, positions: () => positions }, drive)
        expect(selected).toEqual(all.filter(isSelected))
        expect(range.count).toBe(all.length)
      }
    })

    it('for any program, with the same final state', { timeout: 60_000 }, async () => {
      const fuzzer = new Fuzzer(fuzzProject, evm)
      const ledger = new GasLedger()
      const hooked: Evm = {
        name: evm.name,
        start: (message, environment, state, options) =>
          evm.start(message, environment, state, { ...options, hooks: ledger.hooks }),
      }
      for (let caseNumber = 0; caseNumber < FUZZ_CASES; caseNumber++) {
        const fuzzCase = fuzzer.generate({ seed: FUZZ_SEED, caseNumber, forks: FUZZ_FORKS })
        const prepared = prepare(fuzzProject, fuzzCase)
        const untraced = await execute(prepared, evm, fuzzCase.drive)
        const traced = await execute(prepared, hooked, fuzzCase.drive)
        expect({ caseNumber, ...traced, faults: ledger.faults }).toEqual({ caseNumber, ...untraced, faults: [] })
      }
      expect(ledger.seen.steps).toBeGreaterThan(10_000)
      expect(ledger.seen.calls).toBeGreaterThan(FUZZ_CASES)
      expect(ledger.seen.logs).toBeGreaterThan(10)
    })
  })

  describe('the view of a frame', () => {
    it('shows the state before and after a step', async () => {
      const seen: unknown[] = []
      const last = (bytes: Uint8Array) => bytesToHex(bytes.slice(-32))
      const code = `32 0 0 0 ${bytesToHex(CALLEE)} GAS DELEGATECALL 7 SLOAD 7 SSTORE`
      await runHooked(
        evm,
        { code, callee: '5 0 MSTORE 32 0 RETURN', message: { data: Uint8Array.of(1) } },
        {
          step(frame) {
            if (frame.depth === 1 && frame.opcode === 0xf3) {
              seen.push(bytesToHex(frame.address), bytesToHex(frame.target), frame.code.length, frame.memory.length)
            }
          },
          stepEnd(frame) {
            if (!['DELEGATECALL', 'SLOAD', 'SSTORE', 'MSTORE'].includes(opcodeName(frame.opcode))) return
            const { depth, pc, stackSize, stack, memory, returnData, refund } = frame
            seen.push([depth, pc, stackSize, stack.length / 32, last(memory), returnData.length, refund])
            if (stackSize === 1) seen.push(stack[0])
          },
        },
      )
      expect(seen).toEqual([
        [0, 30, 6, 6, `0x${'00'.repeat(32)}`, 0, 0],
        [1, 4, 0, 0, `0x${'05'.padStart(64, '0')}`, 0, 0],
        bytesToHex(CONTRACT),
        bytesToHex(CALLEE),
        10,
        32,
        [0, 33, 2, 2, `0x${'05'.padStart(64, '0')}`, 32, 0],
        [0, 36, 1, 1, `0x${'05'.padStart(64, '0')}`, 32, 0],
        1,
      ])
    })

    it.each([
      [
        'of code, before its deposit is charged',
        { message: { to: undefined, data: INIT_CODE } },
        'RETURN: 99991, 0, 2',
      ],
      ['of a REVERT', { code: '1 0 REVERT' }, 'REVERT: 99991, 0, 2'],
      ['of a SELFDESTRUCT', { code: 'ADDRESS SELFDESTRUCT' }, 'SELFDESTRUCT: 94998, 0, 1'],
      ['of a creation at an occupied address', TAKEN, 'CREATE2: 562, 0, 5'],
      ['of empty init code, below a refund', { code: '0 7 SSTORE 0 0 0 CREATE' }, 'STOP: 62001, 4800, 0'],
      ['of a write without enough gas', { code: '0 7 SSTORE', message: { gas: 4000n } }, 'SSTORE: 0, 0, 2'],
    ] as const)('shows gas, refund and stack at the end of a step: %s', async (_, hookCase, expected) => {
      const seen: string[] = []
      const stepEnd: ExecutionHooks['stepEnd'] = ({ opcode, gas, refund, stack }) =>
        seen.push(`${opcodeName(opcode)}: ${gas}, ${refund}, ${stack.length / 32}`)
      await runHooked(evm, hookCase, { stepEnd })
      expect(seen).toContain(expected)
    })

    it('passes input that never changes afterwards', async () => {
      const inputs: Uint8Array[] = []
      const code = `1 0 MSTORE8 0 0 1 0 0 ${bytesToHex(CALLEE)} 1000 CALL 2 0 MSTORE8`
      await runHooked(evm, { code, callee: 'STOP' }, { enter: ({ input }) => inputs.push(input) })
      expect(inputs).toEqual([new Uint8Array(0), Uint8Array.of(1)])
    })

    it('reports only selected opcodes, without stepEnd', async () => {
      const opcodes = new Uint8Array(256)
      opcodes[0x54] = 1
      const seen: string[] = []
      const hooks: ExecutionHooks = {
        opcodes,
        step: ({ pc, opcode, stack }) => seen.push(`${pc} ${opcodeName(opcode)} ${stack.at(-32)}`),
        stepEnd: () => seen.push('an end'),
      }
      await runHooked(evm, { code: '7 SLOAD 1 ADD SLOAD' }, hooks)
      expect(seen).toEqual(['2 SLOAD 7', '6 SLOAD 8'])
    })

    it('reports calls without steps', async () => {
      const seen: string[] = []
      const hooks: ExecutionHooks = {
        enter: ({ kind, depth }) => seen.push(`${depth} ${kind}`),
        exit: ({ haltPlace, gasUsed }) => seen.push(`${gasUsed} ${haltPlace?.pc} ${haltPlace?.stackSize}`),
      }
      const code = `0 0 0 0 ${bytesToHex(CALLEE)} 1000 STATICCALL`
      await runHooked(evm, { code, callee: '1 7 9 JUMPI' }, hooks)
      expect(seen).toEqual(['0 CALL', '1 STATICCALL', '1000 6 3', '3618 undefined undefined'])
    })
  })

  describe('under the driver', () => {
    it('pauses while the hooks are full', async () => {
      const full = [false, true, false, true]
      const steps: string[] = []
      const hooks: ExecutionHooks = {
        step: ({ opcode }) => steps.push(opcodeName(opcode)),
        isFull: () => full[steps.length] === true,
      }
      const { pauses, result } = await runHooked(evm, { code: '1 2 ADD' }, hooks)
      expect(steps).toEqual(['PUSH1', 'PUSH1', 'ADD', 'STOP'])
      expect([pauses, result.outcome]).toEqual([2, 'success'])
    })

    it.each([new RangeError('enough'), new StoreMiss({ kind: 'keys', keys: [] })])(
      'ends the message with what a hook throws: %s',
      async (error) => {
        for (const name of ['enter', 'exit', 'step', 'stepEnd', 'log', 'selfDestruct'] as const) {
          const hooks: ExecutionHooks = {
            [name]() {
              throw error
            },
          }
          await expect(runHooked(evm, { code: '0 0 LOG0 CALLER SELFDESTRUCT' }, hooks)).rejects.toBe(error)
        }
      },
    )
  })
}

/** All steps of an execution, recorded one by one by plain hooks: what searches are compared with. */
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import type { CallStart, ExecutionHooks } from '../../../../src/evm/hooks.ts'
import type { MutableState } from '../../../../src/state/contract.ts'
import type { Tracer } from '../../../../src/tracing/contract.ts'
import type { StepExecution } from '../../../../src/tracing/steps/execution.ts'
import { environmentOf, messageTo } from '../../../support/evm/evm.ts'
import type { MessageToTrace } from '../../../support/evm/tracedMessage.ts'

export interface OracleStep {
  readonly index: number
  readonly pc: number
  readonly opcode: number
  readonly depth: number
  readonly call: number
  readonly target: string
  /** From the top. */
  readonly stack: readonly bigint[]
  /** The call that the step begins. */
  begins?: CallStart
  /** Whether the step ends a call by a failure. */
  fails?: boolean
}

/** Runs the message on a copy of the state, as often as it is called. */
export function executionOf(evm: Evm, state: MutableState, { fork = 'prague', to, ...rest }: MessageToTrace) {
  const message = messageTo(to, rest)
  const environment = environmentOf(fork)
  const execute: StepExecution = async (tracer: Tracer) => {
    const own = state.fork()
    const { caller: from, value, data: input, gas: gasLimit } = message
    const transaction = { hash: undefined, from, to, value, input, gasLimit, gasPrice: 0n, intrinsicGas: 0n }
    const { block } = environment
    tracer.begin({ transaction, rules: forkRules(fork), block, before: state.fork(), now: own })
    own.beginTransaction()
    const result = await runMessage(evm, message, environment, own, { hooks: tracer.hooks })
    const gasUsed = message.gas - result.gasLeft
    tracer.end({ result, gasUsed, gasUsedBeforeRefund: gasUsed, changed: [] })
  }
  return execute
}

export async function oracleOf(execute: StepExecution): Promise<readonly OracleStep[]> {
  const steps: OracleStep[] = []
  const open: number[] = []
  let calls = 0
  const hooks: ExecutionHooks = {
    enter: (start) => {
      const last = steps.at(-1)
      if (open.length > 0 && last !== undefined) last.begins = start
      open.push(calls++)
    },
    exit: ({ outcome }) => {
      open.pop()
      const last = steps.at(-1)
      if (outcome !== 'success' && last !== undefined) last.fails = true
    },
    step: ({ pc, opcode, depth, target, stack, stackSize, code }) => {
      if (opcode === 0 && code.length === 0) return
      const words = Array.from({ length: stackSize }, (_, i) =>
        BigInt(
          `0x${Array.from(stack.subarray(32 * i, 32 * i + 32).toReversed(), (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
        ),
      ).reverse()
      const call = open.at(-1) as number
      steps.push({ index: steps.length, pc, opcode, depth, call, target: bytesToHex(target), stack: words })
    },
  }
  await execute({ hooks, begin: () => {}, end: () => {} })
  return steps
}

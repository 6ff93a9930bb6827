/**
 * The calls of one execution, and the way to its failure.
 * @module
 */
import { bytesToHex, equalBytes, hexToBytes } from '../base/primitives/bytes.ts'
import type { ExecutionHooks } from '../evm/hooks.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../tracing/contract.ts'
import { type CallFrame, CallTree } from '../tracing/geth/callTree.ts'
import type { Artifact } from './artifact.ts'
import { CONSOLE_ADDRESS } from './consoleAddress.ts'
import { type CodeReader, type ContractNames, functionText } from './contractNames.ts'
import { type CodeKnowledge, type FailedCall, type FailureHooks, FailureRecorder } from './source/failureRecorder.ts'

/** `console.log`, as calls name it. */
export const CONSOLE: string = bytesToHex(CONSOLE_ADDRESS)
const MAX_PATH = 64

/** Receives the states before and after an execution, which can be read until it returns; may throw `StoreMiss`. */
export type OnExecuted = (begin: TraceBegin, end: TraceEnd) => void

/** Records the calls of one execution, and with knowledge of code the places of a failure. */
export class CallRecorder implements Tracer {
  readonly #tree = new CallTree({ onlyTopCall: false, withLog: true })
  readonly #failures: FailureRecorder | undefined
  readonly hooks: ExecutionHooks
  root: CallFrame | undefined
  readonly #onExecuted: OnExecuted | undefined
  #begin: TraceBegin | undefined

  constructor(knowledge?: CodeKnowledge, onExecuted?: OnExecuted) {
    this.#onExecuted = onExecuted
    this.#failures = knowledge && new FailureRecorder(knowledge)
    this.hooks = this.#failures === undefined ? this.#tree.hooks : bothHooks(this.#tree.hooks, this.#failures.hooks)
  }

  /** The calls on the way to the failure, outermost first; empty without knowledge of code. */
  get failed(): readonly FailedCall[] {
    return this.#failures?.failed ?? []
  }

  begin(context: Parameters<Tracer['begin']>[0]): void {
    this.#tree.begin(context)
    this.#begin = context
  }

  end(outcome: Parameters<Tracer['end']>[0]): void {
    if (this.#begin !== undefined) this.#onExecuted?.(this.#begin, outcome)
    this.root = this.#tree.root(outcome)
  }
}

/** @param second hooks of calls and steps only */
function bothHooks(first: ExecutionHooks, second: FailureHooks): ExecutionHooks {
  const opcodes = second.opcodes.map((flag, opcode) => flag | (first.opcodes?.[opcode] ?? 0))
  return {
    ...first,
    opcodes,
    enter: (call) => {
      first.enter?.(call)
      second.enter(call)
    },
    exit: (end) => {
      first.exit?.(end)
      second.exit(end)
    },
    step: (frame) => {
      if (first.opcodes?.[frame.opcode] === 1) first.step?.(frame)
      if (second.opcodes[frame.opcode] === 1) second.step(frame)
    },
  }
}

/** The frames from the outermost call to the one that caused the failure. */
export function failurePath(root: CallFrame): readonly CallFrame[] {
  const path: CallFrame[] = []
  for (let frame: CallFrame | undefined = root; frame !== undefined && path.length < MAX_PATH; ) {
    path.push(frame)
    frame = causeWithin(frame)
  }
  return path
}

/** A caller that does not handle a failure passes on its output, which is empty for a halt. */
function causeWithin({ calls = [], output, error }: CallFrame): CallFrame | undefined {
  if (error === undefined) return undefined
  const last = calls.findLast(({ type, to }) => type !== 'SELFDESTRUCT' && to !== CONSOLE)
  return last?.error !== undefined && equalBytes(last.output, output) ? last : undefined
}

/**
 * `Token.transfer(0xabc…, 5)`, the address where the contract is not known, or the created contract.
 * @param known the contract, if its code was seen
 */
export function frameText(frame: CallFrame, names: ContractNames, code: CodeReader, known?: Artifact): string {
  const { type, to, input } = frame
  if (type === 'CREATE' || type === 'CREATE2') return `new ${(known ?? names.created(input))?.name ?? 'contract'}`
  const target = to === undefined ? undefined : hexToBytes(to)
  const contract = known ?? (target && names.at(target, code))
  const name = contract?.name ?? (target === undefined ? '' : names.address(target))
  if (frame.precompile !== undefined) return `precompile ${frame.precompile}`
  return `${name}.${functionText(input, names.index, contract)}`
}

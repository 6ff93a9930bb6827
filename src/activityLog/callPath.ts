/**
 * The calls of one transaction or call, as they are printed: the path to a failure, or the whole tree.
 * @module
 */

import { MAX_LOGGED_CALLS } from '../base/limits/limits.ts'
import { bytesToHex, equalBytes, hexToBytes } from '../base/primitives/bytes.ts'
import type { ExecutionHooks } from '../evm/hooks.ts'
import type { Tracer } from '../tracing/contract.ts'
import { type CallFrame, CallTree } from '../tracing/geth/callTree.ts'
import type { Artifact } from './abi/artifact.ts'
import { grouped } from './amounts.ts'
import { CONSOLE_ADDRESS } from './consoleAddress.ts'
import { type CodeReader, type ContractNames, functionText } from './contractNames.ts'
import { outputReason } from './failureReason.ts'
import { indented, type Line, span } from './lines.ts'
import { plainLines } from './plainText.ts'
import { type CodeKnowledge, type FailedCall, type FailureHooks, FailureRecorder } from './source/failureRecorder.ts'

/** Records the calls of one execution, and with knowledge of code the places of a failure. */
export class CallRecorder implements Tracer {
  readonly #tree = new CallTree({ onlyTopCall: false, withLog: true })
  readonly #failures: FailureRecorder | undefined
  readonly hooks: ExecutionHooks
  root: CallFrame | undefined

  constructor(knowledge?: CodeKnowledge) {
    this.#failures = knowledge && new FailureRecorder(knowledge)
    this.hooks = this.#failures === undefined ? this.#tree.hooks : bothHooks(this.#tree.hooks, this.#failures.hooks)
  }

  /** The calls on the way to the failure, outermost first; empty without knowledge of code. */
  get failed(): readonly FailedCall[] {
    return this.#failures?.failed ?? []
  }

  begin(context: Parameters<Tracer['begin']>[0]): void {
    this.#tree.begin(context)
  }

  end(outcome: Parameters<Tracer['end']>[0]): void {
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

const CONSOLE = bytesToHex(CONSOLE_ADDRESS)
const MAX_PATH = 64
const MAX_CONSOLE_LENGTH = 4_096
const MAX_CONSOLE_LINES = 64

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

export interface TreeOptions {
  readonly names: ContractNames
  readonly code: CodeReader
  consoleText(input: Uint8Array): string
}

/** One line per call, log and console.log, in the order in which they ran. */
export function treeLines(root: CallFrame, options: TreeOptions): Line[] {
  const lines: Line[] = []
  const counter = { left: MAX_LOGGED_CALLS, hidden: 0 }
  addFrame(root, 4, options, lines, counter)
  if (counter.hidden > 0) lines.push(indented([span('dim', `… ${grouped(counter.hidden)} more calls`)], 4))
  return lines
}

interface Counter {
  left: number
  hidden: number
}

function addFrame(frame: CallFrame, margin: number, options: TreeOptions, lines: Line[], counter: Counter): void {
  if (counter.left-- <= 0) {
    counter.hidden++
    return
  }
  if (frame.to === CONSOLE) {
    for (const line of consoleLines(options.consoleText(frame.input)))
      lines.push(indented([span('dim', 'console.log '), span('output', line)], margin))
    return
  }
  lines.push(indented(headLine(frame, options), margin))
  const { calls = [], logs = [] } = frame
  let nextLog = 0
  const addLogs = (position: number): void => {
    for (; nextLog < logs.length && (logs[nextLog]?.position ?? 0) <= position; nextLog++)
      lines.push(indented(logLine(logs[nextLog] as (typeof logs)[number], options), margin + 2))
  }
  for (const [i, call] of calls.entries()) {
    addLogs(i)
    addFrame(call, margin + 2, options, lines, counter)
  }
  addLogs(calls.length)
  if (frame.error !== undefined) lines.push(indented([span('bad', errorText(frame, options))], margin + 2))
}

function headLine(frame: CallFrame, { names, code }: TreeOptions): Line {
  const { type, gasUsed, value } = frame
  const kind = span('dim', `${type.padEnd(12)} `)
  if (type === 'SELFDESTRUCT') return [kind, frame.from, span('dim', ` to ${frame.to}`)]
  const paid = value !== undefined && value > 0n && type !== 'DELEGATECALL' ? `  value ${value} wei` : ''
  return [kind, span('name', frameText(frame, names, code)), span('dim', `  gas ${grouped(gasUsed)}${paid}`)]
}

function logLine({ log }: NonNullable<CallFrame['logs']>[number], { names }: TreeOptions): Line {
  const [topic] = log.topics
  const name = names.index?.event(topic) ?? (topic === undefined ? 'without topics' : bytesToHex(topic))
  return [span('dim', 'log          '), name]
}

function errorText({ error, output, to }: CallFrame, { names, code }: TreeOptions): string {
  if (error !== 'execution reverted') return error ?? ''
  const contract = to === undefined ? undefined : names.at(hexToBytes(to), code)
  return outputReason(output, names.index, contract)
}

export function consoleLines(text: string): string[] {
  return plainLines(text, MAX_CONSOLE_LENGTH, MAX_CONSOLE_LINES)
}

/**
 * The calls of one transaction or call, as they are printed.
 * @module
 */

import { CONSOLE, frameText } from '../abi/callRecorder.ts'
import type { CodeReader, ContractNames } from '../abi/contractNames.ts'
import { outputReason } from '../abi/failureReason.ts'
import { plainLines } from '../abi/plainText.ts'
import { MAX_LOGGED_CALLS } from '../base/limits/limits.ts'
import { grouped } from '../base/primitives/amounts.ts'
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import type { CallFrame } from '../tracing/geth/callTree.ts'
import { indented, type Line, span } from './lines.ts'

const MAX_CONSOLE_LENGTH = 4_096
const MAX_CONSOLE_LINES = 64

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

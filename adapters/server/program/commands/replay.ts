/**
 * The command `replay`: runs the calls of a recording again, and says what differs.
 * @module
 */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_RECORDING_BYTES, MAX_RECORDING_FILE_BYTES, REPLAY_RECEIPT_MS } from '../../../../src/base/limits/limits.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { described, printable } from '../../../../src/base/primitives/printable.ts'
import type { CommandCall } from '../../../../src/cli/parse.ts'
import type { NodeOptions } from '../../../../src/config/options.ts'
import { type CallParams, type Recording, readRecording } from '../../../../src/replay/recording.ts'
import { type CallDifference, type ReplayReport, type ReplayTarget, replay } from '../../../../src/replay/replay.ts'
import { openRemoteTransport } from '../../../shared/remoteTransport.ts'
import type { CommandRun } from './commandRun.ts'

type ReplayCall = Extract<CommandCall, { command: 'replay' }>

/** A node that ends with the replay. */
export interface ReplayNode {
  request(method: string, params: CallParams): Promise<unknown>
  close(): Promise<void>
}

/**
 * @param openNode opens the node of the options, unless `--rpc` names one
 * @returns whether everything is as it was recorded
 * @throws {NodeError} INVALID_OPTION, RECORDING_INVALID, FORK_UNAVAILABLE, STOPPED, and those of the node
 */
export async function replayFile(
  line: ReplayCall,
  { output, signal }: CommandRun,
  openNode: (options: NodeOptions) => Promise<ReplayNode>,
): Promise<boolean> {
  const { values, operands, given } = line
  const { rpc } = values
  const [file = ''] = operands
  const fork = [...given].find((name) => name.startsWith('fork-'))
  if (rpc !== undefined && fork !== undefined) throw invalid(`--rpc cannot be combined with --${fork}`)
  const recording = readFile(file)
  const node = rpc === undefined ? await openNode(nodeOptions(line, recording)) : connect(rpc)
  try {
    const target: ReplayTarget = { request: node.request, wait: (ms) => sleep(ms) }
    const report = await replay(recording, target, signal)
    output.print({
      message: report.differences.length === 0 ? 'the replay shows no difference' : 'the replay shows differences',
      fields: { calls: recording.calls.length, ...report },
      text: () => reportText(recording, report),
    })
    return report.differences.length === 0
  } finally {
    await node.close()
  }
}

/** A chain in memory. The wallets of the recording sign for their own accounts, whose keys no node has. */
function nodeOptions({ options, given }: ReplayCall, { block }: Recording): NodeOptions {
  const own = { ...options, ephemeral: true, 'auto-impersonate': true, silent: true }
  const isBlockGiven = given.has('fork-block-number') || given.has('fork-transaction-hash')
  if (block === undefined || isBlockGiven || !given.has('fork-url')) return own
  return { ...own, 'fork-block-number': BigInt(block).toString() }
}

function readFile(file: string): Recording {
  try {
    const { size } = statSync(file)
    if (size > MAX_RECORDING_FILE_BYTES) throw invalid(`${file} is longer than ${MAX_RECORDING_FILE_BYTES} bytes`)
    return readRecording(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof NodeError) throw error
    throw invalid(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A node at an address. */
function connect(url: string): ReplayNode {
  const transport = openRemoteTransport(url)
  return {
    async request(method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const signal = AbortSignal.timeout(REPLAY_RECEIPT_MS)
      const { text } = await transport.send(body, { signal, maxBytes: MAX_RECORDING_BYTES })
      return resultOf(text, transport.origin)
    },
    async close() {
      transport.close()
    },
  }
}

/** @throws the error object of the answer; {NodeError} FORK_UNAVAILABLE when the answer is no JSON-RPC */
function resultOf(text: string, origin: string): unknown {
  let answer: { readonly result?: unknown; readonly error?: object } | null
  try {
    answer = JSON.parse(text)
  } catch {
    answer = null
  }
  if (typeof answer?.error === 'object' && answer.error !== null) throw answer.error
  if (answer === null || !('result' in answer)) {
    throw new NodeError({ code: 'FORK_UNAVAILABLE' }, `${origin} gives no answer of JSON-RPC`)
  }
  return answer.result
}

function reportText({ calls }: Recording, { compared, sent, skipped, differences }: ReplayReport): string {
  const { volatile, incomplete, unsendable } = skipped
  const counts = [
    `${compared} compared`,
    `${sent} sent`,
    ...(volatile === 0 ? [] : [`${volatile} of wallets or of the moment`]),
    ...(incomplete === 0 ? [] : [`${incomplete} not recorded completely`]),
    ...(unsendable === 0 ? [] : [`${unsendable} transactions that this node cannot send`]),
  ]
  const found = differences.length === 0 ? 'No difference.' : `Differences: ${differences.length}`
  return [`Calls: ${calls.length} (${counts.join(', ')})`, found, ...differences.map(line)].join('\n')
}

function line({ call, method, path, recorded, replayed }: CallDifference): string {
  return `  call ${call} ${printable(method)} ${printable(path)}: ${described(recorded)} → ${described(replayed)}`
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}

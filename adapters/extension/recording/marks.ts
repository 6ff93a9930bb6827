/**
 * Calls that a page need not have made one by one.
 * @module
 */
import { treatmentOf } from '../../../src/replay/policy.ts'
import type { RecordedCall } from '../../../src/replay/recording.ts'

/**
 * - `duplicate`: the same call was made shortly before, and nothing was sent since
 * - `multicall`: one call of a contract such as Multicall3 could have answered it together with its neighbours
 * - `batch`: one HTTP request could have carried it together with its neighbours
 */
export type Mark = 'duplicate' | 'multicall' | 'batch'

/** Answers of the same second are rarely different. */
const DUPLICATE_MS = 1000
/** Calls that begin so close to each other were made without waiting for an answer. */
const TOGETHER_MS = 10

/** @returns marks by the index of the call */
export function marksOf(calls: readonly RecordedCall[]): ReadonlyMap<number, Mark> {
  const marks = new Map<number, Mark>()
  for (const group of together(calls)) markGroup(calls, group, marks)
  for (const index of duplicates(calls)) marks.set(index, 'duplicate')
  return marks
}

function duplicates(calls: readonly RecordedCall[]): number[] {
  const found: number[] = []
  let seen = new Map<string, number>()
  for (const [i, call] of calls.entries()) {
    const treatment = treatmentOf(call.method)
    if (treatment === 'send' || treatment === 'run') seen = new Map()
    if (treatment !== 'compare' || call.omitted !== undefined) continue
    const key = `${call.provider} ${call.method} ${JSON.stringify(call.params)}`
    const before = seen.get(key)
    if (before !== undefined && call.at - before <= DUPLICATE_MS) found.push(i)
    else seen.set(key, call.at)
  }
  return found
}

/** Indexes of calls to the same provider that began together. */
function together(calls: readonly RecordedCall[]): number[][] {
  const groups: number[][] = []
  const current = new Map<string, number[]>()
  for (const [i, { transport, provider, at, method }] of calls.entries()) {
    if (treatmentOf(method) !== 'compare') continue
    const key = `${transport} ${provider}`
    const group = current.get(key)
    const last = group?.at(-1)
    if (group !== undefined && last !== undefined && at - (calls[last]?.at ?? 0) <= TOGETHER_MS) group.push(i)
    else {
      const begun = [i]
      current.set(key, begun)
      groups.push(begun)
    }
  }
  return groups
}

function markGroup(calls: readonly RecordedCall[], group: readonly number[], marks: Map<number, Mark>): void {
  const byBlock = new Map<string, number[]>()
  for (const i of group.filter((index) => isPlainCall(calls[index]))) {
    const block = JSON.stringify(blockOf(calls[i]))
    byBlock.set(block, [...(byBlock.get(block) ?? []), i])
  }
  const requests = new Set(group.map((i) => calls[i]?.batch ?? `alone ${i}`))
  const isHttp = group.some((i) => calls[i]?.transport === 'http')
  if (isHttp && requests.size > 1) for (const i of group) marks.set(i, 'batch')
  for (const joined of byBlock.values()) if (joined.length > 1) for (const i of joined) marks.set(i, 'multicall')
}

/** A contract that joins calls cannot pass on a sender, a value or overrides. */
function isPlainCall(call: RecordedCall | undefined): boolean {
  if (call?.method !== 'eth_call' || !Array.isArray(call.params)) return false
  const [input, , overrides] = call.params as readonly unknown[]
  const { from, value, to } = (input ?? {}) as Readonly<Record<string, unknown>>
  return typeof to === 'string' && from === undefined && value === undefined && overrides === undefined
}

function blockOf(call: RecordedCall | undefined): unknown {
  return Array.isArray(call?.params) ? ((call.params as readonly unknown[])[1] ?? 'latest') : undefined
}

/**
 * The newest block on which enough remotes agree.
 * @module
 */
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { headUntrusted } from '../errors.ts'
import type { HeaderReads } from './headerReads.ts'

/**
 * Remotes are not equally fast: the block is the newest that enough of them have reached.
 * @param remotes one for each address
 * @param agree number of remotes that must name the same block
 * @throws {NodeError} HEAD_UNTRUSTED when too few answer, or when they differ
 */
export async function agreedHead(remotes: readonly HeaderReads[], agree: number): Promise<ForkHeader> {
  const heads = await answers(remotes, (headers) => headers.tagged('latest'))
  const heights = heads.map(({ number }) => number).sort((a, b) => b - a)
  const height = heights[agree - 1]
  if (height === undefined)
    throw headUntrusted(0, `${heads.length} of ${remotes.length} remotes answered, ${agree} must`)
  const blocks = await answers(remotes, async (headers) => (await headers.at([height]))[0] as ForkHeader)
  const votes = new Map<string, ForkHeader[]>()
  for (const block of blocks) {
    const hash = bytesToHex(block.hash)
    votes.set(hash, [...(votes.get(hash) ?? []), block])
  }
  const most = [...votes.values()].sort((a, b) => b.length - a.length)[0] ?? []
  const [block] = most
  if (block !== undefined && most.length >= agree) return block
  throw headUntrusted(height, `${most.length} of ${remotes.length} remotes agree on it, ${agree} must`)
}

/** Of the remotes that answer. A block that a remote does not have is no answer, and neither is a lie. */
async function answers(
  remotes: readonly HeaderReads[],
  ask: (headers: HeaderReads) => Promise<ForkHeader>,
): Promise<ForkHeader[]> {
  const settled = await Promise.allSettled(remotes.map(ask))
  return settled.flatMap((result) => {
    if (result.status === 'fulfilled') return [result.value]
    if (isNodeError(result.reason)) return []
    throw result.reason
  })
}

/**
 * Number of blocks that each signer or validator made in a range of blocks.
 * @module
 */

import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { AbortState } from '../evm/driver.ts'
import { keyToText } from '../storage/keyText.ts'
import type { BlockNumberOrTag } from './blockReference.ts'
import { invalidParams } from './errors.ts'

export interface SignerMetric {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly proposedBlockCount: number
  /** 0 when there is none */
  readonly lastProposedBlockNumber: number
}

export interface SignerMetricsDeps {
  readonly chain: ChainReader
  readonly yieldToHost: YieldToHost
  /** Account that made a block, 20 bytes. */
  authorOf(block: ChainHeader): Uint8Array
  /** Accounts that may make the block after this one. */
  signersAfter(block: ChainHeader): MaybePromise<readonly Uint8Array[]>
}

const DEFAULT_RANGE = 100
/** Blocks between two turns of the event loop; recovering a signer takes about 0.1 ms. */
const SLICE_BLOCKS = 64

/**
 * Counts the blocks from `from` (default: 100 below the head) up to, but not including, `to` (default: the head), and
 * adds the signers that made none of them.
 * @throws {NodeError} INVALID_PARAMS for an empty range, NO_SUCH_BLOCK for `safe` and `finalized`, TIMEOUT
 */
export async function signerMetrics(
  deps: SignerMetricsDeps,
  from: BlockNumberOrTag | undefined,
  to: BlockNumberOrTag | undefined,
  signal: AbortState,
): Promise<readonly SignerMetric[]> {
  const { chain } = deps
  const head = Number(chain.head.header.number)
  const first = from === undefined ? Math.max(0, head - DEFAULT_RANGE) : numberOf(from, head)
  const end = to === undefined ? head : Math.min(numberOf(to, head), head)
  if (first < 0 || first >= end) throw invalidParams(`no blocks from ${first} to ${end}`)
  const metrics = new Map<string, SignerMetric>()
  for (let number = first; number < end; number++) {
    if (number % SLICE_BLOCKS === SLICE_BLOCKS - 1) await deps.yieldToHost()
    if (signal.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    const block = chain.headerByNumber(number)
    if (block === undefined) throw noSuchBlock(`block ${number}`)
    const address = deps.authorOf(block)
    const key = keyToText(address)
    const proposedBlockCount = (metrics.get(key)?.proposedBlockCount ?? 0) + 1
    metrics.set(key, { address, proposedBlockCount, lastProposedBlockNumber: number })
  }
  const last = chain.headerByNumber(end - 1)
  for (const address of last === undefined ? [] : await deps.signersAfter(last)) {
    const key = keyToText(address)
    if (!metrics.has(key)) metrics.set(key, { address, proposedBlockCount: 0, lastProposedBlockNumber: 0 })
  }
  return [...metrics.values()]
}

/** The error of a block that does not exist, for methods of the private-network engines. */
export function noSuchBlock(what: string): NodeError {
  return new NodeError({ code: 'NO_SUCH_BLOCK' }, `${what} does not exist`)
}

function numberOf(block: BlockNumberOrTag, head: number): number {
  if (block.kind === 'number') return block.number
  if (block.tag === 'safe' || block.tag === 'finalized') throw noSuchBlock(`the ${block.tag} block`)
  return block.tag === 'earliest' ? 0 : head
}

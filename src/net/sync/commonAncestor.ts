/**
 * Finds the highest block that this chain and the chain of a peer share.
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { EthPeer, ResponseTo } from '../eth/contract.ts'
import type { BranchHeader, SyncChain } from './contract.ts'
import { hashedRun } from './headerAnswer.ts'
import type { SyncRequests, Verdict } from './requests.ts'

export interface AncestorSearch {
  readonly chain: SyncChain
  readonly residency: Residency | undefined
  readonly requests: SyncRequests
  readonly peer: EthPeer
  /** Blocks below the head within which the ancestor must be. */
  readonly forkBlocks: number
}

export type AncestorOutcome =
  /** @param fork the peer's header above the ancestor, if it differed from this chain; undefined: none was seen */
  | { readonly kind: 'found'; readonly number: number; readonly fork: BranchHeader | undefined }
  /** All blocks in reach differ. @see {@link AncestorSearch.forkBlocks} */
  | { readonly kind: 'none'; readonly lowest: number }
  /** The peer does not deliver headers that it should have. */
  | { readonly kind: 'unanswered' }

/** Headers below the head that the first request covers: all usual reorganisations. */
const NEAR_HEADERS = 64

export async function commonAncestor(search: AncestorSearch): Promise<AncestorOutcome> {
  const { chain, peer, forkBlocks } = search
  const head = Number(chain.head.header.number)
  const first = peer.head.number < head ? Number(peer.head.number) : head
  const lowest = Math.max(0, head - forkBlocks)
  const near = await headersDown(search, first, Math.min(NEAR_HEADERS, first + 1))
  if (near === undefined) return { kind: 'unanswered' }
  let fork: BranchHeader | undefined
  for (const header of near) {
    if (await isShared(search, header)) return { kind: 'found', number: Number(header.header.number), fork }
    fork = header
  }
  let above = first - near.length + 1
  if (above <= lowest) return { kind: 'none', lowest }
  // The block at `below` is assumed to be shared until the end, the one at `above` is not.
  let below = lowest
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2)
    const [header] = (await headersDown(search, middle, 1)) ?? []
    if (header === undefined) return { kind: 'unanswered' }
    if (await isShared(search, header)) below = middle
    else {
      above = middle
      fork = header
    }
  }
  // The peer's Status named the same genesis block.
  if (below > lowest || below === 0) return { kind: 'found', number: below, fork }
  const [floor] = (await headersDown(search, lowest, 1)) ?? []
  if (floor === undefined) return { kind: 'unanswered' }
  return (await isShared(search, floor)) ? { kind: 'found', number: lowest, fork } : { kind: 'none', lowest }
}

/** @returns at least one header, descending; undefined when the peer delivers none */
function headersDown(
  { chain, requests, peer }: AncestorSearch,
  first: number,
  limit: number,
): Promise<readonly BranchHeader[] | undefined> {
  return requests.fetch({
    question: { kind: 'getBlockHeaders', start: BigInt(first), limit: BigInt(limit), skip: 0n, isReverse: true },
    number: first,
    only: peer,
    check: ({ headers }: ResponseTo<'getBlockHeaders'>): Verdict<readonly BranchHeader[]> => {
      if (headers.length === 0) return { kind: 'empty' }
      const run = hashedRun(headers, { first, step: -1, limit }, chain.consensus, peer)
      return run.kind === 'run' ? { kind: 'good', value: run.headers } : run
    },
  })
}

async function isShared({ chain, residency }: AncestorSearch, { header, hash }: BranchHeader): Promise<boolean> {
  const canonicalHash = await retryMisses(() => chain.canonicalHash(Number(header.number)), residency)
  return canonicalHash !== undefined && equalBytes(canonicalHash, hash)
}

/**
 * Completes headers to blocks: fetches bodies and validates them against their headers.
 * @module
 */

import { MAX_BLOCK_LIST_ITEMS, MAX_SERVED_BODIES, SYNC_BODY_ANSWER_BYTES } from '../../base/limits/networkLimits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { TimeSlicer, type YieldToHost } from '../../base/ports/yieldToHost.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import { rlpListOfEncoded, rlpSpan } from '../../base/primitives/rlp.ts'
import type { EncodedBlock } from '../../chain/preparedBlock.ts'
import { checkForm, checkItemCount, gasFault } from '../../chain/validation/bodyForm.ts'
import { type BodyRoots, bodyRoots, checkRoots, checkSize } from '../../chain/validation/bodyRules.ts'
import { decodeBody, splitBlock, splitBody } from '../../types/blockCodec.ts'
import type { ResponseTo } from '../eth/contract.ts'
import type { BranchHeader, SyncChain } from './contract.ts'
import type { SyncRequests, Verdict } from './requests.ts'

export interface BodyFetchDeps {
  readonly chain: Pick<SyncChain, 'config'>
  readonly requests: SyncRequests
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
}

type Found = ReadonlyMap<BranchHeader, EncodedBlock>
type Bodies = ResponseTo<'getBlockBodies'>['bodies']

/** Two empty lists. */
const EMPTY_BODY = Uint8Array.of(0xc2, 0xc0, 0xc0)
/** Three empty lists, the last one for withdrawals. */
const EMPTY_BODY_WITH_WITHDRAWALS = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)
const FIRST_ESTIMATE_BYTES = 8192
const AVERAGE_WEIGHT = 0.05
const SLICE_MS = 8

export class BodyFetch {
  readonly #deps: BodyFetchDeps
  /** Moving average of bodies that are not empty. */
  #averageBytes = FIRST_ESTIMATE_BYTES

  constructor(deps: BodyFetchDeps) {
    this.#deps = deps
  }

  /** Number of bodies to request together. */
  get batch(): number {
    return Math.max(1, Math.min(MAX_SERVED_BODIES, Math.floor(SYNC_BODY_ANSWER_BYTES / this.#averageBytes)))
  }

  /** Expected size of these blocks, bytes. */
  estimate(headers: readonly BranchHeader[]): number {
    return headers.filter((header) => !hasEmptyBody(header)).length * this.#averageBytes
  }

  /** @returns blocks in the order of the headers; undefined when no peer delivers a body */
  async blocks(headers: readonly BranchHeader[]): Promise<readonly EncodedBlock[] | undefined> {
    const blocks = new Map<BranchHeader, EncodedBlock>()
    let missingBodies: readonly BranchHeader[] = headers.filter((header) => !hasEmptyBody(header))
    while (missingBodies.length > 0) {
      const more = await this.#fetch(missingBodies)
      if (more === undefined) return undefined
      for (const [header, block] of more) {
        blocks.set(header, block)
        this.#averageBytes += AVERAGE_WEIGHT * (block.rlp.length - this.#averageBytes)
      }
      missingBodies = missingBodies.filter((header) => !blocks.has(header))
    }
    return headers.map((header) => blocks.get(header) ?? emptyBlockOf(header))
  }

  #fetch(missingBodies: readonly BranchHeader[]): Promise<Found | undefined> {
    return this.#deps.requests.fetch({
      question: { kind: 'getBlockBodies', hashes: missingBodies.map(({ hash }) => hash) },
      number: Number(missingBodies.at(-1)?.header.number),
      check: ({ bodies }: ResponseTo<'getBlockBodies'>) => this.#match(bodies, missingBodies),
    })
  }

  /** Peers may leave out bodies, but must keep their order. */
  async #match(bodies: Bodies, missingBodies: readonly BranchHeader[]): Promise<Verdict<Found>> {
    const { clock, yieldToHost } = this.#deps
    const slicer = new TimeSlicer({ clock, yieldToHost, sliceMs: SLICE_MS })
    const blocks = new Map<BranchHeader, EncodedBlock>()
    let next = 0
    for (const body of bodies) {
      const roots = rootsOf(body, missingBodies.slice(next))
      if (typeof roots === 'string') return { kind: 'wrong', reason: roots }
      let reason = 'more bodies than were requested'
      let block: EncodedBlock | undefined
      while (block === undefined && next < missingBodies.length) {
        const header = missingBodies[next++] as BranchHeader
        const completed = this.#complete(header, body, roots)
        if (typeof completed === 'string') {
          reason = `body of block ${header.header.number}: ${completed}`
        } else {
          block = completed
          blocks.set(header, block)
        }
        if (slicer.isDue) await slicer.yield()
      }
      if (block === undefined) return { kind: 'wrong', reason }
    }
    return blocks.size === 0 ? { kind: 'empty' } : { kind: 'good', value: blocks }
  }

  /** @returns the block, or why the body does not belong to the header */
  #complete(header: BranchHeader, body: Uint8Array, roots: BodyRoots): EncodedBlock | string {
    const fault = checkRoots(roots, header.header)
    if (fault !== undefined) return fault
    try {
      const block = blockOf(header, body)
      return checkSize(block.rlp.length, this.#deps.chain.config.rulesAt(header.header)) ?? block
    } catch (error) {
      if (!isNodeError(error)) throw error
      return error.message
    }
  }
}

/**
 * The roots of a body, computed once for all headers that it may belong to.
 * @returns why it belongs to none, if that is known before
 */
function rootsOf(body: Uint8Array, candidates: readonly BranchHeader[]): BodyRoots | string {
  const mostGas = candidates.reduce((most, { header }) => (header.gasUsed > most ? header.gasUsed : most), 0n)
  try {
    const parts = splitBody(body, MAX_BLOCK_LIST_ITEMS)
    checkForm(parts)
    return gasFault(parts, mostGas) ?? bodyRoots(parts)
  } catch (error) {
    if (!isNodeError(error)) throw error
    return error.message
  }
}

function hasEmptyBody({ header }: BranchHeader): boolean {
  const { transactionsRoot, ommersHash, withdrawalsRoot = EMPTY_TRIE_ROOT } = header
  return (
    equalBytes(transactionsRoot, EMPTY_TRIE_ROOT) &&
    equalBytes(ommersHash, EMPTY_LIST_HASH) &&
    equalBytes(withdrawalsRoot, EMPTY_TRIE_ROOT)
  )
}

function emptyBlockOf(header: BranchHeader): EncodedBlock {
  return blockOf(header, header.header.withdrawalsRoot === undefined ? EMPTY_BODY : EMPTY_BODY_WITH_WITHDRAWALS)
}

/**
 * @param body RLP
 * @throws {NodeError} INVALID_BLOCK_ENCODING, or the code of the malformed part
 */
function blockOf({ header, encoding, hash }: BranchHeader, body: Uint8Array): EncodedBlock {
  checkItemCount(body)
  const rlp = rlpListOfEncoded([encoding, body.subarray(rlpSpan(body, 0).payload)])
  const block = { header, ...decodeBody(body) }
  return { block, hash, rlp, encodings: splitBlock(rlp), hasValidBody: true }
}

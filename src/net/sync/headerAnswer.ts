/**
 * Checks of received headers that need no state: their place in the answer, links, and the rules of header and parent.
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { BlockHasher } from '../../chain/engine.ts'
import { checkRequiredBlock, validateHeader } from '../../chain/validation/headerRules.ts'
import type { Header } from '../../types/block.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { EncodedHeader } from '../protocols/eth/messages.ts'
import type { BranchHeader, SyncChain } from './contract.ts'

export type HeaderAnswer =
  | { readonly kind: 'run'; readonly headers: readonly BranchHeader[] }
  | { readonly kind: 'wrong'; readonly reason: string }

/** Numbers of the headers that an answer may contain, in order. */
export interface ExpectedNumbers {
  readonly first: number
  /** Difference of the numbers of two headers in order. */
  readonly step: number
  readonly limit: number
}

/** Hashes the headers of an answer and checks their numbers. Consecutive ones must be linked. */
export function hashedRun(
  headers: readonly EncodedHeader[],
  { first, step, limit }: ExpectedNumbers,
  hasher: BlockHasher,
  from: EthPeer,
): HeaderAnswer {
  if (headers.length > limit) return { kind: 'wrong', reason: `${headers.length} headers, ${limit} were requested` }
  const run: BranchHeader[] = []
  for (const [i, { header, encoding }] of headers.entries()) {
    const number = first + i * step
    if (header.number !== BigInt(number)) {
      return { kind: 'wrong', reason: `header ${header.number} in place of header ${number}` }
    }
    const hash = hashOf(header, encoding, hasher)
    if (hash === undefined) return { kind: 'wrong', reason: `header ${number} has no valid hash` }
    const previous = run.at(-1)
    const link = { header, encoding, hash, from }
    const [child, parent] = step > 0 ? [link, previous] : [previous, link]
    if (previous !== undefined && Math.abs(step) === 1 && !isParent(parent as BranchHeader, child as BranchHeader)) {
      return { kind: 'wrong', reason: `header ${child?.header.number} does not follow the header before it` }
    }
    run.push(link)
  }
  return { kind: 'run', headers: run }
}

export function isParent(parent: Pick<BranchHeader, 'hash'>, child: Pick<BranchHeader, 'header'>): boolean {
  return equalBytes(child.header.parentHash, parent.hash)
}

/** Some engines define the hash for well-formed headers only. */
function hashOf(header: Header, encoding: Uint8Array, hasher: BlockHasher): Uint8Array | undefined {
  try {
    return hasher.hash(header, encoding)
  } catch (error) {
    if (!isNodeError(error)) throw error
    return undefined
  }
}

export type BranchStep =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly number: bigint; readonly reason: string }
  /** Ahead of the local clock. */
  | { readonly kind: 'future'; readonly number: bigint; readonly timestamp: bigint }

/** Follows the headers of one branch from its first block on. */
export class BranchRules {
  readonly #chain: Pick<SyncChain, 'config' | 'consensus'>
  #parent: Header
  #totalDifficulty: bigint

  /** @param totalDifficulty of the parent of the first header */
  constructor(chain: Pick<SyncChain, 'config' | 'consensus'>, parent: Header, totalDifficulty: bigint) {
    this.#chain = chain
    this.#parent = parent
    this.#totalDifficulty = totalDifficulty
  }

  /** Total difficulty of the last accepted header. */
  get totalDifficulty(): bigint {
    return this.#totalDifficulty
  }

  /** @param nowMs wall clock */
  follow({ header, hash }: BranchHeader, nowMs: number): BranchStep {
    const { number } = header
    const { config, consensus } = this.#chain
    if (consensus.claimedBy(header).arrival(header, nowMs) === 'future') {
      return { kind: 'future', number, timestamp: header.timestamp }
    }
    const choice = consensus.engineFor(header, this.#totalDifficulty)
    if (choice.kind === 'invalid') return { kind: 'invalid', number, reason: choice.reason }
    const { engine } = choice
    const rules = config.rulesAt(header)
    const reason =
      validateHeader(header, { config, rules, parent: this.#parent, engine }) ??
      checkRequiredBlock(number, hash, config) ??
      engine.verifyFields?.(header, this.#parent, rules)
    if (reason !== undefined) return { kind: 'invalid', number, reason: `${reason} (${bytesToHex(hash)})` }
    this.#parent = header
    this.#totalDifficulty += header.difficulty
    return { kind: 'valid' }
  }
}

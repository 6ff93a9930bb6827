/**
 * The rules of ommers.
 * @see Yellow Paper 11.1; docs/reference/pow-ethash.md section 4; EIP-3675
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { Block, BlockBody, Header } from '../../types/block.ts'
import { hashHeader } from '../../types/headerCodec.ts'
import type { ConsensusEngine, ConsensusSchedule, HeaderSource, VerifyContext } from '../engine.ts'
import { validateHeader } from './headerRules.ts'

export const MAX_OMMERS = 2
/** The parent of an ommer is one of the block's ancestors up to this depth. */
export const MAX_OMMER_DEPTH = 6

/** Ancestors and included ommers of the block. */
export interface OmmerContext {
  readonly config: ChainConfig
  readonly engine: ConsensusEngine
  readonly headers: HeaderSource
  verifyContext(engine: ConsensusEngine, rules: ForkRules): VerifyContext
  readonly consensus: ConsensusSchedule
  ommersOf(blockHash: Uint8Array): BlockBody['ommers'] | undefined
}

interface Ancestry {
  /** Youngest (the block's parent) first: the ancestors that may be siblings of an ommer, and one more. */
  readonly ancestors: readonly { readonly hash: Uint8Array; readonly header: Header }[]
  /** Hashes of the ommers of these ancestors. */
  readonly included: readonly Uint8Array[]
}

/** @returns why the ommers are invalid; undefined when they are valid */
export function validateOmmers(block: Block, context: OmmerContext): string | undefined {
  const { ommers } = block
  if (ommers.length === 0) return undefined
  if (!context.engine.allowsOmmers) return `invalid ommers: ${ommers.length}, this consensus allows none`
  if (ommers.length > MAX_OMMERS) return `invalid ommers: ${ommers.length}, the maximum is ${MAX_OMMERS}`
  const hashes = ommers.map(hashHeader)
  const [first, second] = hashes
  if (hashes.length === 2 && equalBytes(first as Uint8Array, second as Uint8Array))
    return `invalid ommers: ${bytesToHex(first as Uint8Array)} is listed twice`
  const ancestry = collectAncestry(block.header, context)
  for (const [i, ommer] of ommers.entries()) {
    const hash = hashes[i] as Uint8Array
    const reason = checkPlace(ommer, hash, ancestry) ?? checkOmmerHeader(ommer, ancestry, context)
    if (reason !== undefined) return `invalid ommer ${bytesToHex(hash)}: ${reason}`
  }
  return undefined
}

function collectAncestry(header: Header, { headers, ommersOf }: OmmerContext): Ancestry {
  const ancestors: { hash: Uint8Array; header: Header }[] = []
  const included: Uint8Array[] = []
  let hash = header.parentHash
  while (ancestors.length <= MAX_OMMER_DEPTH) {
    const ancestor = headers.headerByHash(hash)
    if (ancestor === undefined) break
    ancestors.push({ hash, header: ancestor })
    for (const ommer of ommersOf(hash) ?? []) included.push(hashHeader(ommer))
    hash = ancestor.parentHash
  }
  return { ancestors, included }
}

function checkPlace(ommer: Header, hash: Uint8Array, { ancestors, included }: Ancestry): string | undefined {
  if (included.some((other) => equalBytes(other, hash))) return 'already included by an ancestor'
  if (ancestors.some((ancestor) => equalBytes(ancestor.hash, hash))) return 'it is an ancestor'
  const siblings = ancestors.slice(0, MAX_OMMER_DEPTH)
  return siblings.some(({ header }) => equalBytes(header.parentHash, ommer.parentHash))
    ? undefined
    : `parent ${bytesToHex(ommer.parentHash)} is not the parent of one of the last ${siblings.length} ancestors`
}

function checkOmmerHeader(ommer: Header, { ancestors }: Ancestry, context: OmmerContext): string | undefined {
  const parent = ancestors.find(({ hash }) => equalBytes(hash, ommer.parentHash))?.header
  if (parent === undefined) return `unknown parent ${bytesToHex(ommer.parentHash)}`
  const { config } = context
  const engine = context.consensus.claimedBy(ommer)
  if (!engine.allowsOmmers) return 'not a proof-of-work header'
  const rules = config.rulesAt(ommer)
  return (
    validateHeader(ommer, { config, rules, parent, engine }) ??
    engine.verifyHeader(ommer, parent, context.verifyContext(engine, rules))
  )
}

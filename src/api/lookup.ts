/**
 * Resolves names of blocks and states in requests.
 * @module
 */

import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import type { ChainHeader, ChainReader, PendingBlock } from '../chain/contract.ts'
import type { PendingSource } from '../sealing/contract.ts'
import type { StateReader, StateSource } from '../state/contract.ts'
import { type BlockNumberOrTag, type BlockNumberOrTagOrHash, type BlockTag, LATEST } from './blockReference.ts'
import { invalidParams } from './errors.ts'
import type { ApiOptions } from './options.ts'

/**
 * The pending block if `block` names it; undefined for any other block, or if the node does not show one.
 * @throws {StoreMiss} when it has to be built
 */
export function pendingOf(block: BlockNumberOrTagOrHash, pending: PendingSource | undefined): PendingBlock | undefined {
  return pending !== undefined && block.kind === 'tag' && block.tag === 'pending' ? pending.current() : undefined
}

/**
 * The block that a block parameter names; undefined when it does not exist.
 * @param pending resolves `pending`; without it that is the head
 * @throws {NodeError} UNKNOWN_BLOCK for `safe` or `finalized` before fork choice has set them
 */
export function findHeader(
  chain: ChainReader,
  block: BlockNumberOrTag,
  pending?: PendingSource,
): ChainHeader | undefined {
  if (block.kind === 'tag') return pendingOf(block, pending)?.header ?? taggedHeader(chain, block.tag)
  const { number } = block
  if (number < 0 || number > Number(chain.head.header.number)) return undefined
  return chain.headerByNumber(number)
}

function taggedHeader(chain: ChainReader, tag: BlockTag): ChainHeader {
  if (tag === 'earliest') return earliestHeader(chain)
  if (tag === 'latest' || tag === 'pending') return chain.head
  const header = tag === 'safe' ? chain.safe : chain.finalized
  if (header === undefined) throw new NodeError({ code: 'UNKNOWN_BLOCK' }, `${tag} block not found`)
  return header
}

function earliestHeader(chain: ChainReader): ChainHeader {
  const { genesis, lowestNumber } = chain
  if (Number(genesis.header.number) === lowestNumber) return genesis
  return chain.headerByNumber(lowestNumber) ?? genesis
}

/**
 * Number of the first or last block of a range; a number beyond the head is returned unchanged.
 * @throws {NodeError} INVALID_PARAMS for `safe` or `finalized` before fork choice has set them
 */
export function rangeEnd(chain: ChainReader, block: BlockNumberOrTag): number {
  if (block.kind === 'number') return block.number
  if (block.tag === 'earliest') return chain.lowestNumber
  try {
    return Number(taggedHeader(chain, block.tag).header.number)
  } catch (error) {
    if (isNodeError(error, 'UNKNOWN_BLOCK')) throw invalidParams(error.message)
    throw error
  }
}

/**
 * The block that a parameter "number, tag or hash" names.
 * @throws {NodeError} BLOCK_NOT_FOUND; JSON_RPC_NOT_CANONICAL_ERROR when it must be canonical but is not; UNKNOWN_BLOCK
 */
export function requireHeader(chain: ChainReader, block: BlockNumberOrTagOrHash, pending?: PendingSource): ChainHeader {
  if (block.kind !== 'hash') {
    const header = findHeader(chain, block, pending)
    if (header === undefined) throw blockNotFound()
    return header
  }
  const header = chain.headerByHash(block.hash)
  if (header === undefined) throw blockNotFound()
  if (block.requireCanonical && !chain.isCanonical(block.hash)) {
    throw new NodeError({ code: 'JSON_RPC_NOT_CANONICAL_ERROR' }, 'hash is not currently canonical')
  }
  return header
}

function blockNotFound(): NodeError {
  return new NodeError({ code: 'BLOCK_NOT_FOUND' }, 'header not found')
}

export interface StateQuery {
  readonly chain: ChainReader
  readonly states: Pick<StateSource, 'at'>
  readonly options: ApiOptions
  readonly pending?: PendingSource | undefined
}

/** State after the named block (default: the head); undefined when it is not available. */
export function stateAt(backend: StateQuery, block: BlockNumberOrTagOrHash | undefined): StateReader | undefined {
  return backend.states.at(requireHeader(backend.chain, block ?? LATEST, backend.pending))
}

/** Like {@link requireHeader}, but returns undefined for a block that does not exist. */
export function findByReference(chain: ChainReader, block: BlockNumberOrTagOrHash): ChainHeader | undefined {
  return block.kind === 'hash' ? chain.headerByHash(block.hash) : findHeader(chain, block)
}

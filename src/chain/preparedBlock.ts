/**
 * Preparation of a block before the writer processes it: splits it into the parts to hash, recovers senders. Does not
 * read the chain.
 * @module
 */

import type { RecoveryTask, SenderRecovery } from '../base/ports/host.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { rlpListOfEncoded, rlpSpan } from '../base/primitives/rlp.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Block, Header } from '../types/block.ts'
import { type BlockEncodings, encodeBlock, replaceHeader, splitBlock } from '../types/blockCodec.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { signatureOf } from '../types/transactionCodec.ts'
import type { TransactionKeys } from './blockRecord.ts'
import type { BlockHasher } from './engine.ts'

export interface EncodedBlock {
  readonly block: Block
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
  /** Views into `rlp`, or into what it was joined from. */
  readonly encodings: BlockEncodings
  /** Whether the body has been validated against the header (validation/bodyRules.ts). */
  readonly hasValidBody?: boolean
}

export interface PreparedBlock extends EncodedBlock {
  readonly transactions: TransactionKeys
  /** Index of the first transaction from whose signature no sender can be recovered; undefined when there is none. */
  readonly invalidSignature: number | undefined
}

/** @param rlp the encoding from which the block was decoded, if available */
export function encodedBlock(block: Block, hasher: BlockHasher, rlp: Uint8Array = encodeBlock(block)): EncodedBlock {
  const encodings = splitBlock(rlp)
  return { block, hash: hasher.hash(block.header, encodings.header), rlp, encodings }
}

/** Recovers all senders of these blocks in one call. */
export async function prepareBlocks(
  blocks: readonly EncodedBlock[],
  recovery: SenderRecovery,
): Promise<readonly PreparedBlock[]> {
  const tasks: RecoveryTask[] = blocks.flatMap(({ block }) => block.transactions.map(signatureOf))
  const recovering = tasks.length === 0 ? [] : recovery.recover(tasks)
  const hashes = blocks.map(({ encodings }) => encodings.transactions.map(keccak256))
  const recoveredSenders = await recovering
  let next = 0
  return blocks.map((block, i) => {
    const count = block.block.transactions.length
    next += count
    return withSenders(block, recoveredSenders.slice(next - count, next), hashes[i] ?? [])
  })
}

/** @param senders 20 bytes each; undefined for an invalid signature */
export function withSenders(
  block: EncodedBlock,
  senders: readonly (Uint8Array | undefined)[],
  hashes: readonly Uint8Array[],
): PreparedBlock {
  const knownSenders = senders.filter((sender) => sender !== undefined)
  const invalidSignature = knownSenders.length === senders.length ? undefined : senders.indexOf(undefined)
  return { ...block, transactions: { senders: knownSenders, hashes }, invalidSignature }
}

/** Fields that a seal may set: execution does not depend on them. */
export type BlockSeal = Partial<Pick<Header, 'mixHash' | 'nonce' | 'extraData'>>

/**
 * The block with a sealed header, and thus another hash.
 * @throws {NodeError} CANDIDATE_SEAL_REFUSED
 */
export function withSeal(
  prepared: PreparedBlock,
  seal: BlockSeal,
  { config, consensus }: { readonly config: ChainConfig; readonly consensus: BlockHasher },
): PreparedBlock {
  if (Object.keys(seal).length === 0) return prepared
  const { block, rlp, encodings } = prepared
  if (seal.mixHash !== undefined && config.rulesAt(block.header).eips.has(4399))
    throw new NodeError(
      { code: 'CANDIDATE_SEAL_REFUSED' },
      'mixHash is not part of the seal: contracts read it (EIP-4399)',
    )
  const { mixHash, nonce, extraData } = { ...block.header, ...seal }
  const header: Header = { ...block.header, mixHash, nonce, extraData }
  const encoded = encodeHeader(header)
  return {
    ...prepared,
    block: { ...block, header },
    hash: consensus.hash(header, encoded),
    rlp: replaceHeader(rlp, encoded),
    encodings: { ...encodings, header: encoded },
  }
}

/** RLP of the block without its header, as stored. */
export function bodyRlp({ rlp, encodings }: EncodedBlock): Uint8Array {
  return rlpListOfEncoded([rlp.subarray(rlpSpan(rlp, 0).payload + encodings.header.length)])
}

/**
 * Blocks and signatures without cryptography: a signature names its author, and only the holder of an identity makes
 * some with its name. The hash and the digest of a block stand for its header; anyone can put another body under it.
 * @module
 */

import { bytesToHexUnprefixed, readUint, writeUint } from '../../../src/base/primitives/bytes.ts'
import type { AgreementContext } from '../../../src/consensus/bft/machine/contract.ts'
import type { BftBlock, Message, Payload, Signed } from '../../../src/consensus/bft/messages/payloads.ts'
import type { SetRule, ValidatorSet, Vote } from './abstractSets.ts'

const NO_BYTES = new Uint8Array(0)
const ROUND_AT = 8
/** The bodies of blocks: the one that the header names, and any other. */
const OWN_BODY = Uint8Array.of(1)
const OTHER_BODY = Uint8Array.of(2)

/** The content of a block: everything but its round. */
export interface Content {
  readonly id: number
  readonly height: number
  readonly parent: number
  readonly timestamp: number
  readonly isValid: boolean
  /** The validators of the next block, ascending, and the votes for others. */
  readonly set: ValidatorSet
}

/** All that the author of a block chooses. */
export interface Draft extends Pick<Content, 'parent' | 'timestamp' | 'isValid'> {
  readonly vote: Vote | undefined
}

/** All blocks that were ever made in one run. */
export class AbstractBlocks {
  readonly #contents: Content[]
  readonly #rule: SetRule

  constructor(set: ValidatorSet, rule: SetRule) {
    this.#contents = [{ id: 0, height: 0, parent: -1, timestamp: 0, isValid: true, set }]
    this.#rule = rule
  }

  /** The block that precedes height 1. */
  get genesis(): Content {
    return this.#contents[0] as Content
  }

  create({ vote, ...draft }: Draft, round: number, beneficiary: Uint8Array): BftBlock {
    const parent = this.#contents[draft.parent] as Content
    const [id, height] = [this.#contents.length, parent.height + 1]
    const set = this.#rule(parent.set, height, indexOf(beneficiary), vote)
    this.#contents.push({ ...draft, id, height, set })
    return blockOf(id, height, round, beneficiary)
  }

  contentOf({ hash }: Pick<BftBlock, 'hash'>): Content {
    return this.#contents[readUint(hash, 0, 4)] as Content
  }

  parentOf({ parent }: Content): Content {
    return this.#contents[parent] as Content
  }
}

function blockOf(
  id: number,
  height: number,
  round: number,
  beneficiary: Uint8Array,
  encoded: Uint8Array = OWN_BODY,
): BftBlock {
  const hash = new Uint8Array(32)
  writeUint(hash, 0, id, 4)
  const digest = hash.slice()
  writeUint(digest, ROUND_AT, round + 1, 4)
  return { height, round, digest, hash, beneficiary, encoded }
}

export function withRound(block: BftBlock, round: number): BftBlock {
  return blockOf(readUint(block.hash, 0, 4), block.height, round, block.beneficiary, block.encoded)
}

/** The same header over another body. */
export function withOtherBody(block: BftBlock): BftBlock {
  return { ...block, encoded: OTHER_BODY }
}

export function hasOwnBody({ encoded }: BftBlock): boolean {
  return encoded === OWN_BODY
}

/** Decoding verifies that a block is its header and the body that the header names. */
export function isWellFormed(message: Message): boolean {
  return !('block' in message) || message.block === undefined || hasOwnBody(message.block)
}

export function addressOf(index: number): Uint8Array {
  const address = new Uint8Array(20)
  address[19] = index + 1
  return address
}

export function indexOf(address: Uint8Array): number {
  return (address[19] as number) - 1
}

/** A seal is the author's index and the digest. */
function sealOf(index: number, digest: Uint8Array): Uint8Array {
  const seal = new Uint8Array(65)
  seal[0] = index + 1
  seal.set(digest, 1)
  return seal
}

/** A seal of another digest. */
export function forgedSeal(index: number): Uint8Array {
  return sealOf(index, new Uint8Array(32))
}

export function sealAuthor(digest: Uint8Array, seal: Uint8Array): Uint8Array | undefined {
  for (let i = 0; i < digest.length; i++) if (digest[i] !== seal[i + 1]) return undefined
  return seal[0] === 0 ? undefined : addressOf((seal[0] as number) - 1)
}

export function identity(index: number): AgreementContext {
  const local = addressOf(index)
  return {
    local,
    sign: <P extends Payload>(payload: P): Signed<P> => ({ payload, signature: NO_BYTES, author: local }),
    seal: (digest) => sealOf(index, digest),
    sealAuthor,
    withRound,
  }
}

/** The content that a signature covers, to compare two of them. */
export function textOf(payload: Payload): string {
  if (payload.kind !== 'roundChange') return bytesToHexUnprefixed(payload.digest)
  const { prepared } = payload
  return prepared === undefined ? 'nothing' : `${prepared.round} ${bytesToHexUnprefixed(prepared.digest)}`
}

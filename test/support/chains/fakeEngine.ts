/** A consensus engine for tests, whose decisions are visible in its blocks. */

import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type {
  BlockRewards,
  ConsensusEngine,
  Finality,
  ParentContext,
  VerifyContext,
} from '../../../src/chain/engine.ts'
import type { Header } from '../../../src/types/block.ts'
import { encodeHeader } from '../../../src/types/headerCodec.ts'

export interface FakeEngineOptions {
  readonly name?: ConsensusEngine['name']
  readonly finality?: Finality
  readonly periodSeconds?: bigint
  /** Account whose balance must appear as one byte in the extra data of a block. */
  readonly watched?: Uint8Array
}

const EMPTY_NONCE = new Uint8Array(8)

/**
 * The nonce is the seal and is not covered by the block hash. The store contains the number of blocks up to each one.
 */
export class FakeEngine implements ConsensusEngine {
  readonly name: ConsensusEngine['name']
  readonly finality: Finality
  readonly allowsOmmers = false
  readonly periodSeconds: bigint
  readonly #watched: Uint8Array | undefined
  readonly verified: { readonly header: Header; readonly context: VerifyContext }[] = []

  constructor({ name = 'clique', finality = 'difficulty', periodSeconds = 1n, watched }: FakeEngineOptions = {}) {
    this.name = name
    this.finality = finality
    this.periodSeconds = periodSeconds
    this.#watched = watched
  }

  hash(header: Header): Uint8Array {
    return keccak256(encodeHeader({ ...header, nonce: EMPTY_NONCE }))
  }

  arrival({ timestamp }: Header, nowMs: number): 'now' | 'future' {
    return timestamp * 1000n > BigInt(nowMs) ? 'future' : 'now'
  }

  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined {
    this.verified.push({ header, context })
    if (header.timestamp < parent.timestamp + this.periodSeconds) return 'too early'
    if (!equalBytes(header.extraData, this.#expectedExtraData(context))) return 'wrong extra data'
    context.store.put(this.hash(header), Uint8Array.of(this.#count(parent, context) + 1))
    return undefined
  }

  author({ beneficiary }: Header): Uint8Array {
    return beneficiary
  }

  prepare(draft: Header, parent: Header, context: ParentContext): Header {
    const earliest = parent.timestamp + this.periodSeconds
    return {
      ...draft,
      difficulty: 2n,
      extraData: this.#expectedExtraData(context),
      timestamp: draft.timestamp < earliest ? earliest : draft.timestamp,
    }
  }

  rewards(): BlockRewards {
    return { staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] }
  }

  finalize(): void {}

  #expectedExtraData({ parentState }: ParentContext): Uint8Array {
    if (this.#watched === undefined) return new Uint8Array(0)
    return Uint8Array.of(Number((parentState().getAccount(this.#watched)?.balance ?? 0n) % 256n))
  }

  #count(parent: Header, { store }: ParentContext): number {
    return store.get(this.hash(parent))?.[0] ?? 0
  }
}

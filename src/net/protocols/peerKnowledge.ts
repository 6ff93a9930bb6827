import { MAX_KNOWN_BLOCKS, MAX_KNOWN_TRANSACTIONS } from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { KnownHashes, randomFactors } from './knownHashes.ts'

/** Blocks and transactions that a peer has sent or received: they are not sent to it again. */
export class PeerKnowledge {
  readonly blocks: KnownHashes
  readonly transactions: KnownHashes

  constructor(random: Random) {
    const factors = randomFactors(random)
    this.blocks = new KnownHashes(MAX_KNOWN_BLOCKS, factors)
    this.transactions = new KnownHashes(MAX_KNOWN_TRANSACTIONS, factors)
  }
}

import { MAX_KNOWN_BLOCKS, MAX_KNOWN_TRANSACTIONS } from '../config/limits.ts'
import { KnownHashes } from './knownHashes.ts'

/** Blocks and transactions that a peer has sent or received: they are not sent to it again. */
export class PeerKnowledge {
  readonly blocks: KnownHashes = new KnownHashes(MAX_KNOWN_BLOCKS)
  readonly transactions: KnownHashes = new KnownHashes(MAX_KNOWN_TRANSACTIONS)
}

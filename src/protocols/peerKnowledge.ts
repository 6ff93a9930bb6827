import { MAX_KNOWN_BLOCKS, MAX_KNOWN_TRANSACTIONS } from '../config/limits.ts'
import { KnownHashes } from './knownHashes.ts'

/** What a peer has sent or got: it is not sent again. */
export class PeerKnowledge {
  readonly blocks: KnownHashes = new KnownHashes(MAX_KNOWN_BLOCKS)
  readonly transactions: KnownHashes = new KnownHashes(MAX_KNOWN_TRANSACTIONS)
}

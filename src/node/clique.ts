/**
 * Clique as the API sees it, over a chain that uses it.
 * @module
 */
import type { CliqueAccess } from '../api/cliqueAccess.ts'
import { noSuchBlock } from '../api/signerMetrics.ts'
import type { BlockReads } from '../chain/blockReads.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { CliqueEngine } from '../consensus/clique/clique.ts'
import type { SnapshotReads } from '../consensus/clique/snapshots.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'
import { CLIQUE_KINDS, usesEngine } from './engineKinds.ts'
import type { SignerGroup } from './signerWatch.ts'

/** Stored data from which the signers after a block are derived. */
export function cliqueReads(chain: Pick<BlockReads, 'headerByHash' | 'engineStore'>): SnapshotReads {
  return {
    headers: { headerByHash: (hash) => chain.headerByHash(hash)?.header },
    store: chain.engineStore('clique'),
  }
}

/** The signers as a group to follow; undefined when the chain does not use Clique. */
export function cliqueGroup(
  chain: BlockReads,
  consensus: ConsensusSchedule,
  votes: VoteIntents,
): SignerGroup | undefined {
  if (!usesEngine(chain.config, CLIQUE_KINDS)) return undefined
  const reads = cliqueReads(chain)
  return {
    member: 'signer',
    votes,
    after: ({ header, hash, totalDifficulty }) => {
      const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
      const { engine } = consensus.nextBlock(next, totalDifficulty)
      return engine instanceof CliqueEngine ? engine.snapshotAfter(hash, reads).signers : undefined
    },
  }
}

/** @returns undefined when the chain does not use Clique */
export function cliqueAccess(
  chain: BlockReads,
  consensus: ConsensusSchedule,
  proposals: CliqueAccess['proposals'],
): CliqueAccess | undefined {
  if (!usesEngine(chain.config, CLIQUE_KINDS)) return undefined
  const reads = cliqueReads(chain)
  return {
    proposals,
    signersAfter: ({ header, hash }) => {
      const engine = consensus.claimedBy(header)
      if (engine instanceof CliqueEngine) return engine.snapshotAfter(hash, reads).signers
      throw noSuchBlock(`a Clique block ${header.number}`)
    },
  }
}

/**
 * Methods of the consensus engines with known validators.
 * @module
 */
import type { Ask } from '../../rpc/ask.ts'

export interface Engine {
  /** Group of methods, in lower case. */
  readonly group: string
  readonly name: string
  /** The engine's word for them: `signer`. */
  readonly member: string
  readonly propose: string
  readonly discard: string
  readonly validators: (ask: Ask) => Promise<readonly string[]>
  /** Answers addresses with true for a vote to add, false for one to remove. */
  readonly votes: string
  readonly metrics: string
}

export interface Metric {
  readonly address: string
  readonly proposedBlockCount: string
  readonly lastProposedBlockNumber: string
}

export const ENGINES: readonly Engine[] = [
  {
    group: 'clique',
    name: 'Clique',
    member: 'signer',
    propose: 'clique_propose',
    discard: 'clique_discard',
    validators: (ask) => ask('clique_getSigners'),
    votes: 'clique_proposals',
    metrics: 'clique_getSignerMetrics',
  },
  bft('ibft', 'IBFT 2.0'),
  bft('qbft', 'QBFT'),
]

function bft(group: string, name: string): Engine {
  return {
    group,
    name,
    member: 'validator',
    propose: `${group}_proposeValidatorVote`,
    discard: `${group}_discardValidatorVote`,
    validators: (ask) => ask(`${group}_getValidatorsByBlockNumber`, 'latest'),
    votes: `${group}_getPendingVotes`,
    metrics: `${group}_getSignerMetrics`,
  }
}

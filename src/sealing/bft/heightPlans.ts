/**
 * The rules of the next height, from the head.
 * @see docs/reference/consensus-ibft-qbft.md sections 4 to 6 and 10
 * @module
 */

import { MAX_BFT_FUTURE_BYTES } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import { type BftSettings, emptyPeriodMsOf, leastSecondsOf, periodMsOf } from '../../config/bftConfig.ts'
import { BftEngine } from '../../consensus/bft/bft.ts'
import type { HeightPlan, MachineLimits } from '../../consensus/bft/machine/contract.ts'
import { proposerOf } from '../../consensus/bft/proposer.ts'
import { quorumOf } from '../../consensus/bft/quorum.ts'
import type { BftValidators } from './contract.ts'
import { PROTOCOLS, type Protocol } from './protocols.ts'

export interface NextHeight {
  readonly head: ChainHeader
  readonly plan: HeightPlan
  readonly protocol: Protocol
  readonly settings: BftSettings
}

export interface HeightDeps {
  readonly consensus: ConsensusSchedule
  readonly validators: BftValidators
  readonly clock: Clock
}

/**
 * @returns undefined when the next block belongs to another engine
 * @throws {NodeError} VALIDATORS_UNKNOWN
 */
export async function nextHeight(
  head: ChainHeader,
  { consensus, validators, clock }: HeightDeps,
): Promise<NextHeight | undefined> {
  const { header, totalDifficulty } = head
  const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
  const { engine } = consensus.nextBlock(next, totalDifficulty)
  if (!(engine instanceof BftEngine)) return undefined
  const { settings } = engine
  const members = await validators.after(head)
  const parentProposer = validators.proposerOf(head)
  const protocol = PROTOCOLS[engine.name]
  const parentTimestamp = Number(header.timestamp)
  const isInMilliseconds = settings.periodMilliseconds !== undefined
  // Timestamps are whole seconds, so a period in milliseconds begins with the parent's arrival.
  const dueMs = (isInMilliseconds ? clock.now() : parentTimestamp * 1000) + periodMsOf(settings)
  const emptyPeriodMs = emptyPeriodMsOf(settings)
  const plan: HeightPlan = {
    height: Number(next.number),
    rules: protocol.rules,
    validators: members,
    quorum: quorumOf(members.length),
    proposerOf: (round) => proposerOf(members, parentProposer, round),
    leastTimestamp: parentTimestamp + leastSecondsOf(settings),
    dueMs,
    emptyDueMs: emptyPeriodMs === 0 ? dueMs : Math.max(parentTimestamp * 1000 + emptyPeriodMs, dueMs),
    requestTimeoutMs: settings.requestTimeoutSeconds * 1000,
  }
  return { head, plan, protocol, settings }
}

export function limitsOf({ futureMessagesLimit, futureMessagesMaxDistance }: BftSettings): MachineLimits {
  return { futureMessagesLimit, futureMessagesMaxDistance, futureMessagesBytes: MAX_BFT_FUTURE_BYTES }
}

/**
 * Entering a round.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @module
 */
import { MAX_BFT_ROUND_MS } from '../../../base/limits/limits.ts'
import { ballotsFrom } from './ballots.ts'
import type { HeightPlan } from './contract.ts'
import type { Step } from './state.ts'

/** Starts the timer of a round and drops everything of lower rounds. */
export function enterRound(step: Step, round: number, delayMs?: number): void {
  const { examined, failures, prepares, commits, roundChanges } = step.work
  step.set({
    round,
    proposal: undefined,
    isPrepared: false,
    isProposing: false,
    reproposal: undefined,
    awaitsTransactions: false,
    examined: new Map([...examined].filter(([other]) => other >= round)),
    failures: new Map([...failures].filter(([other]) => other >= round)),
    prepares: ballotsFrom(prepares, round),
    commits: ballotsFrom(commits, round),
    roundChanges: ballotsFrom(roundChanges, round),
  })
  setRoundTimer(step, delayMs)
}

/** Replaces the timer of the round in progress. */
export function setRoundTimer(step: Step, delayMs: number = roundDelayMs(step.plan, step.work.round)): void {
  const { plan, work } = step
  const { round } = work
  step.effect({ kind: 'setRoundTimer', height: plan.height, round, delayMs })
}

/** Each round lasts twice as long as the one before, up to the cap. */
function roundDelayMs({ requestTimeoutMs }: HeightPlan, round: number): number {
  return Math.min(requestTimeoutMs * 2 ** Math.max(round, 0), Math.max(MAX_BFT_ROUND_MS, requestTimeoutMs))
}

/**
 * Entering a round.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @module
 */
import { MAX_TIMER_MS } from '../../../base/ports/timers.ts'
import { ballotsFrom } from './ballots.ts'
import type { Step } from './state.ts'

/** Starts the timer of a round and drops everything of lower rounds. */
export function enterRound(step: Step, round: number): void {
  const { plan, examined, prepares, commits, roundChanges } = step.work
  step.set({
    round,
    proposal: undefined,
    isPrepared: false,
    awaitsTransactions: false,
    examined: new Map([...examined].filter(([other]) => other >= round)),
    prepares: ballotsFrom(prepares, round),
    commits: ballotsFrom(commits, round),
    roundChanges: ballotsFrom(roundChanges, round),
  })
  step.effect({
    kind: 'setRoundTimer',
    height: plan.height,
    round,
    delayMs: roundDelayMs(plan.requestTimeoutMs, round),
  })
}

/** Each round lasts twice as long as the one before. */
function roundDelayMs(requestTimeoutMs: number, round: number): number {
  return Math.min(requestTimeoutMs * 2 ** Math.max(round, 0), MAX_TIMER_MS)
}

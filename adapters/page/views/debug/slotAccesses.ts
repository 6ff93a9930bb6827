/**
 * Reads and writes of storage before a step.
 * @module
 */
import type { Ask } from '../../rpc/ask.ts'
import type { StepCache } from './stepCache.ts'
import type { FoundStep, Step, Target } from './types.ts'

export interface SlotAccess {
  readonly step: number
  /** Whose storage it is. */
  readonly address: string
  readonly isWrite: boolean
  readonly isTransient: boolean
  readonly slot: string
  /** After the step. */
  readonly value: string
  /** By the cost of the step; undefined for transient storage, which has no cold slots. */
  readonly warmth: 'warm' | 'cold' | undefined
}

const OPCODES = ['SLOAD', 'SSTORE', 'TLOAD', 'TSTORE']
const MAX_ACCESSES = 12
/** EIP-2929: the price of a cold slot, which SSTORE pays on top of 100, 2,900 or 20,000. */
const COLD_COST = 2100
const COLD_COSTS: Readonly<Record<string, readonly number[]>> = {
  SLOAD: [COLD_COST],
  SSTORE: [100, 2900, 20_000].map((cost) => COLD_COST + cost),
}
const WARM_COSTS: Readonly<Record<string, readonly number[]>> = {
  SLOAD: [100],
  SSTORE: [100, 2900, 20_000],
}

/** @returns the accesses of the step itself and of the last ones before it, the newest first */
export async function slotAccesses(
  ask: Ask,
  target: Target,
  cache: StepCache,
  from: Step,
): Promise<readonly SlotAccess[]> {
  const accesses: SlotAccess[] = accessesOf(from, cache)
  for (let at = from.index; accesses.length < MAX_ACCESSES; ) {
    const where = { op: OPCODES }
    const found = await ask<FoundStep | null>('debug_findStep', target, { from: at, direction: 'backward', where })
    if (found === null) break
    const step = await cache.step(ask, found.index)
    if (step !== undefined) accesses.push(...accessesOf(step, cache))
    at = found.index
  }
  return accesses
}

/** One for a step that reads or writes a slot, none for others. */
export function accessesOf(step: Step, cache: Pick<StepCache, 'frame'>): SlotAccess[] {
  const isTransient = step.op.startsWith('T')
  return Object.entries(step.storage ?? {}).map(([slot, value]) => ({
    step: step.index,
    address: cache.frame(step.frame)?.address ?? '',
    isWrite: step.op.endsWith('STORE'),
    isTransient,
    slot,
    value,
    warmth: warmthOf(step),
  }))
}

/** Forks before EIP-2929 have other costs, and no warm slots. */
function warmthOf({ op, gasCost }: Step): SlotAccess['warmth'] {
  if (COLD_COSTS[op]?.includes(gasCost)) return 'cold'
  return WARM_COSTS[op]?.includes(gasCost) ? 'warm' : undefined
}

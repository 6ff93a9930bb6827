/**
 * Deletes the states of old blocks in the background. First a batch moves the bound below which no state may be read; once
 * readers that began before have ended, the nodes that no later state has are deleted block by block, with the diffs of
 * these blocks and with blocks of other branches. An interrupted deletion continues at the block where it stopped.
 * @module
 */
import {
  MAX_PRUNE_MOVE_BLOCKS,
  MAX_PRUNE_STEP_BLOCKS,
  MAX_PRUNED_KEYS,
  PRUNE_GRACE_MS,
  PRUNE_STEP_DIVISOR,
} from '../../base/limits/limits.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { KeyValueStore, Residency } from '../../base/ports/keyValueStore.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { StateRoot } from '../../state/contract.ts'
import { obsoleteNodes } from '../../state/obsoleteNodes.ts'
import type { BlockId } from '../../state/stateDiff.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { keys } from '../../storage/schema.ts'
import { decodeNumber, encodeNumber } from '../blockRecord.ts'
import type { BlockStore } from '../blockStore.ts'
import type { Chain } from '../chain.ts'
import type { WriteTask } from '../writeTask.ts'
import { childrenOf, recordKeys, stateRecordKeys, statesOf, storedBlocks } from './blockStates.ts'

export interface PrunerOptions {
  readonly chain: Pick<Chain, 'run' | 'events' | 'consensus'>
  readonly kv: KeyValueStore
  readonly residency: Residency | undefined
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
  /** Number of blocks below the head whose states are kept; a run of empty blocks counts as one. */
  readonly retained: number
  /** Whether the chain has no consensus client that may choose another branch (dev chain). */
  readonly isDev: boolean
  /** Time for readers that began before the bound was moved. Default PRUNE_GRACE_MS. */
  readonly graceMs?: number
  /** Blocks by which the bound moves at least. Default: a part of those that are kept. */
  readonly stepBlocks?: number
  /** Called with the last block whose state is deleted. */
  readonly onDeleted?: (number: number) => void
}

/** One block, or consecutive blocks of a run: they have one state. */
interface Unit {
  readonly first: number
  readonly last: number
  /** Of the last block. */
  readonly hash: Uint8Array
  readonly states: readonly StateRoot[]
}

export class StatePruner {
  readonly name = 'pruning of states'
  readonly #options: PrunerOptions
  readonly #stepBlocks: number
  /** Heads since the bound was last examined. */
  #headCount = 0
  #work: Promise<void> | undefined
  #isStopped = false
  #stopListening: (() => void) | undefined
  #endGrace: (() => void) | undefined

  constructor(options: PrunerOptions) {
    this.#options = options
    const { retained, stepBlocks = Math.floor(retained / PRUNE_STEP_DIVISOR) } = options
    this.#stepBlocks = Math.max(1, Math.min(MAX_PRUNE_STEP_BLOCKS, stepBlocks))
  }

  start(): void {
    this.#stopListening = this.#options.chain.events.on('head', () => {
      if (++this.#headCount >= this.#stepBlocks) this.#wake()
    })
    this.#wake()
  }

  /** Waits for the batch in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening?.()
    this.#endGrace?.()
    await this.#work
  }

  /** Deletes all that the present head allows, with or without {@link start}. {@link stop} ends it after a batch. */
  async prune(): Promise<void> {
    while (this.#work !== undefined) await this.#work
    this.#work = this.#run()
    try {
      await this.#work
    } finally {
      this.#work = undefined
    }
  }

  #wake(): void {
    this.#headCount = 0
    if (this.#isStopped || this.#work !== undefined) return
    this.#work = this.#run()
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#options.logger.error('failed to delete old states', { error })
      })
      .finally(() => {
        this.#work = undefined
        if (this.#headCount >= this.#stepBlocks) this.#wake()
      })
  }

  async #run(): Promise<void> {
    const { chain } = this.#options
    // Work that a stop interrupted comes first: its bound has been moved already.
    let hasMoved = false
    do {
      if (hasMoved) await this.#grace()
      while (!this.#isStopped && (await this.#deleteBatch()));
      if (this.#isStopped) return
      hasMoved = await chain.run('ordinary', (task) => task.resident(() => this.#moveBound(task)))
    } while (hasMoved)
  }

  #grace(): Promise<void> {
    const { timers, graceMs = PRUNE_GRACE_MS } = this.#options
    if (this.#isStopped || graceMs === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = timers.schedule(graceMs, resolve)
      this.#endGrace = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  /** Stages the next bound. @returns whether it moved */
  #moveBound(task: WriteTask): boolean {
    const { blocks, stage, pointers } = task
    const { stateBound, runs, firstNumber } = blocks
    const head = Number(pointers.head.header.number)
    const { finality } = this.#options.chain.consensus.claimedBy(pointers.head.header)
    const from = Math.max(stateBound.from, firstNumber)
    let excess = unitsBetween(blocks, from, head) - 1 - this.#options.retained
    const finalized = pointers.finalized === undefined ? firstNumber : Number(pointers.finalized.header.number)
    // The consensus client may go back to any block that is not finalized.
    const most = finality === 'forkChoice' && !this.#options.isDev ? Math.min(head, finalized) : head
    if (excess < this.#stepBlocks) return false
    let next = from
    for (let steps = 0; excess > 0 && steps < MAX_PRUNE_MOVE_BLOCKS; steps++, excess--) {
      const after = (runs.segmentAt(next)?.last ?? next) + 1
      if (after > most) break
      next = after
    }
    if (next === from) return false
    stage.put(keys.meta('stateFrom'), encodeNumber(next))
    stateBound.from = next
    task.renewPointers()
    return true
  }

  /** Deletes what one batch may hold. @returns whether there may be more to delete */
  async #deleteBatch(): Promise<boolean> {
    const { chain, kv, residency, yieldToHost } = this.#options
    const read = <T>(work: () => T): Promise<T> => retryMisses(work, residency)
    const blocks = await chain.run('ordinary', (task) => task.base.blocks)
    const bound = blocks.stateBound.from
    const done = await read(() => prunedTo(kv))
    let next = Math.max(done === undefined ? blocks.firstNumber : done + 1, blocks.firstNumber)
    const doomed: Uint8Array[] = []
    const forgotten: BlockId[] = []
    let last: Unit | undefined
    let following: Unit | undefined
    while (next < bound && doomed.length < MAX_PRUNED_KEYS) {
      const step = await read(() => stepAt(blocks, kv, next, following))
      const { unit, sides, olders } = step
      following = step.following
      let isWhole = true
      for (const older of olders) {
        for (const pause of obsoleteNodes(kv, older, step.following.states, (key) => doomed.push(key))) {
          if (pause === undefined) await yieldToHost()
          else await residency?.load(pause)
          if (doomed.length >= MAX_PRUNED_KEYS) {
            isWhole = false
            break
          }
        }
        if (!isWhole) break
      }
      if (!isWhole) break
      doomed.push(...step.records)
      forgotten.push(...sides)
      last = unit
      next = unit.last + 1
    }
    if (doomed.length === 0 && last === undefined) return false
    const isDeleted = await chain.run('ordinary', (task) => {
      // Another chain may have been loaded meanwhile.
      const isSame = task.blocks.stateBound.from === bound && (last === undefined || isCanonical(task.blocks, last))
      if (!isSame) return false
      for (const key of doomed) task.stage.delete(key)
      if (last !== undefined) task.stage.put(keys.meta('prunedTo'), encodeNumber(last.last))
      return true
    })
    if (!isDeleted) return false
    for (const { hash } of forgotten) blocks.forget(hash)
    if (last !== undefined) this.#options.onDeleted?.(last.last)
    return true
  }
}

/** Number of blocks of the canonical chain, of which a run of empty blocks counts as one. */
function unitsBetween({ runs }: BlockStore, from: number, to: number): number {
  let segments = 0
  for (const _ of runs.segments(from, to)) segments++
  return to - from + 1 - runs.count(from, to) + segments
}

function prunedTo(kv: KeyValueStore): number | undefined {
  const bytes = kv.get(keys.meta('prunedTo'))
  return bytes === undefined ? undefined : decodeNumber(bytes)
}

function unitAt(blocks: BlockStore, kv: KeyValueStore, number: number): Unit {
  const segment = blocks.runs.segmentAt(number)
  const last = segment?.last ?? number
  const hash = blocks.canonicalHash(last)
  if (hash === undefined) {
    throw new NodeError(
      { code: 'STORE_DAMAGED' },
      `the database is damaged: block ${last} is not in the canonical index`,
    )
  }
  const states = segment === undefined ? statesOf(kv, { number, hash }) : [segment.run.stored.state]
  return { first: number, last, hash, states }
}

/** Facts for the deletion of one unit, read together. */
interface Step {
  readonly unit: Unit
  readonly following: Unit
  readonly sides: readonly BlockId[]
  /** States of the unit and of the side blocks. */
  readonly olders: readonly StateRoot[]
  /** Keys to delete after the nodes of these states. */
  readonly records: readonly Uint8Array[]
}

/** @param known the unit, if the step before has read it */
function stepAt(blocks: BlockStore, kv: KeyValueStore, first: number, known: Unit | undefined): Step {
  const unit = known ?? unitAt(blocks, kv, first)
  const following = unitAt(blocks, kv, unit.last + 1)
  const sides = sideBlocks(blocks, kv, unit)
  const olders = [...unit.states, ...sides.flatMap((block) => statesOf(kv, block))]
  const records = [
    ...storedCanonical(kv, unit).flatMap((block) => stateRecordKeys(kv, block)),
    ...sides.flatMap((block) => recordKeys(kv, block)),
  ]
  return { unit, following, sides, olders, records }
}

function isCanonical(blocks: BlockStore, { last, hash }: Unit): boolean {
  const canonical = blocks.canonicalHash(last)
  return canonical !== undefined && equalBytes(canonical, hash)
}

/** The stored block of a unit; none for a run. */
function storedCanonical(kv: KeyValueStore, { first, last, hash }: Unit): BlockId[] {
  return first === last && kv.get(keys.header(last, hash)) !== undefined ? [{ number: last, hash }] : []
}

/** Blocks of other branches at the heights of a unit, with their descendants; none beside the first block of the chain. */
function sideBlocks(blocks: BlockStore, kv: KeyValueStore, { first, last }: Unit): BlockId[] {
  if (first === blocks.firstNumber) return []
  const sides = storedBlocks(kv, first, last).filter(({ number, hash }) => {
    const canonical = blocks.canonicalHash(number)
    return canonical === undefined || !equalBytes(canonical, hash)
  })
  for (let parents: readonly BlockId[] = sides.filter(({ number }) => number === last); parents.length > 0; ) {
    parents = childrenOf(kv, parents, (parents[0] as BlockId).number + 1)
    sides.push(...parents)
  }
  return sides
}

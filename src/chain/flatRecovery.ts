/**
 * Builds the flat view again while the chain goes on. Its entries are filled from the state of one block, in slices that
 * are tasks of the writer; then it follows the blocks that have become canonical meanwhile.
 * @module
 */

import type { Logger } from '../base/ports/host.ts'
import type { KeyValueStore, Mutation } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { hasState } from '../state/contract.ts'
import { fillFlatView } from '../state/flatRebuild.ts'
import { isUnset } from '../state/flatView.ts'
import { isSameRoot, readFlatPosition } from '../state/stateContext.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { type ExecutedHeader, flatPosition } from './flatCompletion.ts'
import { pathBetween } from './headRule.ts'
import type { Lane } from './workQueue.ts'
import { blockId, type WriteTask } from './writeTask.ts'

export interface FlatRecoveryDeps {
  readonly kv: KeyValueStore
  readonly modules: Pick<ExecutionModules, 'states' | 'residency' | 'scheduler'>
  readonly logger: Pick<Logger, 'error'>
  /** Blocks that the flat view follows in one batch. */
  readonly stepBlocks: number
  run<T>(lane: Lane, work: (task: WriteTask) => Promise<T>): Promise<T>
}

/** The work has become pointless: the chain is being closed, or a load has built the flat view of another chain. */
class Abandoned extends Error {}

export class FlatRecovery {
  readonly #deps: FlatRecoveryDeps
  #work: Promise<void> | undefined
  #isStopped = false

  constructor(deps: FlatRecoveryDeps) {
    this.#deps = deps
  }

  /** While it runs, the flat view is not at the head. */
  get isRunning(): boolean {
    return this.#work !== undefined
  }

  begin(): void {
    if (this.isRunning || this.#isStopped) return
    this.#work = this.#rebuild()
      .catch((error: unknown) => this.#failed(error))
      .then(() => {
        this.#work = undefined
      })
  }

  /** Resolves when nothing reads the store any more. The next start begins again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work
  }

  async #rebuild(): Promise<void> {
    const { kv, modules, run } = this.#deps
    const { states, residency, scheduler } = modules
    const commit = (entries: readonly Mutation[]): Promise<void> => run('ordinary', (task) => this.#add(task, entries))
    for (;;) {
      const block = await run('ordinary', async ({ pointers }) => pointers.head)
      if (!hasState(block)) return
      await fillFlatView({ kv, states, residency, slicer: scheduler?.slicer(), commit }, block.stateRoot)
      if (await run('ordinary', (task) => this.#adopt(task, block))) return
    }
  }

  async #add(task: WriteTask, entries: readonly Mutation[]): Promise<void> {
    const isMissing = await task.resident(() => isUnset(readFlatPosition(task.stage)))
    if (this.#isStopped || !isMissing) throw new Abandoned()
    task.stageAll(entries)
  }

  /** Moves the filled flat view from a block to the head. @returns false when it cannot get there */
  async #adopt(task: WriteTask, filled: ExecutedHeader): Promise<boolean> {
    const { states } = this.#deps.modules
    await this.#add(task, [])
    let at = filled
    states.setFlat(task.stage, await task.resident(() => flatPosition(filled, task.stage)))
    while (!this.#isAtHead(task, at)) {
      const next = await task.resident(() => this.#advance(task, at))
      if (next === undefined) {
        states.dropFlat(task.stage)
        return false
      }
      at = next
      if (this.#isAtHead(task, at)) break
      await task.giveWay()
      const { root } = await task.resident(() => readFlatPosition(task.stage))
      if (this.#isStopped || !isSameRoot(root, at.stateRoot)) throw new Abandoned()
    }
    return true
  }

  #isAtHead({ pointers: { head } }: WriteTask, { hash, stateRoot }: ExecutedHeader): boolean {
    return equalBytes(head.hash, hash) && hasState(head) && isSameRoot(head.stateRoot, stateRoot)
  }

  /** Moves the flat view from a block towards the head. @returns the block that it has reached */
  #advance({ blocks, pointers: { head }, stage }: WriteTask, from: ExecutedHeader): ExecutedHeader | undefined {
    const { modules, stepBlocks } = this.#deps
    const number = Math.min(Number(from.header.number) + stepBlocks, Number(head.header.number))
    const next = number === Number(head.header.number) ? head : blocks.headerByNumber(number)
    if (next === undefined || !hasState(next)) return undefined
    const { removed, added } = pathBetween(from, next, blocks)
    if (!removed.every(hasState) || !added.every(hasState)) return undefined
    return modules.states.moveFlat(stage, removed.map(blockId), added.map(blockId), next.stateRoot) ? next : undefined
  }

  #failed(error: unknown): void {
    if (this.#isStopped || error instanceof Abandoned) return
    if (isNodeError(error) && error.code === 'WRITER_CLOSED') return
    this.#deps.logger.error('could not build the flat view of the state; reads remain slower', { error })
  }
}

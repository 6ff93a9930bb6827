import type { ForkRules } from '../config/forks.ts'
import { requireState } from '../state/errors.ts'
import type { StateStore } from '../state/stateStore.ts'
import { keyToText } from '../storage/keyText.ts'
import { keys } from '../storage/schema.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type {
  ConsensusEngine,
  EngineStore,
  HeaderSource,
  ParentCallResult,
  ParentContext,
  ParentState,
} from './engine.ts'

export interface ParentReadsOptions {
  readonly parent: StoredHeader
  readonly blocks: BlockStore
  /** In a batch: the staged ancestors, which `blocks` includes. */
  readonly stage?: StagedStore | undefined
  readonly states: StateStore
}

/**
 * The chain below one block as its consensus engine sees it. The engine's writes are retained until the block is
 * stored.
 */
export class ParentReads {
  readonly headers: HeaderSource
  /** Result of the engine's `parentCall`. */
  callResult: ParentCallResult | undefined
  readonly #options: ParentReadsOptions
  #state: ParentState | undefined
  /** Keyed by database key as text. */
  #writes: Map<string, { readonly key: Uint8Array; readonly value: Uint8Array }> | undefined

  constructor(options: ParentReadsOptions) {
    this.#options = options
    this.headers = { headerByHash: (hash) => options.blocks.header(hash)?.header }
  }

  context({ name }: Pick<ConsensusEngine, 'name'>, rules: ForkRules): ParentContext {
    const context = { rules, headers: this.headers, parentState: () => this.#parentState(), store: this.#storeOf(name) }
    return this.callResult === undefined ? context : { ...context, parentCallResult: this.callResult }
  }

  /** Stages the engine's writes; called when the block itself is stored. */
  stageWrites(stage: StagedStore): void {
    for (const { key, value } of this.#writes?.values() ?? []) stage.put(key, value)
  }

  #parentState(): ParentState {
    const { states, parent, stage } = this.#options
    this.#state ??= states.reader(requireState(parent.stateRoot), stage)
    return this.#state
  }

  #storeOf(name: ConsensusEngine['name']): EngineStore {
    return {
      get: (key) => {
        const write = this.#writes?.get(keyToText(keys.engineRecord(name, key)))
        return write === undefined ? this.#options.blocks.engineRecord(name, key) : write.value
      },
      put: (key, value) => {
        const stored = keys.engineRecord(name, key)
        this.#writes ??= new Map()
        this.#writes.set(keyToText(stored), { key: stored, value })
      },
    }
  }
}

import { toBase64 } from '../../base/primitives/base64.ts'
import type { StateRoot } from '../../state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../state/emptyRoot.ts'
import { isSameRoot } from '../../state/stateContext.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { WorldState } from '../../state/worldState.ts'
import { keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import { applyGroupGenesis } from './flexibleGenesis.ts'
import { PrivateStage } from './privateColumns.ts'
import {
  encodeGroupRecord,
  encodePrivateReceipt,
  type GroupChange,
  groupRoot,
  type OnChain,
  type PrivateReceipt,
} from './privateRecords.ts'

export interface BlockGroupsOptions {
  readonly place: { readonly number: number; readonly hash: Uint8Array }
  /** The chain up to the parent. */
  readonly onChain: OnChain
  readonly stage: StagedStore
  readonly privateStates: StateStore
  nextVersion(): number
}

interface GroupInBlock {
  readonly id: Uint8Array
  root: StateRoot
  readonly changes: GroupChange[]
  historyKey: Uint8Array | undefined
}

/** The groups that the markers of one block change, each with its state so far. */
export class BlockGroups {
  readonly #options: BlockGroupsOptions
  readonly #stage: PrivateStage
  /** By id in Base64. */
  readonly #groups = new Map<string, GroupInBlock>()

  constructor(options: BlockGroupsOptions) {
    this.#options = options
    this.#stage = new PrivateStage(options.stage)
  }

  /** The state of a group; that of a new flexible group has its contracts. May throw `StoreMiss`. */
  open(groupId: Uint8Array, isFlexible: boolean): WorldState {
    const { root } = this.#group(groupId)
    const state = this.#options.privateStates.mutable(root, this.#stage)
    if (isFlexible && isSameRoot(root, EMPTY_STATE_ROOT)) applyGroupGenesis(state)
    return state
  }

  /** Stages the outcome of a transaction. May throw `StoreMiss` before it has any effect. */
  store(groupId: Uint8Array, marker: Uint8Array, state: WorldState, receipt: PrivateReceipt): void {
    const { place, stage } = this.#options
    if (receipt.status === 1) {
      const group = this.#group(groupId)
      const version = this.#options.nextVersion()
      group.root = state.persist({ version, stage: this.#stage, isDetached: true })
      group.changes.push({ marker, root: group.root })
    }
    stage.put(keys.privateReceipt(place.hash, marker), encodePrivateReceipt(receipt))
  }

  setHistoryKey(groupId: Uint8Array, key: Uint8Array): void {
    this.#group(groupId).historyKey = key
  }

  rootOf(groupId: Uint8Array): StateRoot {
    return this.#group(groupId).root
  }

  /** Stages the records of all groups that changed. */
  stageRecords(): void {
    const { place, stage } = this.#options
    for (const { id, changes, historyKey } of this.#groups.values()) {
      if (changes.length === 0) continue
      stage.put(keys.privateRoots(id, place.number, place.hash), encodeGroupRecord({ changes, historyKey }))
    }
  }

  #group(id: Uint8Array): GroupInBlock {
    const name = toBase64(id)
    const openGroup = this.#groups.get(name)
    if (openGroup !== undefined) return openGroup
    const { place, stage, onChain } = this.#options
    const root = groupRoot(stage, id, place.number - 1, onChain)
    const group: GroupInBlock = { id, root, changes: [], historyKey: undefined }
    this.#groups.set(name, group)
    return group
  }
}

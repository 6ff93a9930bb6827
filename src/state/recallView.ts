import { equalBytes } from '../base/primitives/bytes.ts'
import type { StateRoot, StorageRecall } from './contract.ts'
import type { StateContext } from './stateContext.ts'
import { type KnownAccount, type SharedReads, StateView } from './stateView.ts'

/** A state with slots whose values are not in the trie. Proofs show the trie. */
export class RecallView extends StateView {
  readonly #recall: StorageRecall

  constructor(root: StateRoot, context: StateContext, shared: SharedReads, recall: StorageRecall) {
    super(root, context, shared)
    this.#recall = recall
  }

  override getStorage(address: Uint8Array, slot: Uint8Array, known?: KnownAccount): Uint8Array {
    const recalled = equalBytes(address, this.#recall.address) ? this.#recall.value(slot) : undefined
    return recalled ?? super.getStorage(address, slot, known)
  }
}

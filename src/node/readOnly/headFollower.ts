/**
 * Head events of a chain that another process writes.
 * @module
 */

import type { Logger } from '../../base/ports/host.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { Emitter } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainHeader } from '../../chain/contract.ts'
import type { StoredChain } from '../../chain/storedChain.ts'

/** Maximum number of blocks between two heads that are reported individually; beyond it only the new head is. */
const MAX_REPORTED_BLOCKS = 1024

export class HeadFollower {
  readonly events: Emitter<ChainEvents>
  readonly #chain: StoredChain
  #head: ChainHeader
  /** Whether blocks were added since `seen` that cannot be reported one by one. */
  readonly missesBlocks: boolean

  /** @param seen hash of the head that listeners know already; default: the present one */
  constructor(chain: StoredChain, logger: Logger, seen?: Uint8Array) {
    this.#chain = chain
    const { head } = chain
    const known = seen === undefined ? head : chain.headerByHash(seen)
    const isNear = known !== undefined && head.header.number - known.header.number < BigInt(MAX_REPORTED_BLOCKS)
    this.missesBlocks = !isNear
    this.#head = isNear ? known : head
    this.events = new Emitter((error) => logger.error('a chain-event listener threw', { error }))
  }

  /** Reads the head and notifies listeners of a change. */
  refresh(): void {
    this.#chain.refresh()
    const { head } = this.#chain
    const before = this.#head
    if (equalBytes(head.hash, before.hash)) return
    // Reads may miss, so that all of this is repeated: they come before the change.
    const path = this.events.has('head') ? this.#pathBetween(before, head) : undefined
    this.#head = head
    if (path !== undefined) this.events.emit('head', { head, ...path })
  }

  /** Both lists are oldest first. */
  #pathBetween(from: ChainHeader, to: ChainHeader): { added: ChainHeader[]; removed: ChainHeader[] } {
    const added: ChainHeader[] = []
    const removed: ChainHeader[] = []
    let left: ChainHeader | undefined = from
    let right: ChainHeader | undefined = to
    while (left !== undefined && right !== undefined && !equalBytes(left.hash, right.hash)) {
      if (added.length + removed.length >= MAX_REPORTED_BLOCKS) break
      if (right.header.number >= left.header.number) {
        added.push(right)
        right = this.#chain.parentOf(right)
      } else {
        removed.push(left)
        left = this.#chain.parentOf(left)
      }
    }
    const isWhole = left !== undefined && right !== undefined && equalBytes(left.hash, right.hash)
    return isWhole ? { added: added.reverse(), removed: removed.reverse() } : { added: [to], removed: [] }
  }
}

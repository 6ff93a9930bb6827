/**
 * Decides what is fetched together with what an execution needs now.
 * @module
 */
import type { MissCause, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { CallPlans } from './callPlan.ts'
import type { ForkSource } from './contract.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import { RemotePlans } from './remotePlans.ts'
import { SlotHints } from './slotHints.ts'
import { type NewestBlock, SystemReads } from './systemReads.ts'

/** Code of a contract that is in memory. */
export interface KnownCode {
  /** 32 bytes */
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
}

/** State that needs no request, for the block and the reads of a miss. */
export interface KnownState {
  /** @returns undefined for an account whose code is not in memory */
  readonly codeOf: (address: Uint8Array) => KnownCode | undefined
  /** Whether pack and cache have what is needed now. */
  readonly isStored: () => Promise<boolean>
}

export interface ReadAheadDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
}

export class ReadAhead {
  readonly #remote: RemoteAccess
  readonly #remotePlans: RemotePlans
  readonly #plans: CallPlans
  readonly #hints: SlotHints
  readonly #system = new SystemReads()

  constructor({ remote, source }: ReadAheadDeps) {
    this.#remote = remote
    this.#remotePlans = new RemotePlans({ remote, source })
    this.#plans = new CallPlans(source, this.#remotePlans)
    this.#hints = new SlotHints(source)
  }

  /** @returns what the blocks after the newest one will need, and nobody has asked for yet */
  readsAfter(newest: NewestBlock): readonly StateRead[] {
    return this.#remote.can('batches') === false ? [] : this.#system.readsAfter(newest)
  }

  /** Something that was to be fetched ahead could not be fetched. */
  forget(): void {
    this.#system.forget()
  }

  /**
   * @param missing what is needed now
   * @param cause the message that needs it
   * @returns what will probably be needed next
   */
  async readsOf(
    block: RemoteBlock,
    missing: readonly StateRead[],
    cause: MissCause | undefined,
    { codeOf, isStored }: KnownState,
  ): Promise<readonly StateRead[]> {
    const isBatched = this.#remote.can('batches') !== false
    const system = isBatched ? this.#system.readsOf(block, missing) : []
    if (system.length > 0) return system
    const planned = cause === undefined ? [] : await this.#plans.readsOf(block, cause, missing, isStored)
    if (planned.length > 0 || !this.#remotePlans.hasNone || !isBatched) return planned
    // Where the miss needs no request, later reads are not worth one.
    if (await isStored()) return []
    const slots = missing.flatMap(({ address, slot }) => {
      const code = slot === undefined ? undefined : codeOf(address)
      return slot === undefined || code === undefined ? [] : [{ address, slot, ...code }]
    })
    const hints = await this.#hints.readsOf(slots)
    if (cause !== undefined) this.#plans.remember(block, cause, hints)
    return hints
  }
}

/**
 * Predicts the reads of a call: from the last time, or from a remote that runs it. A plan is a hint; the EVM
 * still reads what it reads, and a wrong plan costs one more request.
 * @module
 */
import { FORK_PLAN_READS, MAX_FORK_PLAN_READS } from '../base/limits/limits.ts'
import type { MissCause, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { rlpDecodeList, rlpEncode } from '../base/primitives/rlp.ts'
import { keyToText } from '../storage/keyText.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'
import type { RemotePlans } from './remotePlans.ts'

/** Plans up to this size are stored after each miss, larger ones after each growth by an eighth. */
const SMALL_PLAN = 256

/** Knowledge of a message at one block. */
interface Plan {
  /** Of the message and the block. */
  readonly name: string
  /** Of the message, on any block. */
  readonly key: Uint8Array
  /** The one that is asked, at the next miss, for the reads that follow. */
  next: 'source' | 'nothing yet' | 'remote' | 'nobody'
  running: Promise<readonly StateRead[]> | undefined
  /** Everything that the message missed, by address and slot. */
  readonly touched: Map<string, StateRead>
  /** Size when it was last stored. */
  stored: number
}

export class CallPlans {
  readonly #source: ForkSource
  readonly #remote: RemotePlans
  readonly #plans = new LruCache<string, Plan>(FORK_PLAN_READS)

  constructor(source: ForkSource, remote: RemotePlans) {
    this.#source = source
    this.#remote = remote
  }

  /**
   * Called at each miss of a message.
   * @param missing what it needs now
   * @param isStored whether that needs no request
   * @returns what it will probably need later
   */
  async readsOf(
    block: RemoteBlock,
    cause: MissCause,
    missing: readonly StateRead[],
    isStored: () => Promise<boolean>,
  ): Promise<readonly StateRead[]> {
    const plan = this.#planOf(block, cause)
    plan.running ??= this.#advance(plan, block, cause, isStored).finally(() => {
      plan.running = undefined
    })
    const reads = await plan.running
    this.#remember(plan, [...missing, ...reads])
    return reads
  }

  /** Adds reads to the plan of a message, for its next time. */
  remember(block: RemoteBlock, cause: MissCause, reads: readonly StateRead[]): void {
    this.#remember(this.#planOf(block, cause), reads)
  }

  #planOf(block: RemoteBlock, { sender, to, value, data }: MissCause): Plan {
    const key = keccak256(rlpEncode([sender, to ?? EMPTY_BYTES, bigIntToBytes(value), data]))
    const name = keyToText(block.hash) + keyToText(key)
    let plan = this.#plans.get(name)
    if (plan === undefined) {
      plan = { name, key, next: 'source', running: undefined, touched: new Map(), stored: 0 }
      this.#plans.set(name, plan)
    }
    return plan
  }

  async #advance(
    plan: Plan,
    block: RemoteBlock,
    cause: MissCause,
    isStored: () => Promise<boolean>,
  ): Promise<readonly StateRead[]> {
    const { next } = plan
    if (next === 'nobody') return []
    if (next !== 'source' && (await isStored())) return []
    if (next === 'nothing yet') {
      plan.next = 'remote'
      return []
    }
    const participants = [cause.sender, cause.beneficiary, ...(cause.to === undefined ? [] : [cause.to])]
    const certain = participants.map((address) => ({ address }))
    if (next === 'source') {
      plan.next = 'remote'
      const [value] = await this.#source.getMany([cacheKeys.plan(plan.key)])
      if (value !== undefined) {
        const known = decodeReads(value)
        if (!(await isStored())) {
          const reads = await planned(() => this.#remote.readsAgain(block, { cause, key: plan.key }, known))
          if (reads !== undefined) {
            plan.next = 'nobody'
            return [...certain, ...reads]
          }
        }
        // One slot may be new, as the next entry of a list. The answer of a remote would repeat everything else.
        plan.next = 'nothing yet'
        return [...certain, ...known]
      }
      // A transfer to an account without code reads nothing else.
      if (cause.to !== undefined && cause.data.length === 0) return certain
      if (await isStored()) return []
    }
    plan.next = 'nobody'
    const reads = await planned(() => this.#remote.readsOf(block, { cause, key: plan.key }))
    return [...certain, ...(reads ?? [])]
  }

  #remember(plan: Plan, reads: readonly StateRead[]): void {
    const { touched } = plan
    for (const read of reads) {
      if (touched.size >= MAX_FORK_PLAN_READS) break
      touched.set(keyToText(read.address) + keyToText(read.slot ?? EMPTY_BYTES), read)
    }
    const grown = touched.size - plan.stored
    if (grown <= (plan.stored < SMALL_PLAN ? 0 : plan.stored / 8)) return
    plan.stored = touched.size
    this.#plans.set(plan.name, plan, 1 + touched.size)
    this.#source.put([[cacheKeys.plan(plan.key), encodeReads([...touched.values()])]])
  }
}

/** A remote that does not answer, or not as it should, has no plan. The values that are needed will be asked for again. */
async function planned(
  work: () => Promise<readonly StateRead[] | undefined>,
): Promise<readonly StateRead[] | undefined> {
  try {
    return (await work())?.slice(0, MAX_FORK_PLAN_READS)
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

/** Lists of an address and its slots. */
function encodeReads(reads: readonly StateRead[]): Uint8Array {
  const accounts = new Map<string, Uint8Array[]>()
  for (const { address, slot } of reads) {
    const text = keyToText(address)
    const account = accounts.get(text) ?? [address]
    accounts.set(text, account)
    if (slot !== undefined) account.push(slot)
  }
  return rlpEncode([...accounts.values()])
}

function decodeReads(value: Uint8Array): StateRead[] {
  const accounts = rlpDecodeList(value) as [address: Uint8Array, ...slots: Uint8Array[]][]
  return accounts.flatMap(([address, ...slots]) => [{ address }, ...slots.map((slot) => ({ address, slot }))])
}

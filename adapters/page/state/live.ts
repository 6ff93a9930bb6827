/**
 * Follows the head: by subscription where the node has one, by polling otherwise. At most four updates a second, and
 * none while the tab is hidden.
 * @module
 */
import { batch, type Signal, signal } from '@preact/signals'
import { count, toQuantity } from '../format/hex.ts'
import { requireBlock } from '../rpc/requireBlock.ts'
import type { Block } from '../rpc/types.ts'
import { announce } from './announcer.ts'
import { connection, discover, provider, request } from './node.ts'
import { followHead } from './recentBlocks.ts'

const MIN_INTERVAL_MS = 250
const POLL_MS = 1000
/** With notifications: a chain that only goes back sends none. */
const SLOW_POLL_MS = 5000
const MAX_RETRY_MS = 10_000
const MAX_REMOVED = 256

export const head: Signal<Block | undefined> = signal(undefined)
/** The latest blocks, the head first. */
export const blocks: Signal<readonly Block[]> = signal([])
/** Rises with each reorganisation and each reset: what was asked before may no longer hold. */
export const epoch: Signal<number> = signal(0)
/** Hashes of blocks that a reorganisation removed, with their number. */
export const removed: Signal<ReadonlyMap<string, number>> = signal(new Map())
/** Hash of block 0: tells chains apart. */
export const genesisHash: Signal<string | undefined> = signal(undefined)
/** Unix time in ms of the moment when the node turned out to have another chain; undefined: never. */
export const resetAt: Signal<number | undefined> = signal(undefined)

class HeadFollower {
  #timer: ReturnType<typeof setTimeout> | undefined
  #subscription: unknown
  #isUpdating = false
  #isDirty = false
  #lastUpdate = 0
  #retryMs = POLL_MS

  start(): void {
    provider.on?.('message', (message) => this.#receive(message))
    provider.on?.('disconnect', () => this.#disconnected())
    document.addEventListener('visibilitychange', () => this.#visibilityChanged())
    addEventListener('online', () => this.refresh())
    void this.#begin()
  }

  /** Asks for the head soon. */
  refresh(): void {
    if (this.#isUpdating) {
      this.#isDirty = true
      return
    }
    this.#schedule(Math.max(0, this.#lastUpdate + MIN_INTERVAL_MS - Date.now()))
  }

  async #begin(): Promise<void> {
    await discover()
    this.refresh()
    await this.#subscribe()
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (!document.hidden) this.#timer = setTimeout(() => void this.#update(), delayMs)
  }

  async #update(): Promise<void> {
    this.#isUpdating = true
    this.#isDirty = false
    const wasAway = connection.value === 'disconnected' || genesisHash.value === undefined
    try {
      const latest = requireBlock(await request('eth_getBlockByNumber', ['latest', false]))
      if (wasAway || count(latest.number) < count(head.value?.number)) await this.#checkGenesis()
      if (latest.hash !== head.value?.hash) await this.#follow(latest)
      if (wasAway && this.#subscription === undefined) void this.#subscribe()
      this.#retryMs = POLL_MS
    } catch {
      // The connection's signal says it already; a block of another form is asked for again.
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
    } finally {
      this.#isUpdating = false
      this.#lastUpdate = Date.now()
      this.#schedule(this.#nextDelay())
    }
  }

  #nextDelay(): number {
    if (this.#isDirty) return MIN_INTERVAL_MS
    return this.#subscription === undefined ? this.#retryMs : SLOW_POLL_MS
  }

  async #follow(latest: Block): Promise<void> {
    const fetchBlock = async (number: number): Promise<Block | null> => {
      const block = await request('eth_getBlockByNumber', [toQuantity(number), false])
      return block === null ? null : requireBlock(block)
    }
    const next = await followHead(blocks.value, latest, fetchBlock)
    batch(() => {
      head.value = latest
      blocks.value = next.blocks
      if (next.removed.length === 0) return
      const entries = [...removed.value, ...next.removed.map(({ hash, number }) => [hash, count(number)] as const)]
      removed.value = new Map(entries.slice(-MAX_REMOVED))
      epoch.value++
      announce(`A reorganisation removed ${next.removed.length} blocks.`)
    })
  }

  async #checkGenesis(): Promise<void> {
    const genesis = await request<Block | null>('eth_getBlockByNumber', ['0x0', false])
    const before = genesisHash.value
    if (genesis === null || genesis.hash === before) return
    batch(() => {
      genesisHash.value = genesis.hash
      if (before === undefined) return
      blocks.value = []
      removed.value = new Map()
      resetAt.value = Date.now()
      epoch.value++
    })
    if (before !== undefined) await discover()
  }

  async #subscribe(): Promise<void> {
    if (document.hidden || provider.on === undefined) return
    try {
      this.#subscription = await request('eth_subscribe', ['newHeads'])
      connection.value = 'live'
    } catch {
      this.#subscription = undefined
    }
  }

  #receive(message: unknown): void {
    const { data } = message as { readonly data?: { readonly subscription?: unknown } }
    if (data?.subscription === this.#subscription) this.refresh()
  }

  #disconnected(): void {
    this.#subscription = undefined
    if (connection.value === 'live') connection.value = 'polling'
    this.refresh()
  }

  #visibilityChanged(): void {
    const subscription = this.#subscription
    if (!document.hidden) {
      this.refresh()
      if (subscription === undefined) void this.#subscribe()
      return
    }
    clearTimeout(this.#timer)
    this.#subscription = undefined
    if (subscription !== undefined) request('eth_unsubscribe', [subscription]).catch(() => {})
  }
}

const follower: HeadFollower = new HeadFollower()

export function startLive(): void {
  follower.start()
}

/** After an action of the page that changes the chain. */
export function refreshHead(): void {
  follower.refresh()
}

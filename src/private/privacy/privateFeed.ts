import type { Emitter } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainHeader } from '../../chain/contract.ts'
import type { PrivateLog, PrivateLogs, PrivateLogTerms } from './privateLogs.ts'
import type { PrivateReads } from './privateReads.ts'

export interface PrivateFeedOptions {
  readonly logs: PrivateLogs
  readonly reads: PrivateReads
  readonly chainEvents: Emitter<ChainEvents>
  /** Receives errors that prevented a notification. */
  readonly onError: (error: unknown) => void
}

export interface FollowedLogs {
  readonly groupId: Uint8Array
  readonly terms: PrivateLogTerms
  /** Whether the subscriber may still see the group. */
  readonly mayRead: () => Promise<boolean>
  readonly send: (log: PrivateLog) => void
}

/** Follows the private logs of new blocks. */
export class PrivateFeed {
  readonly #options: PrivateFeedOptions

  constructor(options: PrivateFeedOptions) {
    this.#options = options
  }

  /** Sends matching logs until `cancel` is called. */
  follow(followed: FollowedLogs): { readonly done: Promise<void>; cancel(): void } {
    let isEnded = false
    let last: Promise<void> = Promise.resolve()
    let settle: () => void = () => {}
    const done = new Promise<void>((resolve) => {
      settle = resolve
    })
    const notify = async (blocks: readonly { readonly block: ChainHeader; readonly removed: boolean }[]) => {
      const logs = await this.#options.reads.resident(() => this.#logsOf(followed, blocks))
      if (logs.length === 0 || isEnded || !(await followed.mayRead())) return
      for (const log of logs) if (!isEnded) followed.send(log)
    }
    const stop = this.#options.chainEvents.on('head', ({ added, removed }) => {
      const blocks = [
        ...[...removed].reverse().map((block) => ({ block, removed: true })),
        ...added.map((block) => ({ block, removed: false })),
      ]
      last = last.then(() => notify(blocks)).catch(this.#options.onError)
    })
    const cancel = (): void => {
      isEnded = true
      stop()
      settle()
    }
    return { done, cancel }
  }

  #logsOf(
    { groupId, terms }: FollowedLogs,
    blocks: readonly { readonly block: ChainHeader; readonly removed: boolean }[],
  ): PrivateLog[] {
    return blocks.flatMap(({ block: { header, hash }, removed }) =>
      this.#options.logs.inBlock(groupId, { number: Number(header.number), hash }, terms, removed),
    )
  }
}

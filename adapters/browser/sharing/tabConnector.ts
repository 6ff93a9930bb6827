/**
 * The common part of all ways from a tab to a shared node.
 * @module
 */
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { type Introduction, type Link, type LinkOutcome, openLink } from './link.ts'
import { holdLife, type Locks } from './locks.ts'
import { commonChannel, tabChannel } from './names.ts'
import { portOf } from './port.ts'
import type { Connector } from './tabNode.ts'
import { readChannelMessage } from './wire.ts'

export interface ConnectorParts {
  /** Name of the node. */
  readonly node: string
  readonly locks: Locks
  readonly options: Introduction['options']
}

/** A connector that the tab can wait for, and leave. */
export abstract class TabConnector implements Connector {
  protected readonly parts: ConnectorParts
  protected readonly left: AbortController = new AbortController()
  readonly #life: Promise<{ readonly tab: string; release(): void }>

  constructor(parts: ConnectorParts) {
    this.parts = parts
    const tab = crypto.randomUUID()
    this.#life = holdLife(parts.locks, tab).then(({ release }) => ({ tab, release }))
  }

  async connect(): Promise<Link> {
    const { tab } = await this.#life
    const introduction = { tab, options: this.parts.options }
    for (;;) {
      if (this.left.signal.aborted) throw new NodeError({ code: 'STOPPED' }, 'the node is closed')
      const outcome = await this.attempt(introduction)
      if (typeof outcome === 'object') return outcome
    }
  }

  async close(): Promise<void> {
    this.left.abort()
    ;(await this.#life).release()
  }

  protected abstract attempt(introduction: Introduction): Promise<LinkOutcome>

  /** Asks for the node on the channel that all its tabs and workers hear. */
  protected async overChannel(introduction: Introduction, waitMs: number | undefined): Promise<LinkOutcome> {
    const { node, locks } = this.parts
    const common = portOf(new BroadcastChannel(commonChannel(node)))
    const port = portOf(new BroadcastChannel(tabChannel(node, introduction.tab)))
    const signal = this.#signal(waitMs)
    try {
      const hello = (): void => common.post({ isonode: 'hello', tab: introduction.tab })
      common.onMessage((data) => {
        if (readChannelMessage(data)?.isonode === 'here') hello()
      })
      const linking = openLink(port, introduction, locks, signal.signal)
      hello()
      const outcome = await linking
      if (typeof outcome !== 'object') port.close()
      return outcome
    } catch (error) {
      port.close()
      throw error
    } finally {
      signal.done()
      common.close()
    }
  }

  /** Aborted when the tab leaves, or when the time has passed before `done` is called. */
  #signal(waitMs: number | undefined): { readonly signal: AbortSignal; done(): void } {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    this.left.signal.addEventListener('abort', abort, { once: true })
    const timer = waitMs === undefined ? undefined : setTimeout(abort, waitMs)
    return { signal: controller.signal, done: () => clearTimeout(timer) }
  }
}

/**
 * Serves one node to many tabs. Each tab has its share: one that floods the node waits, the
 * others do not.
 * @module
 */
import { MAX_TABS } from '../../../src/base/limits/limits.ts'
import type { YieldToHost } from '../../../src/base/ports/yieldToHost.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { VERSION } from '../../../src/node/version.ts'
import type { HostedNode } from './hostedNode.ts'
import type { Port } from './port.ts'
import { TabPort } from './tabPort.ts'
import { type ConnectMessage, type HostMessage, readTabMessage } from './wire.ts'

export type TabOptions = ConnectMessage['options']

/** Services of the worker. */
export interface HostParts {
  /** Names the worker, and the lock that it holds. */
  readonly host: string
  readonly yieldToHost: YieldToHost
  /**
   * @returns undefined when another worker has the node
   * @throws {NodeError}
   */
  openNode(options: TabOptions): Promise<HostedNode | undefined>
  /** Resolves when a tab has ended. */
  endOfTab(tab: string, signal: AbortSignal): Promise<void>
}

interface Opening {
  readonly options: TabOptions
  readonly node: Promise<HostedNode | undefined>
}

export class NodeHost {
  readonly #parts: HostParts
  readonly #tabs = new Set<TabPort>()
  #opening: Opening | undefined
  /** The end of the node before. */
  #closing: Promise<void> = Promise.resolve()
  /** Tabs that have connected, or are about to. */
  #count = 0
  #isServing = false
  #isClosed = false

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  /** Whether the node is open, or about to be. */
  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  /** Serves the tab behind a port, once it introduces itself. */
  accept(port: Port): void {
    port.onMessage((data) => {
      const message = readTabMessage(data)
      if (message?.isonode === 'connect') void this.#connect(port, message)
      if (message?.isonode === 'leave') port.close()
    })
    post(port, { isonode: 'ready', host: this.#parts.host })
  }

  /** Ends all connections and closes the node. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const tab of this.#tabs) tab.end()
    this.#closeNode()
    await this.#closing
  }

  async #connect(port: Port, message: ConnectMessage): Promise<void> {
    this.#count++
    try {
      const hosted = await this.#nodeFor(message)
      if (hosted === undefined) return post(port, { isonode: 'elsewhere' })
      const chainId = await hosted.node.request<string>('eth_chainId')
      this.#serveTab(port, message.tab, hosted)
      post(port, { isonode: 'welcome', accounts: hosted.node.accounts, chainId, isKept: hosted.isKept })
    } catch (error) {
      const code = isNodeError(error) ? error.code : 'STORE_FAILED'
      post(port, { isonode: 'refused', code, message: error instanceof Error ? error.message : String(error) })
    } finally {
      this.#count--
      this.#closeUnused()
    }
  }

  async #nodeFor({ version, options }: ConnectMessage): Promise<HostedNode | undefined> {
    if (version !== VERSION) throw otherVersion(VERSION, version)
    if (this.#tabs.size >= MAX_TABS) {
      throw new NodeError({ code: 'INVALID_OPTION' }, `more than ${MAX_TABS} tabs share the node`)
    }
    if (this.#isClosed) return undefined
    const opened = this.#opening
    if (opened !== undefined) {
      requireEqual(options, opened.options)
      return opened.node
    }
    const opening = { options, node: this.#closing.then(() => this.#parts.openNode(options)) }
    this.#opening = opening
    const forget = (): void => {
      if (this.#opening === opening) this.#opening = undefined
    }
    opening.node.then((node) => node === undefined && forget(), forget)
    return opening.node
  }

  #serveTab(port: Port, tab: string, hosted: HostedNode): void {
    const served = new TabPort({
      port,
      provider: hosted.openProvider(),
      answer: (message, provider) => hosted.answer(tab, message, provider),
      onWaiting: () => void this.#serve(),
      onEnd: () => {
        life.abort()
        this.#tabs.delete(served)
        this.#closeUnused()
      },
    })
    const life = new AbortController()
    this.#tabs.add(served)
    this.#parts.endOfTab(tab, life.signal).then(
      () => served.end(),
      () => {},
    )
  }

  /** Begins requests of all tabs in turns. */
  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    while (this.#beginOfEach()) await this.#parts.yieldToHost()
    this.#isServing = false
  }

  /** @returns whether a tab had a request to begin */
  #beginOfEach(): boolean {
    let hasBegun = false
    for (const tab of this.#tabs) hasBegun = tab.beginNext() || hasBegun
    return hasBegun
  }

  /** The database is free for others while no tab uses it. */
  #closeUnused(): void {
    if (this.#tabs.size === 0 && this.#count === 0) this.#closeNode()
  }

  #closeNode(): void {
    const opened = this.#opening
    if (opened === undefined) return
    this.#opening = undefined
    this.#closing = opened.node.then(
      (hosted) => hosted?.close(),
      () => {},
    )
  }
}

function post(port: Port, message: HostMessage): void {
  port.post(message)
}

/** @throws {NodeError} INVALID_OPTION unless the tab gives no options, or those that the node was opened with */
function requireEqual(given: TabOptions, opened: TabOptions): void {
  for (const [name, value] of Object.entries(given)) {
    if (JSON.stringify(value) === JSON.stringify(opened[name])) continue
    const message = `another tab has started the shared node with another '${name}': give the same options in all tabs, or another dataPath`
    throw new NodeError({ code: 'INVALID_OPTION' }, message)
  }
}

/** @param running version of the worker with the node */
export function otherVersion(running: string, own: string): NodeError {
  const isRunningOlder = running.localeCompare(own, 'en', { numeric: true }) < 0
  const advice = isRunningOlder ? `reload the tabs with ${running}` : 'reload this tab'
  const message = `the shared node runs isonode ${running}, and this tab has isonode ${own}: ${advice}`
  return new NodeError({ code: 'SHARED_VERSION', running, own }, message)
}

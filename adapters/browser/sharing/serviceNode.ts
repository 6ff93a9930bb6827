/**
 * The node as a service worker uses it: the one of the tabs, or without tabs one that it opens itself and gives up as soon as
 * a tab wants it.
 * @module
 */
import { SERVICE_WORKER_IDLE_MS, SERVICE_WORKER_WAIT_MS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { DISCONNECTED, RequestError } from '../../../src/rpc/providerContract.ts'
import type { BrowserNodeOptions } from '../contract.ts'
import type { HostedNode } from './hostedNode.ts'
import type { Introduction, LinkOutcome } from './link.ts'
import { type HeldLock, holdLock, type Locks } from './locks.ts'
import { isRepeatableBody } from './methodKind.ts'
import { commonChannel, nodeLock } from './names.ts'
import { portOf } from './port.ts'
import { TabConnector } from './tabConnector.ts'
import { TabNode } from './tabNode.ts'
import { readChannelMessage } from './wire.ts'

export interface ServiceNodeParts {
  readonly locks: Locks
  /** Name of the node. */
  readonly node: string
  readonly options: BrowserNodeOptions
  openNode(options: BrowserNodeOptions): Promise<HostedNode>
}

/** Reaches the node of tabs, and fails when there is none. */
class GuestConnector extends TabConnector {
  protected override async attempt(introduction: Introduction): Promise<LinkOutcome> {
    const outcome = await this.overChannel(introduction, SERVICE_WORKER_WAIT_MS)
    if (typeof outcome === 'object') return outcome
    throw new NodeError({ code: 'STOPPED' }, 'no tab has the node')
  }
}

interface OwnNode {
  readonly hosted: HostedNode
  readonly right: HeldLock
}

export class ServiceNode {
  readonly #parts: ServiceNodeParts
  #own: Promise<OwnNode> | undefined
  #guest: Promise<TabNode> | undefined
  /** Requests that the own node works on. */
  #running = 0
  /** Whether a tab wants the node. */
  #isWanted = false
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(parts: ServiceNodeParts) {
    this.#parts = parts
    portOf(new BroadcastChannel(commonChannel(parts.node))).onMessage((data) => {
      if (readChannelMessage(data)?.isonode !== 'opening' || this.#own === undefined) return
      this.#isWanted = true
      this.#closeUnused()
    })
  }

  /** Answers an HTTP request with JSON-RPC. @throws {RequestError | NodeError} when the node ended meanwhile */
  async fetch({ url, method, headers }: Request, body: ArrayBuffer): Promise<Response> {
    // JSON-RPC is at the root of the node.
    const root = new URL('/', url)
    const copy = (): Request => new Request(root, { method, headers, body })
    try {
      return await this.#answer(copy())
    } catch (error) {
      const hasLostNode = error instanceof RequestError && error.code === DISCONNECTED
      if (!hasLostNode || !isRepeatableBody(body)) throw error
      return this.#answer(copy())
    }
  }

  async #answer(request: Request): Promise<Response> {
    if (this.#own === undefined && this.#guest === undefined) await this.#open()
    if (this.#own !== undefined) return this.#answerItself(await this.#own, request)
    const guest = await this.#guest
    if (guest === undefined) throw new RequestError({ code: DISCONNECTED, message: 'the node is closed' })
    return guest.fetch(request)
  }

  /** Opens the node if nobody has it, otherwise asks who has. */
  async #open(): Promise<void> {
    const { locks, node, options, openNode } = this.#parts
    const right = await holdLock(locks, nodeLock(node), { ifAvailable: true })
    if (this.#own !== undefined || this.#guest !== undefined) {
      right?.release()
      return
    }
    if (right === undefined) {
      await this.#join()
      return
    }
    const opening = openNode(options).then(
      (hosted) => ({ hosted, right }),
      (error: unknown) => {
        this.#own = undefined
        right.release()
        throw error
      },
    )
    this.#own = opening
    await opening
  }

  async #join(): Promise<void> {
    const { locks, node } = this.#parts
    const guest = new TabNode(new GuestConnector({ locks, node, options: {} }))
    const joining = guest.open().then(() => guest)
    this.#guest = joining
    const leave = (): void => {
      if (this.#guest === joining) this.#guest = undefined
      void guest.close()
    }
    // The node may only move to another worker.
    guest.on('disconnect', () => guest.isClosed && leave())
    await joining.catch((error: unknown) => {
      leave()
      throw error
    })
  }

  async #answerItself({ hosted }: OwnNode, request: Request): Promise<Response> {
    this.#running++
    clearTimeout(this.#idle)
    try {
      return await hosted.node.fetch(request)
    } finally {
      this.#running--
      this.#idle = setTimeout(() => {
        this.#isWanted = true
        this.#closeUnused()
      }, SERVICE_WORKER_IDLE_MS)
      this.#closeUnused()
    }
  }

  #closeUnused(): void {
    const own = this.#own
    if (!this.#isWanted || this.#running > 0 || own === undefined) return
    this.#isWanted = false
    this.#own = undefined
    void own.then(({ hosted, right }) => hosted.close().finally(() => right.release()))
  }
}

import { KEPT_NODE_CONNECTION_MS, MAX_KEPT_NODES } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'
import type { Timer, Timers } from '../../../base/ports/timers.ts'
import { publicRangesOf } from '../../../base/primitives/addressSite.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { type NodeContact, nodeKey } from '../discovery/table.ts'
import { contactOf, enodeText, parseEnode } from '../enode.ts'
import { KEPT_NODES_INTERVAL_MS } from './policy.ts'
import type { ValueStore } from './storedValue.ts'

/** An outbound peer. */
export interface DialledPeer {
  readonly contact: NodeContact
  /** Monotonic time of the connection. */
  readonly openedMs: number
}

export interface KeptNodesOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timers: Timers
  /** Enode URLs, one per line. */
  readonly store: ValueStore
  /** Admitted outbound peers that the operator has not named. */
  peers(): readonly DialledPeer[]
}

/**
 * Good nodes of earlier runs, which are dialled first after a start: the table is empty then, and whoever sends the most
 * packets would fill it. Only nodes that this node has dialled and was connected to for a while are kept, the newest first,
 * and one of each range.
 */
export class KeptNodes {
  readonly #options: KeptNodesOptions
  #nodes: readonly NodeContact[]
  #timer: Timer | undefined

  constructor(options: KeptNodesOptions) {
    this.#options = options
    this.#nodes = decode(options.store.load())
    this.#updateLater()
  }

  get nodes(): readonly NodeContact[] {
    return this.#nodes
  }

  stop(): void {
    this.#timer?.cancel()
    this.#update()
  }

  #updateLater(): void {
    this.#timer = this.#options.timers.schedule(KEPT_NODES_INTERVAL_MS, () => {
      this.#update()
      this.#updateLater()
    })
  }

  #update(): void {
    const { clock, peers, store } = this.#options
    const nowMs = clock.monotonic()
    const proven = peers().filter(({ openedMs }) => nowMs - openedMs >= KEPT_NODE_CONNECTION_MS)
    const nodes = spread([...proven.map(({ contact }) => contact), ...this.#nodes])
    const text = encode(nodes)
    if (text === encode(this.#nodes)) return
    this.#nodes = nodes
    store.save(new TextEncoder().encode(text))
  }
}

/** The first of each node and of each range. */
function spread(contacts: readonly NodeContact[]): readonly NodeContact[] {
  const seen = new Set<string>()
  const nodes: NodeContact[] = []
  for (const contact of contacts) {
    const names = [nodeKey(contact.id), ...publicRangesOf(contact.host)]
    if (names.some((name) => seen.has(name))) continue
    for (const name of names) seen.add(name)
    if (nodes.push(contact) === MAX_KEPT_NODES) break
  }
  return nodes
}

function encode(nodes: readonly NodeContact[]): string {
  return nodes
    .map(({ id, host, tcpPort, udpPort }) => enodeText({ id, host, port: tcpPort, discoveryPort: udpPort }))
    .join('\n')
}

/** A damaged line is left out. */
function decode(bytes: Uint8Array | undefined): readonly NodeContact[] {
  if (bytes === undefined || bytes.length === 0) return []
  const lines = new TextDecoder().decode(bytes).split('\n')
  return spread(lines.flatMap(tryContact))
}

function tryContact(line: string): readonly NodeContact[] {
  try {
    return [contactOf(parseEnode(line))]
  } catch (error) {
    if (isNodeError(error)) return []
    throw error
  }
}

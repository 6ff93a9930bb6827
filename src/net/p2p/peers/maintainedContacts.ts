import { type NodeContact, nodeKey } from '../discovery/table.ts'

/** Peers to stay connected to. A node can have several addresses, which are tried in turn. */
export class MaintainedContacts {
  readonly #byKey = new Map<string, NodeContact[]>()

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  hasHost(host: string): boolean {
    for (const contacts of this.#byKey.values()) if (contacts.some((contact) => contact.host === host)) return true
    return false
  }

  add(contact: NodeContact): void {
    const key = nodeKey(contact.id)
    const others = (this.#byKey.get(key) ?? []).filter((other) => !isSameAddress(other, contact))
    this.#byKey.set(key, [contact, ...others])
  }

  /** Removes one address of a node. */
  remove(contact: NodeContact): void {
    const key = nodeKey(contact.id)
    const others = (this.#byKey.get(key) ?? []).filter((other) => !isSameAddress(other, contact))
    if (others.length === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, others)
  }

  /** @returns one address of each node; the next call returns another one */
  next(): readonly NodeContact[] {
    return [...this.#byKey.keys()].map((key) => this.nextOf(key) as NodeContact)
  }

  /** @returns one address of a node; the next call returns another one */
  nextOf(key: string): NodeContact | undefined {
    const contacts = this.#byKey.get(key)
    const first = contacts?.shift()
    if (first !== undefined) contacts?.push(first)
    return first
  }
}

function isSameAddress(a: NodeContact, b: NodeContact): boolean {
  return a.host === b.host && a.tcpPort === b.tcpPort && a.udpPort === b.udpPort
}

import type { Log } from '../../types/receipt.ts'

/** How much of everything there was when a section began. */
export interface EffectsMark {
  readonly logs: number
  readonly selfDestructs: number
  readonly created: number
}

/** What a message leaves beside accounts and storage. Revertible by length: entries are only ever added at the end. */
export class SideEffects {
  readonly logs: Log[] = []
  /** Accounts that destroyed themselves, in hex. */
  readonly selfDestructs: AppendOnlySet = new AppendOnlySet()
  /** Contracts that the message created, in hex (EIP-6780). */
  readonly created: AppendOnlySet = new AppendOnlySet()

  mark(): EffectsMark {
    return { logs: this.logs.length, selfDestructs: this.selfDestructs.size, created: this.created.size }
  }

  revert({ logs, selfDestructs, created }: EffectsMark): void {
    this.logs.length = logs
    this.selfDestructs.truncate(selfDestructs)
    this.created.truncate(created)
  }
}

export class AppendOnlySet {
  readonly #members = new Set<string>()
  readonly #order: string[] = []

  get size(): number {
    return this.#order.length
  }

  has(member: string): boolean {
    return this.#members.has(member)
  }

  /** @returns whether it is new */
  add(member: string): boolean {
    if (this.#members.has(member)) return false
    this.#members.add(member)
    this.#order.push(member)
    return true
  }

  /** Forgets all but the first so many. */
  truncate(size: number): void {
    for (const member of this.#order.splice(size)) this.#members.delete(member)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#order[Symbol.iterator]()
  }
}

import type { Log } from '../../types/receipt.ts'

/** Number of entries of each kind when a checkpoint was opened. */
export interface EffectsMark {
  readonly logs: number
  readonly selfDestructs: number
  readonly created: number
}

/**
 * The effects of a message other than accounts and storage. They are append-only, so reverting truncates them to an
 * earlier length.
 */
export class SideEffects {
  readonly logs: Log[] = []
  /** Self-destructed accounts, in hex. */
  readonly selfDestructs: AppendOnlySet = new AppendOnlySet()
  /** Contracts created by the message, in hex (EIP-6780). */
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

  /** Removes all but the first `size` members. */
  truncate(size: number): void {
    for (const member of this.#order.splice(size)) this.#members.delete(member)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#order[Symbol.iterator]()
  }
}

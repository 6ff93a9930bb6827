/**
 * Follows which accounts may make blocks: logs changes, and notes which proposals they fulfil.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Lifecycle } from './lifecycle.ts'

type Accounts = readonly Uint8Array[]

/** The accounts of a consensus engine that change by votes or a contract. */
export interface SignerGroup {
  /** Name of a member, such as `validator`. */
  readonly member: string
  /**
   * Members that may make the block on top of another, 20 bytes each; undefined: that block belongs to another engine.
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  after(block: ChainHeader): MaybePromise<Accounts | undefined>
  /** Proposals of the operator of this node. */
  readonly votes: Pick<VoteIntents, 'fulfil'>
}

export interface SignerWatchDeps {
  readonly chain: Pick<Chain, 'head' | 'events'>
  readonly group: SignerGroup
  /** Account of this node, 20 bytes; undefined: it has none. */
  readonly local: Uint8Array | undefined
  readonly residency: Residency | undefined
  readonly logger: Logger
}

export class SignerWatch implements Lifecycle {
  readonly name = 'signer watch'
  readonly #deps: SignerWatchDeps
  #members: Accounts | undefined
  #isBusy = false
  #unsubscribe: Unsubscribe | undefined

  constructor(deps: SignerWatchDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    const { chain } = this.#deps
    this.#members = await this.#membersAfter(chain.head)
    this.#unsubscribe = chain.events.on('head', () => void this.#follow())
  }

  stop(): void {
    this.#unsubscribe?.()
  }

  /** Heads that arrive meanwhile are compared together. */
  async #follow(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    const { chain } = this.#deps
    for (let head: ChainHeader | undefined; head !== chain.head; ) {
      head = chain.head
      const before = this.#members
      const now = await this.#membersAfter(head)
      if (before !== undefined && now !== undefined) this.#compare(before, now, head)
      this.#members = now
    }
    this.#isBusy = false
  }

  async #membersAfter(block: ChainHeader): Promise<Accounts | undefined> {
    const { group, residency, logger } = this.#deps
    try {
      return await retryMisses(() => group.after(block), residency)
    } catch (error) {
      if (!isNodeError(error)) throw error
      logger.debug(`the ${group.member}s of the next block are unknown`, { error })
      return undefined
    }
  }

  #compare(before: Accounts, now: Accounts, { header }: ChainHeader): void {
    const fromBlock = header.number + 1n
    for (const account of now) if (!has(before, account)) this.#changed(account, true, fromBlock)
    for (const account of before) if (!has(now, account)) this.#changed(account, false, fromBlock)
  }

  #changed(account: Uint8Array, isMember: boolean, fromBlock: bigint): void {
    const { group, local, logger } = this.#deps
    const { member, votes } = group
    const address = bytesToHex(account)
    logger.info(`${member} ${isMember ? 'added' : 'removed'}`, { address, fromBlock })
    if (local !== undefined && equalBytes(account, local)) {
      logger.info(`this node is ${isMember ? 'now' : 'no longer'} a ${member}`, { address, fromBlock })
    }
    if (!votes.fulfil(account, isMember)) return
    logger.info(`the proposal to ${isMember ? 'add' : 'remove'} a ${member} is fulfilled`, { address })
  }
}

function has(accounts: Accounts, account: Uint8Array): boolean {
  return accounts.some((other) => equalBytes(other, account))
}

import type { Logger } from '../base/ports/host.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface HeadLogDeps {
  readonly chain: Pick<Chain, 'events' | 'consensus' | 'body'>
  readonly logger: Logger
  /** Whether the progress of a synchronisation is logged instead. */
  isSynchronising(): boolean
  /** Whether another part of the node logs the blocks of an author: those that it makes or agrees on. */
  isLogged(author: Uint8Array): boolean
}

/** Logs new heads that others made. */
export class HeadLog implements Lifecycle {
  readonly name = 'log of heads'
  readonly #deps: HeadLogDeps
  #unsubscribe: Unsubscribe | undefined

  constructor(deps: HeadLogDeps) {
    this.#deps = deps
  }

  /** Begins the log, when the node has peers: an import of files has its own output. */
  open(): void {
    this.#unsubscribe = this.#deps.chain.events.on('head', ({ head, added }) => this.#onHead(head, added.length))
  }

  stop(): void {
    this.#unsubscribe?.()
  }

  #onHead({ header, hash }: ChainHeader, blocks: number): void {
    const { chain, logger, isSynchronising, isLogged } = this.#deps
    if (blocks === 0 || isSynchronising() || isLogged(chain.consensus.claimedBy(header).author(header))) return
    const transactions = chain.body(hash)?.transactions.length
    const fields = { number: header.number, hash: bytesToHex(hash), transactions }
    if (blocks === 1) logger.info('imported a block', fields)
    else logger.info('imported blocks', { ...fields, blocks })
  }
}

/** @param own accounts for which this node makes blocks; undefined: it has none */
export function isAuthorIn(own: readonly (Uint8Array | undefined)[], author: Uint8Array): boolean {
  return own.some((account) => account !== undefined && equalBytes(account, author))
}

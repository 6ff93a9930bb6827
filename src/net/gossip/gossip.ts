/**
 * Gossip of blocks and transactions as a part of the node.
 * @module
 */
import { BlockGossip } from './blockGossip.ts'
import type { GossipDeps } from './contract.ts'
import { TransactionGossip } from './transactionGossip.ts'

export class Gossip {
  readonly name = 'gossip'
  readonly #blocks: BlockGossip
  readonly #transactions: TransactionGossip

  constructor(deps: GossipDeps) {
    this.#blocks = new BlockGossip(deps)
    this.#transactions = new TransactionGossip(deps)
  }

  start(): void {
    this.#blocks.start()
    this.#transactions.start()
  }

  stop(): void {
    this.#transactions.stop()
    this.#blocks.stop()
  }
}

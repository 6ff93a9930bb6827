/**
 * Gossip of blocks and transactions as a part of the node.
 * @module
 */
import { BlockGossip } from './blockGossip.ts'
import type { GossipParts } from './contract.ts'
import { TransactionGossip } from './transactionGossip.ts'

export class Gossip {
  readonly name = 'gossip'
  readonly #blocks: BlockGossip
  readonly #transactions: TransactionGossip

  constructor(parts: GossipParts) {
    this.#blocks = new BlockGossip(parts)
    this.#transactions = new TransactionGossip(parts)
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

/**
 * The producer of IBFT 2.0 and QBFT: a validator that agrees with the others on each block. It follows the chain from
 * one protocol to the other.
 * @see docs/reference/consensus-ibft-qbft.md
 * @module
 */

import { NodeError } from '../../base/primitives/errors.ts'
import type { Chain } from '../../chain/chain.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { Attendance, BlockProducer, ProducerStatus } from '../contract.ts'
import { BftDriver, type BftDriverDeps } from './bftDriver.ts'
import { BlockWork, type BlockWorkDeps } from './blockWork.ts'

export interface BftProducerDeps
  extends Omit<BftDriverDeps, 'work' | 'consensus'>,
    Omit<BlockWorkDeps, 'chain' | 'pool'> {
  readonly chain: BlockWorkDeps['chain'] & Pick<Chain, 'events'>
  readonly pool: BlockWorkDeps['pool'] & Pick<TransactionPool, 'events'>
}

export class BftProducer implements BlockProducer {
  readonly canProduce = true
  readonly hashrate = 0n
  readonly #deps: BftProducerDeps
  #agreement: BftDriver | undefined
  #unsubscribe: (() => void) | undefined
  #isOpen = false
  #isSynchronising = false
  #isClosed = false

  constructor(deps: BftProducerDeps) {
    this.#deps = deps
    deps.template.coinbase = deps.signer.address
  }

  get template(): BftProducerDeps['template'] {
    return this.#deps.template
  }

  get status(): ProducerStatus {
    return this.#isClosed ? 'stopped' : 'producing'
  }

  get attendance(): Attendance | undefined {
    return this.#agreement?.attendance
  }

  get signedHeight(): number {
    return this.#deps.journal.height
  }

  get coinbase(): Uint8Array {
    return this.#deps.signer.address
  }

  get targetGasLimit(): bigint | undefined {
    return this.template.targetGasLimit
  }

  /** @throws {NodeError} INVALID_BFT_MESSAGE when stored votes are damaged */
  async open(): Promise<void> {
    const { chain, pool, journal, residency } = this.#deps
    if (this.#isOpen || this.#isClosed) return
    this.#isOpen = true
    const remembered = await retryMisses(() => journal.load(), residency)
    const work = new BlockWork(this.#deps)
    const agreement = new BftDriver({ ...this.#deps, consensus: chain.consensus, work }, remembered)
    this.#agreement = agreement
    if (this.#isSynchronising) agreement.observe()
    const unsubscribes = [
      chain.events.on('head', ({ head }) => void agreement.begin(head)),
      pool.events.on('added', () => agreement.transactionArrived()),
    ]
    this.#unsubscribe = () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
    await agreement.begin(chain.head)
  }

  /** No effect: validators always produce blocks. */
  start(): void {}

  /** No effect: a validator that stopped would weaken the network. */
  stop(): boolean {
    return false
  }

  /** While behind, this validator only observes the heights that it receives. */
  setSynchronising(isSynchronising: boolean): void {
    if (isSynchronising === this.#isSynchronising) return
    this.#isSynchronising = isSynchronising
    if (isSynchronising) this.#agreement?.observe()
    else void this.#agreement?.join(this.#deps.chain.head)
  }

  /** @throws {NodeError} INVALID_REQUEST */
  setCoinbase(): void {
    throw new NodeError({ code: 'INVALID_REQUEST' }, 'the coinbase of a validator is the address of its node key')
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.template.targetGasLimit = gasLimit
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe?.()
    this.#agreement?.close()
  }
}

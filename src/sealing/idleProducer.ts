/**
 * The producer for engines without block production in this version: it only stores the mining settings.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import type { BlockTemplate } from './blockTemplate.ts'
import type { BlockProducer, ProducerStatus } from './contract.ts'

export class IdleProducer implements BlockProducer {
  readonly canProduce = false
  readonly hashrate = 0n
  readonly template: BlockTemplate
  readonly #logger: Logger
  #isStarted = false

  constructor(template: BlockTemplate, logger: Logger) {
    this.template = template
    this.#logger = logger
  }

  get status(): ProducerStatus {
    return this.#isStarted ? 'unable' : 'stopped'
  }

  get coinbase(): Uint8Array | undefined {
    return this.template.coinbase
  }

  get targetGasLimit(): bigint | undefined {
    return this.template.targetGasLimit
  }

  start(): void {
    this.template.requireCoinbase()
    if (!this.#isStarted) this.#logger.warn('mining is enabled, but this version cannot produce blocks for this chain')
    this.#isStarted = true
  }

  stop(): boolean {
    this.#isStarted = false
    return true
  }

  setCoinbase(address: Uint8Array): void {
    this.template.coinbase = address
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.template.targetGasLimit = gasLimit
  }

  close(): void {
    this.stop()
  }
}

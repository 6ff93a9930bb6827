/**
 * Follows the chain from one engine to another, as from Clique to QBFT at its start block: when the next block needs
 * another producer, the current one is closed and the other one opened.
 * @module
 */

import type { Logger } from '../base/ports/host.ts'
import type { Chain } from '../chain/chain.ts'
import type { Attendance, BlockProducer, ProducerStatus, ProducerTemplate, RemoteSealing } from './contract.ts'

export interface SwitchingProducerOptions<Kind> {
  readonly chain: Pick<Chain, 'events'>
  /** The kind of producer that the block on top of the head needs. */
  readonly select: () => Kind
  readonly create: (kind: Kind) => BlockProducer
  readonly logger: Logger
}

export class SwitchingProducer<Kind> implements BlockProducer {
  /** Stable, because other parts keep it. */
  readonly template: ProducerTemplate
  readonly #options: SwitchingProducerOptions<Kind>
  readonly #unsubscribe: () => void
  #kind: Kind
  #current: BlockProducer
  #isOpen = false
  #isSynchronising = false

  constructor(options: SwitchingProducerOptions<Kind>) {
    this.#options = options
    this.#kind = options.select()
    this.#current = options.create(this.#kind)
    this.#unsubscribe = options.chain.events.on('head', () => this.#follow())
    const current = (): ProducerTemplate => this.#current.template
    this.template = {
      get overrides() {
        return current().overrides
      },
      get settings() {
        return current().settings
      },
      plan: (parent, content) => current().plan(parent, content),
    }
  }

  get canProduce(): boolean {
    return this.#current.canProduce
  }

  get status(): ProducerStatus {
    return this.#current.status
  }

  get hashrate(): bigint {
    return this.#current.hashrate
  }

  get coinbase(): Uint8Array | undefined {
    return this.#current.coinbase
  }

  get targetGasLimit(): bigint | undefined {
    return this.#current.targetGasLimit
  }

  get attendance(): Attendance | undefined {
    return this.#current.attendance
  }

  get signedHeight(): number {
    return this.#current.signedHeight ?? 0
  }

  get remote(): RemoteSealing | undefined {
    return this.#current.remote
  }

  async open(): Promise<void> {
    this.#isOpen = true
    await this.#current.open?.()
  }

  start(): void {
    this.#current.start()
  }

  stop(): boolean {
    return this.#current.stop()
  }

  setCoinbase(address: Uint8Array): void {
    this.#current.setCoinbase(address)
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.#current.setTargetGasLimit(gasLimit)
  }

  setSynchronising(isSynchronising: boolean): void {
    this.#isSynchronising = isSynchronising
    this.#current.setSynchronising?.(isSynchronising)
  }

  close(): void {
    this.#unsubscribe()
    this.#current.close()
  }

  #follow(): void {
    const kind = this.#options.select()
    if (kind === this.#kind) return
    const { targetGasLimit } = this.#current
    this.#current.close()
    this.#kind = kind
    this.#current = this.#options.create(kind)
    if (targetGasLimit !== undefined) this.#current.setTargetGasLimit(targetGasLimit)
    if (this.#isSynchronising) this.#current.setSynchronising?.(true)
    if (!this.#isOpen) return
    this.#current.open?.().catch((error: unknown) => {
      this.#options.logger.error('block production cannot continue under the new consensus engine', { error })
    })
  }
}

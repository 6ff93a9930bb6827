/**
 * The switches of mining on a chain whose blocks this node does not make: they are kept and shown.
 * @module
 */
import type { Logger } from '../ports/host.ts'
import { NodeError } from '../primitives/errors.ts'

export class IdleMiner {
  readonly #logger: Logger
  #coinbase: Uint8Array | undefined
  #isSealing = false
  #targetGasLimit: bigint | undefined

  constructor(
    settings: { readonly coinbase: Uint8Array | undefined; readonly targetGasLimit: bigint | undefined },
    logger: Logger,
  ) {
    this.#coinbase = settings.coinbase
    this.#targetGasLimit = settings.targetGasLimit
    this.#logger = logger
  }

  get coinbase(): Uint8Array | undefined {
    return this.#coinbase
  }

  get isSealing(): boolean {
    return this.#isSealing
  }

  get targetGasLimit(): bigint | undefined {
    return this.#targetGasLimit
  }

  /** @throws {NodeError} COINBASE_NOT_SET */
  start(): void {
    if (this.#coinbase === undefined) {
      throw new NodeError({ code: 'COINBASE_NOT_SET' }, 'etherbase must be explicitly specified')
    }
    if (!this.#isSealing) this.#logger.warn('mining is on, but this version makes blocks on the dev chain only')
    this.#isSealing = true
  }

  stop(): void {
    this.#isSealing = false
  }

  setCoinbase(address: Uint8Array): void {
    this.#coinbase = address
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.#targetGasLimit = gasLimit
  }
}

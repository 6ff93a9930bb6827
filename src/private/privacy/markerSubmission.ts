import type { Random } from '../../base/ports/random.ts'
import type { ChainReader } from '../../chain/contract.ts'
import { requireState } from '../../state/errors.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { PoolReader } from '../../txpool/contract.ts'
import type { SubmissionVerdict, TransactionSubmission } from '../../txpool/submission.ts'
import type { Distributed, Distribution } from './distribution.ts'
import { markerTarget } from './groups.ts'
import { MarkerSigner } from './markerSigner.ts'
import type { PrivateReads } from './privateReads.ts'

export interface MarkerSubmissionOptions {
  readonly chain: Pick<ChainReader, 'head'>
  readonly states: StateStore
  readonly reads: PrivateReads
  readonly pool: PoolReader
  readonly submission: TransactionSubmission
  readonly distribution: Distribution
  readonly random: Random
  /** Signs every marker; undefined: each marker has a new key. */
  readonly signer: MarkerSigner | undefined
  readonly isFlexible: boolean
}

/** Distributes private transactions and submits their markers. */
export class MarkerSubmission {
  readonly #options: MarkerSubmissionOptions
  /** The last marker of the fixed signer: the nonce of the next one depends on it. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: MarkerSubmissionOptions) {
    this.#options = options
  }

  /** @throws {NodeError} as `Distribution.distribute` */
  async submit(raw: string, user: string): Promise<SubmissionVerdict> {
    const { distribution, signer, random } = this.#options
    const distributed = await distribution.distribute(raw, user, true)
    if (signer === undefined) return this.#send(distributed, MarkerSigner.random(random), 0n)
    const sending = this.#last.then(async () => this.#send(distributed, signer, await this.#nextNonce(signer)))
    this.#last = sending.catch(() => undefined)
    return sending
  }

  #send({ transaction, markerData }: Distributed, signer: MarkerSigner, nonce: bigint): Promise<SubmissionVerdict> {
    const { submission, isFlexible } = this.#options
    const { gasPrice, gasLimit } = transaction
    return submission.submit(signer.sign({ nonce, gasPrice, gasLimit, to: markerTarget(isFlexible), data: markerData }))
  }

  #nextNonce({ address }: MarkerSigner): Promise<bigint> {
    const { pool, states, chain, reads } = this.#options
    return reads.resident(() => {
      const stored = states.reader(requireState(chain.head.stateRoot)).getAccount(address)?.nonce ?? 0n
      const pooled = pool.nextNonce(address) ?? 0n
      return pooled > stored ? pooled : stored
    })
  }
}

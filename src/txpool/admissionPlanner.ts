import { MAX_POOL_BYTES } from '../base/limits/limits.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { nextBaseFee } from '../chain/fees.ts'
import { chainIdAfter, nextBlobBaseFeeOf, nextRules } from '../chain/nextBlock.ts'
import type { ForkRules } from '../config/forks.ts'
import type { StateSource } from '../state/contract.ts'
import type { BlobSidecar } from '../types/blobSidecar.ts'
import { encodeTransaction, transactionSender } from '../types/transactionCodec.ts'
import {
  type AccountPermission,
  type AdmissionContext,
  type AdmissionError,
  checkBeforeSender,
  checkDistance,
  checkSender,
  checkWithoutState,
  refuse,
} from './admission.ts'
import type { IncomingTransaction, PoolSettings } from './contract.ts'
import type { EvictionOrder } from './evictionOrder.ts'
import { InvalidNonces } from './invalidNonces.ts'
import { mapKey, type PoolEntry, type PoolIndex } from './poolIndex.ts'
import { mayReplace } from './replacement.ts'

export interface PlannerOptions {
  readonly chain: ChainReader
  readonly states: Pick<StateSource, 'at'>
  /** Whether the node produces blocks. */
  readonly isSealing: () => boolean
  /** Permissioning; absent: everyone may send. */
  readonly permits?: AccountPermission
  /** Gas limit of the next block if it is set explicitly (dev chain); undefined: the head's. */
  readonly blockGasLimit?: () => bigint | undefined
  /** Base fee of the next block if it is set explicitly (dev chain), wei. */
  readonly givenBaseFee?: () => bigint | undefined
}

/** The changes of an admission. */
export interface Admission {
  readonly kind: 'admissible'
  readonly entry: PoolEntry
  readonly replaced: PoolEntry | undefined
  readonly victims: readonly PoolEntry[]
}

export interface AdmissionRefusal {
  readonly kind: 'refused'
  readonly error: AdmissionError
}

/** Properties of the next block that are derived from the head. */
interface NextBlock {
  readonly head: ChainHeader
  readonly rules: ForkRules
  readonly baseFeePerGas: bigint | undefined
  readonly blobBaseFee: bigint | undefined
}

const COMMITMENT_BYTES = 48
const permitsAll: AccountPermission = () => 'allowed'

/** Decides about admissions; the pool carries them out. */
export class AdmissionPlanner {
  readonly #options: PlannerOptions
  readonly #index: PoolIndex
  readonly #eviction: EvictionOrder
  readonly #invalidNonces = new InvalidNonces()
  #next: NextBlock | undefined

  constructor(options: PlannerOptions, index: PoolIndex, eviction: EvictionOrder) {
    this.#options = options
    this.#index = index
    this.#eviction = eviction
  }

  /**
   * Changes nothing; over a store that is not resident it may throw `StoreMiss`.
   * @returns why the transaction is refused, or the changes of its admission
   */
  plan(
    incoming: IncomingTransaction,
    settings: PoolSettings,
    addedAtMs: number,
    sequence: number,
  ): Admission | AdmissionRefusal {
    const { transaction } = incoming
    const { nonce } = transaction
    const next = this.#nextBlock()
    const context = this.#context(next, settings)
    const early = checkBeforeSender(incoming, context)
    if (early !== undefined) return refused(early)
    const encoding = incoming.encoding ?? encodeTransaction(transaction)
    const hash = keccak256(encoding)
    const key = mapKey(hash)
    const queue = this.#index.get(key)
    const sender = senderOf(incoming, queue)
    if (sender === undefined) return refused(refuse('INVALID_TRANSACTION_SIGNATURE', 'invalid sender'))
    const senderKey = mapKey(sender)
    const formError = checkWithoutState(incoming, context)
    if (formError !== undefined) return this.#invalid(incoming, senderKey, formError)
    const state = this.#options.states.at(next.head)
    if (state === undefined)
      return refused(refuse('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE', 'state of the head is not available'))
    const account = state.getAccount(sender)
    const senderError = checkSender(incoming, sender, account, state, context)
    if (senderError !== undefined) return this.#invalid(incoming, senderKey, senderError)
    const error =
      (queue === undefined ? undefined : refuse('TRANSACTION_ALREADY_KNOWN', 'already known')) ??
      (incoming.isLocal ? undefined : this.#checkLowerNonces(senderKey, nonce, account?.nonce ?? 0n)) ??
      (incoming.isReturning ? undefined : checkDistance(transaction, account, settings))
    if (error !== undefined) return refused(error)
    const replaced = this.#index.at(senderKey, nonce)
    if (replaced && !mayReplace(transaction, replaced.transaction, next.baseFeePerGas, settings.priceBump)) {
      return refused(refuse('TRANSACTION_REPLACEMENT_UNDERPRICED', 'replacement transaction underpriced'))
    }
    const { isLocal, sidecar, impersonatedSender } = incoming
    const byteLength = encoding.length + sidecarLength(sidecar)
    const entry: { -readonly [Name in keyof PoolEntry]: PoolEntry[Name] } = {
      transaction,
      encoding,
      hash,
      sender,
      isLocal,
      addedAtMs,
      sequence,
      key,
      senderKey,
      byteLength,
    }
    if (sidecar !== undefined) entry.sidecar = sidecar
    if (impersonatedSender !== undefined) entry.isImpersonated = true
    const { maxSize, maxBytes = MAX_POOL_BYTES } = settings
    const bounds = { maxSize, maxBytes, maxBlobBytes: maxBytes / 2 }
    const market = { head: next, prices: next, accountOf: (address: Uint8Array) => state.getAccount(address) }
    const victims = this.#eviction.victimsFor(entry, replaced, bounds, market)
    if (victims === undefined) return refused(refuse('TRANSACTION_POOL_FULL', 'txpool is full'))
    return { kind: 'admissible', entry, replaced, victims }
  }

  admitted({ senderKey, transaction }: PoolEntry): void {
    this.#invalidNonces.valid(senderKey, transaction.nonce)
  }

  /** Called when a pooled transaction proves invalid; later network transactions of its sender are refused. */
  invalid({ isLocal, senderKey, transaction }: PoolEntry): void {
    if (!isLocal) this.#invalidNonces.invalid(senderKey, transaction.nonce)
  }

  clear(): void {
    this.#invalidNonces.clear()
  }

  #checkLowerNonces(senderKey: string, nonce: bigint, next: bigint): AdmissionError | undefined {
    this.#invalidNonces.used(senderKey, next)
    if (!this.#invalidNonces.hasBelow(senderKey, nonce)) return undefined
    return refuse('LOWER_NONCE_INVALID_TRANSACTION_EXISTS', 'an invalid transaction with a lower nonce exists')
  }

  #invalid({ isLocal, transaction }: IncomingTransaction, senderKey: string, error: AdmissionError): AdmissionRefusal {
    const { nonce } = transaction
    // Without a verdict, it may be valid.
    const isDecided = error.code !== 'CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE'
    const leavesGap = error.code !== 'NONCE_TOO_LOW' && this.#index.at(senderKey, nonce) === undefined
    if (!isLocal && isDecided && leavesGap) this.#invalidNonces.invalid(senderKey, nonce)
    return refused(error)
  }

  #nextBlock(): NextBlock {
    const { chain } = this.#options
    const { head } = chain
    if (this.#next?.head !== head) {
      const rules = nextRules(chain.config, head.header)
      this.#next = {
        head,
        rules,
        baseFeePerGas: nextBaseFee(head.header, rules, chain.config),
        blobBaseFee: nextBlobBaseFeeOf(chain.config, head.header),
      }
    }
    return this.#next as NextBlock
  }

  #context({ head, rules, baseFeePerGas }: NextBlock, settings: PoolSettings): AdmissionContext {
    const { chain, isSealing, permits = permitsAll, blockGasLimit, givenBaseFee } = this.#options
    return {
      config: chain.config,
      chainId: chainIdAfter(chain.config, head),
      rules,
      blockGasLimit: blockGasLimit?.() ?? head.header.gasLimit,
      baseFeePerGas: givenBaseFee?.() ?? baseFeePerGas,
      settings,
      isSealing: isSealing(),
      permits,
    }
  }
}

function refused(error: AdmissionError): AdmissionRefusal {
  return { kind: 'refused', error }
}

function senderOf(incoming: IncomingTransaction, known: PoolEntry | undefined): Uint8Array | undefined {
  const recovered = known?.isImpersonated ? undefined : known?.sender
  const { impersonatedSender, sender, transaction } = incoming
  return impersonatedSender ?? sender ?? recovered ?? transactionSender(transaction)
}

function sidecarLength(sidecar: BlobSidecar | undefined): number {
  if (sidecar === undefined) return 0
  let length = COMMITMENT_BYTES * (sidecar.commitments.length + sidecar.proofs.length)
  for (const blob of sidecar.blobs) length += blob.length
  return length
}

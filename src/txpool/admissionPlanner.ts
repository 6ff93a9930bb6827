import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { nextBaseFee } from '../chain/fees.ts'
import { nextRules } from '../chain/nextBlock.ts'
import type { ForkRules } from '../config/forks.ts'
import { MAX_POOL_BYTES } from '../config/limits.ts'
import { keccak256 } from '../primitives/keccak.ts'
import type { BlobSidecar } from '../types/blobSidecar.ts'
import { encodeTransaction, transactionSender } from '../types/transactionCodec.ts'
import {
  type AdmissionContext,
  type AdmissionError,
  checkBeforeSender,
  checkDistance,
  checkSender,
  checkWithoutState,
  type Permits,
  refuse,
} from './admission.ts'
import type { Candidate, PoolSettings } from './contract.ts'
import type { EvictionOrder } from './evictionOrder.ts'
import type { PoolStates } from './headChange.ts'
import { InvalidNonces } from './invalidNonces.ts'
import { mapKey, type PoolEntry, type PoolIndex } from './poolIndex.ts'
import { mayReplace } from './replacement.ts'

export interface PlannerOptions {
  readonly chain: ChainReader
  readonly states: PoolStates
  /** Whether the node makes blocks. */
  readonly isSealing: () => boolean
  /** Permissioning; without it everybody may send. */
  readonly permits?: Permits
  /** Gas limit of the next block where it does not follow from the head's (dev chain); undefined: the head's. */
  readonly blockGasLimit?: () => bigint | undefined
  /** Base fee of the next block where it was set from outside (dev chain), wei. */
  readonly givenBaseFee?: () => bigint | undefined
}

/** What an admission will change. */
export interface Admission {
  readonly entry: PoolEntry
  readonly replaced: PoolEntry | undefined
  readonly victims: readonly PoolEntry[]
}

/** The next block as far as the head tells. */
interface NextBlock {
  readonly head: ChainHeader
  readonly rules: ForkRules
  readonly baseFeePerGas: bigint | undefined
}

const COMMITMENT_BYTES = 48
const permitsAll: Permits = () => true

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
   * @throws {NodeError} AdmissionErrorCode
   */
  plan(candidate: Candidate, settings: PoolSettings, addedAtMs: number, sequence: number): Admission {
    const { transaction } = candidate
    const { nonce } = transaction
    const next = this.#nextBlock()
    const context = this.#context(next, settings)
    throwIf(checkBeforeSender(candidate, context))
    const encoding = encodeTransaction(transaction)
    const hash = keccak256(encoding)
    const key = mapKey(hash)
    const known = this.#index.get(key)
    const sender = senderOf(candidate, known)
    const senderKey = mapKey(sender)
    this.#throwIfInvalid(candidate, senderKey, checkWithoutState(candidate, context))
    const state = this.#options.states.at(next.head)
    if (state === undefined) throw refuse('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE', 'state of the head is not available')
    const account = state.getAccount(sender)
    this.#throwIfInvalid(candidate, senderKey, checkSender(candidate, sender, account, state, context))
    if (known !== undefined) throw refuse('TRANSACTION_ALREADY_KNOWN', 'already known')
    if (!candidate.isLocal) throwIf(this.#checkLowerNonces(senderKey, nonce, account?.nonce ?? 0n))
    throwIf(checkDistance(transaction, account, settings))
    const replaced = this.#index.at(senderKey, nonce)
    if (replaced && !mayReplace(transaction, replaced.transaction, next.baseFeePerGas, settings.priceBump)) {
      throw refuse('TRANSACTION_REPLACEMENT_UNDERPRICED', 'replacement transaction underpriced')
    }
    const { isLocal, sidecar, impersonatedSender } = candidate
    const byteLength = encoding.length + sidecarLength(sidecar)
    const entry: PoolEntry = {
      ...{ transaction, hash, sender, isLocal, addedAtMs, sequence, key, senderKey, byteLength },
      ...(sidecar === undefined ? {} : { sidecar }),
      ...(impersonatedSender === undefined ? {} : { isImpersonated: true }),
    }
    const bounds = { maxSize: settings.maxSize, maxBytes: MAX_POOL_BYTES }
    const victims = this.#eviction.victimsFor(entry, replaced, bounds, next.baseFeePerGas)
    if (victims === undefined) throw refuse('TRANSACTION_POOL_FULL', 'txpool is full')
    return { entry, replaced, victims }
  }

  admitted({ senderKey, transaction }: PoolEntry): void {
    this.#invalidNonces.valid(senderKey, transaction.nonce)
  }

  /** A pooled transaction turned out to be invalid; what comes from the network after it is refused. */
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

  #throwIfInvalid({ isLocal, transaction }: Candidate, senderKey: string, error: AdmissionError | undefined): void {
    if (error === undefined) return
    if (!isLocal && error.code !== 'NONCE_TOO_LOW') this.#invalidNonces.invalid(senderKey, transaction.nonce)
    throw error
  }

  #nextBlock(): NextBlock {
    const { chain } = this.#options
    const { head } = chain
    if (this.#next?.head !== head) {
      const rules = nextRules(chain.config, head.header)
      this.#next = { head, rules, baseFeePerGas: nextBaseFee(head.header, rules, chain.config) }
    }
    return this.#next as NextBlock
  }

  #context({ head, rules, baseFeePerGas }: NextBlock, settings: PoolSettings): AdmissionContext {
    const { chain, isSealing, permits = permitsAll, blockGasLimit, givenBaseFee } = this.#options
    return {
      config: chain.config,
      rules,
      blockGasLimit: blockGasLimit?.() ?? head.header.gasLimit,
      baseFeePerGas: givenBaseFee?.() ?? baseFeePerGas,
      settings,
      isSealing: isSealing(),
      permits,
    }
  }
}

function throwIf(error: AdmissionError | undefined): void {
  if (error !== undefined) throw error
}

function senderOf(candidate: Candidate, known: PoolEntry | undefined): Uint8Array {
  const recovered = known?.isImpersonated ? undefined : known?.sender
  const { impersonatedSender, sender, transaction } = candidate
  const found = impersonatedSender ?? sender ?? recovered ?? transactionSender(transaction)
  if (found === undefined) throw refuse('INVALID_TRANSACTION_SIGNATURE', 'invalid sender')
  return found
}

function sidecarLength(sidecar: BlobSidecar | undefined): number {
  if (sidecar === undefined) return 0
  let length = COMMITMENT_BYTES * (sidecar.commitments.length + sidecar.proofs.length)
  for (const blob of sidecar.blobs) length += blob.length
  return length
}

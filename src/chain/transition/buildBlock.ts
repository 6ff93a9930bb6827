/**
 * Builds a new block: tries transactions in turn and derives the header from the results of those that were included.
 * @see Yellow Paper 12
 * @module
 */
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ConsensusSchedule } from '../../consensus/engine.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionScheduler } from '../../evm/scheduler.ts'
import type { Residency } from '../../ports/keyValueStore.ts'
import { NodeError } from '../../primitives/errors.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { orderedTrieRoot } from '../../trie/orderedRoot.ts'
import type { Block, Header, Withdrawal } from '../../types/block.ts'
import { mergeBloom } from '../../types/bloom.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import { encodeTransaction } from '../../types/transactionCodec.ts'
import type { ChainHeader } from '../contract.ts'
import { blobGas } from '../fees.ts'
import type { ParentReads } from '../parentReads.ts'
import { MAX_RLP_BLOCK_BYTES } from '../validation/bodyRules.ts'
import { receiptsRoot, requestsHash } from '../validation/resultRules.ts'
import type { BlockExecutionInput } from './contract.ts'
import { type BlockDraft, draftBlock } from './draftBlock.ts'
import { closeBlock, executionContext, openBlock, roomIn } from './executeBlock.ts'
import { executeTransaction } from './executeTransaction.ts'
import { type Rejection, reject } from './rejection.ts'
import type { BlockRoom } from './validateTransaction.ts'

/** A transaction that may be included in the block. */
export interface BlockCandidate {
  readonly transaction: Transaction
  /** 20 bytes */
  readonly sender: Uint8Array
  /** 32 bytes */
  readonly hash: Uint8Array
  /** The signature is not the sender's (dev chain). */
  readonly isImpersonated?: boolean
}

/** Source of the transactions of a block. */
export interface BlockCandidates {
  /**
   * The next transaction to try; undefined completes the block. Never reads anything that could throw `StoreMiss`.
   * @param room gas and blob gas left in the block
   */
  next(room: BlockRoom): BlockCandidate | undefined
  included(candidate: BlockCandidate, receipt: StoredReceipt): void
  /** The candidate was rejected; the state is unchanged. */
  refused(candidate: BlockCandidate, rejection: Rejection): void
}

/** The parameters of a new block. */
export interface BlockPlan {
  /** seconds */
  readonly timestamp: bigint
  /** 20 bytes */
  readonly beneficiary: Uint8Array
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  readonly gasLimit: bigint
  /** Whether the gas limit is exempt from the bounds around the parent's (dev chain). */
  readonly setsGasLimit?: boolean
  /** 32 bytes, default zero; used only under proof of stake */
  readonly prevRandao?: Uint8Array
  /** wei; overrides the base fee derived from the parent (dev chain) */
  readonly baseFeePerGas?: bigint
  /** 20 bytes: the author, if only the seal identifies it (Clique). Default: derived by the consensus engine. */
  readonly author?: Uint8Array
  /** Default: none. Only from Shanghai on. */
  readonly withdrawals?: readonly Withdrawal[]
  /** 32 bytes, default zero; used from Cancun on */
  readonly parentBeaconBlockRoot?: Uint8Array
  readonly candidates: BlockCandidates
  /** When false, no block is built unless it includes a transaction. */
  readonly isEmptyAllowed: boolean
}

export interface BuildInput {
  readonly plan: BlockPlan
  readonly parent: ChainHeader
  readonly config: ChainConfig
  /** State after the parent; becomes the state after the block. */
  readonly state: MutableState
  readonly evm: Evm
  readonly consensus: ConsensusSchedule
  readonly parentReads: Pick<ParentReads, 'context'>
  readonly residency?: Residency
  readonly scheduler?: ExecutionScheduler
  readonly keepRevertReasons: boolean
  /** Hash of an ancestor of the block, for BLOCKHASH. */
  blockHash(number: bigint): Uint8Array | undefined
}

export interface BuiltBlock {
  readonly block: Block
  /** One per transaction, in order. */
  readonly included: readonly BlockCandidate[]
  readonly receipts: readonly StoredReceipt[]
}

/** Upper bound of the RLP size of the header and of the lists around the transactions. */
const BLOCK_OVERHEAD_BYTES = 2048
const BLOOM_BYTES = 256
/** Upper bound of the RLP size of one withdrawal. */
const WITHDRAWAL_BYTES = 64

/**
 * @returns undefined when no transaction was included and the block may not be empty
 * @throws {NodeError} BLOCK_NOT_BUILT when a system call fails or the plan does not fit the fork
 */
export async function buildBlock(input: BuildInput): Promise<BuiltBlock | undefined> {
  const { state, residency } = input
  const drafted = await retryMisses(() => draftBlock(input), residency)
  const draft = drafted.block
  const execution = executionInput(input, drafted)
  const context = executionContext(execution)
  await openBlock(execution, context)
  const filled = await fillBlock(input, execution, context)
  if (filled.included.length === 0 && !input.plan.isEmptyAllowed) return undefined
  const closed = await closeBlock(execution, filled.receipts, context)
  if (closed.kind === 'invalid') throw new NodeError({ code: 'BLOCK_NOT_BUILT' }, closed.reason)
  const transactions = filled.included.map(({ transaction }) => transaction)
  const header: Header = {
    ...draft.header,
    stateRoot: await retryMisses(() => state.rootHash(), residency),
    transactionsRoot: orderedTrieRoot(filled.encodings),
    receiptsRoot: receiptsRoot(filled.receipts),
    logsBloom: filled.logsBloom,
    gasUsed: filled.gasUsed,
    ...(draft.header.blobGasUsed === undefined ? {} : { blobGasUsed: filled.blobGasUsed }),
    ...(closed.requests === undefined ? {} : { requestsHash: requestsHash(closed.requests) }),
  }
  return { block: { ...draft, header, transactions }, included: filled.included, receipts: filled.receipts }
}

/** The gas limit of the next block: moves towards the target by less than 1/1024 of the parent's. */
export function nextGasLimit(parentGasLimit: bigint, target: bigint | undefined): bigint {
  if (target === undefined) return parentGasLimit
  const step = parentGasLimit / 1024n - 1n
  if (target > parentGasLimit) return target < parentGasLimit + step ? target : parentGasLimit + step
  return target > parentGasLimit - step ? target : parentGasLimit - step
}

function executionInput(
  { plan: { author }, config, state, evm, residency, scheduler, keepRevertReasons, blockHash }: BuildInput,
  { block, engine, rules }: BlockDraft,
): BlockExecutionInput {
  return {
    config,
    rules,
    block,
    senders: [],
    state,
    evm,
    engine,
    ...(author === undefined ? {} : { author }),
    ...(residency === undefined ? {} : { residency }),
    ...(scheduler === undefined ? {} : { scheduler }),
    keepRevertReasons,
    blockHash,
  }
}

interface FilledBlock {
  readonly included: BlockCandidate[]
  readonly encodings: Uint8Array[]
  readonly receipts: StoredReceipt[]
  readonly logsBloom: Uint8Array
  gasUsed: bigint
  blobGasUsed: bigint
}

async function fillBlock(
  { plan: { candidates }, state, keepRevertReasons }: BuildInput,
  execution: BlockExecutionInput,
  context: ReturnType<typeof executionContext>,
): Promise<FilledBlock> {
  const filled: FilledBlock = {
    included: [],
    encodings: [],
    receipts: [],
    logsBloom: new Uint8Array(BLOOM_BYTES),
    gasUsed: 0n,
    blobGasUsed: 0n,
  }
  const slicer = execution.scheduler?.slicer()
  const maxBytes = execution.rules.eips.has(7934) ? MAX_RLP_BLOCK_BYTES : Number.POSITIVE_INFINITY
  let bytes = BLOCK_OVERHEAD_BYTES + (execution.block.withdrawals ?? []).length * WITHDRAWAL_BYTES
  for (;;) {
    const room = roomIn(execution, context, { gas: filled.gasUsed, blobGas: filled.blobGasUsed })
    const candidate = candidates.next(room)
    if (candidate === undefined) return filled
    const { transaction, sender, isImpersonated: mayHaveCode = false } = candidate
    const encoding = encodeTransaction(transaction)
    if (bytes + encoding.length > maxBytes) {
      candidates.refused(candidate, reject('BLOCK_SIZE_LIMIT_REACHED', `block size limit reached: ${maxBytes} bytes`))
      continue
    }
    const outcome = await executeTransaction(
      { transaction, sender, mayHaveCode, room, gasUsedBefore: filled.gasUsed, keepRevertReason: keepRevertReasons },
      state,
      context,
    )
    if (outcome.kind === 'invalid') {
      candidates.refused(candidate, outcome.rejection)
      continue
    }
    bytes += encoding.length
    filled.included.push(candidate)
    filled.encodings.push(encoding)
    filled.receipts.push(outcome.receipt)
    mergeBloom(filled.logsBloom, outcome.receipt.logsBloom)
    filled.gasUsed += outcome.gasUsed
    filled.blobGasUsed += blobGas(transaction)
    candidates.included(candidate, outcome.receipt)
    if (slicer?.isDue) await slicer.yield()
  }
}

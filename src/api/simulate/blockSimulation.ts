/**
 * Simulates consecutive blocks for eth_simulateV1.
 * @see execution-apis, eth_simulateV1
 * @module
 */

import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../base/primitives/keccak.ts'
import { storedAncestorHashes } from '../../chain/ancestorHashes.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { GAS_PER_BLOB, nextBaseFee, nextExcessBlobGas } from '../../chain/fees.ts'
import { chainIdAfter } from '../../chain/nextBlock.ts'
import { receiptsRoot, requestsHash } from '../../chain/validation/resultRules.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { MutableState } from '../../state/contract.ts'
import { orderedTrieRoot, orderedTrieRootOf } from '../../trie/orderedRoot.ts'
import type { Header, Withdrawal } from '../../types/block.ts'
import { blockLength, transactionItemLength } from '../../types/blockCodec.ts'
import { mergeBloom } from '../../types/bloom.ts'
import type { Transaction } from '../../types/transaction.ts'
import { transactionView } from '../../types/transactionCodec.ts'
import { encodeWithdrawal } from '../../types/withdrawalCodec.ts'
import type { CallBackend } from '../calls/callSimulation.ts'
import type { BlockStepInput, CallLimits, CallObject, SimulatedBlock } from '../calls/contract.ts'
import { applyStateOverrides, PrecompileMoves } from '../calls/stateOverrides.ts'
import type { MinedTransaction } from '../viewTypes.ts'
import { type CallResult, callResult } from './callResult.ts'
import type { SimulatedBlockView, SimulatePayload } from './contract.ts'
import type { PlacedBlock } from './sequence.ts'
import { type SimulatedPair, simulatedTransaction } from './simulatedTransaction.ts'

const ZERO_ADDRESS = new Uint8Array(20)
const ZERO_HASH = new Uint8Array(32)
const ZERO_NONCE = new Uint8Array(8)
const BLOOM_BYTES = 256

interface Link {
  readonly header: Header
  readonly hash: Uint8Array
}

/** A block under construction. */
interface OpenBlock extends SimulatedBlock {
  readonly header: Header
  readonly withdrawals: readonly Withdrawal[] | undefined
}

export class BlockSimulation {
  readonly #backend: CallBackend
  readonly #payload: SimulatePayload
  readonly #limits: CallLimits
  readonly #state: MutableState
  readonly #base: ChainHeader
  /** Each call may be too short to yield itself. */
  readonly #slicer: TimeSlicer | undefined
  /** Simulated blocks, oldest first. */
  readonly #links: Link[] = []
  /** Gas left for all further calls together. */
  #gasLeft: bigint

  constructor(backend: CallBackend, payload: SimulatePayload, base: ChainHeader, limits: CallLimits) {
    const state = backend.states.mutable(base)
    if (state === undefined) throw new NodeError({ code: 'CALL_STATE_UNAVAILABLE' }, 'historical state unavailable')
    this.#backend = backend
    this.#payload = payload
    this.#limits = limits
    this.#state = state
    this.#base = base
    this.#slicer = backend.calls.slicer()
    this.#gasLeft = backend.options.simulateGasCap
  }

  async run(placed: PlacedBlock): Promise<SimulatedBlockView> {
    if (this.#slicer?.isDue) await this.#slicer.yield()
    const block = this.#open(placed)
    const precompiles = new PrecompileMoves(block.rules)
    await applyStateOverrides(this.#state, placed.stateOverrides, precompiles, () => ({
      slicer: this.#backend.calls.slicer(),
      signal: this.#limits.signal,
    }))
    const step: BlockStepInput = { ...block, block, state: this.#state, limits: this.#limits }
    await this.#backend.calls.openBlock(step)
    const results = await this.#runCalls(placed, block, precompiles.moved)
    const requests = await this.#backend.calls.closeBlock(
      step,
      results.map((result) => result.receipt),
    )
    return this.#seal(block, results, requests)
  }

  get #parent(): Link {
    return this.#links[this.#links.length - 1] ?? this.#base
  }

  #open({ blockOverrides, number, timestamp }: PlacedBlock): OpenBlock {
    const parent = this.#parent
    const { config } = this.#backend.chain
    const point = { number, timestamp, difficulty: this.#difficulty(number, timestamp) }
    const difficulty = blockOverrides.difficulty ?? point.difficulty
    const rules = config.rulesAt(point)
    const withdrawals = rules.eips.has(4895) ? (blockOverrides.withdrawals ?? []) : undefined
    const header: Header = {
      parentHash: parent.hash,
      ommersHash: EMPTY_LIST_HASH,
      beneficiary: blockOverrides.feeRecipient ?? parent.header.beneficiary,
      stateRoot: ZERO_HASH,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      logsBloom: new Uint8Array(BLOOM_BYTES),
      difficulty,
      number,
      gasLimit: blockOverrides.gasLimit ?? parent.header.gasLimit,
      gasUsed: 0n,
      timestamp,
      extraData: EMPTY_BYTES,
      mixHash: blockOverrides.prevRandao ?? ZERO_HASH,
      nonce: ZERO_NONCE,
      ...this.#forkFields(blockOverrides.baseFeePerGas, rules, parent.header),
      ...(withdrawals === undefined ? {} : { withdrawalsRoot: orderedTrieRoot(withdrawals.map(encodeWithdrawal)) }),
      ...(rules.eips.has(4788) ? { parentBeaconBlockRoot: blockOverrides.parentBeaconBlockRoot ?? ZERO_HASH } : {}),
    }
    const environment = {
      number,
      timestamp,
      beneficiary: header.beneficiary,
      gasLimit: header.gasLimit,
      difficulty,
      prevRandao: header.mixHash,
      baseFeePerGas: header.baseFeePerGas,
      excessBlobGas: header.excessBlobGas,
      dev: this.#base.dev,
      ...(blockOverrides.blobBaseFee === undefined ? {} : { blobBaseFee: blockOverrides.blobBaseFee }),
      blockHash: (wanted: bigint) => this.#blockHash(number, wanted),
    }
    return { rules, environment, header, withdrawals }
  }

  /** 0 after the merge, the parent's before it. */
  #difficulty(number: bigint, timestamp: bigint): bigint {
    const { difficulty } = this.#parent.header
    const { config } = this.#backend.chain
    return config.rulesAt({ number, timestamp, difficulty }).eips.has(3675) ? 0n : difficulty
  }

  #forkFields(
    baseFee: bigint | undefined,
    rules: ForkRules,
    parent: Header,
  ): Pick<Header, 'baseFeePerGas' | 'excessBlobGas' | 'blobGasUsed'> {
    const { config } = this.#backend.chain
    const required = this.#payload.validation ? nextBaseFee(parent, rules, config) : 0n
    const baseFeePerGas = baseFee ?? required ?? 0n
    const excessBlobGas = parent.excessBlobGas === undefined ? 0n : (nextExcessBlobGas(parent, rules) ?? 0n)
    return {
      ...(rules.eips.has(1559) ? { baseFeePerGas } : {}),
      ...(rules.eips.has(4844) ? { blobGasUsed: 0n, excessBlobGas } : {}),
    }
  }

  #blockHash(current: bigint, wanted: bigint): Uint8Array | undefined {
    if (wanted >= current || wanted + 256n < current) return undefined
    const base = this.#base.header.number
    if (wanted > base) return this.#links[Number(wanted - base) - 1]?.hash
    return storedAncestorHashes(this.#backend.chain, this.#base)(wanted)
  }

  async #runCalls(
    { calls }: PlacedBlock,
    block: OpenBlock,
    movedPrecompiles: ReadonlyMap<string, string> | undefined,
  ): Promise<CallResult[]> {
    const results: CallResult[] = []
    let gasUsed = 0n
    for (const call of calls) {
      if (this.#slicer?.isDue) await this.#slicer.yield()
      const pair = this.#pair(call, block, gasUsed)
      const running = this.#backend.calls.run({
        state: this.#state,
        block,
        transaction: pair.simulated,
        movedPrecompiles,
        collectAccessed: false,
        transferLogs: this.#payload.traceTransfers,
        limits: this.#limits,
      })
      const outcome = running instanceof Promise ? await running : running
      const result = callResult(outcome, pair, gasUsed, block.rules.eips.has(658) ? undefined : this.#state)
      this.#gasLeft -= result.call.gasUsed
      gasUsed += result.call.gasUsed
      results.push(result)
    }
    return results
  }

  /** @param gasUsed by the preceding calls of the block */
  #pair(call: CallObject, { environment }: OpenBlock, gasUsed: bigint): SimulatedPair {
    const { gasLimit, baseFeePerGas } = environment
    const callGas = call.gas ?? gasLimit - gasUsed
    if (gasUsed + callGas > gasLimit) {
      const reason = `block gas limit reached: ${gasUsed} >= ${gasLimit}`
      throw new NodeError({ code: 'SIMULATION_BLOCK_GAS_LIMIT' }, reason)
    }
    return simulatedTransaction(call, {
      gas: callGas < this.#gasLeft ? callGas : this.#gasLeft,
      nonce: this.#state.getAccount(call.from ?? ZERO_ADDRESS)?.nonce ?? 0n,
      chainId: chainIdAfter(this.#backend.chain.config, this.#base),
      baseFeePerGas,
      validation: this.#payload.validation,
    })
  }

  #seal(
    block: OpenBlock,
    results: readonly CallResult[],
    requests: readonly Uint8Array[] | undefined,
  ): SimulatedBlockView {
    const transactions = results.map((result) => result.transaction)
    const { root, hashes, bytes } = encodedTransactions(transactions)
    const logsBloom = new Uint8Array(BLOOM_BYTES)
    for (const { receipt } of results) mergeBloom(logsBloom, receipt.logsBloom)
    const blobs = transactions.reduce(
      (sum, entry) => sum + (entry.type === 3 ? entry.blobVersionedHashes.length : 0),
      0,
    )
    const header: Header = {
      ...block.header,
      stateRoot: this.#state.rootHash(),
      transactionsRoot: root,
      receiptsRoot: receiptsRoot(results.map((result) => result.receipt)),
      logsBloom,
      gasUsed: results[results.length - 1]?.receipt.cumulativeGasUsed ?? 0n,
      ...(block.rules.eips.has(4844) ? { blobGasUsed: BigInt(blobs) * GAS_PER_BLOB } : {}),
      ...(requests === undefined ? {} : { requestsHash: requestsHash(requests) }),
    }
    const link = { header, hash: this.#backend.consensus.hash(header) }
    this.#links.push(link)
    const { withdrawals } = block
    const body = { header, ommers: [], ...(withdrawals === undefined ? {} : { withdrawals }) }
    return {
      header,
      hash: link.hash,
      totalDifficulty: 0n,
      size: blockLength(body, bytes),
      transactions: this.#payload.returnFullTransactions ? minedIn(link, results, hashes) : hashes,
      transactionHashes: hashes,
      ommerHashes: [],
      withdrawals,
      calls: results.map((result) => result.call),
    }
  }
}

function minedIn(
  { header, hash: blockHash }: Link,
  results: readonly CallResult[],
  hashes: readonly Uint8Array[],
): MinedTransaction[] {
  return results.map(({ transaction, sender }, index) => ({
    transaction,
    hash: hashes[index] as Uint8Array,
    from: sender,
    blockHash,
    blockNumber: header.number,
    index,
    baseFeePerGas: header.baseFeePerGas,
  }))
}

interface EncodedTransactions {
  readonly root: Uint8Array
  readonly hashes: readonly Uint8Array[]
  /** Their length in a block's body. */
  readonly bytes: number
}

/** Encodes each transaction once, and keeps none of the encodings. */
function encodedTransactions(transactions: readonly Transaction[]): EncodedTransactions {
  const hashes: Uint8Array[] = transactions.map(() => ZERO_HASH)
  let bytes = 0
  const root = orderedTrieRootOf(transactions.length, (index) => {
    const encoding = transactionView(transactions[index] as Transaction)
    hashes[index] = keccak256(encoding)
    bytes += transactionItemLength(encoding)
    return encoding
  })
  return { root, hashes, bytes }
}

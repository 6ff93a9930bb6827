/**
 * Private execution as a derived step of a block: its markers name payloads of the enclave, whose transactions run on
 * the states of their groups. The results are stored with the block, under its hash.
 * @module
 */

import type { Logger } from '../../base/ports/host.ts'
import type { Counter, Metrics } from '../../base/ports/metrics.ts'
import type { AbortSignal } from '../../base/ports/webTypes.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { ancestorHashes } from '../../chain/ancestorHashes.ts'
import type { BlockExtension, ExtendedBlock } from '../../chain/blockExtension.ts'
import type { BlockStore } from '../../chain/blockStore.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { Evm } from '../../evm/evm.ts'
import { requireState } from '../../state/errors.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { Transaction } from '../../types/transaction.ts'
import { BlockGroups } from './blockGroups.ts'
import { mayRun } from './flexibleRules.ts'
import { markerPayloadKey } from './groups.ts'
import { addHistory } from './historyReplay.ts'
import type { MarkerPayloads } from './markerPayloads.ts'
import type { MarkerPayload, PayloadTransaction } from './payloadReading.ts'
import { executePrivateTransaction } from './privateExecution.ts'
import { chainTo, type HeaderLinks } from './privateRecords.ts'
import { PublicReplay } from './publicReplay.ts'

export interface PrivateDerivationOptions {
  readonly payloads: MarkerPayloads
  readonly isFlexible: boolean
  readonly keepRevertReasons: boolean
  /** Executes public transactions. */
  readonly execution: ExecutionDeps
  /** Executes private messages. */
  readonly evm: Evm
  /** Public states. */
  readonly states: StateStore
  /** Private states. */
  readonly privateStates: StateStore
  /** Address that signs all markers of this node; undefined: each has another signer. */
  readonly markerSigner: Uint8Array | undefined
  readonly logger: Logger
  readonly metrics: Metrics
}

interface Marker {
  readonly index: number
  readonly data: Uint8Array
}

interface FoundMarker extends Marker {
  readonly payload: MarkerPayload
}

export class PrivateDerivation implements BlockExtension {
  readonly #options: PrivateDerivationOptions
  readonly #executed: Counter
  #hasWarnedOfLoss = false

  constructor(options: PrivateDerivationOptions) {
    this.#options = options
    this.#executed = options.metrics.counter({
      category: 'BLOCKCHAIN',
      name: 'private_transactions_total',
      help: 'Private transactions that were executed.',
    })
  }

  prepare(
    bodies: readonly { readonly transactions: readonly Transaction[] }[],
    signal?: AbortSignal,
  ): Promise<void> | undefined {
    const markers = bodies.flatMap(({ transactions }) => this.#markersOf(transactions))
    if (markers.length === 0) return undefined
    return this.#options.payloads.prepare(
      markers.map(({ data }) => data),
      signal,
    )
  }

  isPrepared(transactions: readonly Transaction[]): boolean {
    return this.#markersOf(transactions).every(({ data }) => this.#options.payloads.isReady(data))
  }

  derive(block: ExtendedBlock): Promise<void> | undefined {
    const markers = this.#markersOf(block.prepared.block.transactions)
    return markers.length === 0 ? undefined : this.#derive(block, markers)
  }

  #markersOf(transactions: readonly Transaction[]): Marker[] {
    const markers: Marker[] = []
    for (const [index, transaction] of transactions.entries()) {
      if (markerPayloadKey(transaction, this.#options.isFlexible) !== undefined) {
        markers.push({ index, data: transaction.data })
      }
    }
    return markers
  }

  async #derive(block: ExtendedBlock, markers: readonly Marker[]): Promise<void> {
    const foundMarkers: FoundMarker[] = []
    const payloads = await this.#options.payloads.take(markers.map(({ data }) => data))
    for (const [position, marker] of markers.entries()) {
      const payload = payloads[position] as MarkerPayload
      if (payload.isMissing) this.#noteMissing(block, marker)
      if (payload.run !== undefined || payload.history !== undefined) foundMarkers.push({ ...marker, payload })
    }
    if (foundMarkers.length === 0) return
    const { prepared, parent, stage, blocks, stored } = block
    const place = { number: Number(stored.header.number), hash: stored.hash }
    const onChain = chainTo({ number: place.number - 1, hash: parent.hash }, linksOf(blocks))
    const nextVersion = (): number => block.nextVersion()
    const { privateStates } = this.#options
    for (const { payload } of foundMarkers) {
      if (payload.history === undefined) continue
      await addHistory(payload.history, { block, onChain, ...this.#options })
    }
    const groups = new BlockGroups({ place, onChain, stage, privateStates, nextVersion })
    const replay = await PublicReplay.open(
      {
        block: prepared.block,
        senders: prepared.transactions.senders,
        state: this.#options.states.mutable(requireState(parent.stateRoot), stage),
        dev: parent.dev,
        blockHash: ancestorHashes(parent, blocks, (hash) => blocks.header(hash)),
      },
      this.#options.execution,
    )
    for (const { index, payload } of foundMarkers) {
      const marker = prepared.transactions.hashes[index] as Uint8Array
      if (payload.run !== undefined) await this.#run(payload.run, { index, marker }, replay, groups)
      if (payload.run !== undefined && payload.history !== undefined) {
        groups.setHistoryKey(payload.run.groupId, payload.history.key)
      }
    }
    await this.#resident(() => groups.stageRecords())
  }

  /** The enclave has stored what this node sends before its marker is sent. */
  #noteMissing({ prepared, stored }: ExtendedBlock, { index }: Marker): void {
    const { markerSigner, logger } = this.#options
    if (this.#hasWarnedOfLoss || markerSigner === undefined) return
    if (!equalBytes(prepared.transactions.senders[index] as Uint8Array, markerSigner)) return
    this.#hasWarnedOfLoss = true
    logger.warn('the enclave has lost private transactions that this node has sent: private states will differ', {
      block: Number(stored.header.number),
      marker: bytesToHex(prepared.transactions.hashes[index] as Uint8Array),
    })
  }

  async #run(
    run: PayloadTransaction,
    { index, marker }: { readonly index: number; readonly marker: Uint8Array },
    replay: PublicReplay,
    groups: BlockGroups,
  ): Promise<void> {
    const { evm, keepRevertReasons, logger } = this.#options
    const { transaction, groupId } = run
    const context = replay.contextFor(evm)
    await replay.within(index, async (publicState) => {
      const groupState = await this.#resident(() => groups.open(groupId, run.version !== undefined))
      const states = { own: groupState, public: publicState }
      if (run.version !== undefined && !(await mayRun(run, states, context))) return
      const receipt = await executePrivateTransaction(transaction, groupId, states, context, keepRevertReasons)
      await this.#resident(() => groups.store(groupId, marker, groupState, receipt))
      this.#executed.add()
      if (receipt.status !== 1) {
        logger.debug('a private transaction failed', { marker: bytesToHex(marker), status: receipt.status })
      }
    })
  }

  #resident<T>(work: () => T): Promise<T> {
    return retryMisses(work, this.#options.execution.control.residency)
  }
}

/** The links of the blocks that a store holds. */
function linksOf(blocks: Pick<BlockStore, 'canonicalHash' | 'header'>): HeaderLinks {
  return {
    canonicalHash: (number) => blocks.canonicalHash(number),
    parentHash: (hash) => blocks.header(hash)?.header.parentHash,
  }
}

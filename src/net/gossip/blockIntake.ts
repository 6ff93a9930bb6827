/**
 * Validates blocks received from peers (body, then header), forwards them, then imports them. Blocks whose parents are
 * missing wait while the parents are fetched.
 * @see docs/reference/p2p.md section 7
 * @module
 */

import {
  MAX_BLOCKS_IN_VALIDATION,
  MAX_FUTURE_BLOCK_MS,
  MAX_FUTURE_BLOCKS,
  MAX_REFUSED_BLOCKS,
} from '../../base/limits/limits.ts'
import type { Timer } from '../../base/ports/timers.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { prepareBlocks } from '../../chain/preparedBlock.ts'
import { keyToText } from '../../storage/keyText.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { splitBlock } from '../../types/blockCodec.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { GossipDeps } from './contract.ts'
import { blockId, type ReceivedBlock } from './receivedBlock.ts'
import { WaitingBlocks } from './waitingBlocks.ts'

export interface BlockIntakeDeps
  extends Pick<GossipDeps, 'chain' | 'senders' | 'clock' | 'timers' | 'residency' | 'logger'> {
  /** The header is valid and the body belongs to it; the block has not been executed. */
  onValid(block: ReceivedBlock, totalDifficulty: bigint): void
  /** A parent is missing. */
  onMissing(hash: Uint8Array, number: bigint, source: EthPeer): void
}

/** A block with the total difficulty that its sender claims; undefined when it was fetched. */
export interface OfferedBlock {
  readonly block: ReceivedBlock
  readonly source: EthPeer
  readonly totalDifficulty?: bigint | undefined
}

export class BlockIntake {
  readonly #deps: BlockIntakeDeps
  readonly #waiting = new WaitingBlocks()
  /** Blocks under validation: ids and, counted, block hashes. */
  readonly #inWork = new Set<string>()
  readonly #hashesInWork = new Map<string, number>()
  readonly #refused = new LruCache<string, true>(MAX_REFUSED_BLOCKS)
  readonly #future = new Map<string, Timer>()
  #unsubscribe: readonly (() => void)[] = []
  #isStopped = false

  constructor(deps: BlockIntakeDeps) {
    this.#deps = deps
  }

  start(): void {
    const { chain } = this.#deps
    this.#unsubscribe = [
      chain.events.on('badBlock', ({ rlp }) => this.#refuse(blockId(splitBlock(rlp).header))),
      chain.events.on('head', ({ added }) => {
        for (const { hash } of added) this.#release(hash)
      }),
    ]
  }

  stop(): void {
    this.#isStopped = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const timer of this.#future.values()) timer.cancel()
    this.#future.clear()
    this.#waiting.clear()
  }

  /** Whether the block with this hash is under validation. */
  isInWork(hash: Uint8Array): boolean {
    return this.#hashesInWork.has(keyToText(hash))
  }

  /** Takes a block whose body belongs to its header. */
  offer(offered: OfferedBlock): void {
    if (this.accepts(offered.block.id)) this.#take(offered)
  }

  /** Whether the block with this id is new, and can be validated now. */
  accepts(id: string): boolean {
    return !this.#isStopped && !this.hasSeen(id) && this.#inWork.size < MAX_BLOCKS_IN_VALIDATION
  }

  /** Whether the block with this id is under validation, waits or was refused. */
  hasSeen(id: string): boolean {
    return this.#inWork.has(id) || this.#refused.get(id) === true || this.#waiting.has(id) || this.#future.has(id)
  }

  #take(offered: OfferedBlock): void {
    const { id, hash } = offered.block
    const key = keyToText(hash)
    this.#inWork.add(id)
    this.#hashesInWork.set(key, (this.#hashesInWork.get(key) ?? 0) + 1)
    this.#validate(offered)
      .catch((error: unknown) => this.#failed(offered.block, error))
      .then((isStored) => {
        this.#inWork.delete(id)
        const remaining = (this.#hashesInWork.get(key) ?? 1) - 1
        if (remaining === 0) this.#hashesInWork.delete(key)
        else this.#hashesInWork.set(key, remaining)
        if (isStored) this.#release(hash)
      })
  }

  /** @returns whether the block is stored */
  async #validate(offered: OfferedBlock): Promise<boolean> {
    const { block, source, totalDifficulty } = offered
    const { chain, onValid } = this.#deps
    const { header } = block.block
    const verdict = await chain.checkHeader(header, block.hash)
    if (this.#isStopped) return false
    switch (verdict.kind) {
      case 'known':
        return true
      case 'unknownParent':
        await this.#wait(offered)
        return false
      case 'future':
        this.#postpone(offered)
        return false
      case 'invalid':
        this.#refuse(block.id)
        this.#log(block, source, verdict.reason)
        // A peer validates the header, on the same parent, before it sends a block.
        source.report('useless')
        return false
    }
    if (totalDifficulty !== undefined && totalDifficulty !== verdict.totalDifficulty) source.report('useless')
    const { number } = header
    source.sawHead({ hash: block.hash.slice(), number, totalDifficulty: verdict.totalDifficulty })
    onValid(block, verdict.totalDifficulty)
    return this.#import(offered)
  }

  async #import(offered: OfferedBlock): Promise<boolean> {
    const { block, source } = offered
    const { chain, senders } = this.#deps
    const prepared = await prepareBlocks([block], senders)
    // The seal has been checked with the header.
    const [outcome] = await chain.importRun(prepared, { verifySeal: false })
    switch (outcome?.kind) {
      case 'imported':
      case 'known':
        return true
      case 'unknownParent':
        await this.#wait(offered)
        return false
      case 'invalid':
        this.#refuse(block.id)
        this.#log(block, source, outcome.reason)
        return false
      default:
        return false
    }
  }

  async #wait({ block, source }: OfferedBlock): Promise<void> {
    const { chain, clock, residency, onMissing } = this.#deps
    if (!this.#waiting.add(block, source, clock.monotonic())) return
    const { hash, number } = this.#waiting.missingAncestor(block)
    // It may have been stored in the meantime.
    if ((await retryMisses(() => chain.headerByHash(hash), residency)) !== undefined) this.#release(hash)
    else if (!this.isInWork(hash)) onMissing(hash, number, source)
  }

  /** Validates the waiting children of a stored block. */
  #release(hash: Uint8Array): void {
    for (const { block, source } of this.#waiting.takeChildren(hash)) this.#take({ block, source })
  }

  #postpone(offered: OfferedBlock): void {
    const { block } = offered
    const { clock, timers } = this.#deps
    const delayMs = Number(block.block.header.timestamp) * 1000 - clock.now()
    if (delayMs > MAX_FUTURE_BLOCK_MS || this.#future.size >= MAX_FUTURE_BLOCKS) return
    const timer = timers.schedule(Math.max(delayMs, 1), () => {
      this.#future.delete(block.id)
      this.#take(offered)
    })
    this.#future.set(block.id, timer)
  }

  #refuse(id: string): void {
    this.#refused.set(id, true)
  }

  #log({ block, hash }: ReceivedBlock, source: EthPeer, reason: string): void {
    const { connection } = source
    this.#deps.logger.debug('a peer sent an invalid block', {
      number: block.header.number,
      hash: bytesToHex(hash),
      reason,
      peer: connection.key.slice(0, 16),
    })
  }

  /** The writer is full or closed. */
  #failed({ hash }: ReceivedBlock, error: unknown): boolean {
    const message = 'could not import a block from a peer'
    const { logger } = this.#deps
    if (isNodeError(error)) logger.debug(message, { hash: bytesToHex(hash), code: error.code })
    else logger.error(message, { hash: bytesToHex(hash), error })
    return false
  }
}

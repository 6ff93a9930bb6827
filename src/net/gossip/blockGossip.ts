/**
 * Announces blocks to peers, and receives their announcements.
 * @see docs/reference/p2p.md section 7
 * @module
 */

import { MAX_PEER_GOSSIP_BACKLOG_BYTES, PEER_BLOCK_BURST, PEER_BLOCKS_PER_SECOND } from '../../base/limits/limits.ts'
import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { Unsubscribe } from '../../base/primitives/events.ts'
import { TokenBucket } from '../../base/primitives/tokenBucket.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { needsConsensusClient } from '../../chain/nextBlock.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { splitBlock } from '../../types/blockCodec.ts'
import type { EthPeer, PeerHead } from '../eth/contract.ts'
import type { NewBlock, NewBlockHashes } from '../protocols/eth/messages.ts'
import { BlockFetcher } from './blockFetcher.ts'
import { BlockIntake } from './blockIntake.ts'
import type { GossipDeps } from './contract.ts'
import { blockId, completed, isAnnounced, type ReceivedBlock, readBlock } from './receivedBlock.ts'

/** Heights of accepted announcements, relative to the head. */
const WINDOW_BELOW = 10n
const WINDOW_ABOVE = 30n
/** EIP-1559 doubles the limit once, and the blocks of the window change it by less than a tenth. */
const MAX_GAS_LIMIT_FACTOR = 3n
/** If a change of the head has more blocks, only the newest are announced. */
const MAX_ANNOUNCED_TOGETHER = 10

export class BlockGossip {
  readonly #deps: GossipDeps
  readonly #fetcher: BlockFetcher
  readonly #intake: BlockIntake
  readonly #budgets = new WeakMap<EthPeer, TokenBucket>()
  #unsubscribe: readonly Unsubscribe[] = []

  constructor(deps: GossipDeps) {
    this.#deps = deps
    this.#fetcher = new BlockFetcher({
      ...deps,
      onBlock: (block, source) => {
        if (isAnnounced(block.block.header, deps.chain.consensus)) this.#intake.offer({ block, source })
      },
    })
    this.#intake = new BlockIntake({
      ...deps,
      onValid: (block, totalDifficulty) => this.#forward(block, totalDifficulty),
      onMissing: (hash, number, source) => this.#fetcher.fetch(hash, number, source),
    })
  }

  start(): void {
    const { chain, peers, logger } = this.#deps
    this.#intake.start()
    this.#unsubscribe = [
      chain.events.on('head', async ({ added }) => {
        for (const block of added.slice(-MAX_ANNOUNCED_TOGETHER)) {
          await this.#announce(block).catch((error) => logger.error('could not announce a block', { error }))
        }
      }),
      peers.events.on('gossip', ({ peer, message }) => {
        if (message.kind === 'newBlock') this.#received(peer, message)
        else if (message.kind === 'newBlockHashes') this.#heard(peer, message)
      }),
      peers.events.on('joined', async (peer) => {
        this.#follow(peer)
        await this.#tellHead(peer).catch((error) => logger.error('could not announce a block', { error }))
      }),
      peers.events.on('head', (peer) => this.#follow(peer)),
    ]
    for (const peer of peers.all) this.#follow(peer)
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#fetcher.stop()
    this.#intake.stop()
  }

  #received(peer: EthPeer, message: NewBlock): void {
    const { chain } = this.#deps
    const { header, encoding } = message.header
    if (!isAnnounced(header, chain.consensus)) return
    const hash = chain.consensus.hash(header, encoding)
    peer.knowledge.blocks.add(hash)
    const { number, parentHash, difficulty } = header
    const storedHeader = this.#stored(hash)
    if (storedHeader !== undefined) {
      peer.sawHead({ hash: storedHeader.hash, number, totalDifficulty: storedHeader.totalDifficulty })
      return
    }
    if (this.#intake.hasSeen(blockId(encoding))) return
    if (number > 0n && message.totalDifficulty >= difficulty && this.#isInWindow(number) && this.#mayCost(peer)) {
      if (!this.#readAndOffer(peer, message)) return
    }
    // Only the parent is certain: the block itself may be invalid.
    const totalDifficulty = message.totalDifficulty - difficulty
    if (number > 0n && totalDifficulty >= 0n) {
      peer.sawHead({ hash: parentHash.slice(), number: number - 1n, totalDifficulty })
    }
  }

  /** @returns undefined also when the data are not in memory */
  #stored(hash: Uint8Array): ChainHeader | undefined {
    try {
      return this.#deps.chain.headerByHash(hash)
    } catch (error) {
      if (!(error instanceof StoreMiss)) throw error
      return undefined
    }
  }

  /** @returns false when the block is malformed */
  #readAndOffer(source: EthPeer, { block: rlp, header, totalDifficulty }: NewBlock): boolean {
    const { config, consensus } = this.#deps.chain
    if (!this.#mayHaveUsed(header.header.gasUsed)) {
      source.report('useless')
      return true
    }
    try {
      const unread = readBlock(rlp, header.header, consensus)
      if (!this.#intake.accepts(unread.id)) return true
      // Without this check, a wrong body under a valid header would make the header's block invalid.
      const block = completed(unread, config)
      if (typeof block === 'string') source.report('useless')
      else this.#intake.offer({ block, source, totalDifficulty })
      return true
    } catch (error) {
      if (!isNodeError(error)) throw error
      source.disconnect('breachOfProtocol', `malformed block: ${error.message}`)
      return false
    }
  }

  #heard(peer: EthPeer, { blocks }: NewBlockHashes): void {
    const isFollowed = this.#isExtended()
    for (const { hash, number } of blocks) {
      peer.knowledge.blocks.add(hash)
      peer.sawHead({ hash: hash.slice(), number, totalDifficulty: undefined })
      if (isFollowed && this.#isInWindow(number) && this.#mayCost(peer)) this.#fetch(hash, number, peer)
    }
  }

  /** Fetches a peer's head if it may replace ours and is close to it. */
  #follow(peer: EthPeer): void {
    const { hash, number } = peer.head
    if (hash === undefined || !this.#isExtended() || !this.#isInWindow(number)) return
    if (this.#mayReplaceHead(peer.head, hash) && this.#mayCost(peer)) this.#fetch(hash, number, peer)
  }

  #mayReplaceHead({ number, totalDifficulty }: PeerHead, hash: Uint8Array): boolean {
    const { head, consensus } = this.#deps.chain
    if (totalDifficulty === undefined) return number > head.header.number
    if (totalDifficulty !== head.totalDifficulty) return totalDifficulty > head.totalDifficulty
    // Clique signers could wait for each other if nodes did not compare equal branches.
    return consensus.claimedBy(head.header).prefers !== undefined && !equalBytes(hash, head.hash)
  }

  #fetch(hash: Uint8Array, number: bigint, source: EthPeer): void {
    const { chain, residency, logger } = this.#deps
    if (this.#intake.isInWork(hash)) return
    retryMisses(() => chain.headerByHash(hash), residency)
      .then((storedBlock) => {
        if (storedBlock === undefined) this.#fetcher.fetch(hash, number, source)
      })
      .catch((error) => logger.error('could not fetch an announced block', { error }))
  }

  /** Whether gossip extends the chain: after the merge, the consensus client does. */
  #isExtended(): boolean {
    const { chain } = this.#deps
    return !needsConsensusClient(chain.head, chain.consensus)
  }

  /** Measured from the local head only: the height of a peer may be a lie. */
  #isInWindow(number: bigint): boolean {
    const head = this.#deps.chain.head.header.number
    return number >= head - WINDOW_BELOW && number <= head + WINDOW_ABOVE
  }

  /** Bounds the transactions of a block before its header is validated: the gas limit changes by little per block. */
  #mayHaveUsed(gas: bigint): boolean {
    return gas <= this.#deps.chain.head.header.gasLimit * MAX_GAS_LIMIT_FACTOR
  }

  #mayCost(peer: EthPeer): boolean {
    const nowMs = this.#deps.clock.monotonic()
    let budget = this.#budgets.get(peer)
    if (budget === undefined) {
      budget = new TokenBucket(PEER_BLOCKS_PER_SECOND, PEER_BLOCK_BURST, nowMs)
      this.#budgets.set(peer, budget)
    }
    return budget.take(nowMs)
  }

  #forward(block: ReceivedBlock, totalDifficulty: bigint): void {
    const header = { encoding: block.encodings.header, header: block.block.header }
    this.#send(block.hash, () => ({ kind: 'newBlock', block: block.rlp, header, totalDifficulty }))
  }

  /** Announces our head if it changed after we sent Status: this peer missed the broadcast. */
  async #tellHead(peer: EthPeer): Promise<void> {
    const { head } = this.#deps.chain
    const isLower = peer.head.totalDifficulty !== undefined && peer.head.totalDifficulty < head.totalDifficulty
    if (isLower && !equalBytes(peer.toldHead, head.hash)) await this.#announce(head, [peer])
  }

  /** Announces a block that has become canonical. */
  async #announce({ hash, header, totalDifficulty }: ChainHeader, to?: readonly EthPeer[]): Promise<void> {
    const { chain, progress, residency } = this.#deps
    if (progress.isBehind || !isAnnounced(header, chain.consensus) || this.#unaware(hash, to).length === 0) return
    const rlp = await retryMisses(() => chain.blockRlp(hash), residency)
    if (rlp === undefined) return
    const encoded = { encoding: splitBlock(rlp).header, header }
    this.#send(hash, () => ({ kind: 'newBlock', block: rlp, header: encoded, totalDifficulty }), to)
  }

  /** @param among default: all peers */
  #unaware(hash: Uint8Array, among: readonly EthPeer[] = this.#deps.peers.all): readonly EthPeer[] {
    return among.filter(
      (peer) => peer.isOpen && peer.backlog <= MAX_PEER_GOSSIP_BACKLOG_BYTES && !peer.knowledge.blocks.has(hash),
    )
  }

  #send(hash: Uint8Array, compose: () => NewBlock, among?: readonly EthPeer[]): void {
    const peers = this.#unaware(hash, among)
    if (peers.length === 0) return
    const message = compose()
    for (const peer of peers) {
      peer.knowledge.blocks.add(hash)
      peer.send(message)
    }
  }
}

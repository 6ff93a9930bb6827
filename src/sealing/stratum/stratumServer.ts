/**
 * Gives work to miners over TCP.
 * @module
 */
import {
  MAX_STRATUM_BACKLOG_BYTES,
  MAX_STRATUM_CONNECTIONS,
  MAX_STRATUM_CONNECTIONS_PER_SITE,
  MAX_STRATUM_INVALID_SHARES,
  STRATUM_SWEEP_MS,
} from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { SocketAddress, TcpConnection, TcpListener, TcpSockets } from '../../base/ports/tcpSockets.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { type AddressRanges, RangeCounts, rangePlaces, rangesOf } from '../../base/primitives/addressSite.ts'
import { bytesToBigInt, equalBytes } from '../../base/primitives/bytes.ts'
import type { RemoteSealing, SealingWork } from '../contract.ts'
import { MinerTimes } from './minerTimes.ts'
import { StratumSession } from './stratumSession.ts'

export interface StratumServerOptions {
  readonly tcp: Pick<TcpSockets, 'listen'>
  readonly address: SocketAddress
  readonly sealing: RemoteSealing
  /** Hex digits without prefix. */
  readonly extranonce: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
}

interface Miner {
  readonly session: StratumSession
  readonly connection: TcpConnection
  readonly times: MinerTimes
}

/** Invalid shares are forgotten after this time. */
const PENALTY_MS = 60_000
const SUBSCRIPTION_ID_BYTES = 16

export class StratumServer {
  readonly #options: StratumServerOptions
  readonly #miners = new Set<Miner>()
  /** Connections by range of addresses. */
  readonly #ranges = new RangeCounts()
  /** Invalid shares by range. */
  readonly #invalidShares = new Map<string, number>()
  #penaltiesEndAtMs = 0
  #listener: TcpListener | undefined
  #unsubscribe: (() => void) | undefined
  #sweep: Timer | undefined
  #parentHash: Uint8Array | undefined
  #jobId = '0x0'

  constructor(options: StratumServerOptions) {
    this.#options = options
  }

  get connections(): number {
    return this.#miners.size
  }

  /**
   * @returns the address, with the actual port
   * @throws {NodeError} LISTEN_FAILED
   */
  async listen(): Promise<SocketAddress> {
    const { tcp, address, sealing, logger } = this.#options
    this.#listener = await tcp.listen(address, (connection) => this.#accept(connection))
    this.#unsubscribe = sealing.onWork((work) => this.#offer(work))
    this.#sweepLater()
    const { host, port } = this.#listener.address
    logger.info('Stratum server is listening', { host, port })
    return this.#listener.address
  }

  async close(): Promise<void> {
    this.#unsubscribe?.()
    this.#sweep?.cancel()
    for (const { connection } of this.#miners) connection.destroy()
    this.#miners.clear()
    await this.#listener?.close()
  }

  #accept(connection: TcpConnection): void {
    const ranges = rangesOf(connection.remoteAddress.host)
    if (!this.#hasPlace(ranges) || this.#isRefused(ranges)) {
      connection.destroy()
      return
    }
    const { sealing, extranonce, random, clock, logger } = this.#options
    const session = new StratumSession({
      sealing,
      extranonce,
      subscriptionId: `0x${bytesToBigInt(random.bytes(SUBSCRIPTION_ID_BYTES)).toString(16)}`,
      jobId: () => this.#jobId,
      send: (text) => this.#send(miner, text),
      close: () => connection.end(),
      onInvalidShare: () => this.#penalise(ranges, miner),
    })
    const miner: Miner = { session, connection, times: new MinerTimes(session, clock.monotonic()) }
    this.#miners.add(miner)
    this.#ranges.add(ranges)
    if (this.#jobId === '0x0') this.#nextJobId()
    connection.open({
      onData: (bytes) => {
        try {
          session.receive(bytes)
        } catch (error) {
          logger.error('a miner request failed', { error })
          drop(miner)
        }
        miner.times.received(clock.monotonic())
      },
      onEnd: () => connection.end(),
      onClose: () => {
        if (this.#miners.delete(miner)) this.#ranges.remove(ranges)
      },
    })
  }

  #hasPlace(ranges: AddressRanges): boolean {
    const isFull = this.#miners.size >= MAX_STRATUM_CONNECTIONS
    return !isFull && this.#ranges.hasRoom(ranges, MAX_STRATUM_CONNECTIONS_PER_SITE)
  }

  #send(miner: Miner, text: string): void {
    miner.connection.write(new TextEncoder().encode(text))
    if (miner.connection.backlog > MAX_STRATUM_BACKLOG_BYTES) drop(miner)
  }

  #offer(work: SealingWork): void {
    const isClean = this.#parentHash === undefined || !equalBytes(this.#parentHash, work.parentHash)
    this.#parentHash = work.parentHash
    this.#nextJobId()
    for (const { session } of this.#miners) session.offer(work, isClean)
  }

  /** The time, as in Besu: miners only echo it. */
  #nextJobId(): void {
    this.#jobId = `0x${(this.#options.clock.now() % 2 ** 32).toString(16)}`
  }

  #penalise(ranges: AddressRanges, miner: Miner): void {
    for (const [index, range] of ranges.entries()) {
      const count = (this.#invalidShares.get(range) ?? 0) + 1
      // Only ranges of open connections are added, and the list is emptied regularly.
      this.#invalidShares.set(range, count)
      if (count !== rangePlaces(MAX_STRATUM_INVALID_SHARES, index)) continue
      this.#options.logger.warn('a miner is sending invalid shares: blocking its addresses for a minute', {
        site: range,
      })
    }
    if (this.#isRefused(ranges)) drop(miner)
  }

  #isRefused(ranges: AddressRanges): boolean {
    return ranges.some(
      (range, index) => (this.#invalidShares.get(range) ?? 0) >= rangePlaces(MAX_STRATUM_INVALID_SHARES, index),
    )
  }

  #sweepLater(): void {
    this.#sweep = this.#options.timers.schedule(STRATUM_SWEEP_MS, () => {
      const now = this.#options.clock.monotonic()
      for (const miner of this.#miners) if (miner.times.isOver(now)) drop(miner)
      if (now >= this.#penaltiesEndAtMs) {
        this.#invalidShares.clear()
        this.#penaltiesEndAtMs = now + PENALTY_MS
      }
      this.#sweepLater()
    })
  }
}

/** Closes the connection; requests that have arrived are not handled. */
function drop({ session, connection }: Miner): void {
  session.end()
  connection.destroy()
}

/**
 * The client of other nodes that serve the same chain: which of them is asked, again, or instead of another.
 * @module
 */
import {
  MAX_REMOTE_BACKOFF_MS,
  MAX_REMOTE_BATCH,
  MAX_REMOTE_PARALLEL,
  MAX_REMOTE_REQUEST_BYTES,
  MAX_REMOTE_REQUESTS,
  MAX_REMOTES,
  REMOTE_BACKOFF_MS,
  REMOTE_PENALTY_MS,
  REMOTE_RETRIES,
  REMOTE_TIMEOUT_MS,
  REMOTE_TIMEOUTS_PER_REQUEST,
  REMOTE_WAIT_REPORT_MS,
} from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import { type Random, randomUint32 } from '../base/ports/random.ts'
import type { Eip1193Provider, RemoteTransport } from '../base/ports/remoteTransport.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import { type CallFailure, RemoteCall } from './call.ts'
import type {
  Capability,
  RemoteClient,
  RemoteOptions,
  RemoteRequest,
  RemoteResult,
  RemoteStatus,
  RemoteWait,
  SourceAnswer,
} from './contract.ts'
import { refused, stopped, unavailable } from './errors.ts'
import { fateOf } from './fate.ts'
import { Lane, type LaneEvents } from './lane.ts'
import { providerTransport } from './providerTransport.ts'
import { ReadBudget } from './readBudget.ts'
import { isMissingData, isMissingMethod } from './refusals.ts'
import { requestText } from './wire.ts'

export interface RemoteLimits {
  /** For one attempt. */
  readonly timeoutMs?: number
  /** Attempts after the first one. */
  readonly retries?: number
  /** Upper bound of the first random delay before an attempt; it doubles with each. */
  readonly backoffMs?: number
  /** Requests of JSON-RPC, those of a batch counted one by one; without it, the remote's refusals decide */
  readonly requestsPerSecond?: number
  readonly maxParallel?: number
  readonly maxBatch?: number
}

export interface RemoteClientOptions {
  /** The first choice first. */
  readonly sources: readonly (RemoteTransport | Eip1193Provider)[]
  readonly clock: Pick<Clock, 'monotonic'>
  /** They should keep the process running: a program may wait for nothing but an answer. None is left without requests. */
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly limits?: RemoteLimits
  /** Called while requests wait for a limit of rate, at most once a second. */
  readonly onWait?: (wait: RemoteWait) => void
}

/** @throws {RangeError} without a source, or with too many */
export function createRemoteClient(options: RemoteClientOptions): RemoteClient {
  return new Client(options)
}

class Client implements RemoteClient {
  readonly #options: RemoteClientOptions
  readonly #capabilities = new Map<Capability, boolean>()
  /** Open calls by their text, except those to one address. */
  readonly #shared = new Map<string, RemoteCall>()
  readonly #open = new Set<RemoteCall>()
  /** Addresses that are in use. */
  #lanes: Lane[]
  /** Counters of addresses that were dropped. */
  readonly #dropped: Lane[] = []
  /** Delays before further attempts. */
  readonly #delays = new Set<Timer>()
  #openBytes = 0
  #reportedMs = Number.NEGATIVE_INFINITY
  #isClosed = false
  /** Why no address is in use, if so. */
  #noAddress = ''

  constructor(options: RemoteClientOptions) {
    const count = options.sources.length
    if (count === 0 || count > MAX_REMOTES) throw new RangeError(`sources: expected 1 to ${MAX_REMOTES}, got ${count}`)
    this.#options = options
    this.#lanes = this.#openLanes()
  }

  async request(method: string, params: readonly unknown[], options?: RemoteOptions): Promise<unknown> {
    const [result] = (await this.requestAll([{ method, params }], options)) as [RemoteResult]
    if (result.kind === 'error') throw refused(method, result.error)
    return result.value
  }

  async requestAll(requests: readonly RemoteRequest[], { signal }: RemoteOptions = {}): Promise<RemoteResult[]> {
    signal?.throwIfAborted()
    const texts = requests.map(({ method, params }) => requestText(method, params))
    this.#requireRoom(texts)
    const begun: RemoteCall[] = []
    const results = requests.map(({ method }, i) => {
      const text = texts[i] as string
      const known = this.#shared.get(text)
      const call = known ?? this.#begin(method, text)
      if (known === undefined) begun.push(call)
      return call.wait(signal)
    })
    this.#send(begun)
    return Promise.all(results)
  }

  async askAll(method: string, params: readonly unknown[], { signal }: RemoteOptions = {}): Promise<SourceAnswer[]> {
    signal?.throwIfAborted()
    const text = requestText(method, params)
    this.#requireRoom(this.#lanes.map(() => text))
    const ask = async (lane: Lane): Promise<SourceAnswer> => {
      const { origin } = lane
      const call = this.#begin(method, text, lane)
      const answer = call.wait(signal)
      this.#send([call])
      try {
        return { ...(await answer), origin }
      } catch (error) {
        signal?.throwIfAborted()
        return { kind: 'failed', origin, error: error as Error }
      }
    }
    return Promise.all(this.#lanes.map(ask))
  }

  drop(origin: string, reason: string): void {
    const lane = this.#lanes.find((other) => other.origin === origin)
    if (lane === undefined) return
    this.#options.logger.warn(`${origin} is not used any longer: ${reason}`)
    this.#lanes = this.#lanes.filter((other) => other !== lane)
    this.#dropped.push(lane)
    this.#noAddress = `${origin}: ${reason}`
    this.#send(lane.close())
  }

  can(capability: Capability): boolean | undefined {
    return this.#capabilities.get(capability)
  }

  learn(capability: Capability, has: boolean): void {
    this.#capabilities.set(capability, has)
  }

  get status(): RemoteStatus {
    const lanes = [...this.#lanes, ...this.#dropped]
    const sum = (of: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + of(lane), 0)
    return {
      origins: this.#lanes.map(({ origin }) => origin),
      requests: sum((lane) => lane.requests),
      calls: sum((lane) => lane.calls),
      retries: sum((lane) => lane.retries),
      waitedMs: Math.round(sum((lane) => lane.waitedMs)),
      bytesSent: sum((lane) => lane.bytesSent),
      bytesReceived: sum((lane) => lane.bytesReceived),
      capabilities: Object.fromEntries(this.#capabilities),
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const call of [...this.#open]) call.reject(stopped())
    for (const lane of this.#lanes) lane.close()
    for (const delay of this.#delays) delay.cancel()
  }

  #openLanes(): Lane[] {
    const { sources, clock, timers, random, limits = {} } = this.#options
    const origins = new Map<string, number>()
    const events = this.#events()
    const reading = new ReadBudget()
    return sources.map((source) => {
      const transport = isProvider(source) ? providerTransport(source) : source
      const uses = (origins.get(transport.origin) ?? 0) + 1
      origins.set(transport.origin, uses)
      return new Lane({
        origin: uses === 1 ? transport.origin : `${transport.origin} (${uses})`,
        transport,
        clock,
        timers,
        random,
        events,
        reading,
        timeoutMs: limits.timeoutMs ?? REMOTE_TIMEOUT_MS,
        requestsPerSecond: limits.requestsPerSecond,
        maxParallel: limits.maxParallel ?? MAX_REMOTE_PARALLEL,
        maxBatch: limits.maxBatch ?? MAX_REMOTE_BATCH,
      })
    })
  }

  #events(): LaneEvents {
    return {
      answered: (call, result, lane) => this.#answered(call, result, lane),
      failed: (calls, failure, lane) => this.#failed(calls, failure, lane),
      silent: (calls, lane) => this.#askNext(calls, lane),
      paused: (lane) => this.#moveQueue(lane),
      waiting: (lane, nextMs) => this.#reportWait(lane, nextMs),
      batchesKnown: (has) => this.learn('batches', has),
    }
  }

  /** @throws {NodeError} FORK_UNAVAILABLE when too much waits; STOPPED */
  #requireRoom(texts: readonly string[]): void {
    if (this.#isClosed) throw stopped()
    const bytes = texts.reduce((sum, text) => sum + text.length, this.#openBytes)
    if (this.#open.size + texts.length > MAX_REMOTE_REQUESTS || bytes > MAX_REMOTE_REQUEST_BYTES)
      throw unavailable(`too many requests to other nodes: ${this.#open.size} wait already`)
  }

  #begin(method: string, text: string, lane?: Lane): RemoteCall {
    const call = new RemoteCall(method, text, lane, (settled) => this.#settled(settled))
    this.#open.add(call)
    this.#openBytes += text.length
    if (lane === undefined) this.#shared.set(text, call)
    return call
  }

  #settled(call: RemoteCall): void {
    this.#open.delete(call)
    this.#openBytes -= call.text.length
    if (call.route === undefined) this.#shared.delete(call.text)
    for (const lane of this.#lanes) if (call.isAt(lane)) lane.release(call)
  }

  /** Gives each call to the best address that has not failed it. */
  #send(calls: readonly RemoteCall[]): void {
    const batches = new Map<Lane, RemoteCall[]>()
    const unanswered: RemoteCall[] = []
    for (const call of calls) {
      if (call.isSettled) continue
      const lane = this.#laneFor(call)
      const batch = lane === undefined ? undefined : batches.get(lane)
      if (batch !== undefined) batch.push(call)
      else if (lane !== undefined) batches.set(lane, [call])
      else unanswered.push(call)
    }
    for (const [lane, batch] of batches) lane.add(batch)
    if (unanswered.length > 0) this.#roundOver(unanswered)
  }

  #laneFor(call: RemoteCall): Lane | undefined {
    const now = this.#options.clock.monotonic()
    const left = this.#lanes.filter(
      (lane) => (call.route ?? lane) === lane && !call.failures.has(lane) && !call.isAt(lane),
    )
    return left.find((lane) => lane.lateUntilMs <= now && !lane.isPaused) ?? left[0]
  }

  #answered(call: RemoteCall, result: RemoteResult, lane: Lane): void {
    const isEmpty = result.kind === 'error' || result.value === null
    const isUnable = result.kind === 'error' && (isMissingMethod(result.error) || isMissingData(result.error))
    // A remote that is behind answers null at once. Another one that was asked may know more.
    const isAwaited = call.isAnywhere
    if (call.route !== undefined || !isEmpty || !(isUnable || isAwaited)) {
      call.resolve(result)
      return
    }
    const reason = result.kind === 'error' ? result.error.message : 'null'
    call.fail(lane, { reason, isLimit: false, isFinal: true, refusal: result })
    if (isUnable) this.#send([call])
  }

  #failed(calls: readonly RemoteCall[], failure: CallFailure, lane: Lane): void {
    for (const call of calls) call.fail(lane, failure)
    lane.lateUntilMs = this.#options.clock.monotonic() + REMOTE_PENALTY_MS
    this.#send(calls)
    this.#moveQueue(lane)
  }

  #askNext(calls: readonly RemoteCall[], lane: Lane): void {
    const others = calls.filter(({ route }) => route === undefined)
    if (this.#lanes.length === 1 || others.length === 0) return
    lane.lateUntilMs = this.#options.clock.monotonic() + REMOTE_PENALTY_MS
    this.#send(others)
    this.#moveQueue(lane)
  }

  /** Gives the calls that were not sent yet to other addresses. */
  #moveQueue(lane: Lane): void {
    if (this.#lanes.length > 1) this.#send(lane.takeQueue())
  }

  /** No address is left for these calls: asks again after a delay, waits, or gives up. */
  #roundOver(calls: readonly RemoteCall[]): void {
    const again = calls.filter((call) => this.#mayAskAgain(call))
    if (again.length === 0) return
    const { limits = {}, random, timers } = this.#options
    const rounds = Math.max(...again.map((call) => call.rounds))
    const most = Math.min(MAX_REMOTE_BACKOFF_MS, (limits.backoffMs ?? REMOTE_BACKOFF_MS) * 2 ** (rounds - 1))
    for (const lane of this.#lanes) lane.retries += again.filter((call) => call.failures.has(lane)).length
    for (const call of again) call.forgetFailures()
    const delay = timers.schedule(Math.ceil((most * randomUint32(random)) / 2 ** 32), () => {
      this.#delays.delete(delay)
      this.#send(again)
    })
    this.#delays.add(delay)
  }

  #mayAskAgain(call: RemoteCall): boolean {
    const { retries = REMOTE_RETRIES, timeoutMs = REMOTE_TIMEOUT_MS } = this.#options.limits ?? {}
    const rules = { retries, mostMs: timeoutMs * REMOTE_TIMEOUTS_PER_REQUEST }
    const fate = fateOf(call, rules, this.#options.clock.monotonic(), this.#noAddress)
    if (fate.kind === 'answer') call.resolve(fate.result)
    else if (fate.kind === 'failure') call.reject(fate.error)
    else if (fate.kind === 'again') call.rounds++
    return fate.kind === 'again'
  }

  #reportWait(lane: Lane, nextMs: number): void {
    const { onWait, clock } = this.#options
    const { origin, waiting, waitedMs } = lane
    const now = clock.monotonic()
    if (onWait === undefined || waitedMs + nextMs < REMOTE_WAIT_REPORT_MS) return
    if (now - this.#reportedMs < REMOTE_WAIT_REPORT_MS) return
    this.#reportedMs = now
    onWait({ origin, requests: waiting, nextMs: Math.ceil(nextMs), waitedMs: Math.round(waitedMs) })
  }
}

/** Providers often have a `send` of older standards too. */
function isProvider(source: RemoteTransport | Eip1193Provider): source is Eip1193Provider {
  return typeof (source as Partial<Eip1193Provider>).request === 'function'
}

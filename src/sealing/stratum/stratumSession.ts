/**
 * One connection of a miner: bytes in, bytes out. The first line chooses the protocol: EthereumStratum/1.0.0, eth-proxy,
 * or getWork over HTTP. As in Besu, requests that are unknown or malformed are not answered.
 * @see docs/reference/pow-ethash.md section 8
 * @module
 */
import { MAX_STRATUM_LINE_BYTES } from '../../base/limits/limits.ts'
import { bytesToHex, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { RemoteSealing, SealingWork } from '../contract.ts'
import { parseHashrate, parseShare } from '../minerInput.ts'
import { type HttpRequest, httpAnswer, parseHead } from './stratumHttp.ts'
import { answerTo, errorTo, type MinerRequest, parseRequest } from './stratumMessage.ts'

export interface StratumSessionOptions {
  readonly sealing: RemoteSealing
  /** Hex digits without prefix, with which the nonces of the miner should begin. */
  readonly extranonce: string
  /** Identifies the session to its miner. */
  readonly subscriptionId: string
  /** Identifies the current work to miners. */
  jobId(): string
  send(text: string): void
  /** Ends the connection. Nothing is sent or received afterwards. */
  close(): void
  /** A share whose hash was computed does not reach the target. */
  onInvalidShare(): void
}

type Protocol = 'unknown' | 'stratum' | 'proxy' | 'http'

const LINE_FEED = 10
const PROTOCOL_NAME = 'EthereumStratum/1.0.0'
const HTTP_METHOD = /^(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|TRACE) /
/** Parameters of mining.submit: worker, job, nonce, pow hash, mix hash. */
const SUBMIT_PARAMETERS = 5
/** Parameters of eth_submitWork: nonce, pow hash, mix hash. */
const SUBMIT_WORK_PARAMETERS = 3

export class StratumSession {
  readonly #options: StratumSessionOptions
  readonly #decoder = new TextDecoder()
  #protocol: Protocol = 'unknown'
  #isAuthorized = false
  /** Whether new work is sent to the miner. */
  #isListening = false
  #isClosed = false
  /** The part of a line or of an HTTP request that has arrived. */
  #buffer: Uint8Array = EMPTY_BYTES
  /** The request whose body is arriving. */
  #request: HttpRequest | undefined
  #requests = 0
  #hasFoundBlock = false

  constructor(options: StratumSessionOptions) {
    this.#options = options
  }

  /** Whether the miner waits for work, so that the connection may remain silent. */
  get isListening(): boolean {
    return this.#isListening
  }

  /** Requests that have arrived completely. */
  get requests(): number {
    return this.#requests
  }

  /** Whether a part of a message has arrived. */
  get isInMessage(): boolean {
    return this.#buffer.length > 0 || this.#request !== undefined
  }

  get isHttp(): boolean {
    return this.#protocol === 'http'
  }

  /** Whether a share of the miner was accepted. */
  get hasFoundBlock(): boolean {
    return this.#hasFoundBlock
  }

  receive(bytes: Uint8Array): void {
    if (this.#isClosed) return
    this.#buffer = this.#buffer.length === 0 ? bytes : joined(this.#buffer, bytes)
    let at = 0
    while (!this.#isClosed) {
      const end = this.#protocol === 'http' ? this.#receiveHttp(at) : this.#receiveLine(at)
      if (end === undefined) break
      at = end
    }
    // A copy, since the received bytes may be part of a larger buffer.
    this.#buffer = this.#isClosed ? EMPTY_BYTES : this.#buffer.slice(at)
    if (this.#buffer.length > MAX_STRATUM_LINE_BYTES) this.#close()
  }

  /**
   * Sends new work, if the miner asked for it.
   * @param isClean whether work sent before is worthless: it has another parent
   */
  offer(work: SealingWork, isClean: boolean): void {
    if (!this.#isListening || this.#isClosed) return
    if (this.#protocol === 'stratum') this.#notify(work, isClean)
    else this.#sendLine(answerTo({ id: 0 }, workItems(work)))
  }

  /** @returns the end of the line; undefined: it is incomplete */
  #receiveLine(from: number): number | undefined {
    const end = this.#buffer.indexOf(LINE_FEED, from)
    if (end < 0) return undefined
    if (end - from > MAX_STRATUM_LINE_BYTES) {
      this.#close()
      return undefined
    }
    const text = this.#decoder.decode(this.#buffer.subarray(from, end))
    if (this.#protocol === 'unknown' && HTTP_METHOD.test(text)) {
      this.#protocol = 'http'
      return from
    }
    const request = this.#parse(text)
    if (this.#protocol === 'unknown') this.#begin(request)
    else if (request !== undefined) this.#handle(request)
    return end + 1
  }

  #parse(text: string): MinerRequest | undefined {
    const request = parseRequest(text)
    if (request !== undefined) this.#requests++
    return request
  }

  #begin(request: MinerRequest | undefined): void {
    if (request?.method === 'mining.subscribe') {
      this.#protocol = 'stratum'
      const { subscriptionId, extranonce } = this.#options
      this.#answer(request, [['mining.notify', subscriptionId, PROTOCOL_NAME], extranonce])
    } else if (request?.method === 'eth_submitLogin') {
      this.#protocol = 'proxy'
      this.#answer(request, true)
    } else {
      this.#close()
    }
  }

  #handle(request: MinerRequest): void {
    const { params } = request
    if (request.method === 'eth_submitHashrate') this.#reportHashrate(request)
    else if (this.#protocol === 'stratum') this.#handleStratum(request)
    else if (request.method === 'eth_getWork') this.#sendWork(request)
    else if (request.method === 'eth_submitWork' && params.length >= SUBMIT_WORK_PARAMETERS)
      this.#answer(request, this.#submit(params[0], params[1]))
  }

  #handleStratum(request: MinerRequest): void {
    const { method, params } = request
    if (method === 'mining.authorize') this.#authorize(request)
    else if (method === 'mining.submit' && this.#isAuthorized && params.length >= SUBMIT_PARAMETERS)
      this.#answer(request, this.#submit(params[2], params[3]))
  }

  #authorize(request: MinerRequest): void {
    this.#isAuthorized = true
    this.#isListening = true
    this.#answer(request, true)
    const work = this.#work()
    if (work !== undefined) this.#notify(work, true)
  }

  #sendWork(request: MinerRequest): void {
    this.#isListening = true
    const work = this.#work()
    this.#sendLine(work === undefined ? noWork(request) : answerTo(request, workItems(work)))
  }

  #reportHashrate(request: MinerRequest): void {
    const report = parseHashrate(request.params[0], request.params[1])
    if (report !== undefined) this.#answer(request, this.#options.sealing.reportHashrate(report.id, report.rate))
  }

  #submit(nonce: unknown, powHash: unknown): boolean {
    const share = parseShare(nonce, powHash)
    if (share === undefined || this.#work() === undefined) return false
    const outcome = this.#options.sealing.submit(share.powHash, share.nonce)
    if (outcome === 'invalid') this.#options.onInvalidShare()
    if (outcome === 'accepted') this.#hasFoundBlock = true
    return outcome === 'accepted'
  }

  #notify(work: SealingWork, isClean: boolean): void {
    const params = [this.#options.jobId(), ...workItems(work), isClean]
    this.#sendLine(JSON.stringify({ jsonrpc: '2.0', method: 'mining.notify', params, id: null }))
  }

  /** @returns the end of the head or of the body; undefined: it is incomplete */
  #receiveHttp(from: number): number | undefined {
    if (this.#request === undefined) {
      const head = parseHead(this.#buffer.subarray(from))
      if (head === 'incomplete') return undefined
      if (head === 'invalid') {
        this.#close()
        return undefined
      }
      this.#request = head
      return from + head.headBytes
    }
    const end = from + this.#request.bodyBytes
    if (this.#buffer.length < end) return undefined
    this.#request = undefined
    this.#handleHttp(this.#parse(this.#decoder.decode(this.#buffer.subarray(from, end))))
    return end
  }

  #handleHttp(request: MinerRequest | undefined): void {
    if (request?.method === 'eth_getWork') {
      const work = this.#work()
      const items = work && [...workItems(work), `0x${work.number.toString(16)}`]
      this.#options.send(httpAnswer(items === undefined ? noWork(request) : answerTo(request, items)))
    } else if (request?.method === 'eth_submitWork') {
      const { params } = request
      if (params.length < SUBMIT_WORK_PARAMETERS) return
      this.#options.send(httpAnswer(answerTo(request, this.#submit(params[0], params[1]))))
    } else {
      this.#close()
    }
  }

  #work(): SealingWork | undefined {
    try {
      return this.#options.sealing.work()
    } catch (error) {
      if (isNodeError(error, 'NO_MINING_WORK_FOUND')) return undefined
      throw error
    }
  }

  #answer(request: MinerRequest, result: unknown): void {
    this.#sendLine(answerTo(request, result))
  }

  #sendLine(text: string): void {
    this.#options.send(`${text}\n`)
  }

  /** Ignores everything that the miner has sent and will send. */
  end(): void {
    this.#isClosed = true
  }

  #close(): void {
    this.end()
    this.#options.close()
  }
}

function noWork(request: MinerRequest): string {
  return errorTo(request, -32000, 'No mining work available yet')
}

function workItems({ powHash, seedHash, target }: SealingWork): readonly string[] {
  return [powHash, seedHash, target].map(bytesToHex)
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

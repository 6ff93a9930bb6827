/**
 * One connection with a peer: handshake, Hello, messages of the agreed capabilities, keep-alive, Disconnect.
 * @see devp2p, rlpx.md
 * @module
 */
import {
  MAX_HELLO_BYTES,
  MAX_RLPX_BACKLOG_BYTES,
  RLPX_DISCONNECT_TIMEOUT_MS,
  RLPX_HELLO_TIMEOUT_MS,
} from '../../../base/limits/limits.ts'
import type { TcpConnection } from '../../../base/ports/tcpSockets.ts'
import type { Timer } from '../../../base/ports/timers.ts'
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { type AgreedCapability, agreeCapabilities, capabilityOfCode, FIRST_CAPABILITY_CODE } from './capabilities.ts'
import { DeliveryWatch } from './deliveryWatch.ts'
import { type DisconnectReason, decodeDisconnect, encodeDisconnect } from './disconnect.ts'
import { invalidMessage } from './errors.ts'
import { decodeHello, encodeHello, P2P_VERSION, wrongIdentity } from './hello.ts'
import { KeepAlive } from './keepAlive.ts'
import { maxPayloadBytes, type P2pMessage } from './messageCodec.ts'
import type { LocalPeer, SessionEnd, SessionHandlers, SessionHost, SessionOptions } from './sessionContract.ts'
import { RlpxTransport } from './transport.ts'

const HELLO = 0x00
const DISCONNECT = 0x01
const PING = 0x02
const PONG = 0x03
/** Ping and Pong are empty lists; other payloads are accepted. */
const EMPTY_LIST = Uint8Array.of(0xc0)

type State = 'handshake' | 'hello' | 'open' | 'ending' | 'closed'

export class RlpxSession {
  readonly #host: SessionHost
  readonly #connection: TcpConnection
  readonly #dialledId: Uint8Array | undefined
  readonly #local: LocalPeer
  readonly #handlers: SessionHandlers
  readonly #transport: RlpxTransport
  #state: State = 'handshake'
  #capabilities: readonly AgreedCapability[] = []
  #end: SessionEnd | undefined
  /** Time limit of the handshake, then of the end. */
  #timer: Timer | undefined
  #keepAlive: KeepAlive | undefined
  #isPaused = false
  #isReading = false
  #isBlocked = false
  /** Bytes of messages since the Hello. */
  #bytesWritten = 0

  /** @throws {NodeError} INVALID_PUBLIC_KEY when `remoteId` is not a point of the curve; the connection is not opened */
  constructor(host: SessionHost, { connection, remoteId, local, handlers }: SessionOptions) {
    this.#host = host
    this.#connection = connection
    this.#dialledId = remoteId
    this.#local = local
    this.#handlers = handlers
    this.#transport = new RlpxTransport(host, remoteId)
  }

  /** Starts the handshake. To be called once. */
  start(): void {
    this.#timer = this.#host.timers.schedule(RLPX_HELLO_TIMEOUT_MS, () => this.#stop('timeout'))
    this.#connection.open({
      onData: (bytes) => this.#receive(bytes),
      onDrain: () => this.#drained(),
      onEnd: () => this.#peerEnded(),
      onClose: (error) => this.#closed(error),
    })
    if (this.#transport.opening !== undefined) this.#connection.write(this.#transport.opening)
  }

  /** Node id of the peer: the dialled one, or the one that the peer has proved. */
  get remoteId(): Uint8Array | undefined {
    return this.#transport.remoteId ?? this.#dialledId
  }

  /** Whether messages of capabilities can be sent. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Unsent bytes. */
  get backlog(): number {
    return this.#connection.backlog
  }

  /**
   * Sends a message of a capability; it is dropped unless the session {@link isOpen}. A peer that leaves more than
   * MAX_RLPX_BACKLOG_BYTES unread is dropped.
   * @param capability one of those that were agreed
   * @param code relative to the capability
   * @returns false when the sender should wait for `onDrain`
   * @throws {RangeError} when the code is not of the capability or the payload does not fit in a frame
   */
  send({ offset, length }: AgreedCapability, code: number, payload: Uint8Array): boolean {
    if (code < 0 || code >= length) throw new RangeError(`code: ${code} where the capability has ${length} codes`)
    if (this.#state !== 'open') return false
    return this.#write({ code: offset + code, payload })
  }

  /** Limits the bodies of the frames that follow. */
  limitFrames(maxBytes: number): void {
    this.#transport.limitFrames(maxBytes)
  }

  /**
   * Stops reading, so that TCP flow control slows down the peer. No message follows the one being handled. Pings are
   * not answered meanwhile, so a peer gives the session up after half a minute.
   */
  pause(): void {
    this.#isPaused = true
    this.#connection.pause()
  }

  /** Continues reading. Messages that have already arrived are delivered within this call. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#keepAlive?.noteTraffic()
    this.#readAll()
    if (!this.#isPaused) this.#connection.resume()
  }

  /**
   * Ends the session: what was sent before and the Disconnect message still go to the peer, for two seconds at most.
   * Nothing more is received.
   */
  disconnect(reason: DisconnectReason): void {
    this.#stop(reason)
  }

  #receive(bytes: Uint8Array): void {
    if (!this.#isRunning()) return
    this.#keepAlive?.noteTraffic()
    this.#transport.receive(bytes)
    this.#readAll()
  }

  #isRunning(): boolean {
    return this.#state === 'handshake' || this.#state === 'hello' || this.#state === 'open'
  }

  #readAll(): void {
    // A handler may resume within the loop below, which then continues.
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isRunning() && !this.#isPaused && this.#mayRead() && this.#readMeasured());
    } finally {
      this.#isReading = false
    }
  }

  #mayRead(): boolean {
    return this.#handlers.mayRead?.() ?? true
  }

  #readMeasured(): boolean {
    const { clock } = this.#host
    const startMs = clock.monotonic()
    const hasRead = this.#readNext()
    // Counted without a message as well: a part of a long one was decrypted, or a costly message ended the session.
    this.#handlers.onWork?.(clock.monotonic() - startMs)
    return hasRead
  }

  /** @returns false when more bytes are needed */
  #readNext(): boolean {
    let message: P2pMessage | undefined
    try {
      if (this.#state === 'handshake') return this.#finishHandshake()
      message = this.#transport.read(this.#maxBytes)
      if (message === undefined) return false
      if (message.code < FIRST_CAPABILITY_CODE) {
        this.#onBaseMessage(message)
        return true
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      this.#stop('breachOfProtocol', error)
      return false
    }
    this.#onCapabilityMessage(message)
    return true
  }

  readonly #maxBytes = (code: number): number => {
    const capability = capabilityOfCode(this.#capabilities, code)
    if (capability === undefined) return MAX_HELLO_BYTES
    return this.#handlers.maxBytes?.(capability, code - capability.offset) ?? maxPayloadBytes(code)
  }

  #finishHandshake(): boolean {
    const reply = this.#transport.finishHandshake()
    if (reply === undefined) return false
    this.#state = 'hello'
    const { clientId, port, capabilities } = this.#local
    const nodeId = this.#host.signer.publicKey
    const hello = encodeHello({ version: P2P_VERSION, clientId, capabilities, port, nodeId })
    this.#connection.write(this.#transport.writeAfter(reply, { code: HELLO, payload: hello }))
    return true
  }

  #onBaseMessage({ code, payload }: P2pMessage): void {
    if (code === DISCONNECT) this.#finish({ reason: decodeDisconnect(payload), by: 'remote' })
    else if (this.#state === 'hello') this.#onHello(code, payload)
    else if (code === HELLO) throw invalidMessage('a second Hello')
    // While the peer does not read, answers would only fill the memory.
    else if (code === PING && !this.#isBlocked) this.#write({ code: PONG, payload: EMPTY_LIST })
    // A Pong counts as traffic; the other codes are reserved.
  }

  #onHello(code: number, payload: Uint8Array): void {
    if (code !== HELLO) throw invalidMessage(`code ${code} before the Hello`)
    const hello = decodeHello(payload)
    this.#transport.finishHello(hello.version >= P2P_VERSION)
    const reason = wrongIdentity(hello, this.#host.signer.publicKey, this.remoteId ?? EMPTY_BYTES)
    if (reason !== undefined) {
      this.#stop(reason)
      return
    }
    this.#capabilities = agreeCapabilities(this.#local.capabilities, hello.capabilities)
    if (this.#capabilities.length === 0) {
      this.#stop('uselessPeer')
      return
    }
    this.#state = 'open'
    this.#timer?.cancel()
    const deliveries = new DeliveryWatch(this.#host.clock)
    this.#keepAlive = new KeepAlive(this.#host, {
      isReading: () => !this.#isPaused,
      isStalled: () => deliveries.isStalled(this.#bytesWritten - this.#connection.backlog, this.#isBlocked),
      ping: () => this.#write({ code: PING, payload: EMPTY_LIST }),
      timeOut: () => this.#stop('timeout'),
    })
    this.#handlers.onOpen(hello, this.#capabilities)
  }

  #onCapabilityMessage({ code, payload }: P2pMessage): void {
    const capability = capabilityOfCode(this.#capabilities, code)
    if (capability !== undefined) this.#handlers.onMessage(capability, code - capability.offset, payload)
    else if (this.#state === 'hello') this.#stop('breachOfProtocol', invalidMessage(`code ${code} before the Hello`))
    else this.#stop('breachOfProtocol', invalidMessage(`code ${code} is of no agreed capability`))
  }

  #write(message: P2pMessage): boolean {
    const frame = this.#transport.write(message)
    this.#bytesWritten += frame.length
    if (!this.#connection.write(frame)) this.#isBlocked = true
    if (this.#connection.backlog > MAX_RLPX_BACKLOG_BYTES) {
      const details = `${this.#connection.backlog} bytes are waiting to be sent`
      this.#finish({ reason: 'tcpError', by: 'local', error: backlogExceeded(details) })
      this.#connection.destroy()
    }
    return !this.#isBlocked
  }

  #drained(): void {
    this.#isBlocked = false
    if (this.#state === 'open') this.#handlers.onDrain?.()
  }

  /** Ends the session with a Disconnect message, if it can be encrypted. */
  #stop(reason: DisconnectReason, error?: NodeError): void {
    if (!this.#isRunning()) return
    if (this.#transport.isSecure) {
      this.#connection.write(this.#transport.write({ code: DISCONNECT, payload: encodeDisconnect(reason) }))
    }
    this.#finish(error === undefined ? { reason, by: 'local' } : { reason, by: 'local', error })
  }

  #peerEnded(): void {
    if (this.#isRunning()) this.#finish({ reason: 'tcpError', by: 'connection' })
  }

  /** Sends what is queued, then closes; the peer has two seconds to read it. */
  #finish(end: SessionEnd): void {
    if (!this.#isRunning()) return
    this.#state = 'ending'
    this.#end = end
    this.#keepAlive?.stop()
    this.#timer?.cancel()
    this.#timer = this.#host.timers.schedule(RLPX_DISCONNECT_TIMEOUT_MS, () => this.#connection.destroy())
    this.#transport.discard()
    this.#connection.end()
    // Reading continues, to notice that the peer has closed its side.
    this.#connection.resume()
    this.#handlers.onEnd?.(end)
  }

  #closed(error: NodeError | undefined): void {
    this.#state = 'closed'
    this.#keepAlive?.stop()
    this.#timer?.cancel()
    this.#transport.discard()
    const lost: SessionEnd = { reason: 'tcpError', by: 'connection' }
    this.#handlers.onClose(this.#end ?? (error === undefined ? lost : { ...lost, error }))
  }
}

function backlogExceeded(details: string): NodeError {
  return new NodeError({ code: 'PEER_DOES_NOT_READ' }, `the peer does not read: ${details}`)
}

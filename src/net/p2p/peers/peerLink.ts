import {
  MAX_HELLO_BYTES,
  MAX_RLPX_FRAME_BYTES,
  MAX_UNADMITTED_FRAME_BYTES,
  PEER_ADMISSION_TIMEOUT_MS,
} from '../../../base/limits/limits.ts'
import type { SocketAddress, TcpConnection } from '../../../base/ports/tcpSockets.ts'
import type { Timer } from '../../../base/ports/timers.ts'
import { type NodeContact, nodeKey } from '../discovery/table.ts'
import type { AgreedCapability } from '../rlpx/capabilities.ts'
import type { DisconnectReason } from '../rlpx/disconnect.ts'
import type { Hello } from '../rlpx/hello.ts'
import { RlpxSession } from '../rlpx/session.ts'
import type { LocalPeer, SessionEnd, SessionHost } from '../rlpx/sessionContract.ts'
import type { ConnectionHandlers, PeerConduct, PeerConnection, PeerProtocols } from './contract.ts'
import type { PeerMeter } from './peerMeter.ts'
import { Reputation } from './reputation.ts'
import { type SharedWork, WorkAccount } from './workAccount.ts'
import type { WorkTurns } from './workTurns.ts'

/** `ended`: for the protocols; the socket may still be open. */
type LinkState = 'handshake' | 'open' | 'admitted' | 'ended'

/** Decides on connections. */
export interface LinkOwner {
  isMaintained(key: string): boolean
  /** The Hello messages have been exchanged. @returns the reason to refuse the peer, if any */
  onHello(link: PeerLink): DisconnectReason | undefined
  /** The protocols have agreed. @returns the reason to refuse the peer, if any */
  onAdmission(link: PeerLink): DisconnectReason | undefined
  /** Called once. @param details of a disconnection by this node */
  onEnd(link: PeerLink, end: SessionEnd, details: string | undefined): void
  /** Called once, last: the socket is closed. */
  onClosed(link: PeerLink): void
}

export interface LinkOptions {
  readonly connection: TcpConnection
  /** undefined: the peer has dialled. */
  readonly dialled: NodeContact | undefined
  readonly local: LocalPeer
  readonly protocols: PeerProtocols
  readonly owner: LinkOwner
  readonly work: SharedWork
  readonly turns: WorkTurns
  readonly meter?: PeerMeter | undefined
}

/** One connection to a peer, from the TCP connection on. */
export class PeerLink implements PeerConnection {
  readonly isInbound: boolean
  /** Random; orders inbound peers if the order is random. */
  readonly priority: number
  readonly openedMs: number
  readonly #host: SessionHost
  readonly #options: LinkOptions
  readonly #session: RlpxSession
  readonly #reputation: Reputation
  readonly #account: WorkAccount
  #state: LinkState = 'handshake'
  #key = ''
  #hello: Hello | undefined
  #capabilities: readonly AgreedCapability[] = []
  #handlers: ConnectionHandlers | undefined
  #admissionTimer: Timer | undefined
  #isPaused = false
  #isInDebt = false
  #isWaiting = false

  /** @throws {NodeError} INVALID_PUBLIC_KEY when the dialled id is not a point of the curve */
  constructor(host: SessionHost, options: LinkOptions, priority: number) {
    const { connection, dialled, local, meter, work } = options
    this.isInbound = dialled === undefined
    this.priority = priority
    this.openedMs = host.clock.monotonic()
    this.#host = host
    this.#options = options
    this.#reputation = new Reputation(host.clock)
    this.#account = new WorkAccount(work, this.openedMs, dialled !== undefined)
    this.#session = new RlpxSession(host, {
      connection,
      ...(dialled === undefined ? {} : { remoteId: dialled.id }),
      local,
      handlers: {
        onOpen: (hello, capabilities) => this.#opened(hello, capabilities),
        maxBytes: (capability, code) => this.#handlers?.maxBytes(capability, code) ?? MAX_HELLO_BYTES,
        onMessage: (capability, code, payload) => {
          meter?.received(capability, code, payload.length)
          this.#handlers?.onMessage(capability, code, payload)
        },
        mayRead: () => this.#mayRead(),
        onWork: (workMs) => this.charge(workMs),
        onDrain: () => this.#handlers?.onDrain(),
        onEnd: (end) => this.#end(end, undefined),
        onClose: (end) => {
          this.#end(end, undefined)
          options.owner.onClosed(this)
        },
      },
    })
  }

  start(): void {
    this.#session.start()
  }

  get state(): LinkState {
    return this.#state
  }

  get key(): string {
    return this.#key
  }

  get id(): Uint8Array {
    return this.hello.nodeId
  }

  get hello(): Hello {
    if (this.#hello === undefined) throw new TypeError('hello: the connection is not open')
    return this.#hello
  }

  get capabilities(): readonly AgreedCapability[] {
    return this.#capabilities
  }

  /** The address that was dialled, if any. */
  get dialled(): NodeContact | undefined {
    return this.#options.dialled
  }

  /** The listening address of the peer: the dialled one, or the one that its Hello announces. */
  get contact(): NodeContact {
    const { port, nodeId } = this.hello
    const { host } = this.remoteAddress
    return this.#options.dialled ?? { id: nodeId, host, tcpPort: port, udpPort: port }
  }

  get isMaintained(): boolean {
    return this.#options.owner.isMaintained(this.#key)
  }

  get localAddress(): SocketAddress {
    return this.#options.connection.localAddress
  }

  get remoteAddress(): SocketAddress {
    return this.#options.connection.remoteAddress
  }

  get backlog(): number {
    return this.#session.backlog
  }

  send(capability: AgreedCapability, code: number, payload: Uint8Array): boolean {
    this.#options.meter?.sent(capability, code, payload.length)
    return this.#session.send(capability, code, payload)
  }

  admit(): boolean {
    if (this.#state === 'admitted') return true
    if (this.#state !== 'open') return false
    const reason = this.#options.owner.onAdmission(this)
    if (reason !== undefined) {
      this.disconnect(reason)
      return false
    }
    this.#admissionTimer?.cancel()
    this.#state = 'admitted'
    this.#session.limitFrames(MAX_RLPX_FRAME_BYTES)
    return true
  }

  report(conduct: PeerConduct, request = ''): void {
    if (this.#state !== 'open' && this.#state !== 'admitted') return
    const reason = this.#reputation.report(conduct, request)
    if (reason !== undefined) this.disconnect(reason, `the last of too many bad answers: ${conduct}`)
  }

  disconnect(reason: DisconnectReason, details?: string): void {
    this.#end({ reason, by: 'local' }, details)
    this.#session.disconnect(reason)
  }

  charge(workMs: number): void {
    const nowMs = this.#host.clock.monotonic()
    this.#options.turns.spend(workMs, nowMs)
    this.#postpone(this.#account.spend(workMs, nowMs))
  }

  pause(): void {
    this.#isPaused = true
    this.#session.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#continue()
  }

  #continue(): void {
    if (!this.#isPaused && !this.#isInDebt && !this.#isWaiting) this.#session.resume()
  }

  #mayRead(): boolean {
    const { turns } = this.#options
    if (turns.isOver) {
      this.#isWaiting = true
      this.#session.pause()
      turns.wait(() => {
        this.#isWaiting = false
        this.#continue()
      })
      return false
    }
    const delayMs = this.#account.delayMs(this.#host.clock.monotonic())
    this.#postpone(delayMs)
    return delayMs === 0
  }

  /** Reads nothing for a while. */
  #postpone(delayMs: number): void {
    if (delayMs === 0 || this.#isInDebt || this.#state === 'ended') return
    this.#isInDebt = true
    this.#session.pause()
    this.#awaitCredit(delayMs)
  }

  #awaitCredit(delayMs: number): void {
    this.#host.timers.schedule(delayMs, () => {
      if (this.#state === 'ended') return
      const restMs = this.#account.spend(0, this.#host.clock.monotonic())
      if (restMs > 0) {
        this.#awaitCredit(restMs)
        return
      }
      this.#isInDebt = false
      this.#continue()
    })
  }

  /** Closes the socket without a message. */
  destroy(): void {
    this.#options.connection.destroy()
  }

  #opened(hello: Hello, capabilities: readonly AgreedCapability[]): void {
    this.#hello = hello
    this.#key = nodeKey(hello.nodeId)
    this.#capabilities = capabilities
    const { owner, protocols } = this.#options
    const refusal = owner.onHello(this)
    if (refusal !== undefined) {
      this.disconnect(refusal)
      return
    }
    this.#state = 'open'
    this.#session.limitFrames(MAX_UNADMITTED_FRAME_BYTES)
    this.#admissionTimer = this.#host.timers.schedule(PEER_ADMISSION_TIMEOUT_MS, () =>
      this.disconnect('timeout', 'the protocols did not agree in time'),
    )
    this.#handlers = protocols.open(this)
  }

  /** The handlers are notified later, because one of them may be running. */
  #end(end: SessionEnd, details: string | undefined): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#account.close(this.#host.clock.monotonic())
    this.#admissionTimer?.cancel()
    this.#options.owner.onEnd(this, end, details)
    this.#host.timers.schedule(0, () => this.#handlers?.onClose(end))
  }
}

/** Connections between services of the network, in virtual time. */

import { bytesToHexUnprefixed } from '../../../../src/base/primitives/bytes.ts'
import type {
  ConnectionHandlers,
  PeerConduct,
  PeerConnection,
  PeerProtocols,
} from '../../../../src/net/p2p/peers/contract.ts'
import {
  type AgreedCapability,
  agreeCapabilities,
  type OfferedCapability,
} from '../../../../src/net/p2p/rlpx/capabilities.ts'
import type { DisconnectReason } from '../../../../src/net/p2p/rlpx/disconnect.ts'
import type { SessionEnd } from '../../../../src/net/p2p/rlpx/sessionContract.ts'
import type { SimulatedWorld } from '../../../simulation/world.ts'

const LATENCY_MS = 10

/** One end of a connection. */
export class LinkEnd implements PeerConnection {
  readonly key: string
  readonly id: Uint8Array
  readonly hello: PeerConnection['hello']
  readonly capabilities: readonly AgreedCapability[]
  readonly isInbound: boolean
  readonly isMaintained = false
  readonly localAddress = { host: '10.0.0.1', port: 30303 }
  readonly remoteAddress = { host: '10.0.0.2', port: 30303 }
  readonly reports: [PeerConduct, string | undefined][] = []
  backlog = 0
  /** Whether the limits of peers allow the connection. */
  isWelcome = true
  isPaused = false
  /** Result of `send`. */
  isFlowing = true
  /** How the connection has ended, with the details of this end. */
  end: { readonly reason: DisconnectReason; readonly details: string | undefined } | undefined
  handlers!: ConnectionHandlers
  peer!: LinkEnd
  readonly #world: SimulatedWorld
  readonly #held: (() => void)[] = []

  constructor(
    world: SimulatedWorld,
    {
      id,
      offered,
      capabilities,
      isInbound,
    }: {
      id: Uint8Array
      offered: readonly OfferedCapability[]
      capabilities: readonly AgreedCapability[]
      isInbound: boolean
    },
  ) {
    this.#world = world
    this.id = id
    this.key = bytesToHexUnprefixed(id)
    this.hello = { version: 5, clientId: 'peer/v1', capabilities: offered, port: 30303, nodeId: id }
    this.capabilities = capabilities
    this.isInbound = isInbound
  }

  send(capability: AgreedCapability, code: number, payload: Uint8Array): boolean {
    if (this.end !== undefined) return false
    this.#world.schedule(LATENCY_MS, 'message', () => this.peer.#receive(capability, code, payload.slice()))
    return this.isFlowing
  }

  #receive(capability: AgreedCapability, code: number, payload: Uint8Array): void {
    const deliver = (): void => {
      if (this.end !== undefined) return
      if (payload.length > this.handlers.maxBytes(capability, code)) this.disconnect('breachOfProtocol', 'too long')
      else this.handlers.onMessage(capability, code, payload)
    }
    if (this.isPaused) this.#held.push(deliver)
    else deliver()
  }

  admit(): boolean {
    if (!this.isWelcome) this.disconnect('tooManyPeers')
    return this.isWelcome
  }

  charge(): void {}

  report(conduct: PeerConduct, request?: string): void {
    this.reports.push([conduct, request])
  }

  disconnect(reason: DisconnectReason, details?: string): void {
    if (this.end !== undefined) return
    this.end = { reason, details }
    this.#closeLater({ reason, by: 'local' })
    this.#world.schedule(LATENCY_MS, 'disconnect', () => this.peer.#ended(reason))
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    while (!this.isPaused && this.#held.length > 0) this.#held.shift()?.()
  }

  #ended(reason: DisconnectReason): void {
    if (this.end !== undefined) return
    this.end = { reason, details: undefined }
    this.#closeLater({ reason, by: 'remote' })
  }

  #closeLater(end: SessionEnd): void {
    this.#world.schedule(0, 'close', () => this.handlers.onClose(end))
  }
}

const idOf = (byte: number): Uint8Array => new Uint8Array(64).fill(byte)
let ids = 0

/** Connects two services. @param welcome prepares the two ends before they open */
export function connect(
  world: SimulatedWorld,
  a: PeerProtocols,
  b: PeerProtocols,
  prepare: (near: LinkEnd, far: LinkEnd) => void = () => {},
): readonly [LinkEnd, LinkEnd] {
  const capabilities = agreeCapabilities(a.offered, b.offered)
  const near = new LinkEnd(world, { id: idOf(++ids), offered: b.offered, capabilities, isInbound: false })
  const far = new LinkEnd(world, { id: idOf(++ids), offered: a.offered, capabilities, isInbound: true })
  near.peer = far
  far.peer = near
  prepare(near, far)
  near.handlers = a.open(near)
  far.handlers = b.open(far)
  return [near, far]
}

/** A peer under the control of a test: it records what it receives, and sends what the test wants. */
export class ScriptedPeer implements PeerProtocols {
  readonly offered: readonly OfferedCapability[]
  readonly received: { readonly name: string; readonly code: number; readonly payload: Uint8Array }[] = []
  link!: PeerConnection

  constructor(offered: readonly OfferedCapability[]) {
    this.offered = offered
  }

  open(connection: PeerConnection): ConnectionHandlers {
    this.link = connection
    return {
      maxBytes: () => Number.POSITIVE_INFINITY,
      onMessage: ({ name }, code, payload) => void this.received.push({ name, code, payload }),
      onDrain() {},
      onClose() {},
    }
  }

  send(name: string, { code, payload }: { readonly code: number; readonly payload: Uint8Array }): void {
    const capability = this.link.capabilities.find((agreed) => agreed.name === name)
    if (capability === undefined) throw new Error(`${name} was not agreed`)
    this.link.send(capability, code, payload)
  }
}

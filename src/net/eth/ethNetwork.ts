/**
 * The protocols eth, snap and those of BFT validators over all connections.
 * @see docs/reference/p2p.md sections 4 and 5
 * @module
 */

import { BLOCK_RANGE_UPDATE_BLOCKS } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { KeyValueReader, Residency } from '../../base/ports/keyValueStore.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { Emitter } from '../../base/primitives/events.ts'
import { hostPort } from '../../base/primitives/hostPort.ts'
import { publicKeyToAddress } from '../../base/primitives/secp256k1.ts'
import type { ChainEvents, ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { BlockHasher } from '../../chain/engine.ts'
import type { PoolReader } from '../../txpool/contract.ts'
import type { ConnectionHandlers, PeerConnection, PeerProtocols } from '../p2p/peers/contract.ts'
import type { OfferedCapability } from '../p2p/rlpx/capabilities.ts'
import type { BftWire } from '../protocols/bftWire.ts'
import { EthServer } from '../protocols/eth/ethServer.ts'
import { NodeDirectory } from '../protocols/eth/nodeDirectory.ts'
import { ethVersion } from '../protocols/eth/versions.ts'
import { ForkFilter } from '../protocols/forkId.ts'
import { ServedStates } from '../protocols/servedStates.ts'
import { SnapServer } from '../protocols/snap/snapServer.ts'
import { StoredBlocks } from '../protocols/storedBlocks.ts'
import { bftProtocolOf, ETH, offeredCapabilities } from './capabilities.ts'
import type { EthGossip, EthPeer, EthPeerEvents, EthPeers } from './contract.ts'
import { EthSession } from './ethSession.ts'
import { type RequiredBlock, requiredHeaders } from './requiredHeaders.ts'
import { ServingQueue } from './servingQueue.ts'
import type { Departure, EthSessionDeps, PeerSession, SessionListener } from './sessionDeps.ts'

export interface EthNetworkDeps {
  readonly chain: ChainReader & { readonly events: Emitter<ChainEvents>; readonly consensus: BlockHasher }
  /** The store of the chain. */
  readonly reader: KeyValueReader
  readonly pool: Pick<PoolReader, 'byHash'>
  /** Connections to other validators; undefined: the chain has none. */
  readonly bft?: BftWire | undefined
  readonly requiredBlocks?: readonly RequiredBlock[] | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly residency?: Residency | undefined
}

/** Hexadecimal digits of a node id in the log. */
const LOGGED_ID_DIGITS = 16

const NO_HANDLERS: ConnectionHandlers = { maxBytes: () => 0, onMessage() {}, onDrain() {}, onClose() {} }

export class EthNetwork implements PeerProtocols, EthPeers, SessionListener {
  readonly offered: readonly OfferedCapability[]
  readonly forks: ForkFilter
  readonly events: Emitter<EthPeerEvents>
  readonly #deps: EthNetworkDeps
  readonly #session: EthSessionDeps
  readonly #serving: ServingQueue
  readonly #admitted: PeerSession[] = []
  #all: readonly PeerSession[] = []
  #connections = 0
  /** Head of the range of blocks that was announced last. */
  #announced: bigint
  readonly #unsubscribe: () => void

  constructor(deps: EthNetworkDeps) {
    const { chain, reader, pool, logger, clock, timers, random, residency } = deps
    this.#deps = deps
    this.offered = offeredCapabilities(chain.config)
    this.forks = new ForkFilter(chain.config, { hash: chain.genesis.hash, timestamp: chain.genesis.header.timestamp })
    this.events = new Emitter((error) => logger.error('a peer-event listener threw', { error }))
    this.#serving = new ServingQueue({ clock, timers, logger, residency })
    const states = new ServedStates({ chain, reader })
    this.#session = {
      handshake: { chain, forks: this.forks, earliest: 0n },
      eth: new EthServer({ blocks: new StoredBlocks(reader), pool, nodes: new NodeDirectory(states) }),
      snap: new SnapServer({ states }),
      bft: deps.bft,
      required: requiredHeaders(chain.config, deps.requiredBlocks ?? [], chain.consensus),
      serving: this.#serving,
      clock,
      timers,
      random,
      listener: this,
    }
    this.#announced = chain.head.header.number
    this.#unsubscribe = chain.events.on('head', ({ head }) => this.#announceRange(head))
  }

  get all(): readonly EthPeer[] {
    return this.#all
  }

  /** Peers whose Status was accepted, in that order. Those in {@link all} are among them. */
  get admitted(): readonly PeerSession[] {
    return this.#admitted
  }

  open(connection: PeerConnection): ConnectionHandlers {
    const eth = connection.capabilities.find(({ name }) => name === ETH)
    const version = eth && ethVersion(eth.version)
    if (eth === undefined || version === undefined) {
      connection.disconnect('uselessPeer', 'no version of eth in common')
      return NO_HANDLERS
    }
    const session = new EthSession(this.#session, connection, { eth, version, id: String(++this.#connections) })
    session.start()
    return session
  }

  /** Ends the service. The connections stay open: they belong to the peer network. */
  close(): void {
    this.#unsubscribe()
    this.#serving.close()
  }

  onAdmitted(session: PeerSession): void {
    this.#admitted.push(session)
    this.#addValidator(session)
  }

  onJoined(session: PeerSession): void {
    this.#all = [...this.#all, session]
    this.#deps.logger.debug('peer joined', { ...describe(session), head: session.head.number })
    this.events.emit('joined', session)
  }

  onHead(session: PeerSession): void {
    this.events.emit('head', session)
  }

  onGossip(peer: PeerSession, message: EthGossip): void {
    this.events.emit('gossip', { peer, message })
  }

  onLeft(session: PeerSession, { wasJoined, reason, by, details }: Departure): void {
    const at = this.#admitted.indexOf(session)
    if (at >= 0) this.#admitted.splice(at, 1)
    this.#deps.bft?.remove(session.id)
    this.#all = this.#all.filter((peer) => peer !== session)
    const what = wasJoined ? 'peer left' : 'peer refused'
    const why = details === undefined ? { reason, by } : { reason, by, details }
    this.#deps.logger.debug(what, { ...describe(session), ...why })
    if (wasJoined) this.events.emit('left', session)
  }

  #addValidator(session: PeerSession): void {
    const { connection, id } = session
    const capabilities = connection.capabilities.flatMap((capability) => {
      const protocol = bftProtocolOf(capability.name)
      return protocol === undefined ? [] : [{ protocol, capability }]
    })
    if (this.#deps.bft === undefined || capabilities.length === 0) return
    this.#deps.bft.add({
      id,
      address: publicKeyToAddress(connection.id),
      protocols: new Set(capabilities.map(({ protocol }) => protocol)),
      send: ({ protocol, code, payload }) => {
        const agreed = capabilities.find((entry) => entry.protocol === protocol)
        if (agreed !== undefined) connection.send(agreed.capability, code, payload)
      },
      charge: (workMs) => session.charge(workMs),
      refuse: (reason) => session.disconnect('breachOfProtocol', reason),
      sawHeight: (height) => session.sawHead({ hash: undefined, number: BigInt(height), totalDifficulty: undefined }),
    })
  }

  /** eth/69: tells peers about the range of blocks, at intervals of BLOCK_RANGE_UPDATE_BLOCKS. */
  #announceRange({ header, hash }: ChainHeader): void {
    const { number } = header
    const distance = number > this.#announced ? number - this.#announced : this.#announced - number
    if (distance < BLOCK_RANGE_UPDATE_BLOCKS) return
    this.#announced = number
    const { earliest } = this.#session.handshake
    for (const session of this.#all) {
      if (!session.version.hasBlockRange) continue
      session.send({ kind: 'blockRangeUpdate', earliest, latest: number, latestHash: hash })
    }
  }
}

function describe({ connection, version }: PeerSession): Record<string, unknown> {
  const { id, remoteAddress, hello, isInbound } = connection
  return {
    peer: bytesToHexUnprefixed(id).slice(0, LOGGED_ID_DIGITS),
    address: hostPort(remoteAddress),
    direction: isInbound ? 'inbound' : 'outbound',
    client: hello.clientId,
    protocol: `eth/${version.number}`,
  }
}

/**
 * Nodes with discovery on the simulated network.
 * @module
 */

import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../../../src/base/ports/signer.ts'
import type { UdpSocket } from '../../../../../src/base/ports/udpSockets.ts'
import {
  DiscoveryService,
  type DiscoveryServiceOptions,
} from '../../../../../src/net/p2p/discovery/discoveryService.ts'
import { createRecord } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries, type ForkId } from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import type { NodeContact } from '../../../../../src/net/p2p/discovery/table.ts'
import { FAIR_NETWORK, type NetworkQuality, SimulatedNetwork } from '../../../../simulation/network.ts'
import { Life, SimulatedWorld } from '../../../../simulation/world.ts'

export const PORT = 30303
export const START_MS: number = Date.UTC(2026, 0, 1)

export interface SimulatedNode {
  readonly life: Life
  readonly service: DiscoveryService
  readonly contact: NodeContact
  readonly signer: Signer
  /** Ids in hex, in the order in which they were found. */
  readonly found: string[]
  readonly lost: string[]
}

export type NodeSettings = Partial<
  Pick<DiscoveryServiceOptions, 'bootnodes' | 'allows' | 'acceptsRecord' | 'isV5Enabled'>
> & {
  readonly forkId?: ForkId
}

export class DiscoveryNetwork {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  #hosts = 0

  constructor(seed: number, quality: NetworkQuality = FAIR_NETWORK) {
    this.world = new SimulatedWorld(seed)
    this.network = new SimulatedNetwork(this.world, quality)
  }

  #host(): string {
    this.#hosts++
    return `10.0.${this.#hosts >> 8}.${this.#hosts & 255}`
  }

  async start({ forkId, ...settings }: NodeSettings = {}): Promise<SimulatedNode> {
    const host = this.#host()
    const life = new Life(this.world, host, START_MS)
    const random = this.world.random.fork()
    const signer = createSigner(random)
    const contact = { id: signer.publicKey, host, udpPort: PORT, tcpPort: PORT }
    const [found, lost]: [string[], string[]] = [[], []]
    const record = createRecord(signer, 1n, contactEntries(contact, forkId))
    const service = await DiscoveryService.start({
      signer,
      random,
      clock: life.clock,
      timers: life.timers,
      sockets: this.network.attach(life, host).udp,
      listen: { host, port: PORT },
      self: { host, udpPort: 0, tcpPort: PORT },
      bootnodes: [],
      isV5Enabled: false,
      record: () => record,
      allows: () => true,
      acceptsRecord: () => true,
      onFound: ({ host: address }) => void found.push(address),
      onLost: (id) => void lost.push(Buffer.from(id).toString('hex')),
      ...settings,
    })
    return { life, service, contact, signer, found, lost }
  }

  /** A socket without a node behind it. */
  async bare(
    onMessage: (bytes: Uint8Array) => void,
  ): Promise<{ readonly socket: UdpSocket; readonly signer: Signer; readonly life: Life }> {
    const host = this.#host()
    const life = new Life(this.world, host, START_MS)
    const socket = await this.network.attach(life, host).udp.bind({ host, port: PORT }, onMessage)
    return { socket, signer: createSigner(this.world.random.fork()), life }
  }
}

/**
 * Complete nodes with given keys that make a chain together, on virtual time and a network without faults: consensus
 * messages, blocks and requests.
 * @module
 */

import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { equalBytes } from '../../src/base/primitives/bytes.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../src/config/options.ts'
import type { BftListener, BftNetwork, BftPacket, PacketRecipients } from '../../src/consensus/bft/messages/packets.ts'
import { createNode, type IsoNode } from '../../src/node/node.ts'
import { settingsOf } from '../../src/node/settings/nodeSettings.ts'
import { TEST_SENDERS } from '../support/chains/testChain.ts'
import { BlockExchange } from './blockExchange.ts'
import { blockTree } from './blockTree.ts'
import { type NetworkQuality, SimulatedNetwork } from './network.ts'
import { SimulatedStore } from './store.ts'
import { Life, SimulatedWorld } from './world.ts'

export interface LiveNetworkOptions {
  /** Text of the genesis file. */
  readonly genesis: string
  /** Keys by the name of a node. */
  readonly signers: ReadonlyMap<string, Signer>
  readonly options: Partial<NodeOptions>
  /** Called for each head of each node. */
  readonly onHead?: (node: LiveNode, number: number) => void
}

export interface Reply {
  readonly status: number
  readonly body: string
}

const FAULTLESS: NetworkQuality = { minLatencyMs: 1, maxLatencyMs: 20, loss: 0, duplication: 0, stall: 0, cut: 0 }
/** Time between the timestamp of the genesis block and the start. */
const AGE_MS = 1_000_000

export class LiveNetwork {
  readonly world = new SimulatedWorld(1)
  readonly network: SimulatedNetwork = new SimulatedNetwork(this.world, FAULTLESS)
  readonly options: LiveNetworkOptions
  readonly nodes: ReadonlyMap<string, LiveNode>

  constructor(options: LiveNetworkOptions) {
    this.options = options
    const places = [...options.signers].map(([name, signer], i) => [
      name,
      new LiveNode(this, `10.0.0.${i + 1}`, signer),
    ])
    this.nodes = new Map(places as [string, LiveNode][])
  }

  async start(): Promise<void> {
    // It loads the EVM in real time, for which virtual time does not wait.
    await blockTree()
    const opening = Promise.all([...this.nodes.values()].map((node) => node.open()))
    let isOpen = false
    void opening.then(() => {
      isOpen = true
    })
    if (!(await this.world.run(() => isOpen, 1000))) throw new Error('the nodes do not open')
  }

  /** @returns false: not within this virtual time */
  until(condition: () => boolean, maxMs: number): Promise<boolean> {
    return this.world.run(condition, this.world.now + maxMs)
  }
}

export class LiveNode {
  readonly host: string
  readonly signer: Signer
  readonly #owner: LiveNetwork
  #life: Life | undefined
  #node: IsoNode | undefined
  #listener: BftListener | undefined

  constructor(owner: LiveNetwork, host: string, signer: Signer) {
    this.#owner = owner
    this.host = host
    this.signer = signer
  }

  get node(): IsoNode {
    if (this.#node === undefined) throw new Error(`${this.host} does not run`)
    return this.#node
  }

  get height(): number {
    return Number(this.node.chain.head.header.number)
  }

  async open(): Promise<void> {
    const { evmModule } = await blockTree()
    const { world, network, nodes, options } = this.#owner
    const genesis = { genesis: parseGenesisFile(options.genesis), text: options.genesis }
    const startMs = Number(BigInt(JSON.parse(options.genesis).timestamp)) * 1000 + AGE_MS
    const life = new Life(world, this.host, startMs)
    this.#life = life
    const store = new SimulatedStore({ crashIn: () => undefined, onCrash: () => {} }).open(life)
    const { clock, timers, yieldToHost } = life
    const sockets = network.attach(life, this.host)
    const ports = {
      clock,
      timers,
      yieldToHost,
      random: world.random.fork(),
      senders: TEST_SENDERS,
      evmModule,
      ...sockets,
    }
    const host = { ...ports, store, signer: this.signer, logger: silentLogger, platform: 'simulation' }
    const settings = settingsOf({ ...defaultOptions(false), 'p2p-enabled': false, ...options.options }, false)
    const node = await createNode({ ...host, bftNetwork: this.#network(life) }, genesis, settings)
    this.#node = node
    node.chain.events.on('head', ({ head }) => options.onHead?.(this, Number(head.header.number)))
    const peers = [...nodes.values()].filter((other) => other !== this).map((other) => other.host)
    const onError = (error: unknown): never => {
      throw error
    }
    const exchange = new BlockExchange({
      ...ports,
      chain: node.chain,
      host: this.host,
      peers,
      verifySeal: true,
      onError,
    })
    await exchange.start()
    await node.goOnline()
  }

  /** Ends it as a power cut does. */
  stop(): void {
    this.#life?.end()
    this.#listener = undefined
    this.#owner.network.detach(this.host)
  }

  async ask(request: object): Promise<Reply> {
    const { exchange } = this.node.endpoints.get('http')
    const { status, body } = await exchange.handle({ body: JSON.stringify(request) })
    return { status, body }
  }

  #network(life: Life): BftNetwork {
    return {
      open: (listener) => {
        this.#listener = listener
      },
      send: (packet, recipients) => {
        if (life.isAlive) this.#send(packet, recipients)
      },
      refuse: () => {},
      charge: () => {},
      sawHeight: () => {},
      close: () => {},
    }
  }

  #send(packet: BftPacket, { validators, except, exceptPeer }: PacketRecipients): void {
    const { world, network, nodes } = this.#owner
    for (const target of nodes.values()) {
      const isIn = (list: readonly Uint8Array[]): boolean =>
        list.some((other) => equalBytes(other, target.signer.address))
      if (target === this || target.host === exceptPeer || !isIn(validators) || isIn(except)) continue
      world.schedule(network.latency(), 'packet', () => target.#listener?.receive(packet, this.host))
    }
  }
}

/**
 * One computer of a simulated network: a complete node with the key of a validator, on a disk that outlives its crashes.
 * @module
 */

import type { Clock, Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import type {
  BftListener,
  BftNetwork,
  BftPacket,
  PacketRecipients,
} from '../../../src/consensus/bft/messages/packets.ts'
import { createNode, type IsoNode } from '../../../src/node/node.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { BlockExchange } from '../blockExchange.ts'
import { type CrashPoint, SimulatedStore } from '../store.ts'
import { Life } from '../world.ts'
import type { Forger } from './forger.ts'
import type { RealNetwork } from './realBft.ts'

export interface RealValidatorOptions {
  readonly host: string
  readonly signer: Signer
  readonly isHonest: boolean
  readonly skewMs: number
  /** Replaces what the node sends. */
  readonly forger: Pick<Forger, 'hear' | 'instead'> | undefined
}

export class RealValidator {
  readonly options: RealValidatorOptions
  readonly #simulation: RealNetwork
  readonly #store: SimulatedStore
  #life: Life
  #listener: BftListener | undefined
  #jumpMs = 0
  node: IsoNode | undefined

  constructor(simulation: RealNetwork, options: RealValidatorOptions) {
    this.#simulation = simulation
    this.options = options
    this.#store = new SimulatedStore({ crashIn: () => this.#crashIn(), onCrash: () => this.crash() })
    this.#life = this.#newLife()
  }

  get height(): number {
    return Number(this.node?.chain.head.header.number ?? 0n)
  }

  boot(): void {
    const { host } = this.options
    this.#life = this.#newLife()
    this.#open(this.#life).catch((error: unknown) => this.#simulation.fail(`${host} does not open: ${error}`))
  }

  /** Its power fails, and it starts again soon. */
  crash(): void {
    if (!this.#life.isAlive) return
    const { world } = this.#simulation
    this.#simulation.crashes++
    this.cutPower()
    world.schedule(world.random.between(100, 1500), `boot ${this.options.host}`, () => this.boot())
  }

  /** Its power fails, until it is booted again. */
  cutPower(): void {
    this.#life.end()
    this.node = undefined
    this.#listener = undefined
    this.#simulation.network.detach(this.options.host)
  }

  receive(packet: BftPacket, peer: string): void {
    this.options.forger?.hear(packet)
    this.#listener?.receive(packet, peer)
  }

  /** Sets the wall clock wrong by this time. */
  setClock(jumpMs: number): void {
    this.#jumpMs = jumpMs
  }

  /** The node's answer is not awaited. */
  request(method: string, ...params: readonly unknown[]): void {
    const request = { jsonrpc: '2.0', id: 1, method, params }
    void this.node?.endpoints.get('http').exchange.handle({ body: JSON.stringify(request) })
  }

  #newLife(): Life {
    const { world, startMs } = this.#simulation
    return new Life(world, this.options.host, startMs + this.options.skewMs)
  }

  #crashIn(): CrashPoint | undefined {
    const { world } = this.#simulation
    const point = world.random.chance(0.5) ? 'before' : 'after'
    return this.#simulation.mayCrash() ? point : undefined
  }

  async #open(life: Life): Promise<void> {
    const { host, signer, isHonest } = this.options
    const { world, network, genesis, hosts, evmModule } = this.#simulation
    const sockets = network.attach(life, host)
    const { timers, yieldToHost } = life
    const clock: Clock = { now: () => life.clock.now() + this.#jumpMs, monotonic: () => life.clock.monotonic() }
    const random = world.random.fork()
    const ports = { clock, timers, random, yieldToHost, senders: TEST_SENDERS, evmModule, ...sockets }
    const nodeHost = { ...ports, signer, store: this.#store.open(life), logger: this.#logger(), platform: 'simulation' }
    const node = await createNode(
      { ...nodeHost, bftNetwork: this.#network(life) },
      genesis,
      this.#simulation.settingsOf(host),
    )
    this.node = node
    node.chain.events.on('head', ({ added }) => {
      if (isHonest) for (const block of added) this.#simulation.noteHead(block, this)
    })
    const exchange = new BlockExchange({
      ...ports,
      chain: node.chain,
      host,
      peers: hosts.filter((peer) => peer !== host),
      verifySeal: true,
      onError: (error) => {
        // A clock that was set back makes blocks of the present appear early.
        if (!/is in the future$/.test(String(error))) this.#simulation.fail(`${host}: exchange: ${error}`)
      },
    })
    await exchange.start()
    await node.goOnline()
    this.#simulation.joined(this)
  }

  /** A connection to another validator was made. */
  connected(validator: RealValidator): void {
    this.#listener?.connected(validator.options.signer.address)
  }

  #network(life: Life): BftNetwork {
    return {
      open: (listener) => {
        if (life.isAlive) this.#listener = listener
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

  #send(packet: BftPacket, recipients: PacketRecipients): void {
    const { isHonest, signer, forger } = this.options
    if (isHonest) this.#simulation.noteSent(packet, signer)
    forger?.hear(packet)
    for (const target of this.#simulation.recipientsOf(this, recipients)) {
      const packets = forger?.instead(packet) ?? [packet]
      for (const one of packets) this.#simulation.transmit(one, this, target)
    }
  }

  /** An error in a node's log is a problem too. */
  #logger(): Logger {
    const { host } = this.options
    const error = (message: string, properties?: Record<string, unknown>): void =>
      this.#simulation.fail(`${host} logs: ${message} ${properties?.['error'] ?? properties?.['reason'] ?? ''}`)
    const logger: Logger = { ...silentLogger, error, child: () => logger }
    return logger
  }
}

/**
 * Nodes that produce blocks and transactions while the network is partitioned and some peers lie. In the end all nodes
 * have one head and the same transactions.
 */
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { decodePooledTransaction } from '../../../../src/types/blobSidecar.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import { accountAddress } from '../../../support/chains/pool.ts'
import { GossipNode, LIGHT_OPTIONS, transfer } from './gossipNodes.ts'
import { LyingPeer } from './lyingPeer.ts'
import { link } from './simulatedPeers.ts'

const TROUBLE_MS = 30_000
const AGREEMENT_MS = 60_000

export interface LyingReport {
  readonly seed: number
  /** undefined: none */
  readonly problem: string | undefined
  readonly trace: string
  readonly height: number
  readonly lies: number
  /** Honest connections that were ended as breaches. */
  readonly wronged: readonly string[]
  readonly agreedAfterMs: number
}

export async function runLyingNetwork(seed: number): Promise<LyingReport> {
  return (await LyingNetwork.open(seed)).run()
}

class LyingNetwork {
  readonly #seed: number
  readonly #world: SimulatedWorld
  readonly #nodes: readonly GossipNode[]
  readonly #liars: readonly LyingPeer[]
  /** Pairs of nodes that are connected when the network is whole. */
  readonly #edges: readonly (readonly [number, number])[]
  readonly #submitted: Uint8Array[] = []
  #groups: readonly number[] = []
  #lies = 0
  #problem: string | undefined

  private constructor(seed: number, world: SimulatedWorld, nodes: readonly GossipNode[]) {
    this.#seed = seed
    this.#world = world
    this.#nodes = nodes
    const edges = nodes.map((_, i): [number, number] => [i, (i + 1) % nodes.length])
    for (let i = 2; i < nodes.length - 1; i += 2) edges.push([0, i])
    this.#edges = edges
    this.#join()
    const count = 1 + world.random.below(2)
    this.#liars = Array.from({ length: count }, (_, i) => new LyingPeer(world, `liar ${i}`, nodes))
  }

  static async open(seed: number): Promise<LyingNetwork> {
    const world = new SimulatedWorld(seed)
    const count = 4 + world.random.below(4)
    const nodes: GossipNode[] = []
    for (let i = 0; i < count; i++) nodes.push(await GossipNode.open(world, `node ${i}`, LIGHT_OPTIONS))
    return new LyingNetwork(seed, world, nodes)
  }

  async run(): Promise<LyingReport> {
    const world = this.#world
    this.#plan()
    await world.run(() => world.now >= TROUBLE_MS, TROUBLE_MS)
    const start = world.now
    // Of two equal branches the next block decides; the first one may make them equal.
    for (const delayMs of [2000, 12_000]) {
      this.#at(TROUBLE_MS + delayMs, () => this.#produce(this.#nodes[0] as GossipNode))
    }
    await world.pass(12_500)
    const agrees = await world.run(() => this.#agree(), start + AGREEMENT_MS)
    if (!agrees) this.#problem ??= `no agreement: ${this.#nodes.map((node) => summary(node)).join(', ')}`
    for (const { name, errors } of this.#nodes) {
      if (errors.length > 0) this.#problem ??= `${name} logs: ${errors[0]}`
    }
    const wronged = this.#nodes.flatMap(({ peers }) =>
      peers.disconnects.map(({ by, details }) => `${by} ended ${peers.name}: ${details}`),
    )
    for (const liar of this.#liars) liar.stop()
    for (const { gossip } of this.#nodes) gossip.stop()
    return {
      ...{ seed: this.#seed, problem: this.#problem, trace: world.trace, lies: this.#lies },
      height: Number(this.#nodes[0]?.chain.head.header.number),
      wronged: wronged.filter((text) => !text.startsWith('liar')),
      agreedAfterMs: Math.round(world.now - start),
    }
  }

  #plan(): void {
    const { random } = this.#world
    for (const node of this.#nodes) this.#produceOften(node)
    for (let at = 0; at < TROUBLE_MS; at += random.between(20, 300)) {
      const liar = this.#liars[random.below(this.#liars.length)] as LyingPeer
      this.#at(at, async () => {
        this.#lies++
        await liar.lie()
      })
    }
    for (let i = 0; i < 40; i++) this.#at(random.between(0, TROUBLE_MS), async () => this.#submit(i))
    for (let i = 1 + random.below(3); i > 0; i--) {
      const start = random.between(0, TROUBLE_MS - 1000)
      this.#at(start, async () => this.#partition(this.#nodes.map(() => random.below(2))))
      this.#at(Math.min(TROUBLE_MS, start + random.between(500, 12_000)), async () => this.#partition([]))
    }
    this.#at(TROUBLE_MS, async () => this.#partition([]))
  }

  #at(at: number, run: () => Promise<void>): void {
    this.#world.schedule(Math.max(0, at - this.#world.now), 'plan', () => {
      run().catch((error: unknown) => {
        this.#problem ??= String(error)
      })
    })
  }

  #produceOften(node: GossipNode): void {
    const { random } = this.#world
    this.#world.schedule(random.between(500, 8000), `${node.name} produces`, () => {
      if (this.#world.now >= TROUBLE_MS) return
      this.#produce(node).catch((error: unknown) => {
        this.#problem ??= String(error)
      })
      this.#produceOften(node)
    })
  }

  async #produce(node: GossipNode): Promise<void> {
    const { block } = await node.build(node.chain.head, this.#nodes.indexOf(node) + 1)
    await node.chain.import(block)
  }

  #submit(index: number): void {
    const node = this.#nodes[this.#world.random.below(this.#nodes.length)] as GossipNode
    const encoding = transfer(1000 + index)
    this.#submitted.push(encoding)
    node.pool.admit({
      ...decodePooledTransaction(encoding),
      encoding,
      isLocal: true,
      sender: accountAddress(1000 + index),
    })
    for (const liar of this.#liars) if (this.#world.random.chance(0.3)) liar.claim([encoding])
  }

  #partition(groups: readonly number[]): void {
    this.#groups = groups
    for (const [i, node] of this.#nodes.entries()) {
      for (const peer of [...node.peers.all]) {
        const other = this.#nodes.findIndex(({ name }) => name === peer.remote.name)
        if (other < 0 || this.#reaches(i, other)) continue
        peer.close()
        peer.other.close()
      }
    }
    this.#join()
  }

  #join(): void {
    for (const [a, b] of this.#edges) {
      const [near, far] = [this.#nodes[a] as GossipNode, this.#nodes[b] as GossipNode]
      if (!this.#reaches(a, b) || near.peers.all.some(({ remote }) => remote === far.peers)) continue
      link(this.#world, near.peers, far.peers, { version: 63 + ((a * 3 + b) % 7) })
    }
  }

  #reaches(a: number, b: number): boolean {
    return this.#groups[a] === this.#groups[b]
  }

  #agree(): boolean {
    const [first, ...others] = this.#nodes as [GossipNode, ...GossipNode[]]
    const hasAll = ({ pool }: GossipNode): boolean =>
      this.#submitted.every((encoding) => pool.byHash(keccak256(encoding)) !== undefined)
    return others.every(({ head }) => head === first.head) && this.#nodes.every(hasAll)
  }
}

function summary({ chain, pool }: GossipNode): string {
  return `${chain.head.header.number} ${bytesToHex(chain.head.hash).slice(2, 10)} with ${pool.size} transactions`
}

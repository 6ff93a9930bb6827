/**
 * One node synchronises with a few honest peers among hostile ones, while its store crashes and peers come, go and change
 * their branch. Finally it has the best honest chain, whatever happened.
 */
import { bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { type CrashPoint, SimulatedStore } from '../../../simulation/store.ts'
import { Life, SimulatedWorld } from '../../../simulation/world.ts'
import { BLOCK_DIFFICULTY, type Branches, branches, FORK_BLOCK, MAIN_BLOCKS } from './branches.ts'
import type { Behaviour, SimulatedPeer } from './simulatedPeer.ts'
import { START_MS, SyncNode } from './syncNode.ts'

export interface HostileReport {
  readonly seed: number
  /** undefined: none */
  readonly problem: string | undefined
  readonly trace: string
  readonly crashes: number
  readonly dropped: number
  readonly virtualMs: number
}

const END_MS = 900_000
const TROUBLE_MS = 20_000
const MAX_CRASHES = 3
const HUGE = 10n ** 30n

export async function runHostilePeers(seed: number): Promise<HostileReport> {
  return new HostilePeers(seed, await branches()).run()
}

class HostilePeers {
  readonly world: SimulatedWorld
  readonly #seed: number
  readonly #tree: Branches
  readonly #store: SimulatedStore
  readonly #behaviours: readonly Behaviour[]
  #life: Life
  #node: SyncNode | undefined
  #isOpening = false
  #crashes = 0
  #dropped = 0
  #problem: string | undefined
  /** Greatest total difficulty of an announced head: it must survive. */
  #announced = 0n

  constructor(seed: number, tree: Branches) {
    this.#seed = seed
    this.#tree = tree
    this.world = new SimulatedWorld(seed)
    this.#life = new Life(this.world, 'node', START_MS)
    this.#store = new SimulatedStore({ crashIn: () => this.#crashIn(), onCrash: () => this.#crash() })
    const { random } = this.world
    const honest = Array.from({ length: 1 + random.below(2) }, () => this.#honest())
    const hostile = Array.from({ length: random.below(10) }, () => this.#hostile())
    this.#behaviours = [...honest, ...hostile]
  }

  async run(): Promise<HostileReport> {
    this.#boot()
    this.world.schedule(TROUBLE_MS + 1, 'the trouble is over', () => {})
    await this.world.run(() => this.#problem !== undefined || this.#isOver(), END_MS)
    if (this.#problem === undefined && !this.#isOver()) {
      const { height, sync } = this.#node ?? {}
      this.#problem = `head ${height}, behind: ${sync?.isBehind}, peers: ${this.#node?.peers.all.length}`
    }
    const { world } = this
    const trace = world.trace
    this.#life.end()
    return {
      seed: this.#seed,
      problem: this.#problem,
      trace,
      crashes: this.#crashes,
      dropped: this.#dropped,
      virtualMs: world.now,
    }
  }

  #isOver(): boolean {
    const node = this.#node
    const tip = this.#tree.main.at(-1)?.hash as Uint8Array
    return (
      this.world.now > TROUBLE_MS &&
      node !== undefined &&
      equalBytes(node.chain.head.hash, tip) &&
      !node.sync.isBehind &&
      node.sync.position === undefined
    )
  }

  #honest(): Behaviour {
    const { random } = this.world
    return {
      chain: this.#tree.main,
      omitsBodies: random.chance(0.3),
      hasDifficulty: random.chance(0.7),
      ...(random.chance(0.3) ? { maxHeaders: 1 + random.below(8) } : {}),
      ...(random.chance(0.3) ? { latencyMs: [500, 3000] as const } : {}),
    }
  }

  #hostile(): Behaviour {
    const { random } = this.world
    const { main, shorter, forged, easy } = this.#tree
    const claims = random.chance(0.5)
      ? { claims: { totalDifficulty: HUGE, number: BigInt(random.below(10 ** 6)) } }
      : {}
    const kinds: readonly (() => Behaviour)[] = [
      () => ({ chain: main, answers: random.below(20), ...claims }),
      () => ({ chain: main, swapsBodies: true, ...claims }),
      () => ({ chain: main, hasGaps: true, ...claims }),
      () => ({ chain: main, isEmpty: true, ...claims }),
      () => ({ chain: main, leavesAfter: random.below(20), ...claims }),
      () => ({ chain: main.slice(0, 1 + random.below(MAIN_BLOCKS)), ...claims }),
      () => ({ chain: shorter, ...claims }),
      () => ({ chain: forged, ...claims }),
      () => ({ chain: easy, ...claims }),
      () => ({ chain: main, latencyMs: [3000, 4900], ...claims }),
    ]
    return (kinds[random.below(kinds.length)] as () => Behaviour)()
  }

  #boot(): void {
    this.#isOpening = true
    this.#life = new Life(this.world, 'node', START_MS)
    this.#open(this.#life).catch((error: unknown) => {
      this.#problem ??= `the node does not open: ${error}`
    })
  }

  async #open(life: Life): Promise<void> {
    const { world } = this
    const node = await SyncNode.open({ world, life, kv: this.#store.open(life), bounds: { roundBlocks: 48 } })
    this.#isOpening = false
    this.#node = node
    this.#checkRecovered(node)
    node.chain.events.on('head', ({ head }) => {
      world.note(`head ${bytesToHex(head.hash)};`)
      if (head.totalDifficulty > this.#announced) this.#announced = head.totalDifficulty
    })
    node.sync.start()
    for (const behaviour of this.#behaviours) {
      life.schedule(world.random.between(0, 3000), 'join', () => this.#join(node, life, behaviour))
    }
  }

  #join(node: SyncNode, life: Life, behaviour: Behaviour): void {
    const { random } = this.world
    const isHonest = behaviour.chain === this.#tree.main && this.#behaviours.indexOf(behaviour) < 2
    const startsOnBranch = isHonest && random.chance(0.3)
    const start: Behaviour = startsOnBranch
      ? { ...behaviour, chain: this.#tree.shorter }
      : isHonest
        ? { ...behaviour, height: random.below(MAIN_BLOCKS) }
        : behaviour
    const peer: SimulatedPeer = node.join(start)
    const { onLeft } = peer
    peer.onLeft = () => {
      onLeft()
      if (peer.dropped !== undefined) this.#dropped++
      // A dropped peer connects again; bans are the business of the connections.
      if (life.world.now < END_MS / 2 || isHonest) {
        life.schedule(random.between(5000, 60_000), 'rejoin', () => this.#join(node, life, behaviour))
      }
    }
    if (isHonest)
      life.schedule(random.between(0, TROUBLE_MS), 'advance', () => peer.advance(MAIN_BLOCKS, this.#tree.main))
  }

  #crashIn(): CrashPoint | undefined {
    const { random } = this.world
    const point = random.chance(0.5) ? 'before' : 'after'
    if (this.#isOpening || !random.chance(0.1)) return undefined
    return this.#crashes < MAX_CRASHES ? point : undefined
  }

  #crash(): void {
    this.#crashes++
    this.#life.end()
    this.#node = undefined
    this.world.schedule(this.world.random.between(20, 900), 'boot', () => this.#boot())
  }

  #checkRecovered({ chain }: SyncNode): void {
    const { head } = chain
    const number = Number(head.header.number)
    if (head.totalDifficulty < this.#announced) this.#problem ??= `the head fell back to block ${number}`
    if (head.totalDifficulty !== 4096n + BigInt(number) * BLOCK_DIFFICULTY) this.#problem ??= 'wrong total difficulty'
    const known = [this.#tree.main, this.#tree.shorter].some((blocks) => {
      const block = blocks[number]
      return block !== undefined && equalBytes(block.hash, head.hash)
    })
    if (!known) this.#problem ??= `the head ${number} is no honest block (branches part at ${FORK_BLOCK})`
    for (let at = number; at >= 0; at--) {
      const hash = chain.canonicalHash(at)
      if (hash === undefined || chain.headerByHash(hash) === undefined) this.#problem ??= `block ${at} is missing`
    }
    if (chain.stateAt(head).getAccount(new Uint8Array(20).fill(1)) === undefined && number > 0)
      this.#problem ??= `the state of block ${number} is missing`
  }
}

/**
 * One node synchronises with a few honest peers among hostile ones, while its store crashes and peers come, go and change
 * their branch. Finally it has the best honest chain, whatever happened. All the time it keeps its honest peers, and it
 * may produce blocks unless an honest peer is far ahead.
 */
import { SYNC_CLAIM_MS, SYNC_STALL_MS, SYNC_TOLERANCE_BLOCKS } from '../../../../src/base/limits/networkLimits.ts'
import { bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { type CrashPoint, SimulatedStore } from '../../../simulation/store.ts'
import { Life, SimulatedWorld } from '../../../simulation/world.ts'
import { BLOCK_DIFFICULTY, type Branches, branches, FORK_BLOCK, MAIN_BLOCKS } from './branches.ts'
import { injectSyncFault, type SyncFault } from './hostileFaults.ts'
import type { Behaviour, SimulatedPeer } from './simulatedPeer.ts'
import { START_MS, SyncNode } from './syncNode.ts'

export interface HostileReport {
  readonly seed: number
  /** undefined: none */
  readonly problem: string | undefined
  readonly trace: string
  readonly crashes: number
  readonly dropped: number
  /** Connections of peers that deliver real blocks one by one under far claims. */
  readonly dripping: number
  /** Seconds in which no honest peer was far ahead, and those in which the node could not produce a block. */
  readonly slots: number
  readonly missedSlots: number
  readonly virtualMs: number
}

const END_MS = 900_000
const TROUBLE_MS = 20_000
const MAX_CRASHES = 3
const HUGE = 10n ** 30n
const SLOT_MS = 1000
/** One after the other: a claim counts for a while, then the blocks that were imported meanwhile. */
const MAX_MISSED_SLOTS = (SYNC_CLAIM_MS + SYNC_STALL_MS) / SLOT_MS
/** Of a steady network: height at its start. */
const STEADY_HEIGHT = 60
const STEADY_MS = 240_000

export async function runHostilePeers(seed: number, fault?: SyncFault): Promise<HostileReport> {
  const restore = fault === undefined ? () => {} : injectSyncFault(fault)
  try {
    return await new HostilePeers(seed, await branches()).run()
  } finally {
    restore()
  }
}

class HostilePeers {
  readonly world: SimulatedWorld
  readonly #seed: number
  readonly #tree: Branches
  readonly #store: SimulatedStore
  readonly #honest: ReadonlySet<Behaviour>
  readonly #behaviours: readonly Behaviour[]
  /** In a steady network, time between two blocks of the honest peers. Otherwise they have their blocks at any times. */
  readonly #periodMs: number | undefined
  readonly #dripping = new Set<Behaviour>()
  readonly #honestPeers = new Set<SimulatedPeer>()
  #life: Life
  #node: SyncNode | undefined
  #isOpening = false
  #crashes = 0
  #dropped = 0
  #drips = 0
  #slots = 0
  #missedSlots = 0
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
    this.#periodMs = random.chance(0.4) ? random.between(1000, 4000) : undefined
    this.#honest = new Set(Array.from({ length: 1 + random.below(2) }, () => this.#honestBehaviour()))
    const hostile = Array.from({ length: random.below(10) }, () => this.#hostile())
    this.#behaviours = [...this.#honest, ...hostile]
  }

  async run(): Promise<HostileReport> {
    this.#boot()
    this.world.schedule(TROUBLE_MS + 1, 'the trouble is over', () => {})
    this.#watch(0)
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
      dripping: this.#drips,
      slots: this.#slots,
      missedSlots: this.#missedSlots,
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

  #honestBehaviour(): Behaviour {
    const { random } = this.world
    return {
      chain: this.#tree.main,
      omitsBodies: random.chance(0.3),
      hasDifficulty: random.chance(0.7),
      // Fewer would be a sign of dripping.
      ...(random.chance(0.3) ? { maxHeaders: SYNC_TOLERANCE_BLOCKS + 1 + random.below(8) } : {}),
      ...(random.chance(0.3) ? { latencyMs: [500, 3000] as const } : {}),
    }
  }

  #hostile(): Behaviour {
    const { random } = this.world
    if (this.#periodMs !== undefined) return this.#steadyHostile()
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
      () => this.#drip(),
    ]
    return (kinds[random.below(kinds.length)] as () => Behaviour)()
  }

  /** Has no blocks that honest peers lack: those would be a reason to be behind. */
  #steadyHostile(): Behaviour {
    const { random } = this.world
    if (random.chance(0.5)) return this.#drip()
    const chain = this.#tree.main.slice(0, 1 + random.below(STEADY_HEIGHT))
    const claims = { totalDifficulty: HUGE, number: BigInt(random.below(10 ** 6)) }
    const kinds: readonly Behaviour[] = [
      { chain, claims },
      { chain, claims, isEmpty: true },
      { chain, claims, hasDifficulty: false, answers: random.below(20) },
      { chain, claims: { number: claims.number }, hasDifficulty: false, latencyMs: [3000, 4900] },
    ]
    return kinds[random.below(kinds.length)] as Behaviour
  }

  /** Delivers the next real block only, under a claim that is always far ahead of the node. */
  #drip(): Behaviour {
    const lead = SYNC_TOLERANCE_BLOCKS + 1 + this.world.random.below(180)
    const height = (): number => this.#node?.height ?? 0
    const claims = {
      get number(): bigint {
        return BigInt(height() + lead)
      },
    }
    const behaviour: Behaviour = { chain: this.#tree.main, maxHeaders: 1, hasDifficulty: false, claims }
    this.#dripping.add(behaviour)
    return behaviour
  }

  /** Block production and honest connections, every second. */
  #watch(missed: number): void {
    this.world.schedule(SLOT_MS, 'slot', () => this.#watch(this.#slot(missed)))
  }

  /** @returns number of missed slots in succession */
  #slot(missed: number): number {
    const node = this.#node
    if (node === undefined || this.#periodMs === undefined) return 0
    const heads = [...this.#honestPeers].filter(({ isOpen }) => isOpen).map(({ head }) => Number(head.number))
    if (Math.max(0, ...heads) > node.height + SYNC_TOLERANCE_BLOCKS) return 0
    this.#slots++
    if (!node.sync.isBehind) return 0
    this.#missedSlots++
    if (missed + 1 > MAX_MISSED_SLOTS) this.#problem ??= `no block for ${missed + 1} s at height ${node.height}`
    return missed + 1
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
    const isHonest = this.#honest.has(behaviour)
    const isDripping = this.#dripping.has(behaviour)
    const peer = node.join(isHonest || isDripping ? this.#startOf(behaviour) : behaviour)
    if (isHonest) this.#honestPeers.add(peer)
    if (isDripping) this.#drips++
    const { onLeft } = peer
    peer.onLeft = () => {
      onLeft()
      this.#honestPeers.delete(peer)
      if (peer.dropped !== undefined) this.#dropped++
      if (isHonest && peer.dropped !== undefined) this.#checkDropped(peer, behaviour, node)
      // A dropped peer connects again; bans are the business of the connections.
      if (life.world.now < END_MS / 2 || isHonest) {
        life.schedule(random.between(5000, 60_000), 'rejoin', () => this.#join(node, life, behaviour))
      }
    }
    if (isHonest || (isDripping && this.#periodMs !== undefined)) this.#advance(peer, life)
  }

  #startOf(behaviour: Behaviour): Behaviour {
    const { random } = this.world
    if (this.#periodMs !== undefined) return { ...behaviour, height: this.#steadyHeight }
    if (!this.#honest.has(behaviour)) return behaviour
    return random.chance(0.3)
      ? { ...behaviour, chain: this.#tree.shorter }
      : { ...behaviour, height: random.below(MAIN_BLOCKS) }
  }

  #advance(peer: SimulatedPeer, life: Life): void {
    const { random } = this.world
    if (this.#periodMs === undefined) {
      const delayMs = random.between(0, TROUBLE_MS)
      life.schedule(delayMs, 'advance', () => peer.advance(MAIN_BLOCKS, this.#tree.main))
      return
    }
    life.schedule(this.#periodMs, 'advance', () => {
      if (!peer.isOpen) return
      peer.advance(this.#steadyHeight)
      if (this.#steadyHeight < MAIN_BLOCKS) this.#advance(peer, life)
    })
  }

  /** Of a steady network, whose last blocks come at once in the end. */
  get #steadyHeight(): number {
    const { now } = this.world
    if (now > STEADY_MS) return MAIN_BLOCKS
    return Math.min(MAIN_BLOCKS, STEADY_HEIGHT + Math.floor(now / (this.#periodMs as number)))
  }

  /** An honest peer is only left if its chain is far below that of the node, or if it leaves out what the node needs. */
  #checkDropped({ dropped, head }: SimulatedPeer, { omitsBodies }: Behaviour, { height }: SyncNode): void {
    const isUseful = omitsBodies !== true || !/ bodies /.test(dropped ?? '')
    if (isUseful && Number(head.number) + SYNC_TOLERANCE_BLOCKS >= height)
      this.#problem ??= `an honest peer at block ${head.number} was dropped at block ${height}: ${dropped}`
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

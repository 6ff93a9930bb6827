/**
 * Byzantine validators that act together: they sign what they like with their own identities, hear everything that is
 * sent to one of them, and may send anything to anyone. They cannot sign for others.
 * @module
 */

import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { newestClaim } from '../../../src/consensus/bft/machine/certificates.ts'
import type { HeightPlan, ProtocolRules } from '../../../src/consensus/bft/machine/contract.ts'
import type {
  BftBlock,
  Message,
  PreparedClaim,
  PreparePayload,
  Proposal,
  RoundChange,
  RoundChangePayload,
  Signed,
} from '../../../src/consensus/bft/messages/payloads.ts'
import type { AbstractNetwork } from './abstractBft.ts'
import { addressOf, forgedSeal, identity, indexOf, withOtherBody, withRound } from './abstractBlocks.ts'
import { AbstractValidator } from './abstractValidator.ts'

const MAX_HEARD = 400
const ACT_MS = 120
const OUTAGE_ACT_MS = 20_000

export class Adversary {
  readonly #network: AbstractNetwork
  readonly #members: readonly number[]
  readonly #relays: boolean
  #height = 0
  #plan: HeightPlan | undefined
  /** The validator that gets more commits than the others. */
  #favourite = 0
  /** Messages of the height, by anyone. */
  #heard = new Set<Message>()
  readonly #proposed = new Set<number>()

  /** @param relays whether it passes proposals on at once, with another body, to be faster than their authors */
  constructor(network: AbstractNetwork, members: readonly number[], relays: boolean) {
    this.#network = network
    this.#members = members
    this.#relays = relays
  }

  start(): void {
    if (this.#members.length > 0) this.#act()
  }

  hear(message: Message): void {
    if (message.signed.payload.height !== this.#height || this.#heard.has(message)) return
    if (this.#heard.size < MAX_HEARD) this.#heard.add(message)
    const { random } = this.#network.world
    if (message.kind === 'proposal' && this.#relays) this.#relay(message)
    else if (message.kind === 'proposal' && random.chance(0.8)) this.#voteFor(message.block)
    if (message.kind === 'roundChange' && random.chance(0.5)) this.#join(message.signed.payload.round)
  }

  #relay(message: Proposal): void {
    const [member = 0] = this.#members
    const changed = this.#changed(message)
    if (changed === message) return
    for (let peer = 0; peer < this.#network.count; peer++)
      if (!this.#members.includes(peer)) this.#network.send(member, peer, changed)
  }

  #act(): void {
    const { world } = this.#network
    const { random } = world
    // Nobody hears it.
    if (this.#network.isOut) {
      world.schedule(OUTAGE_ACT_MS, () => this.#act())
      return
    }
    this.#follow()
    const target = this.#newestRound()
    this.#proposeWhereDue(target)
    this.#proposeWhereDue(target + 1)
    if (random.chance(0.15)) this.#claim(target + 1)
    if (random.chance(0.25)) this.#claimOtherBody(target + 1)
    if (random.chance(0.2)) this.#replay()
    if (random.chance(0.1)) this.#flood()
    world.schedule(random.between(ACT_MS / 2, ACT_MS * 2), () => this.#act())
  }

  /** Works on the height on which most honest validators work. */
  #follow(): void {
    const chain = this.#network.commonChain()
    if (chain.length + 1 === this.#height) return
    this.#height = chain.length + 1
    this.#plan = AbstractValidator.plan(this.#network, chain.at(-1)?.block)
    this.#heard = new Set()
    this.#proposed.clear()
    this.#favourite = this.#network.world.random.below(this.#network.count)
  }

  get #rules(): ProtocolRules {
    return this.#network.rulesAt(this.#height)
  }

  #newestRound(): number {
    let newest = 0
    for (const { signed } of this.#heard) {
      const { author, payload } = signed
      const isOwn = author === undefined || this.#members.includes(indexOf(author))
      if (!isOwn) newest = Math.max(newest, payload.round)
    }
    return newest
  }

  /** Votes for any block, with a good or a bad seal, to anyone. */
  #voteFor(block: BftBlock): void {
    const { random } = this.#network.world
    const { height, round, digest } = block
    for (const member of this.#members) {
      const own = identity(member)
      if (random.chance(0.9))
        this.#tell(member, { kind: 'prepare', signed: own.sign({ kind: 'prepare', height, round, digest }) })
      const seal = random.chance(0.9) ? own.seal(digest) : forgedSeal(member)
      const commit: Message = { kind: 'commit', signed: own.sign({ kind: 'commit', height, round, digest, seal }) }
      if (random.chance(0.5)) this.#network.send(member, this.#favourite, commit)
      else if (random.chance(0.9)) this.#tell(member, commit)
    }
  }

  /** A round change without a lock, as if nothing had been prepared. */
  #join(round: number): void {
    for (const member of this.#members) {
      const signed = identity(member).sign({
        kind: 'roundChange',
        height: this.#height,
        round,
        prepared: undefined,
      } as const)
      const message: RoundChange = { kind: 'roundChange', signed, block: undefined, prepares: [] }
      this.#heard.add(message)
      this.#tell(member, message)
    }
  }

  /** A round change that claims a block that was never prepared. */
  #claim(round: number): void {
    const { random } = this.#network.world
    for (const member of this.#members) {
      const block = this.#newBlock(member, random.below(round))
      const claim = this.#forgedClaim(block)
      const payload = { kind: 'roundChange', height: this.#height, round, prepared: claim.prepared } as const
      this.#tell(member, {
        kind: 'roundChange',
        signed: identity(member).sign(payload),
        block,
        prepares: claim.prepares,
      })
    }
  }

  /** A true claim of a prepared block, with another body under its header. */
  #claimOtherBody(round: number): void {
    const { quorum } = this.#plan as HeightPlan
    const heard = [...this.#heard]
    for (const message of heard) {
      if (message.kind !== 'proposal' || message.signed.payload.round >= round) continue
      const { signed, block } = message
      const { height, digest } = block
      const own = this.#members.map((member) =>
        identity(member).sign({ kind: 'prepare', height, round: block.round, digest } as const),
      )
      const isInside = this.#rules.protocol === 'ibft2'
      const votes = [...heard.flatMap((other) => (other.kind === 'prepare' ? [other.signed] : [])), ...own]
      const prepares = distinctVotes(votes, signed).filter((vote) => !isInside || !isOf(vote, signed.author))
      if (prepares.length < this.#rules.preparesNeeded(quorum)) continue
      const certificate = isInside ? { proposal: signed, prepares } : undefined
      const prepared = { round: block.round, digest, certificate }
      for (const member of this.#members)
        this.#tell(member, {
          kind: 'roundChange',
          signed: identity(member).sign({ kind: 'roundChange', height, round, prepared } as const),
          block: withOtherBody(block),
          prepares: isInside ? [] : prepares,
        })
      return
    }
  }

  #forgedClaim(block: BftBlock): { prepared: PreparedClaim; prepares: Signed<PreparePayload>[] } {
    const { height, round, digest } = block
    const vote = (index: number): Signed<PreparePayload> =>
      identity(index).sign({ kind: 'prepare', height, round, digest })
    const own = this.#members.map(vote)
    const { quorum } = this.#plan as HeightPlan
    const repeated = Array.from({ length: quorum }, (_, i) => own[i % own.length] as Signed<PreparePayload>)
    const prepares = this.#network.world.random.chance(0.5) ? repeated : own
    const [first = 0] = this.#members
    const proposal = identity(first).sign({ kind: 'proposal', height, round, digest } as const)
    const certificate = this.#rules.protocol === 'ibft2' ? { proposal, prepares } : undefined
    return { prepared: { round, digest, certificate }, prepares: certificate === undefined ? prepares : [] }
  }

  /** Two proposals for one round, each to a part of the network; sometimes in a round of someone else. */
  #proposeWhereDue(round: number): void {
    const plan = this.#plan as HeightPlan
    const { random } = this.#network.world
    const due = this.#members.find((member) => equalBytes(addressOf(member), plan.proposerOf(round)))
    const member = due ?? (random.chance(0.1) ? this.#members[0] : undefined)
    if (member === undefined || (round === 0 && due !== undefined && random.chance(0.7))) return
    if (due !== undefined && this.#proposed.has(round)) return
    const certificates = round === 0 ? [NOTHING] : this.#certificates(round)
    if (certificates.length === 0) return
    this.#proposed.add(round)
    const isTwofold = random.chance(0.5)
    for (let i = 0; i < (isTwofold ? 2 : 1); i++) {
      const certificate = certificates[random.below(certificates.length)] as Certificate
      const message = this.#proposal(member, round, certificate)
      for (let peer = 0; peer < this.#network.count; peer++)
        if (random.chance(isTwofold ? 0.55 : 0.95)) this.#network.send(member, peer, message)
      this.#voteFor(message.block)
    }
  }

  #proposal(member: number, round: number, { roundChanges, prepares, block }: Certificate): Proposal {
    const proposed = block === undefined ? this.#newBlock(member, round) : withRound(block, round)
    const { height, digest } = proposed
    const signed = identity(member).sign({ kind: 'proposal', height, round, digest } as const)
    return { kind: 'proposal', signed, block: proposed, roundChanges, prepares }
  }

  /** A block on the common chain, rarely an invalid one. */
  #newBlock(member: number, round: number): BftBlock {
    const { blocks, world } = this.#network
    const head = this.#network.commonChain().at(-1)?.block
    const parent = head === undefined ? blocks.genesis : blocks.contentOf(head)
    const isValid = !world.random.chance(0.1)
    const vote = { subject: world.random.below(this.#network.count), isAdd: world.random.chance(0.5) }
    const content = { parent: parent.id, timestamp: parent.timestamp + 1, isValid, vote }
    return blocks.create(content, round, addressOf(member))
  }

  /** Honest and forged reasons for a round. */
  #certificates(round: number): Certificate[] {
    const all = [...this.#heard].filter(
      (message): message is RoundChange => message.kind === 'roundChange' && message.signed.payload.round === round,
    )
    const plan = this.#plan as HeightPlan
    const byAuthor = new Map(all.map((message) => [indexOf(message.signed.author as Uint8Array), message]))
    const distinct = [...byAuthor.values()]
    const free = distinct.filter(({ signed }) => signed.payload.prepared === undefined)
    const found: Certificate[] = []
    if (free.length >= plan.quorum) found.push({ ...NOTHING, roundChanges: free.map(({ signed }) => signed) })
    if (distinct.length >= plan.quorum) {
      found.push(this.#honest(distinct))
      // All is there, but the prepared block is not the proposed one.
      found.push(
        { ...this.#honest(distinct), block: undefined },
        { ...NOTHING, roundChanges: distinct.map(({ signed }) => signed) },
      )
    }
    if (found.length > 0 || !this.#network.world.random.chance(0.05)) return found
    return free.length > 0 ? [NOTHING, this.#padded(free, plan.quorum)] : [NOTHING]
  }

  #honest(roundChanges: readonly RoundChange[]): Certificate {
    const signed = roundChanges.map((message) => message.signed)
    const newest = newestClaim(signed)
    const source = roundChanges.find((message) => message.signed.payload.prepared === newest)
    return {
      roundChanges: signed,
      prepares: newest === undefined ? [] : (source?.prepares ?? []),
      block: newest && source?.block,
    }
  }

  /** One author's round change counts several times. */
  #padded(free: readonly RoundChange[], quorum: number): Certificate {
    const roundChanges = Array.from({ length: quorum }, (_, i) => (free[i % free.length] as RoundChange).signed)
    return { ...NOTHING, roundChanges }
  }

  #replay(): void {
    const { random } = this.#network.world
    const all = [...this.#heard]
    const [member = 0] = this.#members
    const message = all[random.below(all.length)]
    if (message !== undefined) this.#tell(member, random.chance(0.5) ? this.#changed(message) : message)
  }

  /** Blocks of round changes, and those of IBFT 2.0 proposals, are signed by their headers only. */
  #changed(message: Message): Message {
    const isUnsigned = message.kind === 'roundChange' || this.#rules.protocol === 'ibft2'
    if (!isUnsigned || !('block' in message) || message.block === undefined) return message
    return { ...message, block: withOtherBody(message.block) }
  }

  /** Votes for rounds and heights of the far future. */
  #flood(): void {
    const { random } = this.#network.world
    for (const member of this.#members) {
      const digest = this.#newBlock(member, 0).digest
      const view = { height: this.#height + random.below(14), round: random.below(1000), digest }
      this.#tell(member, { kind: 'prepare', signed: identity(member).sign({ kind: 'prepare', ...view }) })
    }
  }

  /** Each peer may be left out. */
  #tell(member: number, message: Message): void {
    const { random } = this.#network.world
    for (let peer = 0; peer < this.#network.count; peer++)
      if (random.chance(0.7)) this.#network.send(member, peer, message)
  }
}

/** Prepares of one proposal, one per author. In IBFT 2.0 the proposer sends none. */
function distinctVotes(
  votes: readonly Signed<PreparePayload>[],
  { payload }: Proposal['signed'],
): Signed<PreparePayload>[] {
  const byAuthor = new Map<number, Signed<PreparePayload>>()
  for (const vote of votes) {
    const isSame = vote.payload.round === payload.round && equalBytes(vote.payload.digest, payload.digest)
    if (isSame && vote.author !== undefined) byAuthor.set(indexOf(vote.author), vote)
  }
  return [...byAuthor.values()]
}

function isOf({ author }: Signed<PreparePayload>, other: Uint8Array | undefined): boolean {
  return author !== undefined && other !== undefined && equalBytes(author, other)
}

interface Certificate {
  readonly roundChanges: readonly Signed<RoundChangePayload>[]
  readonly prepares: readonly Signed<PreparePayload>[]
  /** The block to propose; undefined: a new one. */
  readonly block: BftBlock | undefined
}

const NOTHING: Certificate = { roundChanges: [], prepares: [], block: undefined }

/**
 * The validators of each height, as the chain determines them: always the same, by votes in blocks, or by a list that
 * depends on the height, like that of a contract or of a transition.
 * @module
 */
import type { SeededRandom } from '../seededRandom.ts'

export interface Vote {
  readonly subject: number
  readonly isAdd: boolean
}

export interface ValidatorSet {
  /** Indexes, ascending. */
  readonly members: readonly number[]
  /** Authors of the votes on each subject. */
  readonly votes: ReadonlyMap<number, readonly number[]>
}

/** @returns the set after a block */
export type SetRule = (parent: ValidatorSet, height: number, author: number, vote: Vote | undefined) => ValidatorSet

export interface SetPlan {
  readonly first: ValidatorSet
  readonly rule: SetRule
  /** The vote that honest authors want in a block. */
  wish(set: ValidatorSet, nowMs: number): Vote | undefined
}

const NO_VOTES: ValidatorSet['votes'] = new Map()

/** All nodes are validators for ever. */
export function fixedSets(count: number): SetPlan {
  return { first: all(count), rule: (parent) => parent, wish: () => undefined }
}

/** One node is voted out and in, or in and out, by honest validators; others vote as they like. */
export function votedSets(count: number, random: SeededRandom, untilMs: number): SetPlan {
  const subject = random.below(count)
  const startsOutside = random.chance(0.4)
  const [firstMs, secondMs] = [random.between(0, untilMs / 2), random.between(untilMs / 2, untilMs)]
  return {
    first: startsOutside ? toggled(all(count), subject) : all(count),
    rule: afterVote,
    wish({ members }, nowMs) {
      const isWanted = (nowMs >= firstMs && nowMs < secondMs) === startsOutside
      return members.includes(subject) === isWanted ? undefined : { subject, isAdd: isWanted }
    },
  }
}

/** One node is a validator of some heights only. */
export function listedSets(count: number, random: SeededRandom): SetPlan {
  const subject = random.below(count)
  const span = 1 + random.below(4)
  const listed = (height: number): ValidatorSet =>
    Math.floor(height / span) % 2 === 0 ? all(count) : toggled(all(count), subject)
  return { first: listed(0), rule: (_, height) => listed(height), wish: () => undefined }
}

function all(count: number): ValidatorSet {
  return { members: Array.from({ length: count }, (_, i) => i), votes: NO_VOTES }
}

/** A vote counts once per author until more than half of the validators agree. */
function afterVote(set: ValidatorSet, _: number, author: number, vote: Vote | undefined): ValidatorSet {
  const { members, votes } = set
  if (vote === undefined || vote.isAdd === members.includes(vote.subject) || !members.includes(author)) return set
  const before = (votes.get(vote.subject) ?? []).filter((other) => members.includes(other))
  const authors = before.includes(author) ? before : [...before, author]
  if (authors.length * 2 <= members.length) return { members, votes: new Map(votes).set(vote.subject, authors) }
  return toggled(set, vote.subject)
}

/** The set with the node that it lacks, or without it; votes on the node are over. */
function toggled({ members, votes }: ValidatorSet, subject: number): ValidatorSet {
  const isIn = members.includes(subject)
  const changed = isIn ? members.filter((one) => one !== subject) : [...members, subject].sort((a, b) => a - b)
  return { members: changed, votes: new Map([...votes].filter(([other]) => other !== subject)) }
}

/**
 * Messages of one kind, one per author and round. Rounds are chosen by their authors, so each author may only occupy a
 * few of them.
 * @module
 */
import { MAX_BFT_ROUNDS_AHEAD } from '../../../base/limits/limits.ts'
import { bytesToHexUnprefixed } from '../../../base/primitives/bytes.ts'

/** By author, then by round. Immutable. */
export type Ballots<T> = ReadonlyMap<string, ReadonlyMap<number, T>>

/**
 * The first item of an author in a round is kept. When an author has too many rounds, the one below the highest goes: the
 * low ones are needed first, and all validators must count the same ones; the highest says where the author is.
 */
export function addBallot<T>(ballots: Ballots<T>, author: Uint8Array, round: number, item: T): Ballots<T> {
  const key = bytesToHexUnprefixed(author)
  const roundsOfAuthor = ballots.get(key)
  if (roundsOfAuthor?.has(round)) return ballots
  const rounds = new Map(roundsOfAuthor)
  rounds.set(round, item)
  if (rounds.size > MAX_BFT_ROUNDS_AHEAD) rounds.delete([...rounds.keys()].sort((a, b) => b - a)[1] as number)
  return new Map(ballots).set(key, rounds)
}

/** The items of a round. */
export function ballotsOf<T>(ballots: Ballots<T>, round: number): T[] {
  const items: T[] = []
  for (const rounds of ballots.values()) {
    const item = rounds.get(round)
    if (item !== undefined) items.push(item)
  }
  return items
}

/** Drops the items below a round. */
export function ballotsFrom<T>(ballots: Ballots<T>, least: number): Ballots<T> {
  const ballotsOfHeight = new Map<string, ReadonlyMap<number, T>>()
  for (const [author, rounds] of ballots) {
    const current = [...rounds].filter(([round]) => round >= least)
    if (current.length > 0) ballotsOfHeight.set(author, new Map(current))
  }
  return ballotsOfHeight
}

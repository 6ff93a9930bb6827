import type { PeerHead } from './contract.ts'

/** By total difficulty where both are known, else by number. */
export function isHigher(head: PeerHead, than: PeerHead): boolean {
  if (head.totalDifficulty === undefined || than.totalDifficulty === undefined) return head.number > than.number
  return head.totalDifficulty > than.totalDifficulty
}

/** The total difficulty of a lower block remains the best known one. */
export function raised(from: PeerHead, to: PeerHead): PeerHead {
  const { totalDifficulty } = from
  if (to.totalDifficulty !== undefined || totalDifficulty === undefined) return to
  return { ...to, totalDifficulty, isDifficultyOlder: true }
}

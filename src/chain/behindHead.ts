import { corrupt } from './blockRecord.ts'
import type { ChainHeader, ChainReader } from './contract.ts'

/** The block at a distance from the head; the first block of a shorter chain. */
export function behindHead(
  chain: Pick<ChainReader, 'head' | 'genesis' | 'headerByNumber'>,
  distance: number,
): ChainHeader {
  const { head, genesis } = chain
  const number = Number(head.header.number) - distance
  if (distance === 0) return head
  if (number <= Number(genesis.header.number)) return genesis
  const header = chain.headerByNumber(number)
  if (header === undefined) throw corrupt(`block ${number} is not in the canonical index`)
  return header
}

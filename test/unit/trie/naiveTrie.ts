import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { type RlpItem, rlpEncode } from '../../../src/base/primitives/rlp.ts'

/** A literal implementation of the Yellow Paper's definition (appendix D): the slow oracle of the trie tests. */
export function naiveRoot(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array {
  const pairs = [...entries].map(([key, value]) => [[...key].flatMap((byte) => [byte >> 4, byte & 15]), value] as const)
  return keccak256(rlpEncode(structure(pairs, 0)))
}

type Pair = readonly [nibbles: readonly number[], value: Uint8Array]

const NOTHING = new Uint8Array(0)

function structure(pairs: readonly Pair[], depth: number): RlpItem {
  const [first] = pairs
  if (first === undefined) return NOTHING
  if (pairs.length === 1) return [hexPrefix(first[0].slice(depth), true), first[1]]
  let shared = depth
  while (pairs.every(([key]) => shared < key.length && key[shared] === first[0][shared])) shared++
  if (shared > depth) return [hexPrefix(first[0].slice(depth, shared), false), reference(pairs, shared)]
  const children: RlpItem[] = []
  for (let nibble = 0; nibble < 16; nibble++)
    children.push(
      reference(
        pairs.filter(([key]) => key[depth] === nibble),
        depth + 1,
      ),
    )
  return [...children, pairs.find(([key]) => key.length === depth)?.[1] ?? NOTHING]
}

function reference(pairs: readonly Pair[], depth: number): RlpItem {
  if (pairs.length === 0) return NOTHING
  const node = structure(pairs, depth)
  const rlp = rlpEncode(node)
  return rlp.length < 32 ? node : keccak256(rlp)
}

function hexPrefix(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const odd = nibbles.length & 1
  const flag = (isLeaf ? 2 : 0) + odd
  const padded = odd ? [flag, ...nibbles] : [flag, 0, ...nibbles]
  return Uint8Array.from({ length: padded.length / 2 }, (_, i) => (padded[2 * i] ?? 0) * 16 + (padded[2 * i + 1] ?? 0))
}

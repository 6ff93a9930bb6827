/**
 * Verifies proofs of ranges independently of src/trie: rebuilds the trie that the proof and the entries describe, in
 * which every subtree outside of the range is known by its hash only.
 */
import { bytesToHex, compareBytes, equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpDecode, rlpEncode } from '../../../../../src/base/primitives/rlp.ts'

export interface ProvenRange {
  readonly root: Uint8Array
  readonly start: Uint8Array
  readonly entries: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]
  readonly proof: readonly Uint8Array[]
}

/** A subtree: entries below it, or the hash of one that lies outside of the range. */
type Part =
  | { readonly kind: 'outside'; readonly reference: RlpItem }
  | { readonly kind: 'inside'; readonly path: number[] }

const nibblesOf = (bytes: Uint8Array): number[] => [...bytes].flatMap((byte) => [byte >> 4, byte & 15])

/** @returns whether entries follow the range; throws when the proof is not valid */
export function verifyRange({ root, start, entries, proof }: ProvenRange): boolean {
  const keys = entries.map(({ key }) => key)
  keys.forEach((key, i) => {
    if (compareBytes(i === 0 ? start : (keys[i - 1] as Uint8Array), key) > (i === 0 ? 0 : -1)) throw new Error('order')
  })
  const nodes = new Map(proof.map((node) => [bytesToHex(keccak256(node)), node]))
  const from = nibblesOf(start)
  const last = keys.at(-1)
  const to = last === undefined ? undefined : nibblesOf(last)
  const outside: { path: number[]; reference: RlpItem }[] = []
  let hasMore = false

  /** Collects what lies left and right of the range on the proven paths. */
  const walk = (item: DecodedItem, path: number[]): void => {
    if (item instanceof Uint8Array && item.length === 0) return
    const order = position(path, from, to)
    if (order !== 'edge') {
      if (order === 'inside') return
      if (order === 'after') hasMore = true
      outside.push({ path, reference: item })
      return
    }
    let node: DecodedItem = item
    if (item instanceof Uint8Array) {
      const known = nodes.get(bytesToHex(item))
      if (known === undefined) throw new Error(`a node is missing at ${path.join('.')}`)
      node = rlpDecode(known)
    }
    const list = node as DecodedItem[]
    if (list.length === 17) {
      for (let i = 0; i < 16; i++) walk(list[i] as DecodedItem, [...path, i])
      return
    }
    const hexPrefix = nibblesOf(list[0] as Uint8Array)
    const flags = hexPrefix[0] as number
    const below = [...path, ...hexPrefix.slice(flags & 1 ? 1 : 2)]
    if (flags < 2) {
      walk(list[1] as DecodedItem, below)
      return
    }
    const side = leafSide(below, from, to)
    if (side === 'after') hasMore = true
    if (side !== 'inside') outside.push({ path: below, reference: ['leaf', list[1]] as unknown as RlpItem })
  }
  // Without a proof, the entries are the whole trie.
  if (proof.length > 0) walk(root, [])
  const leaves = new Map(entries.map(({ key, value }) => [nibblesOf(key).join('.'), value]))
  const parts = [
    ...entries.map(({ key }) => ({ kind: 'inside' as const, path: nibblesOf(key) })),
    ...outside.map(({ path, reference }) => ({ kind: 'outside' as const, path, reference })),
  ]
  const rebuilt = build(parts, 0, leaves)
  const hash = rebuilt instanceof Uint8Array ? rebuilt : keccak256(rlpEncode(rebuilt))
  if (!equalBytes(hash, root)) throw new Error('the range does not have the root')
  return hasMore
}

type Item = Part & { readonly path: number[] }

/** The node that holds the parts, decoded, or the reference of a subtree outside of the range. */
function build(parts: readonly Item[], depth: number, leaves: ReadonlyMap<string, Uint8Array>): RlpItem {
  const [only] = parts
  if (only === undefined) return new Uint8Array(0)
  if (parts.length === 1) {
    const isLeaf = only.kind === 'outside' && Array.isArray(only.reference) && (only.reference[0] as unknown) === 'leaf'
    if (only.kind === 'inside')
      return [pack(only.path.slice(depth), true), leaves.get(only.path.join('.')) as Uint8Array]
    if (isLeaf) return [pack(only.path.slice(depth), true), (only.reference as RlpItem[])[1] as RlpItem]
    if (only.path.length === depth) return only.reference
    return [pack(only.path.slice(depth), false), only.reference]
  }
  let common = depth
  while (parts.every(({ path }) => path[common] !== undefined && path[common] === only.path[common])) common++
  const branch: RlpItem[] = Array.from({ length: 17 }, () => new Uint8Array(0))
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = parts.filter(({ path }) => path[common] === nibble)
    if (below.length > 0) branch[nibble] = reference(build(below, common + 1, leaves))
  }
  return common === depth ? branch : [pack(only.path.slice(depth, common), false), reference(branch)]
}

function reference(node: RlpItem): RlpItem {
  if (node instanceof Uint8Array) return node
  const rlp = rlpEncode(node)
  return rlp.length < 32 ? node : keccak256(rlp)
}

function pack(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const all = nibbles.length & 1 ? [flag + 1, ...nibbles] : [flag, 0, ...nibbles]
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, i) => ((all[2 * i] as number) << 4) | (all[2 * i + 1] as number),
  )
}

function comparePrefix(path: readonly number[], key: readonly number[]): number {
  for (const [i, nibble] of path.entries()) if (nibble !== key[i]) return nibble - (key[i] as number)
  return 0
}

/** The position of the subtree at a path; `edge`: on the path of a bound. */
function position(path: readonly number[], from: readonly number[], to: readonly number[] | undefined): string {
  const low = comparePrefix(path, from)
  if (low < 0) return 'before'
  if (low === 0) return 'edge'
  if (to === undefined) return 'after'
  const high = comparePrefix(path, to)
  return high > 0 ? 'after' : high === 0 ? 'edge' : 'inside'
}

function leafSide(path: readonly number[], from: readonly number[], to: readonly number[] | undefined): string {
  if (comparePrefix(path, from) < 0) return 'before'
  return to === undefined || comparePrefix(path, to) > 0 ? 'after' : 'inside'
}

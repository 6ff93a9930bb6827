/**
 * Proofs of random tries, damaged in random ways, against @ethereumjs/mpt: what is accepted is true, and the other library agrees.
 * ISONODE_LONG_COUNT is the number of seconds.
 */
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { expect, it } from 'vitest'
import { bytesToHex, concatBytes, equalBytes } from '../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { keccak256 } from '../../src/base/primitives/keccak.ts'
import { type DecodedItem, rlpDecodeList, rlpEncode } from '../../src/base/primitives/rlp.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { NodeCache } from '../../src/trie/nodeCache.ts'
import { prove } from '../../src/trie/proof.ts'
import { Trie } from '../../src/trie/trie.ts'
import { verifyProof } from '../../src/trie/verifyProof.ts'
import { Random } from '../support/host/random.ts'
import { longCount } from './count.ts'

const seconds = Number.isFinite(longCount) ? longCount : 600
const random = new Random(Number(process.env['ISONODE_FUZZ_SEED'] ?? 1))
const PROOFS_PER_TRIE = 400
/** Tries with keys that differ in a few digits have extensions and nodes inside their parents. */
const SHAPES = ['hashed', 'close', 'few'] as const

interface Generated {
  readonly trie: Trie
  readonly root: Uint8Array
  readonly values: ReadonlyMap<string, Uint8Array>
  readonly keys: readonly Uint8Array[]
}

function generate(): Generated {
  const shape = random.pick(SHAPES)
  const count = shape === 'few' ? 1 + random.below(3) : 1 + random.below(400)
  const trie = new Trie({ cache: new NodeCache(1_000_000), reader: new MemoryStore() })
  const values = new Map<string, Uint8Array>()
  const keys: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    const key =
      shape === 'close'
        ? concatBytes(new Uint8Array(29), random.bytes(3))
        : keccak256(Uint8Array.of(i, random.below(4)))
    const value = random.bytes(1 + random.below(shape === 'close' ? 4 : 110))
    trie.put(key, value)
    values.set(bytesToHex(key), value)
    keys.push(key)
  }
  return { trie, root: trie.rootHash(), values, keys }
}

/** Undefined: the key is absent; `refused`: the proof proves nothing. */
type Verdict = Uint8Array | undefined | 'refused'

function ours(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]): Verdict {
  try {
    return verifyProof(root, key, nodes)
  } catch (error) {
    if (isNodeError(error, 'PROOF_INVALID')) return 'refused'
    throw error
  }
}

async function theirs(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]): Promise<Verdict> {
  try {
    const first = nodes[0]
    // The other library takes the root from the first node.
    if (first === undefined || !equalBytes(keccak256(first), root)) return 'refused'
    return (await verifyMerkleProof(key, nodes.slice())) ?? undefined
  } catch {
    return 'refused'
  }
}

function damaged(nodes: readonly Uint8Array[], other: readonly Uint8Array[]): Uint8Array[] {
  const copy: Uint8Array[] = nodes.map((node) => node.slice())
  const at = random.below(copy.length)
  const node = copy[at] as Uint8Array
  const changes = [
    () => copy.splice(at, 1),
    () => copy.splice(at, 0, node),
    () => copy.push(random.pick(other)),
    () => copy.splice(at, 1, random.pick(other)),
    () => copy.splice(at, 1, node.subarray(0, random.below(node.length))),
    () => copy.splice(at, 1, concatBytes(node, random.bytes(1))),
    () => {
      const place = random.below(node.length)
      node[place] = (node[place] as number) ^ (1 << random.below(8))
    },
    () => copy.reverse(),
  ]
  random.pick(changes)()
  return copy
}

/** Changes the content of one node and all hashes above, so that only its form is wrong. */
function rehashed(nodes: readonly Uint8Array[]): { readonly root: Uint8Array; readonly nodes: Uint8Array[] } {
  const copy: Uint8Array[] = nodes.map((node) => node.slice())
  const at = random.below(copy.length)
  const before = keccak256(copy[at] as Uint8Array)
  copy[at] = edited(copy[at] as Uint8Array)
  for (let i = at, old = before; i > 0; i--) {
    const parent = copy[i - 1] as Uint8Array
    const parentHash = keccak256(parent)
    copy[i - 1] = replaced(parent, old, keccak256(copy[i] as Uint8Array))
    old = parentHash
  }
  return { root: keccak256(copy[0] as Uint8Array), nodes: copy }
}

function edited(node: Uint8Array): Uint8Array {
  const items = rlpDecodeList(node)
  const at = random.below(items.length)
  const item = items[at]
  const edits: DecodedItem[] = [
    new Uint8Array(0),
    random.bytes(random.below(40)),
    [],
    [random.bytes(3), random.bytes(4)],
    item instanceof Uint8Array && item.length > 0
      ? concatBytes(Uint8Array.of((item[0] as number) ^ 0x10), item.subarray(1))
      : [],
    item instanceof Uint8Array ? item.subarray(1) : new Uint8Array(32),
  ]
  items[at] = random.pick(edits)
  if (random.chance(10)) items.pop()
  return rlpEncode(items)
}

function replaced(node: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array {
  const copy = node.slice()
  for (let at = 0; at + 32 <= copy.length; at++) {
    if (!equalBytes(copy.subarray(at, at + 32), from)) continue
    copy.set(to, at)
    break
  }
  return copy
}

it(
  'accepts only what a trie has, as another library does',
  async () => {
    const startedMs = performance.now()
    let [proofs, refused, stricter] = [0, 0, 0]
    while (performance.now() - startedMs < seconds * 1000) {
      const { trie, root, values, keys } = generate()
      for (let i = 0; i < PROOFS_PER_TRIE; i++, proofs++) {
        const key = random.chance(70) ? random.pick(keys) : random.bytes(32)
        const value = values.get(bytesToHex(key))
        const nodes = prove(trie, key)
        expect(ours(root, key, nodes)).toEqual(value)
        expect(await theirs(root, key, nodes)).toEqual(value)
        const wrong = damaged(nodes, prove(trie, random.pick(keys)))
        const verdict = ours(root, key, wrong)
        if (verdict === 'refused') refused++
        else expect(verdict).toEqual(value)
        const form = rehashed(nodes)
        const [our, their] = [ours(form.root, key, form.nodes), await theirs(form.root, key, form.nodes)]
        if (our !== 'refused') expect(our, form.nodes.map(bytesToHex).join()).toEqual(their)
        else if (their !== 'refused') stricter++
      }
    }
    console.log(
      `${proofs} proofs, ${refused} of ${proofs} damaged ones refused, ${stricter} others only by this project`,
    )
    expect(refused).toBeGreaterThan(proofs / 2)
  },
  (seconds + 600) * 1000,
)

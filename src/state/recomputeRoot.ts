import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { Ref } from '../trie/node.ts'
import { recomputeRoot, type WalkPause } from '../trie/recompute.ts'
import { storageRootOffset } from './account.ts'
import type { StateRoot } from './contract.ts'

/**
 * Recomputes the root of a state from its stored nodes, including storage tries. The result equals `root.hash` if and
 * only if every node is intact.
 * @throws {NodeError} MISSING_TRIE_NODE, INVALID_TRIE_NODE
 */
export function* recomputeStateRoot(reader: KeyValueReader, root: StateRoot): Generator<WalkPause, Uint8Array> {
  if (equalBytes(root.hash, EMPTY_TRIE_ROOT)) return EMPTY_TRIE_ROOT
  const count = { nodes: 0 }
  return yield* recomputeRoot(reader, EMPTY_BYTES, new Ref(root.hash, 0, root.version), count, function* (leaf) {
    const { key, value, tag } = leaf
    const offset = storageRootOffset(value)
    if (equalBytes(value.subarray(offset, offset + 32), EMPTY_TRIE_ROOT)) return value
    const account = value.slice()
    account.set(yield* recomputeRoot(reader, key, new Ref(value, offset, tag), count), offset)
    return account
  })
}

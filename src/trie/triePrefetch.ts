import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { keys as databaseKeys } from '../storage/schema.ts'
import { missingTrieNode } from './errors.ts'
import { BRANCH, type Child, EXTENSION, nibbleAt, REF, type Ref } from './node.ts'
import type { NodeCache } from './nodeCache.ts'
import { packKeyPath } from './nodePath.ts'

interface PrefetchTrie {
  readonly cache: NodeCache
  readonly reader: KeyValueReader
  readonly owner: Uint8Array
  readonly root: Child | undefined
}

/** Loads, level by level, what a walk along each of `keys` would read, as far as it fits in the cache. */
export function prefetchPaths(trie: PrefetchTrie, keys: readonly Uint8Array[]): void {
  let done = -1
  for (let missing = firstMissing(trie, keys); missing.size > 0; missing = firstMissing(trie, keys)) {
    const level = highestLevel(missing)
    const top = level[0]?.[1].depth ?? 0
    if (top <= done) return
    done = top
    const values = trie.reader.getMany(level.map(([, { key }]) => key))
    level.forEach(([ref, { depth }], i) => {
      const bytes = values[i]
      if (bytes === undefined) throw missingTrieNode(ref.version, depth)
      trie.cache.decode(ref, bytes)
    })
  }
}

/** Only nodes of one depth, so that a miss further down does not delay the loading of those above it. */
function highestLevel(missing: ReadonlyMap<Ref, Missing>): [Ref, Missing][] {
  let top = Number.POSITIVE_INFINITY
  for (const { depth } of missing.values()) top = Math.min(top, depth)
  return [...missing].filter(([, { depth }]) => depth === top)
}

interface Missing {
  /** Database key. */
  readonly key: Uint8Array
  readonly depth: number
}

/** The first node on each path that is not in memory. */
function firstMissing(trie: PrefetchTrie, keys: readonly Uint8Array[]): Map<Ref, Missing> {
  const missing = new Map<Ref, Missing>()
  for (const key of keys) {
    const end = key.length * 2
    let depth = 0
    let child = trie.root
    while (child !== undefined && depth <= end) {
      if (child.kind === REF) {
        if (child.node === undefined) {
          const path = packKeyPath(key, depth)
          missing.set(child, { key: databaseKeys.trieNode(child.version, trie.owner, path), depth })
          break
        }
        child = child.node
      }
      if (child.kind === EXTENSION) {
        const { path } = child
        depth += path.length
        if (depth > end || path.some((nibble, i) => nibble !== nibbleAt(key, depth - path.length + i))) break
        child = child.child
      } else if (child.kind === BRANCH && depth < end) {
        child = child.children[nibbleAt(key, depth++)]
      } else break
    }
  }
  return missing
}

/** Hash of a key for tables in memory: FNV-1a, with its upper bits mixed into the lower ones. */
export function hashOfKey(key: Uint8Array): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}

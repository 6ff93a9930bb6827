import type { NodeOptions } from './options.ts'

type StorageOptions = Pick<NodeOptions, 'ephemeral' | 'key-value-storage' | 'data-path' | 'fork-url' | 'fork-pack'>

/** Whether the chain is stored in memory only. */
export function isInMemory(options: StorageOptions): boolean {
  if (options.ephemeral || options['key-value-storage'] === 'MEMORY') return true
  // A fork usually begins at the newest block of its remote, so the next start wants another chain.
  return isFork(options) && options['data-path'] === undefined
}

/** Whether the dev chain continues another chain. */
export function isFork(options: Pick<NodeOptions, 'fork-url' | 'fork-pack'>): boolean {
  return options['fork-url'].length > 0 || options['fork-pack'] !== undefined
}

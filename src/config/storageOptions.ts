import type { NodeOptions } from './options.ts'

/** Whether the chain is stored in memory only. */
export function isInMemory(options: Pick<NodeOptions, 'ephemeral' | 'key-value-storage'>): boolean {
  return options.ephemeral || options['key-value-storage'] === 'MEMORY'
}

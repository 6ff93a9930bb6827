import { stat, statfs } from 'node:fs/promises'
import type { DatabaseInfo } from '../../../src/base/ports/databaseInfo.ts'
import type { DataDirectory } from './dataDirectory.ts'
import type { Durability } from './lmdbStore.ts'

/** A data directory for `isonode_database`, without its path, which callers need not know. */
export function databaseInfo(
  { path: directory, databaseFile }: Pick<DataDirectory, 'path' | 'databaseFile'>,
  durability: Durability,
): DatabaseInfo {
  return {
    kind: 'lmdb',
    durability,
    measure: async () => ({ usage: await sizeOf(databaseFile), available: await freeBytes(directory) }),
  }
}

/** Space that the file occupies: databases have holes. */
async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined)
  return found && (found.blocks > 0 ? found.blocks * 512 : found.size)
}

async function freeBytes(directory: string): Promise<number | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  return found && found.bavail * found.bsize
}

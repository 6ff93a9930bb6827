/**
 * Files of ethash datasets in one folder of the data directory.
 * @module
 */
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { DatasetFiles } from '../../../src/base/ports/ethashDatasets.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from './createFolder.ts'

/** End of the name of a file that is being written. */
const UNFINISHED = '.new'

export class DatasetFolder implements DatasetFiles {
  readonly #directory: string

  /** @param directory absolute; created with the first file */
  constructor(directory: string) {
    this.#directory = directory
  }

  list(): Promise<readonly string[]> {
    return attempt(() => readdir(this.#directory), [])
  }

  length(name: string): Promise<number | undefined> {
    return attempt(async () => (await stat(this.#file(name))).size, undefined)
  }

  read(name: string, position: number, to: Uint8Array): Promise<void> {
    return attempt(async () => {
      const handle = await open(this.#file(name), 'r')
      try {
        for (let at = 0; at < to.length; ) {
          const { bytesRead } = await handle.read(to, at, to.length - at, position + at)
          if (bytesRead === 0) break
          at += bytesRead
        }
      } finally {
        await handle.close()
      }
    })
  }

  write(name: string, pieces: Iterable<Uint8Array>): Promise<void> {
    const unfinished = this.#file(name + UNFINISHED)
    return attempt(async () => {
      createFolder(this.#directory, 0o700)
      try {
        await writePieces(unfinished, pieces)
        await rename(unfinished, this.#file(name))
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    })
  }

  remove(name: string): Promise<void> {
    return attempt(() => rm(this.#file(name), { force: true }))
  }

  #file(name: string): string {
    return path.join(this.#directory, name)
  }
}

async function writePieces(file: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    let position = 0
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const { bytesWritten } = await handle.write(piece, at, piece.length - at, position)
        at += bytesWritten
        position += bytesWritten
      }
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @param absent returned if the file or folder does not exist; if omitted, that throws as well */
async function attempt<T>(work: () => Promise<T>, ...absent: [T?]): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof NodeError) throw cause
    if (absent.length > 0 && (cause as NodeJS.ErrnoException).code === 'ENOENT') return absent[0] as T
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new NodeError({ code: 'DATASET_FILE_FAILED' }, `cannot access the ethash datasets: ${reason}`, { cause })
  }
}

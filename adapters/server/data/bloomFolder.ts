/**
 * Bloom files in the folder `caches` of the data directory, under Besu's names. Files of another format are removed.
 * @module
 */
import { open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BloomFiles } from '../../../src/base/ports/bloomFiles.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from './createFolder.ts'

const METADATA_FILE = 'CACHE_METADATA.json'
const FORMAT_VERSION = 3
const NAME = /^logBloom-(\d{1,6})\.cache$/

export class BloomFolder implements BloomFiles {
  readonly #directory: string
  #ready: Promise<void> | undefined

  /** @param directory absolute; created with the first file */
  constructor(directory: string) {
    this.#directory = directory
  }

  segments(): Promise<readonly number[]> {
    return this.#attempt(async () => {
      const names = await readdir(this.#directory)
      const segments = names.map((name) => NAME.exec(name)?.[1]).filter((it) => it !== undefined)
      return segments.map(Number).sort((a, b) => a - b)
    }, [])
  }

  length(segment: number): Promise<number> {
    return this.#attempt(async () => (await stat(this.#file(segment))).size, 0)
  }

  write(segment: number, position: number, bytes: Uint8Array): Promise<void> {
    return this.#attempt(async () => {
      this.#ready ??= this.#prepare()
      await this.#ready
      const handle = await open(this.#file(segment), 'a+').then(async (newHandle) => {
        await newHandle.close()
        return open(this.#file(segment), 'r+')
      })
      try {
        await handle.write(bytes, 0, bytes.length, position)
      } finally {
        await handle.close()
      }
    })
  }

  truncate(segment: number, length: number): Promise<void> {
    return this.#attempt(async () => {
      if ((await stat(this.#file(segment))).size > length) await truncate(this.#file(segment), length)
    }, undefined)
  }

  remove(segment: number): Promise<void> {
    return this.#attempt(() => rm(this.#file(segment), { force: true }))
  }

  async #prepare(): Promise<void> {
    createFolder(this.#directory, 0o700)
    const metadata = path.join(this.#directory, METADATA_FILE)
    if ((await versionIn(metadata)) === FORMAT_VERSION) return
    for (const name of await readdir(this.#directory)) {
      if (NAME.test(name)) await rm(path.join(this.#directory, name), { force: true })
    }
    await writeFile(metadata, JSON.stringify({ version: FORMAT_VERSION }))
  }

  #file(segment: number): string {
    return path.join(this.#directory, `logBloom-${segment}.cache`)
  }

  /** @param absent returned if the file or folder does not exist; if omitted, that throws as well */
  async #attempt<T>(work: () => Promise<T>, ...absent: [T?]): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (absent.length > 0 && (cause as NodeJS.ErrnoException).code === 'ENOENT') return absent[0] as T
      // Prepare the folder again next time: it may be usable by then.
      this.#ready = undefined
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new NodeError({ code: 'BLOOM_FILE_FAILED' }, `cannot access the bloom files: ${reason}`, { cause })
    }
  }
}

/** @returns undefined when the file does not exist or has another form */
async function versionIn(file: string): Promise<unknown> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { version?: unknown }).version
  } catch {
    return undefined
  }
}

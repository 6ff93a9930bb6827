/**
 * Objects as files of a folder.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { MAX_OBJECT_BYTES, PARTIAL_OBJECT_MS } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { unavailable } from '../../shared/objects/errors.ts'
import { isObjectName, requireObjectName, requireRange } from '../../shared/objects/names.ts'
import { syncFolder } from '../data/sync.ts'

/** Beginning of incomplete files; no object's name has this character. */
const PARTIAL = '_'

export class DirectoryObjects implements ObjectStore {
  readonly label: string
  readonly createsOnce = true
  readonly #folder: string
  #isPrepared = false

  /** @param label for messages; the path of the folder is left out of them */
  constructor(folder: string, label = 'the mirror') {
    this.#folder = path.resolve(folder)
    this.label = label
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireRange(offset, length)
    const file = this.#fileOf(name)
    return this.#about(name, async () => {
      const handle = await unlessAbsent(open(file, 'r'))
      if (handle === undefined) return undefined
      try {
        return await this.#read(handle, name, offset, length)
      } finally {
        await handle.close()
      }
    })
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    const file = this.#fileOf(name)
    return this.#about(name, async () => {
      await this.#prepare()
      const partial = await this.#writePartial(bytes)
      try {
        // Unlike a renaming, a link fails where the name exists.
        await this.#inFolderOf(file, () => link(partial, file))
        syncFolder(path.dirname(file))
        return 'created'
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return 'exists'
        throw error
      } finally {
        await rm(partial, { force: true })
      }
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const file = this.#fileOf(name)
    await this.#about(name, async () => {
      await this.#prepare()
      const partial = await this.#writePartial(bytes)
      try {
        await this.#inFolderOf(file, () => rename(partial, file))
      } finally {
        await rm(partial, { force: true })
      }
    })
  }

  async delete(name: string): Promise<void> {
    const file = this.#fileOf(name)
    await this.#about(name, () => rm(file, { force: true }))
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    yield* this.#listFolder('', prefix, after)
  }

  /** An incomplete file lies in the folder itself, and is removed once its object exists. */
  watch(onChange: () => void): () => void {
    const watcher = watchFolder(this.#folder, onChange)
    return () => watcher?.close()
  }

  async close(): Promise<void> {}

  #fileOf(name: string): string {
    requireObjectName(name)
    return path.join(this.#folder, ...name.split('/'))
  }

  async #about<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      throw unavailable(this.label, name, REASONS[code] ?? `the file system answers ${code}`)
    }
  }

  async #read(handle: FileHandle, name: string, offset: number, length?: number): Promise<Uint8Array> {
    const { size } = await handle.stat()
    const wanted = Math.min(length ?? Number.POSITIVE_INFINITY, Math.max(0, size - offset))
    if (wanted > MAX_OBJECT_BYTES) {
      throw unavailable(this.label, name, `the object has more than ${MAX_OBJECT_BYTES} bytes`)
    }
    const bytes = new Uint8Array(wanted)
    let at = 0
    while (at < wanted) {
      const { bytesRead } = await handle.read(bytes, at, wanted - at, offset + at)
      if (bytesRead === 0) throw unavailable(this.label, name, 'the file became shorter while it was read')
      at += bytesRead
    }
    return bytes
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return
    await mkdir(this.#folder, { recursive: true })
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith(PARTIAL)) await removeIfOld(path.join(this.#folder, name))
    }
    this.#isPrepared = true
  }

  async #writePartial(bytes: Uint8Array): Promise<string> {
    const file = path.join(this.#folder, `${PARTIAL}${randomUUID()}`)
    const handle = await open(file, 'wx', 0o644)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    return file
  }

  /** Most objects find the folder. */
  async #inFolderOf(file: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await mkdir(path.dirname(file), { recursive: true })
      syncFolder(this.#folder)
      await work()
    }
  }

  /** @param within name of the folder with a slash at its end, or nothing */
  async *#listFolder(within: string, prefix: string, after: string): AsyncIterable<string> {
    const folder = path.join(this.#folder, ...within.split('/'))
    const entries = await this.#about(prefix, () => unlessAbsent(readdir(folder, { withFileTypes: true })))
    const names = (entries ?? []).map((entry) => `${within}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    for (const name of names.sort(byCharacters)) {
      if (!name.endsWith('/')) {
        if (name.startsWith(prefix) && name > after && isObjectName(name)) yield name
      } else if ((name.startsWith(prefix) || prefix.startsWith(name)) && !isBefore(name, after)) {
        yield* this.#listFolder(name, prefix, after)
      }
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exhausted',
  EACCES: 'access is denied',
  EROFS: 'the file system is read-only',
  EPERM: 'the file system refuses it; a mirror needs hard links',
  ENOTSUP: 'the file system has no hard links, which a mirror needs',
  EOPNOTSUPP: 'the file system has no hard links, which a mirror needs',
}

/** Whether all names of a folder come before another name. */
function isBefore(folder: string, after: string): boolean {
  return !after.startsWith(folder) && folder < after
}

function byCharacters(a: string, b: string): number {
  return a < b ? -1 : 1
}

function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange)
    // Watching is a hint, so a folder that vanishes only ends it.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

async function removeIfOld(file: string): Promise<void> {
  const found = await unlessAbsent(stat(file))
  if (found !== undefined && Date.now() - found.mtimeMs > PARTIAL_OBJECT_MS) await rm(file, { force: true })
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

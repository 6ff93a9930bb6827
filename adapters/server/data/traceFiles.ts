/**
 * Trace files in a folder of the data directory. A file has a temporary name until it is complete, so that a crash
 * leaves nothing that looks like a trace; leftovers of a crash are removed when the next file is created.
 * @module
 */
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import {
  MAX_TRACE_FILES_BYTES,
  TRACE_FILE_BLOCK_BYTES,
  TRACE_FILE_PENDING_BYTES,
} from '../../../src/base/limits/limits.ts'
import type { TraceFile, TraceFiles } from '../../../src/base/ports/traceFiles.ts'
import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from './createFolder.ts'

const PARTIAL = '.partial-'
const FULL_DISK = new Set(['ENOSPC', 'EDQUOT'])

export interface TraceFolderOptions {
  /** Absolute; created with the first file. */
  readonly directory: string
  /** Total size of all files. Default: `MAX_TRACE_FILES_BYTES`. */
  readonly maxBytes?: number
}

export class TraceFolder implements TraceFiles {
  readonly #directory: string
  readonly #maxBytes: number
  #serial = 0
  /** Number of files that are neither published nor discarded. */
  #open = 0
  /** Size of all files, counted when the first one is opened; every file occupies whole blocks. */
  #bytes = 0
  #ready: Promise<void> | undefined

  constructor({ directory, maxBytes }: TraceFolderOptions) {
    this.#directory = directory
    this.#maxBytes = maxBytes ?? MAX_TRACE_FILES_BYTES
  }

  async create(name: string): Promise<TraceFile> {
    if (this.#open++ === 0) this.#ready = this.#prepare()
    try {
      await this.#ready
      const partial = path.join(this.#directory, `${PARTIAL}${this.#serial++}-${name}`)
      this.#take(TRACE_FILE_BLOCK_BYTES)
      const handle = await open(partial, 'wx', 0o600)
      return new FileInFolder(handle, partial, path.join(this.#directory, name), {
        take: (bytes) => this.#take(bytes),
        leave: (bytes) => {
          this.#bytes -= bytes
          this.#open--
        },
        failure: (error) => this.#failure(error),
      })
    } catch (error) {
      this.#open--
      throw this.#failure(error)
    }
  }

  async #prepare(): Promise<void> {
    createFolder(this.#directory, 0o700)
    if (!(await lstat(this.#directory)).isDirectory()) throw new Error('it is a link')
    let bytes = 0
    for (const name of await readdir(this.#directory)) {
      const file = path.join(this.#directory, name)
      if (name.startsWith(PARTIAL)) await rm(file, { force: true })
      else bytes += Math.max(TRACE_FILE_BLOCK_BYTES, (await lstat(file)).size)
    }
    this.#bytes = bytes
  }

  /** @throws {NodeError} TRACE_FILES_FULL */
  #take(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes) return
    const reason = `the files in ${this.#directory} would occupy more than ${this.#maxBytes} bytes; remove some of them`
    throw new NodeError({ code: 'TRACE_FILES_FULL' }, reason)
  }

  #failure(error: unknown): NodeError {
    if (error instanceof NodeError) return error
    const directory = this.#directory
    const isFull = FULL_DISK.has(String((error as { code?: unknown }).code))
    if (isFull) return new NodeError({ code: 'TRACE_DISK_FULL', directory }, `no space left for files in ${directory}`)
    const reason = error instanceof Error ? error.message : String(error)
    return new NodeError({ code: 'TRACE_FILE_FAILED', directory }, `cannot write to ${directory}: ${reason}`, {
      cause: error,
    })
  }
}

interface Folder {
  take(bytes: number): void
  /** Called when the file is published or deleted. @param bytes bytes that are free again */
  leave(bytes: number): void
  failure(error: unknown): NodeError
}

class FileInFolder implements TraceFile, ByteSink {
  readonly path: string
  readonly sink: ByteSink = this
  readonly #partial: string
  readonly #folder: Folder
  #handle: FileHandle | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #bytes = TRACE_FILE_BLOCK_BYTES
  #isPublished = false
  #isGone = false
  #error: NodeError | undefined
  #writing: Promise<void> | undefined

  constructor(handle: FileHandle, partial: string, finished: string, folder: Folder) {
    this.#handle = handle
    this.#partial = partial
    this.path = finished
    this.#folder = folder
  }

  get isFull(): boolean {
    return this.#error !== undefined || this.#waitingBytes > TRACE_FILE_PENDING_BYTES
  }

  write(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#error !== undefined) return
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.#writing ??= this.#writeAll()
  }

  async drained(): Promise<void> {
    await this.#writing
    if (this.#error !== undefined) throw this.#error
  }

  async close(): Promise<void> {
    await this.#writing
    try {
      if (this.#error === undefined) await this.#handle?.sync()
    } catch (error) {
      this.#error = this.#folder.failure(error)
    }
    await this.#closeHandle()
    if (this.#error === undefined) return
    await this.discard()
    throw this.#error
  }

  async publish(): Promise<void> {
    try {
      await rename(this.#partial, this.path)
      this.#isPublished = true
    } catch (error) {
      throw this.#folder.failure(error)
    }
    this.#leave(0)
  }

  async discard(): Promise<void> {
    this.#error ??= new NodeError({ code: 'TRACE_FILE_FAILED' }, 'the file was discarded')
    await this.#writing
    await this.#closeHandle()
    await rm(this.#isPublished ? this.path : this.#partial, { force: true }).catch(() => {})
    this.#leave(this.#bytes)
  }

  #leave(bytes: number): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#folder.leave(bytes)
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && this.#error === undefined) {
        const chunks = this.#waiting
        const bytes = this.#waitingBytes
        this.#waiting = []
        this.#folder.take(bytes)
        this.#bytes += bytes
        for (const chunk of chunks) await writeWhole(this.#handle, chunk)
        this.#waitingBytes -= bytes
      }
    } catch (error) {
      this.#error ??= this.#folder.failure(error)
    }
    this.#writing = undefined
    if (this.#error !== undefined) this.#waiting = []
  }

  async #closeHandle(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close().catch(() => {})
  }
}

async function writeWhole(handle: FileHandle | undefined, chunk: Uint8Array): Promise<void> {
  for (let from = 0; handle !== undefined && from < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, from)
    from += bytesWritten
  }
}

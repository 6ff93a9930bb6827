/**
 * Dumps of the whole dev chain in pieces that fit into requests. A piece whose answer was lost can be asked for or sent again.
 * @module
 */
import {
  MAX_CHAIN_EXPORTS,
  TRANSFER_ANSWER_MS,
  TRANSFER_IDLE_MS,
  TRANSFER_PIECE_BYTES,
} from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { bytesToHex, concatBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { invalidDump } from '../../chain/dev/invalidDump.ts'

export interface ExportedPiece {
  /** Of the export. */
  readonly id: string
  readonly index: number
  readonly data: Uint8Array
  readonly isLast: boolean
}

export interface ImportedPiece {
  /** undefined: the piece begins an import */
  readonly id: string | undefined
  readonly index: number
  readonly data: Uint8Array
  readonly isLast: boolean
}

export interface TransferDeps {
  /** @throws {NodeError} METHOD_NOT_ENABLED */
  dump(): Promise<AsyncIterable<Uint8Array>>
  /** @throws {NodeError} INVALID_DUMP, METHOD_NOT_ENABLED */
  load(source: AsyncIterable<Uint8Array>): Promise<void>
  readonly timers: Timers
  readonly random: Random
}

export class ChainTransfers {
  readonly #deps: TransferDeps
  readonly #exports = new Map<string, Export>()
  #import: Import | undefined

  constructor(deps: TransferDeps) {
    this.#deps = deps
  }

  /** The first piece of a new export. The oldest export ends when there are too many. */
  async begin(): Promise<ExportedPiece> {
    const source = await this.#deps.dump()
    const id = this.#newId()
    const [oldest] = this.#exports.keys()
    if (oldest !== undefined && this.#exports.size >= MAX_CHAIN_EXPORTS) this.#exports.delete(oldest)
    const begun = new Export(id, source)
    this.#exports.set(id, begun)
    return begun.piece(0)
  }

  /**
   * @param index of the next piece, or of the last one again
   * @throws {NodeError} UNKNOWN_TRANSFER, CHAIN_MOVED
   */
  async next(id: string, index: number): Promise<ExportedPiece> {
    const known = this.#exports.get(id)
    if (known === undefined) throw unknownTransfer('it has ended, or the node was started again')
    return known.piece(index)
  }

  /**
   * Takes the next piece, or the last one again. A new import ends the one in progress, and changes nothing before its last piece.
   * @returns the id, and whether the chain has been replaced; that may take longer than a request, whose last piece is then repeated
   * @throws {NodeError} UNKNOWN_TRANSFER, INVALID_DUMP, METHOD_NOT_ENABLED
   */
  async accept({ id, ...piece }: ImportedPiece): Promise<{ readonly id: string; readonly isLoaded: boolean }> {
    if (id === undefined) this.#beginImport()
    const current = this.#import
    if (current === undefined || (id !== undefined && id !== current.id)) {
      throw unknownTransfer('it has ended, or another import began')
    }
    const loaded = current.accept(piece)
    return { id: current.id, isLoaded: await (piece.isLast ? this.#withinTime(loaded) : loaded) }
  }

  /** Ends all transfers. */
  close(): void {
    this.#exports.clear()
    this.#import?.end('the node is closed')
  }

  /** @returns false when the load takes longer than a request may */
  #withinTime(loaded: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = this.#deps.timers.schedule(TRANSFER_ANSWER_MS, () => resolve(false))
      loaded.then(resolve, reject).finally(() => timer.cancel())
    })
  }

  #beginImport(): void {
    this.#import?.end('another import began')
    this.#import = new Import(this.#newId(), this.#deps)
  }

  #newId(): string {
    return bytesToHex(this.#deps.random.bytes(16))
  }
}

class Export {
  readonly #id: string
  readonly #source: AsyncIterator<Uint8Array>
  #index = -1
  #piece: Promise<ExportedPiece> | undefined
  #isDone = false
  /** Bytes that were read beyond the last piece. */
  #rest: Uint8Array = new Uint8Array(0)

  constructor(id: string, source: AsyncIterable<Uint8Array>) {
    this.#id = id
    this.#source = source[Symbol.asyncIterator]()
  }

  piece(index: number): Promise<ExportedPiece> {
    if (index === this.#index && this.#piece !== undefined) return this.#piece
    if (index !== this.#index + 1 || this.#isDone) throw unknownTransfer(`piece ${index} is not the next one`)
    const before = this.#piece
    this.#index = index
    this.#piece = (async () => {
      await before
      return this.#read(index)
    })()
    return this.#piece
  }

  async #read(index: number): Promise<ExportedPiece> {
    await this.#fill()
    const data = this.#rest.subarray(0, TRANSFER_PIECE_BYTES)
    this.#isDone = this.#rest.length < TRANSFER_PIECE_BYTES
    this.#rest = this.#rest.subarray(TRANSFER_PIECE_BYTES)
    return { id: this.#id, index, data, isLast: this.#isDone }
  }

  /** Reads until there are enough bytes for a piece, or to the end. */
  async #fill(): Promise<void> {
    if (this.#rest.length >= TRANSFER_PIECE_BYTES) return
    const chunks = [this.#rest]
    for (let length = this.#rest.length; length < TRANSFER_PIECE_BYTES; ) {
      const { done, value } = await this.#source.next()
      if (done === true) break
      chunks.push(value)
      length += value.length
    }
    this.#rest = concatBytes(...chunks)
  }
}

class Import {
  readonly id: string
  readonly #timers: Timers
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #loaded: Promise<void>
  #index = -1
  #answer: Promise<boolean> | undefined
  #timer: Timer | undefined

  constructor(id: string, { load, timers }: Pick<TransferDeps, 'load' | 'timers'>) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    this.id = id
    this.#timers = timers
    this.#writer = writable.getWriter()
    this.#loaded = load(chunksOf(readable))
    // Each piece reports the failure, too.
    this.#loaded.catch(() => {})
    this.#writer.closed.catch(() => {})
  }

  accept({ index, data, isLast }: Omit<ImportedPiece, 'id'>): Promise<boolean> {
    if (index === this.#index && this.#answer !== undefined) return this.#answer
    if (index !== this.#index + 1) throw unknownTransfer(`piece ${index} is not the next one`)
    const before = this.#answer
    this.#index = index
    this.#answer = (async () => {
      await before
      return this.#write(data, isLast)
    })()
    return this.#answer
  }

  /** Fails the load, which changes nothing then. */
  end(reason: string): void {
    this.#timer?.cancel()
    void this.#writer.abort(invalidDump(reason)).catch(() => {})
  }

  async #write(data: Uint8Array, isLast: boolean): Promise<boolean> {
    this.#timer?.cancel()
    await Promise.race([this.#writer.write(data), this.#failure()])
    if (isLast) {
      await Promise.race([this.#writer.close(), this.#failure()])
      await this.#loaded
      return true
    }
    // The chain makes no blocks meanwhile.
    this.#timer = this.#timers.schedule(TRANSFER_IDLE_MS, () => this.end('its next piece did not come in time'))
    return false
  }

  /** Never resolves: a load that ends early fails. */
  async #failure(): Promise<never> {
    await this.#loaded
    return new Promise(() => {})
  }
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function unknownTransfer(reason: string): NodeError {
  return new NodeError({ code: 'UNKNOWN_TRANSFER', data: reason }, `unknown transfer of a chain: ${reason}`)
}

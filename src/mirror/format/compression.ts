/**
 * Deflate without a header (RFC 1951), with the streams of the host.
 * @module
 */
import { concatBytes } from '../../base/primitives/bytes.ts'
import { isNodeError, type NodeError } from '../../base/primitives/errors.ts'
import { mirrorDamaged, mirrorFormat } from '../errors.ts'

/** A stream may expand a whole chunk before it is read; deflate expands at most 1,032 times. */
const INPUT_BYTES = 4096

type ByteTransform = ReadableWritablePair<Uint8Array, Uint8Array>

/** Deflates without a header. */
export type Deflate = (bytes: Uint8Array) => Uint8Array

/** Inflates at once. @returns undefined when the result is longer than `length`; throws for damage */
export type Inflate = (bytes: Uint8Array, length: number) => Uint8Array | undefined

let installed: Deflate | undefined
let installedInflate: { readonly maxLength: number; readonly inflate: Inflate } | undefined

/** A publisher compresses blocks of 32 KiB, for which streams cost more than the compression itself. */
export function installDeflate(deflate: Deflate): void {
  installed = deflate
}

/** @param maxLength of results that are inflated at once; longer ones are left to the streams */
export function installInflate(maxLength: number, inflate: Inflate): void {
  installedInflate = { maxLength, inflate }
}

/** @returns undefined when the host cannot compress, or the result is not shorter */
export async function deflated(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (installed !== undefined) {
    const result = installed(bytes)
    return result.length < bytes.length ? result : undefined
  }
  if (typeof CompressionStream !== 'function') return undefined
  const parts: Uint8Array[] = []
  for await (const part of transformed(bytes, new CompressionStream('deflate-raw') as ByteTransform)) parts.push(part)
  const result = concatBytes(...parts)
  return result.length < bytes.length ? result : undefined
}

/**
 * @param object name of the segment, for errors
 * @param length of the result, which is a bound of the work
 * @throws {NodeError} MIRROR_DAMAGED; MIRROR_FORMAT when the host has no such streams
 */
export async function inflated(object: string, bytes: Uint8Array, length: number): Promise<Uint8Array> {
  try {
    if (installedInflate !== undefined && length <= installedInflate.maxLength) {
      return inflatedAtOnce(installedInflate.inflate, object, bytes, length)
    }
    if (typeof DecompressionStream !== 'function') throw mirrorFormat(object, 'this host cannot inflate')
    return await inflateInto(new Uint8Array(length), object, bytes)
  } catch (error) {
    if (isNodeError(error)) throw error
    throw mirrorDamaged(object, 'its compression is damaged', { cause: error })
  }
}

function inflatedAtOnce(inflate: Inflate, object: string, bytes: Uint8Array, length: number): Uint8Array {
  const result = inflate(bytes, length)
  if (result === undefined) throw tooLong(object, length)
  if (result.length < length) throw tooShort(object, result.length, length)
  return result
}

async function inflateInto(result: Uint8Array, object: string, bytes: Uint8Array): Promise<Uint8Array> {
  let at = 0
  for await (const part of transformed(bytes, new DecompressionStream('deflate-raw') as ByteTransform)) {
    if (at + part.length > result.length) throw tooLong(object, result.length)
    result.set(part, at)
    at += part.length
  }
  if (at < result.length) throw tooShort(object, at, result.length)
  return result
}

function tooLong(object: string, length: number): NodeError {
  return mirrorDamaged(object, `a block has more than ${length} bytes`)
}

function tooShort(object: string, found: number, length: number): NodeError {
  return mirrorDamaged(object, `a block has ${found} bytes instead of ${length}`)
}

async function* transformed(bytes: Uint8Array, transform: ByteTransform): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = streamOf(bytes).pipeThrough(transform).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + INPUT_BYTES))
      at += INPUT_BYTES
    },
  })
}

/**
 * The file of a dataset: a header of 128 bytes, then the dataset. A damaged header or length is detected; damaged pages
 * are sampled, and the miner verifies every nonce that it finds with the light algorithm.
 * @module
 */
import { DATASET_FILE_CHUNK_BYTES, DATASET_SAMPLE_PAGES } from '../../base/limits/limits.ts'
import type { DatasetFiles, EpochDataset, EpochPosition } from '../../base/ports/ethashDatasets.ts'
import type { Random } from '../../base/ports/random.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToNumber, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { epochSeed, MIX_BYTES, MIX_WORDS } from './ethash.ts'
import type { LightCache } from './lightCache.ts'

/** Revision of ethash. */
const REVISION = 23
/** Version of this file format. */
const FORMAT = 1
const HEADER_BYTES = 128
const MAGIC_BYTES = 16
const SEED_AT = 48
const NAME = /^ethash-r\d+-(?:long-)?epoch-\d+-\d+\.dataset/
/** Sampled pages between two yields: some milliseconds. */
const PAGES_PER_YIELD = 16

/** Such as `ethash-r23-epoch-0-1073739904.dataset`. */
export function datasetFileName({ epoch, isLong }: EpochPosition, bytes: number): string {
  return `ethash-r${REVISION}-${isLong ? 'long-' : ''}epoch-${epoch}-${bytes}.dataset`
}

/** Removes the files of other datasets, and those that were not completed. */
export async function keepDatasetFiles(files: DatasetFiles, names: readonly string[]): Promise<void> {
  for (const name of await files.list()) if (NAME.test(name) && !names.includes(name)) await files.remove(name)
}

/**
 * Stores a dataset.
 * @param isStopped ends the write without a file
 * @throws {NodeError} DATASET_FILE_FAILED
 */
export async function writeDatasetFile(
  files: DatasetFiles,
  dataset: EpochDataset,
  isStopped: () => boolean,
): Promise<void> {
  const name = datasetFileName(dataset.position, dataset.memory.byteLength)
  await files.write(name, piecesOf(dataset, isStopped))
}

/** Pieces that are not shared, which every host can write. */
function* piecesOf({ position, memory }: EpochDataset, isStopped: () => boolean): Generator<Uint8Array> {
  yield headerOf(position, memory.byteLength)
  const bytes = new Uint8Array(memory)
  const piece = new Uint8Array(DATASET_FILE_CHUNK_BYTES)
  for (let at = 0; at < bytes.length; at += piece.length) {
    if (isStopped()) throw new NodeError({ code: 'DATASET_FILE_FAILED' }, 'the node is stopping')
    const part = bytes.subarray(at, at + piece.length)
    piece.set(part)
    yield piece.subarray(0, part.length)
  }
}

export interface ReadDatasetOptions {
  readonly files: DatasetFiles
  readonly cache: LightCache
  readonly random: Random
  readonly yieldToHost: YieldToHost
  readonly signal: { readonly aborted: boolean }
}

/**
 * Reads a file into the memory of a dataset and verifies a sample of its pages.
 * @returns why the file cannot be used: `absent`, a description of its damage, or undefined when it can
 * @throws {NodeError} DATASET_FILE_FAILED
 */
export async function readDatasetFile(
  options: ReadDatasetOptions,
  { position, memory }: EpochDataset,
): Promise<string | undefined> {
  const { files, signal } = options
  const name = datasetFileName(position, memory.byteLength)
  const length = await files.length(name)
  if (length === undefined) return 'absent'
  const expected = HEADER_BYTES + memory.byteLength
  if (length !== expected) return `it has ${length} bytes instead of ${expected}`
  const header = new Uint8Array(HEADER_BYTES)
  await files.read(name, 0, header)
  if (!equalBytes(header, headerOf(position, memory.byteLength))) return 'its header is invalid'
  const bytes = new Uint8Array(memory)
  const piece = new Uint8Array(Math.min(DATASET_FILE_CHUNK_BYTES, bytes.length))
  for (let at = 0; at < bytes.length && !signal.aborted; at += piece.length) {
    const part = piece.subarray(0, Math.min(piece.length, bytes.length - at))
    await files.read(name, HEADER_BYTES + at, part)
    bytes.set(part, at)
  }
  const invalid = await invalidPage(options, new Int32Array(memory))
  return invalid === undefined ? undefined : `page ${invalid} is invalid`
}

/** Compares the first page, the last one and random ones with computed ones. */
async function invalidPage(
  { cache, random, yieldToHost, signal }: ReadDatasetOptions,
  words: Int32Array,
): Promise<number | undefined> {
  const pages = words.length / MIX_WORDS
  const page = new Int32Array(MIX_WORDS)
  for (let i = 0; i < DATASET_SAMPLE_PAGES && !signal.aborted; i++) {
    const drawn = i === 0 ? 0 : i === 1 ? pages - 1 : bytesToNumber(random.bytes(6)) % pages
    cache.writePages(drawn, page)
    for (let k = 0; k < MIX_WORDS; k++) if (words[drawn * MIX_WORDS + k] !== page[k]) return drawn
    if (i % PAGES_PER_YIELD === PAGES_PER_YIELD - 1) await yieldToHost()
  }
  return undefined
}

function headerOf(position: EpochPosition, bytes: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  header.set(new TextEncoder().encode('isonode ethash'.padEnd(MAGIC_BYTES)))
  view.setUint32(16, FORMAT, true)
  view.setUint32(20, REVISION, true)
  view.setUint32(24, position.epoch, true)
  view.setUint32(28, position.isLong ? 1 : 0, true)
  view.setBigUint64(32, BigInt(bytes), true)
  view.setUint32(40, MIX_BYTES, true)
  header.set(epochSeed(position), SEED_AT)
  return header
}

import { beforeEach, describe, expect, it } from 'vitest'
import type { EpochDataset, EpochPosition } from '../../../src/base/ports/ethashDatasets.ts'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import {
  datasetFileName,
  keepDatasetFiles,
  readDatasetFile,
  writeDatasetFile,
} from '../../../src/consensus/pow/datasetFile.ts'
import { lightSteps } from '../../../src/consensus/pow/epochCaches.ts'
import { SeededRandom } from '../../simulation/seededRandom.ts'
import { MemoryDatasetFiles } from '../../support/host/memoryDatasetFiles.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { testYield } from '../../support/host/testYield.ts'

const BYTES = 32_768
const HEADER_BYTES = 128
const EPOCH: EpochPosition = { epoch: 3, isLong: false }
const NAME = 'ethash-r23-epoch-3-32768.dataset'

function dataset(position: EpochPosition = EPOCH): EpochDataset {
  const memory = new SharedArrayBuffer(BYTES)
  runToEnd(lightSteps(position, true)).writePages(0, new Int32Array(memory))
  return { position, memory }
}

function empty(position: EpochPosition = EPOCH): EpochDataset {
  return { position, memory: new SharedArrayBuffer(BYTES) }
}

let files: MemoryDatasetFiles

function read(target: EpochDataset, signal = { aborted: false }) {
  const cache = runToEnd(lightSteps(target.position, true))
  return readDatasetFile({ files, cache, random: new SeededRandom(1), yieldToHost: testYield, signal }, target)
}

beforeEach(async () => {
  files = new MemoryDatasetFiles()
  await writeDatasetFile(files, dataset(), () => false)
})

describe('file of a dataset', () => {
  it('has a name with epoch, revision and length', () => {
    expect(datasetFileName(EPOCH, BYTES)).toBe(NAME)
    expect(datasetFileName({ epoch: 195, isLong: true }, 2_709_519_232)).toBe(
      'ethash-r23-long-epoch-195-2709519232.dataset',
    )
    expect([...files.files.keys()]).toEqual([NAME])
  })

  it('restores the dataset', async () => {
    const target = empty()
    expect(await read(target)).toBeUndefined()
    expect(equalBytes(new Uint8Array(target.memory), new Uint8Array(dataset().memory))).toBe(true)
    expect(await read(empty({ epoch: 4, isLong: false }))).toBe('absent')
    expect(await read(empty({ epoch: 3, isLong: true }))).toBe('absent')
  })

  it.each([0, HEADER_BYTES - 1, HEADER_BYTES + 1000, HEADER_BYTES + BYTES - 1])(
    'is refused when it has only %i bytes',
    async (length) => {
      files.files.set(NAME, files.bytes(NAME).slice(0, length))
      expect(await read(empty())).toBe(`it has ${length} bytes instead of ${HEADER_BYTES + BYTES}`)
    },
  )

  it('is refused when it is longer', async () => {
    files.files.set(NAME, Uint8Array.from([...files.bytes(NAME), 0]))
    expect(await read(empty())).toMatch(/^it has \d+ bytes instead/)
  })

  it.each([0, 16, 20, 24, 28, 32, 60, 127])('is refused when byte %i of its header differs', async (at) => {
    const bytes = files.bytes(NAME)
    bytes[at] = (bytes[at] as number) ^ 1
    expect(await read(empty())).toBe('its header is invalid')
  })

  it('is refused when it is of another epoch', async () => {
    await writeDatasetFile(files, dataset({ epoch: 4, isLong: false }), () => false)
    files.files.set(NAME, files.bytes('ethash-r23-epoch-4-32768.dataset'))
    expect(await read(empty())).toBe('its header is invalid')
  })

  it.each([
    ['the first byte', HEADER_BYTES, 1],
    ['the last byte', HEADER_BYTES + BYTES - 1, 1],
    ['a part', HEADER_BYTES + 10_000, 4096],
  ])('is refused when %s of its pages is damaged', async (_, at, length) => {
    files.bytes(NAME).fill(7, at, at + length)
    expect(await read(empty())).toMatch(/^page \d+ is invalid$/)
  })

  it('is not written completely after a stop', async () => {
    const stopped = writeDatasetFile(files, dataset({ epoch: 5, isLong: false }), () => true)
    await expect(stopped).rejects.toMatchObject({ code: 'DATASET_FILE_FAILED' })
    expect([...files.files.keys()]).toEqual([NAME])
  })

  it('is removed when it is not needed, also when it is incomplete', async () => {
    for (const name of [`${NAME}.new`, 'ethash-r23-epoch-2-32768.dataset', 'ethash-r22-epoch-3-32768.dataset', 'notes'])
      files.files.set(name, new Uint8Array(1))
    await keepDatasetFiles(files, [NAME])
    expect([...files.files.keys()]).toEqual([NAME, 'notes'])
  })
})

// slow: ethash datasets
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DatasetHost, DatasetJob, EpochDataset } from '../../../../src/base/ports/ethashDatasets.ts'
import type { Logger } from '../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { DatasetSealSearch, SealTask } from '../../../../src/base/ports/sealSearch.ts'
import { equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { computeChunks, setStopped } from '../../../../src/consensus/pow/datasetChunks.ts'
import { EpochCaches } from '../../../../src/consensus/pow/epochCaches.ts'
import { nonceBytes } from '../../../../src/consensus/pow/lightCache.ts'
import { DatasetSearch } from '../../../../src/sealing/pow/datasetSearch.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { MemoryDatasetFiles } from '../../../support/host/memoryDatasetFiles.ts'
import { testTimers } from '../../../support/host/testPorts.ts'
import { testYield } from '../../../support/host/testYield.ts'

const GIB = 2 ** 30
const powHash = new Uint8Array(32).fill(9)
const target = new Uint8Array(32).fill(255).fill(15, 0, 1)

/** Computes chunks between which it yields. */
class StepHost implements DatasetHost {
  readonly threads = 1
  readonly files = new MemoryDatasetFiles()
  readonly computed: number[] = []
  /** Bytes. */
  available = 4 * GIB
  failure: Error | undefined
  /** Resolves before each computation. */
  gate: Promise<void> = Promise.resolve()

  availableBytes(): number {
    return this.available
  }

  async compute(job: DatasetJob): Promise<void> {
    await this.gate
    if (this.failure !== undefined) throw this.failure
    const steps = computeChunks(job)
    while (!steps.next().done) await testYield()
    this.computed.push(job.position.epoch)
  }
}

/** Uses its datasets like a thread. */
class HeldSearch implements DatasetSealSearch {
  readonly hashrate = 5
  readonly tasks: { readonly task: SealTask; readonly first: bigint; readonly onFound: (nonce: Uint8Array) => void }[] =
    []
  datasets: readonly EpochDataset[] = []
  readonly calls: string[] = []

  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void {
    this.tasks.push({ task, first, onFound })
  }

  useDatasets(datasets: readonly EpochDataset[]): void {
    this.datasets = datasets
  }

  stop(): void {
    this.calls.push('stop')
  }

  pause(): void {
    this.calls.push('pause')
  }

  close(): void {
    this.calls.push('close')
  }

  get epochs(): number[] {
    return this.datasets.map(({ position }) => position.epoch)
  }
}

let host: StepHost
let inner: HeldSearch
let search: DatasetSearch
let work: string[]
let warnings: string[]

function open(): DatasetSearch {
  inner = new HeldSearch()
  const logger: Logger = {
    ...silentLogger,
    warn: (message, properties) => warnings.push(`${message}: ${properties?.['reason']}`),
  }
  search = new DatasetSearch({
    search: inner,
    host,
    caches: new EpochCaches({ isTest: true }),
    timers: testTimers,
    random: new SeededRandom(1),
    yieldToHost: testYield,
    logger,
    beginWork: (name, { epoch }) => {
      work.push(`${name} ${epoch}`)
      return { report: () => {}, end: () => work.push(`end ${epoch}`) }
    },
  })
  return search
}

function mine(blockNumber: number, onFound: (nonce: Uint8Array) => void = () => {}): void {
  search.start({ blockNumber, isLong: false, powHash, target }, 7n, onFound)
}

const names = () => [...host.files.files.keys()]
const nameOf = (epoch: number) => `ethash-r23-epoch-${epoch}-32768.dataset`

beforeEach(() => {
  host = new StepHost()
  work = []
  warnings = []
  open()
})

afterEach(() => search.close())

describe('a search with datasets', () => {
  it('starts immediately, and uses the dataset when it is computed', async () => {
    mine(1)
    expect(inner.tasks).toHaveLength(1)
    expect(inner.epochs).toEqual([])
    await eventually(async () => expect(names()).toEqual([nameOf(0)]))
    expect(inner.epochs).toEqual([0])
    expect(work).toEqual(['computing an ethash dataset 0', 'end 0'])
    expect(search.hashrate).toBe(5)
  })

  it('reads the file after a restart', async () => {
    mine(1)
    await eventually(async () => expect(names()).toEqual([nameOf(0)]))
    await search.close()
    open()
    mine(2)
    await eventually(async () => expect(inner.epochs).toEqual([0]))
    expect(warnings).toEqual([])
    expect(host.computed).toEqual([0])
  })

  it.each([
    ['truncated', (bytes: Uint8Array) => bytes.slice(0, 4000), 'it has 4000 bytes instead of 32896'],
    ['damaged', (bytes: Uint8Array) => bytes.slice().fill(0, 20_000), 'page 255 is invalid'],
  ])('replaces a file that is %s', async (_, damage, reason) => {
    mine(1)
    await eventually(async () => expect(names()).toEqual([nameOf(0)]))
    await search.close()
    const whole = host.files.bytes(nameOf(0))
    host.files.files.set(nameOf(0), damage(whole))
    open()
    mine(1)
    await eventually(async () => expect(equalBytes(host.files.bytes(nameOf(0)), whole)).toBe(true))
    expect(inner.epochs).toEqual([0])
    expect(host.computed).toEqual([0, 0])
    expect(warnings).toEqual([`a file with an ethash dataset is damaged and is replaced: ${reason}`])
  })

  it('prepares the next epoch ahead and keeps the files of these two only', async () => {
    host.files.files.set(nameOf(7), new Uint8Array(4))
    host.files.files.set(`${nameOf(0)}.new`, new Uint8Array(4))
    mine(1)
    await eventually(async () => expect(names()).toEqual([nameOf(0)]))
    mine(27_000)
    await eventually(async () => expect(names()).toEqual([nameOf(0), nameOf(1)]))
    expect(inner.epochs).toEqual([0, 1])
    mine(30_000)
    expect(inner.epochs).toEqual([1])
    mine(58_000)
    await eventually(async () => expect(names()).toEqual([nameOf(1), nameOf(2)]))
    expect(host.computed).toEqual([0, 1, 2])
  })

  it('continues an interrupted computation', async () => {
    mine(1)
    search.pause()
    expect(inner.calls).toEqual(['pause'])
    for (let i = 0; i < 20; i++) await testYield()
    expect(inner.epochs).toEqual([])
    expect(names()).toEqual([])
    mine(1)
    await eventually(async () => expect(inner.epochs).toEqual([0]))
    search.pause()
    expect(inner.epochs).toEqual([0])
  })

  it('a stop of the search alone interrupts nothing', async () => {
    mine(1)
    search.stop()
    await eventually(async () => expect(inner.epochs).toEqual([0]))
    expect(inner.calls).toEqual(['stop'])
  })

  it('ends without files when it is closed', async () => {
    mine(1)
    await search.close()
    mine(1)
    for (let i = 0; i < 20; i++) await testYield()
    expect([names(), inner.epochs, host.computed]).toEqual([[], [], []])
  })

  it('abandons the dataset of an epoch that has passed', async () => {
    let release = (): void => {}
    host.gate = new Promise((resolve) => {
      release = resolve
    })
    mine(1)
    await eventually(async () => expect(work).toHaveLength(1))
    mine(30_001)
    release()
    await eventually(async () => expect(names()).toEqual([nameOf(1)]))
    expect(inner.epochs).toEqual([1])
  })

  it('mines with the light algorithm when memory is short, until the next epoch', async () => {
    host.available = 200 * 2 ** 20
    mine(1)
    await eventually(async () => expect(warnings).toHaveLength(1))
    mine(2)
    for (let i = 0; i < 20; i++) await testYield()
    expect(warnings).toEqual([
      'no ethash dataset: mining uses the light algorithm: it needs 0 MiB, but only 200 MiB of memory are available',
    ])
    host.available = GIB
    mine(30_000)
    await eventually(async () => expect(inner.epochs).toEqual([1]))
  })

  it('mines with the light algorithm when threads fail', async () => {
    host.failure = new Error('out of threads')
    mine(1)
    await eventually(async () =>
      expect(warnings).toEqual(['no ethash dataset: mining uses the light algorithm: out of threads']),
    )
    expect(inner.tasks).toHaveLength(1)
  })

  it('uses a dataset that cannot be stored', async () => {
    host.files.write = () => Promise.reject(new Error('disk full'))
    mine(1)
    await eventually(async () => expect(warnings).toEqual(['failed to store an ethash dataset: disk full']))
    expect(inner.epochs).toEqual([0])
  })

  it('discards a dataset that leads to an invalid nonce, and continues the search', async () => {
    const found: Uint8Array[] = []
    mine(1, (nonce) => found.push(nonce))
    await eventually(async () => expect(names()).toEqual([nameOf(0)]))
    const caches = new EpochCaches({ isTest: true })
    const task = { blockNumber: 1, isLong: false, powHash, target }
    const valid = caches.search(task, 0n, 400)?.nonce as Uint8Array
    const missed = [0n, 1n, 2n, 3n, 4n].find((nonce) => caches.search(task, nonce, 1) === undefined) as bigint
    const invalid = nonceBytes(missed)
    inner.tasks[0]?.onFound(invalid)
    expect(found).toEqual([])
    expect(inner.epochs).toEqual([])
    expect(inner.tasks[1]?.first).toBe(missed + 1n)
    await eventually(async () => expect(names()).toEqual([]))
    expect(warnings).toEqual([
      'an ethash dataset is damaged: mining uses the light algorithm: it led to an invalid nonce',
    ])
    inner.tasks[1]?.onFound(valid)
    expect(found).toEqual([valid])
  })
})

describe('a computation that is stopped', () => {
  it('yields nothing', async () => {
    host.compute = async (job) => setStopped(job, true)
    mine(1)
    search.pause()
    for (let i = 0; i < 20; i++) await testYield()
    expect(inner.epochs).toEqual([])
  })
})

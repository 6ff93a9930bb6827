import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openForkPack } from '../../../../../adapters/server/data/forkPackFile.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import type { PackSource } from '../../../../../src/fork/packSource.ts'
import { bytes } from '../../../storage/contract.ts'

const root = mkdtempSync(path.join(tmpdir(), 'isonode-pack-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const HEADER = { chainId: 1n, forkBlock: { number: 7, hash: new Uint8Array(32).fill(7) } }
let files = 0
const freshFile = (): string => path.join(root, `${files++}`, 'fork.pack')

async function open(file: string, isOffline = false): Promise<PackSource> {
  const source = await openForkPack({ file, isOffline, logger: silentLogger })
  source.begin(HEADER)
  return source
}

async function run(file: string, ...numbers: number[]): Promise<void> {
  const source = await open(file)
  source.put(numbers.map((n) => [bytes(1, n), bytes(n)]))
  await source.close()
}

describe('the file of a pack', () => {
  it('is written at the end of a run, and extended by the next', async () => {
    const file = freshFile()
    await run(file, 1)
    await run(file, 2)
    const source = await open(file, true)
    expect(await source.getMany([bytes(1, 1), bytes(1, 2), bytes(1, 3)])).toEqual([bytes(1), bytes(2), undefined])
    expect(readdirSync(path.dirname(file))).toEqual(['fork.pack'])
  })

  it('has equal bytes after equal runs', async () => {
    const [first, second] = [freshFile(), freshFile()]
    await run(first, 1, 2, 3)
    await run(second, 3, 1)
    await run(second, 2)
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true)
  })

  it('keeps what another process has written meanwhile', async () => {
    const file = freshFile()
    const source = await open(file)
    source.put([[bytes(1, 1), bytes(1)]])
    await run(file, 2)
    await source.close()
    expect(await (await open(file)).getMany([bytes(1, 1), bytes(1, 2)])).toEqual([bytes(1), bytes(2)])
  })

  it('keeps the entries of all runs that end together', async () => {
    const file = freshFile()
    const numbers = Array.from({ length: 12 }, (_, i) => i)
    await Promise.all(numbers.map((n) => run(file, n)))
    const found = await (await open(file)).getMany(numbers.map((n) => bytes(1, n)))
    expect(found).toEqual(numbers.map((n) => bytes(n)))
    expect(readdirSync(path.dirname(file))).toEqual(['fork.pack'])
  })

  it('must exist offline', async () => {
    const file = freshFile()
    await expect(open(file, true)).rejects.toMatchObject({
      code: 'FORK_PACK_INVALID',
      message: `the pack of the fork in ${file} does not exist, and --fork-offline asks nobody else`,
    })
    expect(existsSync(path.dirname(file))).toBe(false)
  })

  it('is refused with its name when it is cut in half', async () => {
    const file = freshFile()
    await run(file, 1, 2, 3)
    const whole = readFileSync(file)
    writeFileSync(file, whole.subarray(0, whole.length / 2))
    await expect(open(file)).rejects.toMatchObject({
      code: 'FORK_PACK_INVALID',
      message: expect.stringMatching(new RegExp(`^${file}: .*is cut off`)),
    })
  })

  it('in a folder that cannot exist is refused at the start', async () => {
    const file = freshFile()
    await run(file, 1)
    await expect(open(path.join(file, 'below', 'fork.pack'))).rejects.toMatchObject({
      code: expect.stringMatching(/^FORK_PACK_(UNWRITABLE|INVALID)$/),
    })
  })
})

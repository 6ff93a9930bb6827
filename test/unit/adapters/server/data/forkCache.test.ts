// slow: starts processes
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { forkCacheFolder, openForkCache } from '../../../../../adapters/server/data/forkCache.ts'
import { LmdbCacheStore } from '../../../../../adapters/server/data/lmdbCacheStore.ts'
import type { Logger } from '../../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { cacheKeys } from '../../../../../src/fork/cacheKeys.ts'
import type { ForkSource } from '../../../../../src/fork/contract.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { eventually } from '../../../../support/host/eventually.ts'
import { needsHost, onlyOnNode } from '../../../../support/host/needs.ts'
import { Random } from '../../../../support/host/random.ts'
import { cacheStoreContract } from '../../cacheStoreContract.ts'

const bundle = bundledWorker('adapters/server/data/forkCache.ts')
const root = mkdtempSync(path.join(tmpdir(), 'isonode-fork-cache-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let folders = 0
const freshFolder = (): string => path.join(root, `${folders++}`)
const MIB = 1024 * 1024
const PAGE = 4096
/** Place of the flags in a page of LMDB. */
const PAGE_FLAGS = 18
/** Above the ids of all processes. */
const UNUSED_PID = 2 ** 30

cacheStoreContract('LMDB', () => {
  const folder = freshFolder()
  return [new LmdbCacheStore(folder), new LmdbCacheStore(folder)]
})

const key = (n: number): Uint8Array => cacheKeys.code(keccak256(Uint8Array.of(n >> 16, n >> 8, n & 255)))
const value = (n: number, length = 60): Uint8Array => new Uint8Array(length).fill(n)
const dataFile = (folder: string): string => path.join(folder, 'v1', 'data.mdb')

function open(folder: string, maxBytes?: number, logger: Logger = silentLogger): ForkSource {
  const cache = openForkCache({ folder, maxBytes, logger })
  if (cache === undefined) throw new Error('no cache')
  return cache
}

async function filled(count: number): Promise<string> {
  const folder = freshFolder()
  const cache = open(folder)
  cache.put(Array.from({ length: count }, (_, i) => [key(i), value(i)]))
  await cache.close()
  return folder
}

/** A program that has `openForkCache` and the helpers of this file. */
function program(name: string, code: string): string {
  const head = `
    import { openForkCache } from './worker.mjs'
    const logger = { warn: (message, { error }) => console.log(message, error.code) }
    const key = (n) => Uint8Array.of(1, n >> 16, n >> 8, n & 255, ...new Uint8Array(29))
    const value = (n) => new Uint8Array(60).fill(n)
    const [folder, from] = process.argv.slice(2)
    const cache = openForkCache({ folder, logger })
  `
  return fileURLToPath(bundle.moduleOf(name, head + code))
}
const childKey = (n: number): Uint8Array => Uint8Array.of(1, n >> 16, n >> 8, n & 255, ...new Uint8Array(29))

describe('the cache of a fork', () => {
  it('is in the folder that the system has for caches', () => {
    const folder = (environment: Record<string, string>, platform = 'linux'): string =>
      forkCacheFolder(environment, platform, platform === 'win32' ? 'C:\\Users\\a' : '/home/a')
    expect(folder({})).toBe('/home/a/.cache/isonode/fork')
    expect(folder({ XDG_CACHE_HOME: '/tmp/cache' })).toBe('/tmp/cache/isonode/fork')
    expect(folder({ XDG_CACHE_HOME: 'relative' })).toBe('/home/a/.cache/isonode/fork')
    expect(folder({ LOCALAPPDATA: 'D:\\Local' }, 'win32')).toBe('D:\\Local\\isonode\\fork')
    expect(folder({}, 'win32')).toBe('C:\\Users\\a\\AppData\\Local\\isonode\\fork')
  })

  it('keeps the bound of its size', async () => {
    const folder = freshFolder()
    const maxBytes = 4 * MIB
    const random = new Random(5)
    for (let round = 0; round < 8; round++) {
      const cache = open(folder, maxBytes)
      for (let i = 0; i < 20; i++) {
        const entries = Array.from({ length: 150 }, (_, j): [Uint8Array, Uint8Array] => {
          const n = (round * 20 + i) * 150 + j
          return [key(n), value(n, random.chance(3) ? 8000 : random.below(200))]
        })
        cache.put(entries)
        expect((await cache.getMany([key((round * 20 + i) * 150)]))[0]).toBeDefined()
      }
      await cache.close()
    }
    // Pages that the last commits have replaced are not counted; in a large cache they are few.
    expect(statSync(dataFile(folder)).size).toBeLessThan(1.6 * maxBytes)
    const cache = open(folder, maxBytes)
    expect(await cache.getMany([key(0), key(23_999)])).toEqual([undefined, expect.any(Uint8Array)])
    await cache.close()
  })

  it('fetches again what was damaged, and nothing else', async () => {
    const folder = await filled(50)
    const content = readFileSync(dataFile(folder))
    // The last copy in the file, since a page that was replaced keeps its content.
    const at = content.lastIndexOf(value(7))
    expect(at).toBeGreaterThan(0)
    for (let found = content.indexOf(value(7)); found >= 0; found = content.indexOf(value(7), found + 1)) {
      content[found + 30] = 0xff
    }
    writeFileSync(dataFile(folder), content)
    const cache = open(folder)
    expect(await cache.getMany([key(7), key(8)])).toEqual([undefined, value(8)])
    cache.put([[key(7), value(7)]])
    await cache.close()
    const again = open(folder)
    expect(await again.getMany([key(7)])).toEqual([value(7)])
    await again.close()
  })

  it.each<[string, (content: Buffer) => Buffer]>([
    ['with zeros over its beginning', (content) => content.fill(0, 0, 8192)],
    ['that was cut in half', (content) => content.subarray(0, content.length / 2)],
    ['of another kind', () => Buffer.from('hello'.repeat(5000))],
  ])('%s begins again', async (_what, change) => {
    const folder = await filled(2000)
    writeFileSync(dataFile(folder), change(readFileSync(dataFile(folder))))
    const cache = open(folder)
    expect(await cache.getMany([key(7)])).toEqual([undefined])
    cache.put([[key(7), value(7)]])
    await cache.close()
    const again = open(folder)
    expect(await again.getMany([key(7)])).toEqual([value(7)])
    await again.close()
  })

  it('is checked as a whole, and begins again if it is damaged, when a process ended while it read', async () => {
    const folder = await filled(40_000)
    const hashes = Array.from({ length: 40_000 }, (_, i) => Buffer.from(key(i)))
    const last = hashes.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a))
    const content = readFileSync(dataFile(folder))
    content[PAGE * Math.floor(content.indexOf(last) / PAGE) + PAGE_FLAGS] = 0x7f
    writeFileSync(dataFile(folder), content)
    const first = hashes.reduce((a, b) => (Buffer.compare(a, b) < 0 ? a : b))
    const found = async (): Promise<boolean> => {
      const cache = open(folder)
      const [found] = await cache.getMany([first])
      await cache.close()
      return found !== undefined
    }
    // A usual start does not look that far.
    expect(await found()).toBe(true)
    writeFileSync(path.join(folder, 'v1', `reader.${UNUSED_PID}`), '0')
    expect(await found()).toBe(true)
    writeFileSync(path.join(folder, 'v1', `reader.${UNUSED_PID}`), '1')
    expect(await found()).toBe(false)
    expect(readdirSync(path.join(folder, 'v1')).sort()).toEqual(['data.mdb', 'lock.mdb'])
  })

  it('in a folder that cannot be used is done without, and said once', () => {
    const file = path.join(root, 'file')
    writeFileSync(file, '')
    const lines: unknown[] = []
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) }
    expect(openForkCache({ folder: path.join(file, 'cache'), logger })).toBeUndefined()
    expect(lines).toEqual([
      ['the fork goes on without its cache', { error: expect.objectContaining({ code: 'STORE_FAILED' }) }],
    ])
  })
})

describe('the cache of a fork among processes', onlyOnNode, () => {
  it('is written and read by several at the same time', async () => {
    const folder = freshFolder()
    const writer = program(
      'writer.mjs',
      `
      for (let i = 0; i < 3000; i += 10) {
        cache.put(Array.from({ length: 10 }, (_, j) => [key(Number(from) + i + j), value(i + j)]))
        const [found] = await cache.getMany([key(Number(from) + i)])
        if (found?.[0] !== (i & 255)) console.log('wrong', i, found)
        if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await cache.close()
      `,
    )
    const children = [0, 10_000, 20_000].map((from) => {
      const child = spawn(process.execPath, [writer, folder, `${from}`], { stdio: ['ignore', 'pipe', 'inherit'] })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      return once(child, 'close').then(([code]) => ({ code, output }))
    })
    expect(await Promise.all(children)).toEqual(new Array(3).fill({ code: 0, output: '' }))
    const cache = open(folder)
    const all = [0, 10_000, 20_000].flatMap((from) => Array.from({ length: 3000 }, (_, i) => [from + i, i]))
    const found = await cache.getMany(all.map(([n]) => childKey(n as number)))
    expect(found.filter((each, i) => each?.[0] !== ((all[i]?.[1] as number) & 255))).toEqual([])
    await cache.close()
  })

  it('keeps what was put half a second before a kill', async () => {
    const writer = program(
      'endless.mjs',
      `
      for (let i = Number(from); ; i++) {
        cache.put([[key(i), value(i)]])
        setTimeout(() => process.stdout.write(i + '\\n'), 500)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      `,
    )
    const folder = freshFolder()
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [writer, folder, `${round * 10_000}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      await eventually(() => expect(output.length).toBeGreaterThan(100))
      child.kill('SIGKILL')
      await once(child, 'close')
      const old = output.split('\n').slice(0, -1).map(Number)
      const cache = open(folder)
      expect(await cache.getMany(old.map(childKey))).toEqual(old.map((n) => value(n)))
      await cache.close()
    }
  })

  const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
  it('goes on without a disk that is full', needsHost(isRoot, 'only root can mount a small disk'), async () => {
    const disk = freshFolder()
    mkdirSync(disk)
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    expect(status).toBe(0)
    try {
      const writer = program(
        'full.mjs',
        `
        for (let i = 0; i < 40; i++) {
          cache.put(Array.from({ length: 1000 }, (_, j) => [key(i * 1000 + j), value(i)]))
          await new Promise((resolve) => setTimeout(resolve, 25))
          await cache.getMany([key(i * 1000)])
        }
        await cache.close()
        console.log('goes on')
        `,
      )
      const { stdout } = spawnSync(process.execPath, [writer, disk], { encoding: 'utf8' })
      expect(stdout).toBe('the fork goes on without its cache DISK_FULL\ngoes on\n')
      const cache = open(disk)
      expect((await cache.getMany([childKey(0)]))[0]).toEqual(value(0))
      await cache.close()
    } finally {
      spawnSync('umount', [disk])
    }
  })
})

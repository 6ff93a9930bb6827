/** `db stats`, `db verify`, `db compact` and `db prune`: beside a running node, on a stopped one, and on damaged data. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { LmdbStore } from '../../adapters/server/data/lmdbStore.ts'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { Column } from '../../src/storage/schema.ts'
import { expectQuiet, expectRefusal, newPath } from '../support/host/commandChecks.ts'
import { type Ended, type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BLOCKS = 40

interface Stats {
  readonly head: number
  readonly stateFrom: number
  readonly prunedTo?: number
  readonly file: { readonly usedPages: number; readonly freePages: number; readonly bytes: number }
  readonly columns: readonly { readonly column: string; readonly keys: number }[]
}

describe('db stats, verify, compact and prune', () => {
  const directory = newPath()
  const file = path.join(directory, 'database/data.mdb')
  let running: { readonly stats: Ended; readonly verify: Ended; readonly compact: Ended; readonly prune: Ended }

  const db = (...args: string[]): Promise<Ended> => runCommand([`--data-path=${directory}`, 'db', ...args])
  const stats = async (): Promise<Stats> => JSON.parse((await db('stats', '--json')).stdout).fields as Stats
  const keysOf = ({ columns }: Stats, name: string) => columns.find(({ column }) => column === name)?.keys

  async function serve<T>(use: (node: RunningNode) => Promise<T>): Promise<T> {
    const node = await startNode([`--data-path=${directory}`])
    try {
      return await use(node)
    } finally {
      await node.stop()
    }
  }

  beforeAll(async () => {
    running = await serve(async (node) => {
      for (let n = 1; n <= BLOCKS; n++) {
        await node.rpc('eth_sendTransaction', [{ from: ALICE, to: `0x${String(n).padStart(40, '4')}`, value: '0x1' }])
      }
      return {
        stats: await db('stats'),
        verify: await db('verify'),
        compact: await db('compact'),
        prune: await db('prune'),
      }
    })
  })

  it('read beside a running node; what writes is refused', () => {
    expect(running.stats).toMatchObject({ code: 0, stderr: '' })
    expect(running.stats.stdout).toMatch(/ {2}head +40 0x[0-9a-f]{64}\n/)
    expect(running.stats.stdout).toMatch(/\n {2}header +41 /)
    expectQuiet(running.stats)
    expect(running.verify).toMatchObject({ code: 0, stderr: '' })
    expect(running.verify.stdout).toContain('no problems; head 40, 41 blocks, 40 transactions')
    for (const ended of [running.compact, running.prune]) expectRefusal(ended, /is in use by process \d+/)
  })

  it('deletes old states, gives their pages back, and leaves the rest', async () => {
    const before = await stats()
    expectRefusal(await db('prune', '--pruning-blocks-retained=5'), /must exceed --pruning-block-confirmations/)
    const pruned = await db('prune', '--pruning-blocks-retained=12')
    expect(pruned).toMatchObject({ code: 0, stderr: '' })
    expect(pruned.stdout).toContain('the states up to block 27 are deleted')
    const after = await stats()
    expect(after).toMatchObject({ head: BLOCKS, stateFrom: 28, prunedTo: 27 })
    expect(keysOf(after, 'trieNode')).toBeLessThan(keysOf(before, 'trieNode') as number)
    expect(keysOf(after, 'body')).toBe(BLOCKS + 1)
    expect((await db('prune', '--pruning-blocks-retained=12')).stdout).toContain('no states to delete')

    // A compaction that was killed has left its copy.
    const copy = path.join(directory, 'database.compact')
    mkdirSync(copy)
    writeFileSync(path.join(copy, 'data.mdb'), 'part of a copy')
    expect(await db('compact')).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(copy)).toBe(false)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const compacted = await stats()
    expect(compacted.file.freePages).toBe(0)
    expect(compacted.file.bytes).toBeLessThan(after.file.bytes)
    expect(compacted.columns).toEqual(after.columns)
    expect((await db('verify')).code).toBe(0)
    await serve(async (node) => {
      expect(await node.rpc('eth_blockNumber')).toBe('0x28')
      expect(await node.rpc('eth_getBalance', [`0x${'3'.padStart(40, '4')}`, '0x1c'])).toBe('0x1')
      await expect(node.rpc('eth_getBalance', [ALICE, '0x1b'])).rejects.toThrow('the state of block 27 was deleted')
      expect(await node.rpc('eth_getTransactionByBlockNumberAndIndex', ['0x3', '0x0'])).toMatchObject({ from: ALICE })
    })
  })

  it('a node removes what a killed compaction has left', async () => {
    const copy = path.join(directory, 'database.compact')
    mkdirSync(copy)
    await serve(async () => expect(existsSync(copy)).toBe(false))
  })

  it('names every damage by column and key, in text and in JSON, and exits with 1', async () => {
    const store = new LmdbStore({ directory: path.dirname(file), durability: 'process' })
    const [body, slot] = [Column.body, Column.flatIncarnation].map((column) => {
      const [entry] = store.range({
        prefix: Uint8Array.of(column),
        limit: 1,
        from: Uint8Array.of(column, 0, 0, 0, 0, 0, 9),
      })
      return entry as readonly [Uint8Array, Uint8Array]
    })
    const [[bodyKey], [slotKey]] = [body, slot] as [
      readonly [Uint8Array, Uint8Array],
      readonly [Uint8Array, Uint8Array],
    ]
    store.commit([
      { key: bodyKey, value: undefined },
      { key: slotKey, value: Uint8Array.of(9, 9) },
    ])
    await store.close()
    const text = await db('verify')
    expect(text.code).toBe(1)
    expect(text.stdout).toContain(`body ${bytesToHex(bodyKey)}: it is missing\n`)
    expect(text.stdout).toContain(`flatIncarnation ${bytesToHex(slotKey)}: the entry is 0x0909; the state has 0x`)
    expect(text.stdout).toMatch(/: 2 problems; head 40, /)
    const json = await db('verify', '--json')
    const records = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).fields)
    expect(records[0]).toEqual({ column: 'body', key: bytesToHex(bodyKey), problem: 'it is missing' })
    expect(records.at(-1)).toMatchObject({ problems: 2, head: BLOCKS })
    expect(json.code).toBe(1)
  })

  it('refuse a directory without a chain, and a damaged file', async () => {
    const none = newPath()
    for (const command of ['stats', 'verify', 'compact', 'prune']) {
      expectRefusal(await runCommand([`--data-path=${none}`, 'db', command]), /has no chain: name the directory/)
    }
    expect(existsSync(none)).toBe(false)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0, 0, 8192))
    rmSync(path.join(directory, 'database/lock.mdb'))
    for (const command of ['stats', 'verify', 'compact']) expectRefusal(await db(command), /is damaged: /)
  })
})

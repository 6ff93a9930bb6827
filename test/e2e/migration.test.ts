import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LmdbStore } from '../../adapters/server/data/lmdbStore.ts'
import { openServerNode } from '../../adapters/server/serverNode.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { hashedKeys } from '../../src/chain/migrations.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { schemaVersionMutation } from '../../src/storage/metadata.ts'
import { migrate } from '../../src/storage/migrations.ts'
import { SCHEMA_VERSION } from '../../src/storage/schema.ts'
import { vectorFile } from '../support/chains/storageVectors.ts'
import { runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const HEAD = 31n
const HASH = '0x1a70d21f964fc3b7bcfc1845a22b273e39bcb4f3c1ae8511af5f929824a25120'
const FEE = '0x0000000000000000000000000000000000000fee'

/** A data directory of format 1 with the recorded dev chain. */
function directoryV1(): { readonly directory: string; readonly database: string } {
  const directory = path.join(temporaryDirectory(), 'data')
  const database = path.join(directory, 'database')
  mkdirSync(database, { recursive: true })
  writeFileSync(path.join(database, 'data.mdb'), vectorFile())
  return { directory, database }
}

async function expectServed(directory: string): Promise<string> {
  const node = await startNode([`--data-path=${directory}`, '--rpc-ws-port=0'])
  expect(BigInt(await node.rpc<string>('eth_blockNumber'))).toBe(HEAD)
  expect(await node.rpc('eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash: HASH })
  expect(BigInt(await node.rpc<string>('eth_getBalance', [FEE, 'latest']))).toBeGreaterThan(9n * 10n ** 18n)
  expect(await node.rpc('eth_getCode', ['0x000000000000000000000000000000000000c0de', 'latest'])).toMatch(/^0x6001/)
  const mined = await node.rpc<{ readonly length: number }>('debug_traceBlockByNumber', ['0x5', {}])
  expect(mined).toHaveLength(1)
  await node.stop()
  return node.output()
}

describe('a data directory of an older format', () => {
  it('is migrated once, at the start', async () => {
    const { directory } = directoryV1()
    expect(await expectServed(directory)).toContain('migrating the database')
    expect(await expectServed(directory)).not.toContain('migrating the database')
  })

  it('continues an interrupted migration', async () => {
    const { directory, database } = directoryV1()
    const store = new LmdbStore({ directory: database, durability: 'process' })
    let batches = 0
    const stopped = migrate(store, [hashedKeys(5)], () => {
      if (++batches === 4) throw new Error('stopped')
    })
    await expect(stopped).rejects.toThrow('stopped')
    await store.close()
    expect(await expectServed(directory)).toContain('migrating the database')
  })
})

describe('a migration that a signal stops', () => {
  it('ends after its current batch; the next start continues it', async () => {
    const { directory } = directoryV1()
    const line = parseCommandLine({ argv: [`--data-path=${directory}`], environment: {}, readText: () => undefined })
    const { options } = line as Extract<typeof line, { kind: 'node' }>
    const stopped = openServerNode({ options, logger: silentLogger, runtimeName: 'test', signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ code: 'STOPPED' })
    expect(await expectServed(directory)).toContain('migrating the database')
  })
})

describe('a data directory of a newer format', () => {
  it('is refused with one line', async () => {
    const { directory, database } = directoryV1()
    const store = new LmdbStore({ directory: database, durability: 'process' })
    store.commit([schemaVersionMutation(SCHEMA_VERSION + 1)])
    await store.close()
    const { code, stdout, stderr } = await runCommand([`--data-path=${directory}`])
    expect(code).toBe(1)
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
    const message = `format ${SCHEMA_VERSION + 1}, this version of isonode supports formats up to ${SCHEMA_VERSION}`
    expect(lines).toEqual([expect.stringContaining(message)])
  })
})

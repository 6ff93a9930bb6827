/** `db backup` and `db restore`: while a node runs, with and without keys, damaged and unsuitable folders. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRefusal, newPath } from '../support/host/commandChecks.ts'
import { type Ended, type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

describe('db backup and db restore', () => {
  const directory = newPath()
  const backup = newPath()
  let node: RunningNode

  beforeAll(async () => {
    node = await startNode([`--data-path=${directory}`])
    writeFileSync(path.join(directory, 'static-nodes.json'), '[]')
    await node.rpc('hardhat_mine', ['0x5'])
    expect(await backUp(backup)).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(() => node.stop())

  const backUp = (to: string, ...more: string[]): Promise<Ended> =>
    runCommand([`--data-path=${directory}`, 'db', 'backup', `--to=${to}`, ...more])
  const restore = (from: string, to: string): Promise<Ended> =>
    runCommand([`--data-path=${to}`, 'db', 'restore', `--from=${from}`])

  it('copies a chain while its node runs, without keys', async () => {
    expect(readdirSync(backup).sort()).toEqual(['backup.json', 'database', 'static-nodes.json'])
    expect(readdirSync(path.join(backup, 'database'))).toEqual(['data.mdb'])
    const restored = newPath()
    const ended = await restore(backup, restored)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/ MB, the chain ends at block 5 0x[0-9a-f]{64}\n$/)
    expect(statSync(path.join(restored, 'database/data.mdb')).mode & 0o777).toBe(0o600)
    const again = await startNode([`--data-path=${restored}`])
    const newest = await node.rpc('eth_getBlockByNumber', ['0x5', true])
    expect(await again.rpc('eth_getBlockByNumber', ['latest', true])).toEqual(newest)
    await again.stop()
  })

  it('copies keys on request', async () => {
    const [withKeys, restored] = [newPath(), newPath()]
    expect((await backUp(withKeys, '--with-keys')).stdout).toContain(', with the private keys: ')
    expect(statSync(path.join(withKeys, 'key')).mode & 0o777).toBe(0o600)
    mkdirSync(restored)
    writeFileSync(path.join(restored, 'key'), `0x${'11'.repeat(32)}\n`)
    expectRefusal(await restore(withKeys, restored), /\/key exists and differs from the file of the backup/)
    rmSync(path.join(restored, 'key'))
    await restore(withKeys, restored)
    expect(readFileSync(path.join(restored, 'key'))).toEqual(readFileSync(path.join(directory, 'key')))
  })

  it('refuses unsuitable folders, and leaves nothing', async () => {
    expectRefusal(await backUp(backup), /is not empty: name a new folder/)
    expectRefusal(await backUp(path.join(directory, 'copy')), /is inside the data directory/)
    const none = newPath()
    expectRefusal(
      await runCommand([`--data-path=${none}`, 'db', 'backup', `--to=${newPath()}`]),
      /has no chain to back up: name the directory of the node with --data-path/,
    )
    expectRefusal(await restore(none, newPath()), /is no backup: it has no backup.json/)
    expectRefusal(await restore(backup, directory), /has a chain already/)
    expect(existsSync(none)).toBe(false)
    const file = newPath()
    writeFileSync(file, '')
    expectRefusal(await backUp(path.join(file, 'copy')), /cannot create .*copy.partial/)
  })

  it('refuses a damaged backup, and leaves no chain', async () => {
    const damaged = newPath()
    await backUp(damaged)
    const database = path.join(damaged, 'database/data.mdb')
    const bytes = readFileSync(database)
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1
    writeFileSync(database, bytes)
    const restored = newPath()
    expectRefusal(await restore(damaged, restored), /is damaged: database\/data.mdb has another content/)
    expect(readdirSync(path.join(restored, 'database'))).toEqual([])
    appendFileSync(database, 'x')
    expectRefusal(await restore(damaged, restored), /has \d+ bytes instead of \d+/)
    writeFileSync(path.join(damaged, 'backup.json'), '{"backup":1,"files":[{"name":"../x","bytes":1,"sha256":""}]}')
    expectRefusal(await restore(damaged, restored), /backup.json names the file \.\.\/x/)
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DataDirectory, openDataDirectory, openReader } from '../../../../../adapters/server/data/dataDirectory.ts'
import { bytes, put } from '../../../storage/contract.ts'

describe('a data directory', () => {
  let root: string
  let directory: string
  let lockFile: string
  const opened: DataDirectory[] = []
  const open = () => {
    const data = openDataDirectory(directory, 'process')
    opened.push(data)
    return data
  }
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'isonode-data-'))
    directory = path.join(root, 'deep', 'data')
    lockFile = path.join(directory, 'isonode.lock')
  })
  afterEach(async () => {
    for (const data of opened.splice(0)) await data.close()
    rmSync(root, { recursive: true, force: true })
  })

  test('is created, and has the same content when it is opened again', async () => {
    const first = open()
    first.store.commit([put(bytes(1), bytes(7))])
    const reader = openReader(directory, 'process')
    expect(reader.get(bytes(1))).toEqual(bytes(7))
    await reader.close()
    await first.close()
    expect(existsSync(lockFile)).toBe(false)
    expect(open().store.get(bytes(1))).toEqual(bytes(7))
  })

  test('has one holder, and the error names the directory and the process', () => {
    open()
    expect(() => open()).toThrow(
      expect.objectContaining({
        code: 'DIRECTORY_LOCKED',
        message: expect.stringMatching(new RegExp(`${directory} is in use by process ${process.pid} `)),
      }),
    )
  })

  test('the lock of a killed process can be acquired, unlike that of a running one', async () => {
    const child = spawn('sleep', ['60'])
    await new Promise((resolve) => child.once('spawn', resolve))
    const { host, ...rest } = await holderFile()
    writeFileSync(lockFile, JSON.stringify({ ...rest, host, pid: child.pid, born: undefined }))
    expect(() => open()).toThrow(expect.objectContaining({ code: 'DIRECTORY_LOCKED' }))
    await killed(child)
    expect(() => open()).not.toThrow()
  })

  test('a later process with the same id does not hold the lock', async () => {
    writeFileSync(lockFile, JSON.stringify({ ...(await holderFile()), born: 'an earlier boot:1' }))
    expect(() => open()).not.toThrow()
  })

  test('a holder on another machine is alive while it touches its lock', async () => {
    writeFileSync(lockFile, JSON.stringify({ ...(await holderFile()), host: `not-${hostname()}`, pid: 1 }))
    expect(() => open()).toThrow(`process 1 on not-${hostname()}`)
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(lockFile, longAgo, longAgo)
    expect(() => open()).not.toThrow()
  })

  test('a path that cannot be a directory is named', () => {
    const file = path.join(root, 'file')
    writeFileSync(file, '')
    expect(() => openDataDirectory(file, 'process')).toThrow(
      expect.objectContaining({ code: 'DIRECTORY_UNUSABLE', message: expect.stringContaining(file) }),
    )
  })

  /** The lock file that this process would write. */
  async function holderFile(): Promise<Record<string, unknown>> {
    const data = openDataDirectory(directory, 'process')
    const holder = JSON.parse(readFileSync(lockFile, 'utf8'))
    await data.close()
    return holder
  }

  function killed(child: ChildProcess): Promise<unknown> {
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    return exit
  }
})

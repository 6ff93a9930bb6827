/** A lock on a disk that is full, and one that several processes take over. */
import fs, { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { lockDirectory } from '../../../../../adapters/server/data/directoryLock.ts'
import { onlyOnNode } from '../../../../support/host/needs.ts'

// Other hosts do not let a test replace a function of node:fs.
it('a lock that cannot be written leaves no file that would keep the next start out', onlyOnNode, () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-lock-'))
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  const freeTheDisk = (): void => {
    full.mockRestore()
    syncBuiltinESMExports()
  }
  onTestFinished(() => {
    freeTheDisk()
    rmSync(directory, { recursive: true, force: true })
  })
  syncBuiltinESMExports()
  expect(() => lockDirectory(directory)).toThrow('ENOSPC')
  expect(existsSync(path.join(directory, 'isonode.lock'))).toBe(false)
  freeTheDisk()
  lockDirectory(directory).release()
})

/** Calls that read or change the lock. */
const CALLS = ['openSync', 'readFileSync', 'renameSync', 'rmSync'] as const

/**
 * Runs `before` in front of each call of node:fs, with its number.
 * @returns a function that ends this and returns the number of calls
 */
function intercept(before: (call: number) => void): () => number {
  let calls = 0
  let isNested = false
  const spies = CALLS.map((name) => {
    const original = fs[name] as (...input: unknown[]) => unknown
    return vi.spyOn(fs, name).mockImplementation(((...input: unknown[]) => {
      if (!isNested) {
        isNested = true
        before(calls++)
        isNested = false
      }
      return original(...input)
    }) as never)
  })
  syncBuiltinESMExports()
  return () => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
    return calls
  }
}

/** The lock, or a claim to it, of a process that has ended. */
const ended = (token: string): string => JSON.stringify({ pid: 2 ** 30, host: hostname(), token })

const tryLock = (directory: string): ReturnType<typeof lockDirectory> | undefined => {
  try {
    return lockDirectory(directory)
  } catch {
    return undefined
  }
}

it.each([
  ['a holder that has ended', { 'isonode.lock': ended('a') }],
  ['a holder and its successor, which have ended', { 'isonode.lock': ended('a'), 'isonode.lock.a': ended('b') }],
])('of three processes, one replaces the lock of %s', onlyOnNode, (_, files) => {
  let calls = Number.POSITIVE_INFINITY
  for (let first = 0; first < calls; first++) {
    for (let second = first; second < calls; second++) {
      const directory = mkdtempSync(path.join(tmpdir(), 'isonode-lock-'))
      for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content)
      const locks: ReturnType<typeof tryLock>[] = []
      const restore = intercept((call) => {
        for (const at of [first, second]) if (at === call) locks.push(tryLock(directory))
      })
      locks.push(tryLock(directory))
      calls = restore()
      const held = locks.filter((lock) => lock !== undefined)
      expect(held, `with others before calls ${first} and ${second}`).toHaveLength(1)
      expect(readdirSync(directory)).toEqual(['isonode.lock'])
      for (const lock of held) lock?.release()
      expect(readdirSync(directory)).toEqual([])
      rmSync(directory, { recursive: true, force: true })
    }
  }
})

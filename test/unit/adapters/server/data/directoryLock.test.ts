/** A lock on a disk that is full. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { lockDirectory } from '../../../../../adapters/server/data/directoryLock.ts'

const disk = vi.hoisted(() => ({ isFull: false }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync: (descriptor: number, text: string): number => {
      if (disk.isFull) throw new Error('ENOSPC: no space left on device, write')
      return fs.writeSync(descriptor, text)
    },
  }
})

it('a lock that cannot be written leaves no file that would keep the next start out', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-lock-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  disk.isFull = true
  expect(() => lockDirectory(directory)).toThrow('ENOSPC')
  expect(existsSync(path.join(directory, 'isonode.lock'))).toBe(false)
  disk.isFull = false
  lockDirectory(directory).release()
})

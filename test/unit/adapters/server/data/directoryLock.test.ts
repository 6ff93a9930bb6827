/** A lock on a disk that is full. */
import fs, { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
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

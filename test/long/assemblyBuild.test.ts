import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

describe('the native module', () => {
  it('matches a fresh build of its sources', { timeout: 120_000 }, () => {
    const { status, stderr } = spawnSync(process.execPath, ['src/evm/native/assembly/build.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})

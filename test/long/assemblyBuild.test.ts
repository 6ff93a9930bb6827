import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

describe('the WebAssembly modules', () => {
  it.each(['src/evm/native', 'src/consensus/pow'])('match a fresh build: %s', { timeout: 120_000 }, (folder) => {
    const { status, stderr } = spawnSync(process.execPath, [`${folder}/assembly/build.mjs`, '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})

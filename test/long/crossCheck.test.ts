import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, it } from 'vitest'
import { BFT_CHAINS } from '../support/chains/bftChains.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { MAINNET_1000, needsChain, POW_LIVE, RECORDED_CHAINS } from '../support/recorded/recordedChains.ts'
import { longCount } from './count.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-cross-check-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Imports a recorded chain into a new database with the built command.
 * @returns its output
 */
function importChain(chain: (typeof RECORDED_CHAINS)[number], evm: string): string {
  const dataPath = path.join(folder, chain.folder.replace('/', '-'), evm)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(root, 'dist/server.js'),
      `--genesis-file=${recordedPath(chain.folder, 'genesis.json')}`,
      `--data-path=${dataPath}`,
      `--evm=${evm}`,
      '--evm-cross-check',
      ...['blocks', 'import', `--from=${recordedPath(chain.folder, chain.file)}`],
      ...(chain.withoutSeals === true ? ['--skip-pow-validation-enabled'] : []),
    ],
    { encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

describe('recorded chains with --evm-cross-check', () => {
  for (const chain of [...RECORDED_CHAINS, POW_LIVE, ...BFT_CHAINS, MAINNET_1000].slice(0, longCount)) {
    it.each(['native', 'reference'])(`${chain.folder} on %s`, needsChain(chain), (evm) => {
      const report = importChain(chain, evm)
      expect(report).toContain(`${chain.blocks} blocks imported`)
      expect(report).toContain(`head ${chain.blocks} ${chain.head}`)
    })
  }
})

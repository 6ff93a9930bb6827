/** The examples in the comments of the library, each run as a program would run it. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import * as wallet from '../../adapters/browser/wallet.ts'
import * as unstable from '../../adapters/server/unstable.ts'
import * as library from '../../mod.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Files that document what the entries export. */
const FILES = [
  'adapters/server/startNode.ts',
  'adapters/browser/browser.ts',
  'adapters/browser/contract.ts',
  'adapters/browser/wallet/announce.ts',
  'adapters/shared/localNode.ts',
  'adapters/shared/nodeHandle.ts',
  'src/base/primitives/errors.ts',
  'src/dev/devChainGenesis.ts',
  'src/config/devGenesis.ts',
  'src/rpc/providerContract.ts',
]

interface Example {
  readonly title: string
  readonly code: string
}

function examplesIn(file: string): readonly Example[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(/@example\n((?:[ \t]*\* .*\n)+)[ \t]*\*\/\n\s*(.*)/g)].map(([, lines = '', next = '']) => ({
    title: `${file}: ${next.trim().slice(0, 60)}`,
    code: lines.replaceAll(/^[ \t]*\* /gm, ''),
  }))
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...args: unknown[]) => Promise<void>
const scope = { ...library, ...unstable, ...wallet }
const examples = FILES.flatMap(examplesIn)

describe('the examples of the library', () => {
  it('cover every function and class of isonode', () => {
    const code = examples.map((example) => example.code).join('\n')
    const documented = Object.keys(library).filter((name) => name !== 'VERSION')
    expect(documented.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  })

  it.each(examples)('runs: $title', async ({ code }) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await new AsyncFunction(...Object.keys(scope), code)(...Object.values(scope))
    } finally {
      print.mockRestore()
    }
  })
})

/** The built library as programs use it: each must end by itself. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectWithLibrary } from '../support/host/libraryProject.ts'

const REPOSITORY = path.resolve(import.meta.dirname, '../..')
const PROGRAM = path.join(REPOSITORY, 'test/support/host/libraryProgram.mjs')
const SCENARIOS = [
  'listening',
  'unserved',
  'interval',
  'duringStart',
  'duringRequests',
  'onDisk',
  'browser',
  'browserLeftOpen',
]
/** A program that ends by itself needs a second or two. */
const MAX_RUN_MS = 55_000

interface Run {
  readonly code: number | null
  readonly output: string
}

function run(args: readonly string[], cwd: string): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...args], { cwd, timeout: MAX_RUN_MS }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr })
    })
  })
}

let project = ''

beforeAll(() => {
  project = projectWithLibrary()
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe('a program that starts a node', () => {
  it.each(SCENARIOS)('ends by itself: %s', async (scenario) => {
    const library = path.join(REPOSITORY, 'dist/mod.js')
    expect(await run([PROGRAM, library, scenario], project)).toEqual({ code: 0, output: `done: ${scenario}\n` })
  })

  it('may be a CommonJS module', async () => {
    writeFileSync(
      path.join(project, 'program.cjs'),
      `const { createBrowserNode, startNode } = require('isonode')
      startNode().then(async (node) => {
        console.log(await node.request('eth_blockNumber'), typeof createBrowserNode)
        await node.close()
      })`,
    )
    const { code, output } = await run(['program.cjs'], project)
    expect(output.replace(/\(node:\d+\) ExperimentalWarning: .*\n\(Use .*\n/, '')).toBe('0x0 function\n')
    expect(code).toBe(0)
  })

  it('gets the part for pages under the conditions of pages', async () => {
    const manifest = readFileSync(path.join(project, 'node_modules/isonode/package.json'), 'utf8')
    const { exports } = JSON.parse(manifest) as { exports: Record<string, Record<string, string>> }
    expect(exports['.']?.['default']).toBe('./dist/adapters/browser/library.js')
    const page = `import { startNode } from './node_modules/isonode/dist/adapters/browser/library.js'
      await startNode().catch(({ code }) => console.log(code))`
    writeFileSync(path.join(project, 'page.mjs'), page)
    expect(await run(['page.mjs'], project)).toEqual({ code: 0, output: 'UNSUPPORTED_RUNTIME\n' })
  })
})

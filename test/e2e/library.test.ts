/** The built library as programs use it: each must end by itself, and its declarations must compile. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { installedTools, runTool } from '../support/host/tools.ts'

const REPOSITORY = path.resolve(import.meta.dirname, '../..')
const TYPES = path.join(REPOSITORY, 'test/types')
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
const MAX_RUN_MS = 25_000

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

/** A project with the built package, as installed from its archive, among its modules. */
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'isonode-project-'))
  const modules = path.join(project, 'node_modules')
  mkdirSync(path.join(modules, 'isonode'), { recursive: true })
  for (const name of ['package.json', 'dist']) {
    cpSync(path.join(REPOSITORY, name), path.join(modules, 'isonode', name), { recursive: true })
  }
  // The package's dependencies, which are not the project's.
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(modules, 'isonode/node_modules'))
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

/** Compiled as CommonJS. */
const REQUIRING_SOURCE = `
import { startNode, type ListeningNode } from 'isonode'

export const started: Promise<ListeningNode> = startNode({ chainId: 5 })
`

const COMPILERS: readonly (readonly [name: string, file: string | undefined])[] = [
  ['the current TypeScript', path.join(REPOSITORY, 'node_modules/typescript/bin/tsc')],
  ['TypeScript 5.9', installedTools('typescript5/node_modules/typescript/bin/tsc')],
  ['TypeScript 5.4', installedTools('typescript54/node_modules/typescript/bin/tsc')],
]
const NODE = { module: 'nodenext', moduleResolution: 'nodenext' }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const PROJECTS = [
  { ...NODE, lib: ['es2023'], types: [] },
  { ...NODE, lib: ['es2023'], types: ['node'] },
  { ...BUNDLER, lib: ['es2023'], types: [] },
  { ...BUNDLER, lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] },
  { ...BUNDLER, lib: ['esnext', 'webworker'], types: [] },
]
const MAX_COMPILE_MS = 120_000

async function compile(compiler: string, settings: (typeof PROJECTS)[number]): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [path.join(REPOSITORY, 'node_modules/@types')],
    ...settings,
  }
  const isNode = settings.types.includes('node') && settings.module === 'nodenext'
  const files = isNode ? ['library.ts', 'unstable.ts', 'requiring.cts'] : ['library.ts', 'requiring.cts']
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  await runTool(process.execPath, [compiler, '-p', project], { cwd: project })
}

describe.each(COMPILERS)('declarations under %s', (name, compiler) => {
  it('compile with skipLibCheck: false', { timeout: MAX_COMPILE_MS, ...needsTool(name, compiler) }, async () => {
    writeFileSync(path.join(project, 'package.json'), '{"type":"module"}')
    for (const file of ['library.ts', 'unstable.ts']) cpSync(path.join(TYPES, file), path.join(project, file))
    writeFileSync(path.join(project, 'requiring.cts'), REQUIRING_SOURCE)
    // The older compilers take seconds for each.
    const projects = name.startsWith('TypeScript 5') ? PROJECTS.filter((_, i) => i % 3 === 0) : PROJECTS
    for (const settings of projects) await compile(compiler as string, settings)
  })
})

/** The declarations of the built library under the compilers of its users. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { projectWithLibrary } from '../support/host/libraryProject.ts'
import { needsTool } from '../support/host/needs.ts'
import { installedTools, runTool } from '../support/host/tools.ts'

const REPOSITORY = path.resolve(import.meta.dirname, '../..')
const TYPES = path.join(REPOSITORY, 'test/types')

let project = ''

beforeAll(() => {
  project = projectWithLibrary()
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

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

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../src/node/version.ts'

const root = path.resolve(import.meta.dirname, '..')
const src = path.join(root, 'src')

/** Folders of src in ascending order; a module imports from its own folder and from lower ranks. */
const RANKS: readonly string[] = [
  'base',
  'remote',
  'storage',
  'config',
  'types',
  'replay',
  'evm',
  'trie',
  'state',
  'chain',
  'tracing',
  'abi',
  'consensus',
  'fork',
  'txpool',
  'sealing',
  'net',
  'api',
  'activityLog',
  'dev',
  'permissioning',
  'private',
  'rpc',
  'graphql',
  'http',
  'mirror',
  'verified',
  'node',
  'cli',
]

function sourceFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

function rankOf(file: string): number {
  return RANKS.indexOf(path.relative(src, file).split(path.sep)[0] as string)
}

function importsOf(text: string): string[] {
  const found = [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm)]
  return found.map((match) => match[1] as string)
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:])\/\/.*$/gm, '$1')

const withoutStrings = (text: string): string => text.replace(/'(?:[^'\\\n]|\\.)*'/g, "''")

/** One circle for each import that leads back to a file on the current path. */
function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (file: string): void => {
    const at = way.indexOf(file)
    if (at >= 0) circles.push([...way.slice(at), file])
    if (at >= 0 || done.has(file)) return
    way.push(file)
    for (const target of edges.get(file) ?? []) visit(target)
    way.pop()
    done.add(file)
  }
  for (const file of edges.keys()) visit(file)
  return circles
}

describe('the layers of src', () => {
  const files = sourceFiles(src)

  it('every folder has a rank', () => {
    expect(files.filter((file) => rankOf(file) < 0).map((file) => path.relative(src, file))).toEqual([])
  })

  it('modules import only from their own folder and from lower ones', () => {
    const wrong: string[] = []
    for (const file of files) {
      for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
        if (!specifier.startsWith('.')) continue
        const target = path.resolve(path.dirname(file), specifier)
        const from = path.relative(src, file)
        const to = path.relative(src, target)
        if (to.startsWith('..')) wrong.push(`${from} leaves src: ${specifier}`)
        else if (rankOf(target) > rankOf(file)) wrong.push(`${from} → ${to}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('no files import each other in a circle, not even for types', () => {
    const edges = new Map<string, string[]>()
    for (const file of files) {
      const targets = importsOf(withoutComments(readFileSync(file, 'utf8')))
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => path.resolve(path.dirname(file), specifier))
      edges.set(file, targets)
    }
    expect(circlesOf(edges).map((circle) => circle.map((file) => path.relative(src, file)))).toEqual([])
  })

  it('names no runtime', () => {
    const names =
      /\b(?:Deno|Bun|process|Buffer|window|document|require|__dirname)\s*[.([]|\bglobalThis\.(?:Deno|Bun|process|Buffer)/
    const wrong: string[] = []
    for (const file of files) {
      const text = withoutComments(readFileSync(file, 'utf8'))
      if (names.test(text)) wrong.push(`${path.relative(src, file)}: ${names.exec(text)?.[0]}`)
      for (const specifier of importsOf(text)) {
        if (/^(?:node|bun|cloudflare|jsr):/.test(specifier))
          wrong.push(`${path.relative(src, file)} imports ${specifier}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('has no ambient clock, timers or random numbers: they come through ports', () => {
    const names =
      /\b(?:crypto|performance|Math\.random|setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame|requestIdleCallback|MessageChannel|Atomics\.wait|AbortSignal\.timeout|Date\.now|Date\(\))(?![\w:])/
    const wrong: string[] = []
    for (const file of files) {
      // Methods of our own, such as `mining.setInterval`, are not the global functions.
      const text = withoutStrings(withoutComments(readFileSync(file, 'utf8'))).replace(
        /[\w)\]]\.set(?:Interval|Timeout)\b/g,
        '',
      )
      const found = names.exec(text.replace(/\bsetInterval\(intervalMs: number\)/g, ''))
      if (found !== null) wrong.push(`${path.relative(src, file)}: ${found[0]}`)
    }
    expect(wrong).toEqual([])
  })

  it('keeps files under 500 lines, data aside', () => {
    const long = files
      .filter((file) => !/[\\/](?:networks|limits)[\\/]|nodeFlags\.ts$/.test(file))
      .filter((file) => readFileSync(file, 'utf8').split('\n').length > 500)
    expect(long.map((file) => path.relative(src, file))).toEqual([])
  })
})

describe.each([
  { folder: 'adapters/page', least: 100 },
  { folder: 'adapters/devtools', least: 10 },
  { folder: 'adapters/extension', least: 20 },
])('the page in $folder', ({ folder: name, least }) => {
  it('makes no HTML and no code from text', () => {
    const sinks =
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|DOMParser|createContextualFragment|document\.write(?:ln)?|eval|Function)\b(?=\s*[=(:.])|\bjavascript:|<script(?![^>]*\bsrc=)|\son[a-z]+=["']/
    const folder = path.join(root, name)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.d)\.(?:tsx?|html)$/.test(file),
    )
    // The developer tools have no other way to ask for the address of the page.
    const allowed = "inspectedWindow.eval('location.origin'"
    const wrong = files.flatMap((file) => {
      const found = sinks.exec(withoutComments(readFileSync(path.join(folder, file), 'utf8')).replace(allowed, ''))
      return found === null ? [] : [`${file}: ${found[0]}`]
    })
    expect(files.length).toBeGreaterThan(least)
    expect(wrong).toEqual([])
  })
})

/** Pages of public standards that comments may name. */
const STANDARDS: readonly string[] = [
  'rlpx.md',
  'discv4.md',
  'discv5-theory.md',
  'discv5-wire.md',
  'discv5-wire-test-vectors.md',
  'dnsdisc.md',
  'caps/eth.md',
  'caps/snap.md',
  'enr-entries/eth.md',
]

/** Names of files and folders below the root, with `/` before each. */
function namesBelow(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.parentPath.includes('node_modules'))
    .map((entry) => `/${path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')}`)
}

/** Names of files and paths in a comment. Addresses, patterns, built files and files beside the repository are left out. */
function namedIn(comment: string): string[] {
  return comment
    .split(/\s+/)
    .filter((word) => word.length < 200 && !/:\/\/|[<*]|import\(|\bdist\/|\.\.\/shared\//.test(word))
    .flatMap(
      (word) => /(?:[\w@.-]+\/)*[\w.-]+\.(?:md|m?ts|mjs)\b|\b(?:src|adapters|test|docs)\/[\w./-]*\w/.exec(word) ?? [],
    )
    .map((name) => name.replace(/^(?:\.\.?\/)+/, ''))
}

function commentsOf(text: string): string[] {
  return [...text.matchAll(/^\s*\/\*[\s\S]*?\*\/|(?<=^|[^:/'"`])\/\/.*$/gm)].map(([comment]) => comment)
}

describe('the comments', () => {
  it('name files and folders that exist, or public standards', () => {
    const folders = ['src', 'adapters', 'test', 'docs', 'examples', '.ci']
    const existing = [...folders.flatMap(namesBelow), ...readdirSync(root).map((name) => `/${name}`)]
    const known = new Set(
      existing.flatMap((name) => [...name.matchAll(/\//g)].map(({ index }) => name.slice(index + 1))),
    )
    const wrong: string[] = []
    for (const file of existing.filter((name) => /^\/(?:src|adapters|test|mod)\b.*\.(?:ts|mjs)$/.test(name))) {
      for (const name of commentsOf(readFileSync(path.join(root, file), 'utf8')).flatMap(namedIn)) {
        if (!known.has(name) && !STANDARDS.includes(name)) wrong.push(`${file}: ${name}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('name sections of the reference that exist', () => {
    const wrong: string[] = []
    for (const file of ['src', 'adapters', 'test'].flatMap(namesBelow).filter((name) => name.endsWith('.ts'))) {
      const comments = commentsOf(readFileSync(path.join(root, file), 'utf8')).join('\n')
      for (const [, page = '', numbers = ''] of comments.matchAll(
        /docs\/reference\/(\S+\.md) sections? ((?:\d+(?:, | to | and )?)+)/g,
      )) {
        const text = readFileSync(path.join(root, 'docs/reference', page), 'utf8')
        for (const [number] of numbers.matchAll(/\d+/g)) {
          if (!text.includes(`\n## ${number}. `)) wrong.push(`${file}: ${page} section ${number}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

interface PackageJson {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies?: Record<string, string>
  exports: Record<string, PackageExport>
}

/** A file, or more of them by condition. */
type PackageExport = string | { readonly [condition: string]: PackageExport }

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as PackageJson
  const deno = JSON.parse(readFileSync(path.join(root, 'deno.json'), 'utf8')) as {
    version: string
    imports: Record<string, string>
  }

  it('has one version', () => {
    expect([manifest.version, deno.version]).toEqual([VERSION, VERSION])
  })

  it('pins the same versions in deno.json and package.json', () => {
    const versions = { ...manifest.devDependencies, ...manifest.dependencies, ...manifest.optionalDependencies }
    const pinned = new Map<string, string>()
    for (const target of Object.values(deno.imports)) {
      const match = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)\/?$/.exec(target)
      if (match !== null) pinned.set(match[1] as string, match[2] as string)
    }
    for (const [name, version] of pinned) expect(`${name}@${version}`).toBe(`${name}@${versions[name]}`)
    expect(Object.keys(manifest.dependencies).filter((name) => !pinned.has(name))).toEqual([])
  })

  it('has exact versions and a lock file without hosts', () => {
    for (const version of Object.values(manifest.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
  })

  it('exports files that are built from sources that exist', () => {
    const filesOf = (target: PackageExport): string[] =>
      typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf)
    const files = Object.values(manifest.exports).flatMap(filesOf)
    for (const file of files) {
      if (!file.startsWith('./dist/')) continue
      const source = file.replace(/^.\/dist\/(?:types\/)?/, './').replace(/(?:\.d\.c?ts|\.c?js)$/, '.ts')
      expect(() => readFileSync(path.join(root, source)), source).not.toThrow()
    }
  })
})

/** The rules of the tests themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { onlyOnNode } from './support/host/needs.ts'

const ROOT = import.meta.dirname

/** A node of the syntax tree. */
interface Syntax {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

const FUNCTIONS: ReadonlySet<string> = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

const isSyntax = (value: unknown): value is Syntax => typeof (value as Syntax | null)?.type === 'string'

/** Calls a function for a node and for everything within it; nothing within a node for which it returns false. */
function walk(node: Syntax, visit: (node: Syntax) => boolean): void {
  if (!visit(node)) return
  for (const member in node) {
    const value = node[member]
    if (!Array.isArray(value)) {
      if (isSyntax(value)) walk(value, visit)
    } else for (const item of value) if (isSyntax(item)) walk(item, visit)
  }
}

/** The name that a chain such as `it.each(table)(…)` begins with. */
function calledName(node: Syntax): unknown {
  if (node.type === 'Identifier') return node['name']
  const inner = node['callee'] ?? node['object'] ?? node['tag']
  return isSyntax(inner) ? calledName(inner) : undefined
}

/** Bodies of the functions that a file passes to `it` or `test`. */
function testBodies(program: Syntax): Syntax[] {
  const calls: Syntax[] = []
  walk(program, (node) => {
    if (node.type === 'CallExpression' && ['it', 'test'].includes(String(calledName(node)))) calls.push(node)
    return true
  })
  return calls
    .flatMap((call) => (call['arguments'] as readonly Syntax[]).filter(({ type }) => FUNCTIONS.has(type)))
    .map((callback) => callback['body'] as Syntax)
    .filter(({ type }) => type === 'BlockStatement')
}

/** Positions of the statements that end a test before its last statement. */
function earlyReturns(program: Syntax): number[] {
  return testBodies(program).flatMap((body) => {
    const last = (body['body'] as readonly Syntax[]).at(-1)
    const found: number[] = []
    walk(body, (node) => {
      if (node.type === 'ReturnStatement' && node !== last) found.push(node.start)
      return !FUNCTIONS.has(node.type)
    })
    return found
  })
}

const SKIPS = /\b(?:it|test|describe|context)\.(?:skipIf|runIf|skip|todo)\(/

describe('a test', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
  const textOf = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8')
  const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

  it('does not return early, because it would pass without a result', onlyOnNode, async () => {
    const { parseAst } = await import('vitest/node')
    const found = files.flatMap((name) => {
      const text = textOf(name)
      const program = parseAst(text, { lang: 'ts' }) as unknown as Syntax
      return earlyReturns(program).map((at) => `${name}:${lineOf(text, at)}`)
    })
    expect(files.length).toBeGreaterThan(400)
    expect(found).toEqual([])
  })

  it('is skipped with a reason, by the options of support/host/needs.ts', () => {
    expect(files.filter((name) => SKIPS.test(textOf(name)))).toEqual([])
  })
})

it('the index of helpers names what their files export', () => {
  const index = readFileSync(path.join(ROOT, 'support/README.md'), 'utf8')
  const rows = [...index.matchAll(/^\| .* \| (`.*`) \| \[.*\]\((.*)\) \|$/gm)]
  const absent = rows.flatMap(([, names = '', file = '']) => {
    const text = readFileSync(path.join(ROOT, 'support', file), 'utf8')
    const isExported = (name: string): boolean => new RegExp(`^export .*\\b${name}\\b`, 'm').test(text)
    return [...names.matchAll(/`(\w+)/g)].map(([, name]) => name as string).filter((name) => !isExported(name))
  })
  expect(rows.length).toBeGreaterThan(30)
  expect(absent).toEqual([])
})

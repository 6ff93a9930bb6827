/** docs/limits.md, from the constants in src/base/limits and their comments. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as limits from '../../../src/base/limits/limits.ts'
import { cell } from './methodPages.ts'

interface Limit {
  readonly name: string
  /** First words of its comment. */
  readonly subject: string
  readonly meaning: string
}

/** Subjects by the reader who meets them, in the order of the page; all others are inside the node. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'What clients meet': [
    'HTTP',
    'Connections',
    'JSON-RPC',
    'WebSocket',
    'GraphQL',
    'Login',
    'Methods',
    'Logs',
    'Filters',
    'Subscriptions',
    'Privacy',
    'Dev chain',
  ],
  'What operators meet': [
    'Pool',
    'Peers',
    'Discovery',
    'DNS node lists',
    'Mining',
    'Stratum',
    'Ethash',
    'Permissioning',
    'Enclave',
    'Plugins',
    'Metrics',
    'Trace files',
    'Log',
    'Log of the dev chain',
    'Commands',
    'Workers',
    'Browser',
  ],
}
const INSIDE = 'Inside the node'

const FILES = [
  'limits.ts',
  'pruningLimits.ts',
  'bftLimits.ts',
  'devLimits.ts',
  'networkLimits.ts',
  'enclaveLimits.ts',
  'evmLimits.ts',
].map((name) => path.resolve(import.meta.dirname, '../../../src/base/limits', name))

export function limitsPage(): string {
  const all = FILES.flatMap((file) => limitsOf(readFileSync(file, 'utf8')))
  const named = Object.values(PARTS).flat()
  const inside = [...new Set(all.map(({ subject }) => subject))].filter((subject) => !named.includes(subject))
  return [
    '# Internal limits',
    '',
    'Bounds of queues, caches, buffers and times, generated from `src/base/limits` by `npm run docs`. They are not options,',
    'except where one is named; then the value is its default, which may differ on the dev chain ([options](options.md)).',
    '',
    ...Object.entries({ ...PARTS, [INSIDE]: inside }).flatMap(([title, subjects]) => [
      `## ${title}`,
      '',
      ...subjects.flatMap((subject) => table(subject, all)),
    ]),
  ].join('\n')
}

function table(subject: string, all: readonly Limit[]): string[] {
  const values = limits as Readonly<Record<string, unknown>>
  const rows = all.filter((limit) => limit.subject === subject)
  if (rows.length === 0) throw new Error(`no limit of ${subject}`)
  return [
    `### ${subject}`,
    '',
    '| Value | Meaning | Constant |',
    '|---|---|---|',
    ...rows.map(({ name, meaning }) => `| ${amount(name, values[name])} | ${cell(meaning)} | \`${name}\` |`),
    '',
  ]
}

/** Each constant below its own comment. */
function limitsOf(source: string): Limit[] {
  const made: Limit[] = []
  for (const [, comment, name] of source.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export const (\w+)/gm)) {
    const text = (comment ?? '').replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()
    const [, subject, meaning] = /^([\w -]+): (.+)$/.exec(text) ?? []
    if (subject === undefined || meaning === undefined) {
      throw new Error(`${name}: expected a comment "Subject: meaning.", got "${text}"`)
    }
    const marked = meaning
      .replaceAll(/(?<!`)(--[\w-]+)/g, '`$1`')
      .replaceAll(/(?<![`\w])([A-Z]+(?:_[A-Z]+)+)\b/g, '`$1`')
    made.push({ name: name as string, subject, meaning: marked.charAt(0).toUpperCase() + marked.slice(1) })
  }
  return made
}

const MIB = 1024 * 1024
const KIB = 1024

function amount(name: string, value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new Error(`${name} is no number`)
  if (/_MS$/.test(name)) return Number(value) >= 1000 ? `${grouped(Number(value) / 1000)} s` : `${grouped(value)} ms`
  if (/_SECONDS$/.test(name)) return `${grouped(value)} s`
  if (/_KIB$/.test(name)) return `${grouped(value)} KiB`
  if (/BYTES$/.test(name)) return bytes(Number(value))
  if (/LENGTH$/.test(name)) return `${grouped(value)} characters`
  if (/GAS$/.test(name)) return `${grouped(value)} gas`
  if (/SHARE$/.test(name)) return `${Number(value) * 100} %`
  return grouped(value)
}

function bytes(value: number): string {
  if (value % MIB === 0) return `${grouped(value / MIB)} MiB`
  return value % KIB === 0 ? `${grouped(value / KIB)} KiB` : `${grouped(value)} bytes`
}

function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

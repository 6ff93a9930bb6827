/** docs/limits.md, from the constants in src/base/limits and their comments. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as limits from '../../../src/base/limits/limits.ts'
import {
  budgetBytes,
  MAIN_SHARES,
  MIN_MEMORY_BYTES,
  memoryBudget,
  type ShareName,
  THREAD_SHARES,
} from '../../../src/base/limits/memoryShares.ts'
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
    'Steps',
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
    'Fork',
    'Log',
    'Log of the dev chain',
    'Commands',
    'Remotes',
    'Mirror stores',
    'Mirror',
    'Recordings',
    'Workers',
    'Browser',
  ],
}
const INSIDE = 'Inside the node'

const FILES = [
  'limits.ts',
  'memoryLimits.ts',
  'pruningLimits.ts',
  'bftLimits.ts',
  'devLimits.ts',
  'abiLimits.ts',
  'networkLimits.ts',
  'enclaveLimits.ts',
  'evmLimits.ts',
  'forkLimits.ts',
  'browserLimits.ts',
  'verifiedLimits.ts',
  'forkMemoryLimits.ts',
  'remoteLimits.ts',
  'sharingLimits.ts',
  'httpWorkerLimits.ts',
  'workerLimits.ts',
  'replayLimits.ts',
  'stepLimits.ts',
  'otsLimits.ts',
  'publisherLimits.ts',
  'objectLimits.ts',
  'mirrorLimits.ts',
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
    ...memorySection(),
    ...Object.entries({ ...PARTS, [INSIDE]: inside }).flatMap(([title, subjects]) => [
      `## ${title}`,
      '',
      ...subjects.flatMap((subject) => table(subject, all)),
    ]),
  ].join('\n')
}

/** Purpose of each share of the memory target. */
const SHARE_MEANINGS: Readonly<Record<ShareName, string>> = {
  nodes: 'Decoded trie nodes',
  codes: 'Contract code',
  blocks: 'Decoded headers, bodies, receipts and senders, and encoded logs',
  recentStates: 'Accounts and slots of older states that are read repeatedly',
  hotState: 'Accounts and slots of the newest state',
  tracedChanges: 'State changes of traced blocks',
  traceResults: 'Answers to traces',
  executions: 'Calls that run or pause, and idle instances of the EVM',
  candidates: 'Blocks that were executed but not committed',
  pool: 'Transaction pool',
  outbound: 'Unsent bytes of all connections',
}

/** Buffers beside the memory target. */
const FIXED = [
  'MAX_RUN_BYTES',
  'BAD_BLOCK_BYTES',
  'MINED_MEMORY_BYTES',
  'SNAP_NODE_CACHE_BYTES',
  'MAX_SYNC_BODY_BYTES',
  'MAX_WAITING_BLOCK_BYTES',
  'MAX_WAITING_TRANSACTION_BYTES',
  'MAX_WAITING_REQUEST_BYTES',
] as const

function memorySection(): string[] {
  const names = Object.keys(MAIN_SHARES) as ShareName[]
  const most = (threads: number): string => mebibytes(budgetBytes(memoryBudget(Number.MAX_SAFE_INTEGER, threads)))
  const values: Readonly<Record<(typeof FIXED)[number], number>> = limits
  const fixed = FIXED.reduce((sum, name) => sum + values[name], 0)
  return [
    '## Memory',
    '',
    'Caches, pools and executions share one target: `--memory-target`, or a quarter of the memory of the machine or container, at',
    `most ${mebibytes(limits.MAX_DEFAULT_MEMORY_BYTES)}. The smallest target is ${mebibytes(MIN_MEMORY_BYTES)}; a page has`,
    `${mebibytes(limits.PAGE_MEMORY_BYTES)}, a Worker the smallest target. Each share lies between its bounds, and the sum of all`,
    `shares is at most the target. All upper bounds together are ${most(0)} without threads that answer requests, ${most(1)} with`,
    `one and ${most(limits.MAX_REQUEST_WORKERS)} with ${limits.MAX_REQUEST_WORKERS}: a larger target has no effect. A small target has fewer threads.`,
    '',
    '| Share | Main thread | Each thread that answers requests |',
    '|---|---|---|',
    ...names.map((name) => `| ${SHARE_MEANINGS[name]} | ${range(MAIN_SHARES[name])} | ${range(THREAD_SHARES[name])} |`),
    '',
    `Not in the target: the program itself, the pages of the database that the system keeps in memory, data of a chain in memory, and`,
    `buffers of at most ${mebibytes(fixed)} (${FIXED.map((name) => `\`${name}\``).join(', ')}). A transaction of a block may use`,
    'more memory than the share of executions.',
    '',
  ]
}

function range({ min, max }: { readonly min: number; readonly max: number }): string {
  return max === 0 ? '' : `${mebibytes(min)} to ${mebibytes(max)}`
}

function mebibytes(value: number): string {
  return value % MIB === 0 || value > 100 * MIB
    ? `${grouped(Math.round(value / MIB))} MiB`
    : `${grouped(Math.ceil(value / KIB))} KiB`
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

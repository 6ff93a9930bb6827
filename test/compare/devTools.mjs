/**
 * Compares the dev chain with anvil, the nodes of Hardhat 3 and 2, and ganache, feature by feature: each cell is the result of calls to
 * the running tool, or of reading its log. Prints a Markdown table; `--write` stores the whole table in docs/comparison.md.
 *
 *   node test/compare/devTools.mjs [--tools isonode,anvil] [--rows TEXT] [--write] [--complete]
 *
 * Needs the built node. The others are expected in .cache; missing ones are skipped. Ends with 1 if docs/comparison.md says
 * something else about a tool; with `--complete` also if isonode lacks a feature that it is not known to lack.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ROWS, stopShared } from './rows.mjs'
import { TOOLS } from './tools.mjs'

const PAGE = path.resolve(import.meta.dirname, '../../docs/comparison.md')

/** Rows whose feature isonode lacks, wholly or in part. */
const KNOWN_GAPS = [
  'further options: timestamp, number, slots in an epoch, mixed mining, config out, IPC, no CORS, mnemonic seed, no minimum priority fee, no block gas limit, no code size limit, JSON log',
  'contracts by option: permit2, entrypoint, createx',
  '`wallet_sendCalls`, all calls in one transaction',
]

/** Rows in which another tool sometimes wins and sometimes loses a race: its cell is not compared with the page. */
const RACES = ["20 transactions at once with ethers' NonceManager"]

const { values } = parseArgs({
  options: {
    tools: { type: 'string' },
    rows: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    complete: { type: 'boolean', default: false },
  },
})
const tools = TOOLS.filter(({ name }) => values.tools === undefined || values.tools.split(',').includes(name))
const rows = Object.entries(ROWS).filter(([row]) => row.includes(values.rows))

const table = []
const faults = []
let passed = 0
const documented = values.write ? new Map() : documentedCells()
print(['Feature', ...tools.map(({ name }) => name)])
print(['---', ...tools.map(() => '---')])
for (const [row, check] of rows) {
  const cells = await Promise.all(tools.map((tool) => attempt(check, tool)))
  for (const [at, tool] of tools.entries()) {
    // Other programs on the machine may hold up the first attempt of a tool.
    if (tool.name !== 'isonode' && !isDocumented(row, tool.name, cells[at])) cells[at] = await attempt(check, tool)
  }
  print([row, ...cells])
  for (const [at, { name }] of tools.entries()) judge(row, name, cells[at])
}
await stopShared()
if (values.write && values.rows === '' && values.tools === undefined) writeFileSync(PAGE, page())
for (const fault of faults) console.log(fault)
console.log(`\n${passed} passed, ${faults.length} failed`)
process.exitCode = faults.length === 0 ? 0 : 1

function print(cells) {
  const line = `| ${cells.join(' | ')} |`
  table.push(line)
  console.log(line)
}

function judge(row, tool, cell) {
  if (values.complete && tool === 'isonode' && !KNOWN_GAPS.includes(row) && cell !== 'yes')
    faults.push(`isonode lacks: ${row} (${cell})`)
  else if (isDocumented(row, tool, cell)) passed++
  else faults.push(`${row}: docs/comparison.md says "${documented.get(`${row}/${tool}`)}" of ${tool}, not "${cell}"`)
}

/** @returns whether the page says the same of the tool, or has no such cell */
function isDocumented(row, tool, cell) {
  const expected = documented.get(`${row}/${tool}`)
  if (expected === undefined || expected === cell) return true
  return tool !== 'isonode' && (RACES.includes(row) || withoutCount(expected) === withoutCount(cell))
}

/** How many tests of a project pass with another tool depends on the speed of the machine; that some fail does not. */
function withoutCount(cell) {
  return cell.replace(/^part: \d+ of /, 'part: some of ')
}

/** A tool that fails lacks the feature. */
async function attempt(check, tool) {
  try {
    return await check(tool)
  } catch (error) {
    console.error(`${tool.name}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
    return 'no'
  }
}

/** `row/tool` → cell of the table in docs. */
function documentedCells() {
  if (!existsSync(PAGE)) return new Map()
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '))
  const [head = [], , ...body] = cells
  return new Map(body.flatMap(([row, ...rest]) => rest.map((cell, at) => [`${row}/${head[at + 1]}`, cell])))
}

function page() {
  return [
    '# Comparison of dev chains',
    '',
    'Written by `node test/compare/devTools.mjs --write`, which starts each tool, calls it and reads its log. CI repeats the',
    'checks.',
    '',
    `Versions: ${tools.map(({ name, version }) => `${name} ${version()}`).join(', ')}.`,
    '',
    ...table,
    '',
  ].join('\n')
}

/**
 * Measures the figures of README.md and docs/measurements.md, and writes their tables.
 *
 *   node test/bench/readme.mjs [--rounds 3] [--besu 8545 --beside 8645 --chain "mainnet-1000"]
 *
 * Needs a quiet machine and the built node. The dev tools are those of dev.bench.mjs. Besu's table is written only with
 * `--besu`: the ports name a node of Besu and one of isonode that run already and serve the same chain, with the groups ETH
 * and TRACE.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGES = ['README.md', 'docs/measurements.md']
const CONNECTIONS = 8
const SECONDS = 2

/** Rows of dev.bench.mjs that the tables show, and their names there. */
const DEV_ROWS = {
  'time to the first answer': 'start until the first answer',
  'memory after the start': 'memory after the start',
  'transfers, 1 connection: until the receipt': 'transfers with receipt, one client',
  'transfers, 8 connections: until the receipt': 'transfers with receipt, eight clients',
  'eth_call, 1 connection: calls': '`eth_call`, one client',
  'eth_call, 16 connections: calls': '`eth_call`, 16 clients',
  'WebSocket, 50 connections: head p50': 'a new head at 50 subscribers, median',
  'memory after the load': 'memory after the load',
}
const TARGETS = { ours: 'isonode', anvil: 'anvil', hardhat3: 'Hardhat 3', hardhat: 'Hardhat 2', ganache: 'ganache' }

const BESU_REQUESTS = {
  eth_blockNumber: [],
  eth_getBalance: ['0x0000000000000000000000000000000000000001', 'latest'],
  eth_getBlockByNumber: ['latest', true],
  eth_call: [{ to: '0x0000000000000000000000000000000000000004', data: '0x12' }, 'latest'],
  eth_getLogs: [{ fromBlock: '0x0', toBlock: '0x20' }],
  trace_block: ['latest'],
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    besu: { type: 'string' },
    beside: { type: 'string' },
    chain: { type: 'string', default: 'the same chain' },
  },
})
const rounds = Number(options.rounds)

replace('dev tools', devTable())
if (options.besu !== undefined && options.beside !== undefined) replace('besu', await besuTable())

function devTable() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-readme-'))
  try {
    const json = path.join(folder, 'dev.json')
    const bench = path.join(ROOT, 'test/bench/dev.bench.mjs')
    const { status } = spawnSync(process.execPath, [bench, '--rounds', String(rounds), '--json', json], {
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`dev.bench.mjs ended with ${status}`)
    const { rows } = JSON.parse(readFileSync(json, 'utf8'))
    const names = Object.keys(TARGETS).filter((name) => rows.some(({ targets }) => targets[name] !== undefined))
    const shown = rows.filter(({ row }) => DEV_ROWS[row] !== undefined)
    return [
      `Medians of ${rounds} rounds on ${machine()}. The tools alternate within each round, so compare the columns.`,
      '',
      `| | unit | ${names.map((name) => TARGETS[name]).join(' | ')} |`,
      `|---|---|${'---:|'.repeat(names.length)}`,
      ...shown.map(
        ({ row, unit, targets }) =>
          `| ${DEV_ROWS[row]} | ${unit} | ${names.map((name) => cell(targets[name])).join(' | ')} |`,
      ),
      '',
      '`*`: the tool stood still with pending transactions; this time is not counted.',
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function cell(target) {
  if (target?.median === undefined) return '–'
  return `${number(target.median)}${target.nudged || target.stalls ? '*' : ''}`
}

function number(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2)
}

async function besuTable() {
  const lines = [
    `Requests per second with ${CONNECTIONS} connections, medians of ${rounds} rounds of ${SECONDS} s on ${machine()}; both nodes serve ${options.chain}.`,
    '',
    '| Request | Besu | isonode |',
    '|---|---:|---:|',
  ]
  for (const [method, params] of Object.entries(BESU_REQUESTS)) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const figures = { besu: [], beside: [] }
    for (let round = 0; round < rounds; round++)
      for (const name of round % 2 === 0 ? ['besu', 'beside'] : ['beside', 'besu'])
        figures[name].push(await load(options[name], body))
    const [besu, ours] = [figures.besu, figures.beside].map((all) => number(all.sort((a, b) => a - b)[rounds >> 1]))
    lines.push(`| \`${method}\` | ${besu} | ${ours} |`)
  }
  return lines
}

/** @returns answers per second */
function load(port, body) {
  const program = path.join(ROOT, 'test/bench/httpLoad.mjs')
  const child = spawn(process.execPath, [program, port, String(CONNECTIONS), String(SECONDS), body])
  let printed = ''
  child.stdout.on('data', (text) => {
    printed += text
  })
  child.stderr.pipe(process.stderr)
  return new Promise((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve(Number(printed)) : reject(new Error(`no figure for ${body}`))))
  })
}

function machine() {
  const [{ model }] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} processors (${model.trim()}), ${memory} GiB, ${process.platform}, Node ${process.version}`
}

/** Writes the lines between the comments of this table, in each page that has them. */
function replace(table, lines) {
  const [start, end] = [`<!-- table: ${table} -->`, `<!-- end of table: ${table} -->`]
  for (const page of PAGES) {
    const file = path.join(ROOT, page)
    const text = readFileSync(file, 'utf8')
    const [from, to] = [text.indexOf(start), text.indexOf(end)]
    if (from === -1 || to === -1) continue
    writeFileSync(file, `${text.slice(0, from + start.length)}\n\n${lines.join('\n')}\n\n${text.slice(to)}`)
    console.log(`wrote the table "${table}" in ${page}`)
  }
}

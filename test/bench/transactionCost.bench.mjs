/**
 * Measures the processor time of a transaction, beside another build and anvil, in turns. Needs the built node.
 *
 *   npm run build && node test/bench/transactionCost.bench.mjs [--rounds 7] [--transfers 500] [--before DIR]
 *     [--targets ours,anvil] [--only TEXT] [--blocks 5] [--profile]
 *
 * The rows: transfers that `eth_simulateV1` runs; transfers that `evm_mine` puts into one block; the same block traced with
 * `callTracer`, for which anvil needs minutes and is left out, and read with its receipts; transfers in blocks that are
 * imported into memory; blocks of the main network that `eth_simulateV1` runs. Those are in the folder `mainnet` of
 * ISONODE_SETS (default ../shared/bench/sets); all of them run under the rules of Cancun, and use the same gas on all
 * targets. `--blocks` takes only that many of them.
 *
 * A cell is in microseconds per transaction: the median over the rounds of the processor time of all threads of the
 * target. In brackets is the median of the ratios to the first target of the round, ours. A young process has not run
 * anything before; the others are warm. `--profile` prints the functions and stages of our process that take the most time.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { topEntries } from './cpuProfile.mjs'
import { beforeTarget, installedTargets } from './devTargets.mjs'
import { importStages } from './importStages.mjs'
import { mainnetBlocks } from './mainnetBlocks.mjs'
import { simulatedBlock, transferRows } from './transactionCostRows.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const PROFILE_ENTRIES = 45
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    transfers: { type: 'string', default: '500' },
    targets: { type: 'string', default: 'ours,anvil' },
    before: { type: 'string' },
    only: { type: 'string', default: '' },
    blocks: { type: 'string', default: 'Infinity' },
    profile: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const transfers = Number(values.transfers)
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-cost-'))
const targets = installedTargets(values.targets.split(','))
if (values.before !== undefined) targets.push(beforeTarget(path.resolve(values.before)))
/** row -> target -> microseconds by round */
const table = new Map()
const isWanted = (row) => row.includes(values.only)

try {
  const own = { rounds, temporary, targets: targets.map(profiledTarget), note }
  await transferRows({ ...own, transfers, isWanted })
  if (isWanted('imported')) importRow()
  if (isWanted('main network')) {
    for (const block of mainnetBlocks(Number(values.blocks))) await simulatedBlock({ ...own, block })
    sumBlocks()
  }
  print()
  if (values.profile) printProfile()
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/** Our process writes its profile when it ends. */
function profiledTarget(target) {
  if (!values.profile || target.name !== 'ours') return target
  const command = (folder) => {
    const [program, ...rest] = target.command(folder)
    return [program, '--cpu-prof', `--cpu-prof-dir=${temporary}/profile`, '--cpu-prof-interval=200', ...rest]
  }
  return { ...target, command }
}

function note(row, name, round, micros) {
  if (!table.has(row)) table.set(row, {})
  const cells = table.get(row)
  cells[name] ??= []
  cells[name][round] = micros
}

/** Each build imports in a process of its own. */
function importRow() {
  const builds = { ours: root, ...(values.before === undefined ? {} : { before: path.resolve(values.before) }) }
  const script = path.join(import.meta.dirname, 'importInMemory.mjs')
  for (let round = 0; round < rounds; round++) {
    const names = round % 2 === 0 ? Object.keys(builds) : Object.keys(builds).reverse()
    for (const name of names) {
      const args = [script, builds[name], path.join(temporary, 'chain'), String(transfers)]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name}: ${stderr}`)
      for (const [row, micros] of Object.entries(JSON.parse(stdout))) note(row, name, round, micros)
    }
  }
}

/** The blocks together: each transaction counts the same. */
function sumBlocks() {
  const rows = [...table].filter(([row]) => row.startsWith('main network, block'))
  const transactions = rows.reduce((sum, [row]) => sum + Number(/(\d+) transactions/.exec(row)[1]), 0)
  for (const { name } of targets)
    for (let round = 0; round < rounds; round++) {
      const weighted = rows.map(([row, cells]) => cells[name][round] * Number(/(\d+) transactions/.exec(row)[1]))
      note('main network, together', name, round, weighted.reduce((sum, micros) => sum + micros, 0) / transactions)
    }
}

function print() {
  for (const [row, cells] of table) {
    const texts = Object.entries(cells).map(([name, list]) => {
      const ratio = median(list.map((micros, round) => micros / cells.ours?.[round]))
      return `${name} ${median(list).toFixed(1)} (${ratio.toFixed(2)})`
    })
    console.log(`${row.padEnd(44)} ${texts.join('   ')}`)
  }
}

function printProfile() {
  const { stages, functions } = importStages(path.join(temporary, 'profile'))
  for (const { key, share } of [...topEntries(stages, stages.size), ...topEntries(functions, PROFILE_ENTRIES)])
    console.log(`${(100 * share).toFixed(1).padStart(6)} %  ${key}`)
}

function median(list) {
  const sorted = list.filter(Number.isFinite).sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

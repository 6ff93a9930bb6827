/**
 * Compares the dev chain with anvil, the nodes of Hardhat 3 and 2, and ganache, alternating in one run.
 *
 *   node test/bench/dev.bench.mjs [--rounds 3] [--targets ours,anvil,hardhat3,hardhat,ganache] [--transactions 300] [--samples 200]
 *                                 [--json FILE]
 *
 * Each round starts every target again and runs each scenario on one target after the other, for at most 3 s; the
 * order of the targets rotates by one per round. A cell shows the median over the rounds and, in brackets, the median
 * of the rounds' ratios to anvil, where values above 1 mean that the target is better. On a busy machine only the
 * ratios are meaningful.
 *
 * Needs the built node. The other targets are expected in .cache (foundry: @foundry-rs/anvil-<platform>, hardhat3:
 * hardhat@3 with Node 22 in node22, hardhat: hardhat@2, ganache: ganache@7); missing ones are skipped.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeScenarios, prepare } from './devScenarios.mjs'
import { installedTargets, residentMiB, startTarget, stopTarget } from './devTargets.mjs'

const REFERENCE = 'anvil'
const IDLE_MS = 1_000
const MORE_IS_BETTER = new Set(['tx/s', 'req/s'])

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    targets: { type: 'string', default: 'ours,anvil,hardhat3,hardhat,ganache' },
    transactions: { type: 'string', default: '300' },
    samples: { type: 'string', default: '200' },
    json: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const plan = makeScenarios({ transactions: Number(values.transactions), samples: Number(values.samples) })
const targets = installedTargets(values.targets.split(','))
/** row -> { unit, cells: target -> { values: by round, nudged, stalls } } */
const table = new Map()

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
try {
  for (let round = 0; round < rounds; round++) await runRound(round)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
const names = targets.map(({ name }) => name)
print()
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report(), null, 2)}\n`)

async function runRound(round) {
  const turned = targets.map((_, i) => targets[(i + round) % targets.length])
  const running = []
  try {
    for (const target of turned)
      await attempt(target.name, 'start', async () => running.push(await startTarget(target, temporary)))
    await delay(IDLE_MS)
    for (const target of running) {
      note('time to the first answer', round, target.name, { unit: 'ms', value: target.startMs })
      note('memory after the start', round, target.name, { unit: 'MiB', value: residentMiB(target) })
      await attempt(target.name, 'preparation', () => prepare(target, plan))
    }
    for (const [scenario, run] of Object.entries(plan.scenarios))
      for (const target of running)
        await attempt(target.name, scenario, async () => {
          for (const [row, figure] of Object.entries(await run(target)))
            note(`${scenario}: ${row}`, round, target.name, figure)
        })
    for (const target of running)
      note('memory after the load', round, target.name, { unit: 'MiB', value: residentMiB(target) })
  } finally {
    await Promise.all(running.map(stopTarget))
  }
}

/** One target's failure leaves a gap, not an end. */
async function attempt(name, what, work) {
  try {
    await work()
  } catch (error) {
    console.error(`${name}, ${what}: ${error.message}`)
  }
}

function note(row, round, name, { unit, value, nudged = false, stalls = false }) {
  if (!table.has(row)) table.set(row, { unit, cells: {} })
  const { cells } = table.get(row)
  cells[name] ??= { values: [], nudged: false, stalls: false }
  cells[name].values[round] = value
  cells[name].nudged ||= nudged
  cells[name].stalls ||= stalls
}

function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

function ratio({ unit, cells }, name) {
  const [own, reference] = [cells[name]?.values ?? [], cells[REFERENCE]?.values ?? []]
  const both = Array.from(own, (value, i) => (value === undefined ? undefined : value / reference[i]))
  return median(both.map((value) => (MORE_IS_BETTER.has(unit) || value === undefined ? value : 1 / value)))
}

function report() {
  const rows = Array.from(table, ([row, entry]) => ({
    row,
    unit: entry.unit,
    targets: Object.fromEntries(
      Object.entries(entry.cells).map(([name, cell]) => [
        name,
        { ...cell, median: median(cell.values), ratio: ratio(entry, name) },
      ]),
    ),
  }))
  return { rounds, transactions: Number(values.transactions), samples: Number(values.samples), rows }
}

function print() {
  const shown = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2))
  const cellText = (entry, name) => {
    const cell = entry.cells[name]
    if (cell === undefined) return '-'
    const middle = median(cell.values)
    if (middle === undefined) return cell.stalls ? 'stalls' : '-'
    const against = name === REFERENCE ? undefined : ratio(entry, name)
    return `${shown(middle)}${cell.nudged || cell.stalls ? '*' : ''}${against > 0 ? ` (${shown(against)})` : ''}`
  }
  const lines = [['', 'unit', ...names]]
  for (const [row, entry] of table) lines.push([row, entry.unit, ...names.map((name) => cellText(entry, name))])
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  for (const line of lines)
    console.log(line.map((text, i) => (i < 2 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  '))
  console.log(
    `\nIn brackets: ratio to ${REFERENCE}, above 1 is better. * stalled for 5 s or more in a round (not counted),`,
  )
  console.log('until evm_mine was called. stalls: evm_mine did not help.')
}

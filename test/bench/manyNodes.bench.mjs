/**
 * Many nodes in one process: the time until the last one answers, and the memory beside that of an empty process.
 *
 *   node test/bench/manyNodes.bench.mjs [--rounds 5] [--nodes 20]
 *
 * Needs the built library. Each figure is that of a new process; the cases take turns. Prints medians and minima of the time,
 * and the median of the CPU time, which other load on the machine disturbs less. Memory is resident, after a second without
 * work; part of it is the library itself, which the nodes share.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const IDLE_MS = 1_000
const MIB = 2 ** 20
const library = path.resolve(import.meta.dirname, '../../dist/mod.js')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    nodes: { type: 'string', default: '20' },
    one: { type: 'string' },
  },
})
const count = Number(values.nodes)

/** @returns milliseconds of the start */
const CASES = {
  'empty process': async () => 0,
  'library loaded': () => timed(() => import(library)),
  'one node': () => start(1, inSequence),
  [`${count} nodes, one after the other`]: () => start(count, inSequence),
  [`${count} nodes, at once`]: () => start(count, (make, number) => Promise.all(Array.from({ length: number }, make))),
}

if (values.one === undefined) compare()
else await measure(values.one)

/** The time includes the loading of the library. */
function start(number, makeAll) {
  return timed(async () => {
    const { startNode } = await import(library)
    await makeAll(async () => {
      const node = await startNode()
      await node.request('eth_chainId')
    }, number)
  })
}

async function inSequence(make, number) {
  for (let i = 0; i < number; i++) await make()
}

async function timed(work) {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function measure(name) {
  const ms = await CASES[name]()
  const { user, system } = process.cpuUsage()
  await delay(IDLE_MS)
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, mib: process.memoryUsage().rss / MIB }))
  process.exit()
}

function compare() {
  const names = Object.keys(CASES)
  const figures = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of names) {
      const args = [import.meta.filename, `--nodes=${count}`, `--one=${name}`]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name}: ${stderr}`)
      figures.get(name).push(JSON.parse(stdout))
    }
  }
  const empty = median(figures.get(names[0]).map(({ mib }) => mib))
  console.log(`${''.padEnd(32)} median ms  least ms  CPU ms    MiB  above empty`)
  for (const [name, list] of figures) {
    const times = list.map(({ ms }) => ms)
    const mib = median(list.map((figure) => figure.mib))
    console.log(
      name.padEnd(32),
      median(times).toFixed(0).padStart(9),
      Math.min(...times)
        .toFixed(0)
        .padStart(9),
      median(list.map(({ cpuMs }) => cpuMs))
        .toFixed(0)
        .padStart(7),
      mib.toFixed(1).padStart(6),
      (mib - empty).toFixed(1).padStart(12),
    )
  }
}

function median(list) {
  return [...list].sort((a, b) => a - b)[list.length >> 1]
}

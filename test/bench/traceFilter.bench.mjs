/**
 * Compares trace_filter over many blocks with few matches to a search that all blocks match. Needs the built node.
 *
 *   npm run build && node test/bench/traceFilter.bench.mjs [--blocks 10000] [--rounds 5]
 *
 * Each block has one transfer. In addition, evenly spread calls reach a contract that calls another one. Times are
 * medians until the last byte of the answer; the first answer is listed separately.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installedTargets, startTarget, stopTarget } from './devTargets.mjs'

const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '5' } },
})
const [blocks, rounds] = [values.blocks, values.rounds].map(Number)
const [PORT, WS_PORT] = [18741, 18742]
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const OUTER = `0x${'c0'.repeat(20)}`
const INNER = `0x${'c1'.repeat(20)}`
/** An empty CALL of INNER. */
const OUTER_CODE = `0x6000600060006000600073${'c1'.repeat(20)}5af100`
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
const [ours] = installedTargets(['ours'])
const options = [
  '--rpc-max-trace-filter-range=0',
  '--logging=OFF',
  `--rpc-http-port=${PORT}`,
  `--rpc-ws-port=${WS_PORT}`,
]
const command = () => [...ours.command().slice(0, 2), `--data-path=${path.join(folder, 'data')}`, ...options].flat()
const target = await startTarget({ ...ours, port: PORT, wsPort: WS_PORT, command }, folder)
try {
  const node = target.rpc
  await fill(node)
  const rows = {}
  for (const matching of [10, 50, 250]) {
    // A shorter range of the same chain: the time must depend on the matches, not on the blocks.
    const fromBlock = `0x${(blocks + 2 - matching * Math.floor(blocks / 250)).toString(16)}`
    rows[`${matching} matches near the head`] = await measured(node, { fromBlock, toAddress: [INNER] }, matching)
  }
  const rare = { fromBlock: '0x1', toAddress: [`0x${'c2'.repeat(20)}`] }
  rows[`50 matches in ${blocks} blocks`] = await measured(node, rare, 50)
  rows['no match'] = await measured(node, { fromBlock: '0x1', toAddress: [`0x${'dd'.repeat(20)}`] }, 0)
  rows['the first 1000 of all'] = await measured(node, { fromBlock: '0x1', fromAddress: [SENDER], count: 1000 }, 1000)
  console.table(rows)
} finally {
  await stopTarget(target)
  rmSync(folder, { recursive: true, force: true })
}

async function fill(node) {
  await node.call('anvil_setCode', [OUTER, OUTER_CODE])
  const every = Math.floor(blocks / 250)
  const rareEvery = Math.floor(blocks / 50)
  for (let number = 1; number <= blocks; number++) {
    const rare = number % rareEvery === 7 ? `0x${'c2'.repeat(20)}` : undefined
    const to = number % every === 0 ? OUTER : (rare ?? `0x${number.toString(16).padStart(40, 'a')}`)
    await node.call('eth_sendTransaction', [{ from: SENDER, to, value: '0x1', gas: '0x186a0' }])
  }
}

async function measured(node, filter, expected) {
  const times = []
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now()
    const traces = await node.call('trace_filter', [filter])
    times.push(performance.now() - start)
    if (traces.length !== expected) throw new Error(`${traces.length} traces, ${expected} expected`)
  }
  return { 'first ms': times[0].toFixed(1), 'median ms': median(times.slice(1)).toFixed(1) }
}

// slow: a network of many peers
import process from 'node:process'
import { expect, it } from 'vitest'
import { runLyingNetwork } from './lyingNetwork.ts'

const chosen = process.env['SIM_SEED']
/** More in the long runs. */
const COUNT = Number(process.env['ISONODE_LONG_COUNT'] ?? 1)
const SEEDS = chosen === undefined ? Array.from({ length: COUNT }, (_, i) => i + 1) : [Number(chosen)]

it(`${SEEDS.length} seeds: nodes with lying peers and partitions end with one head and the same transactions`, async () => {
  for (const seed of SEEDS) {
    const report = await runLyingNetwork(seed)
    expect(report, `seed ${seed}`).toMatchObject({ problem: undefined, wronged: [] })
  }
}, 3_600_000)

it('a seed replays a run exactly', async () => {
  expect(await runLyingNetwork(1)).toEqual(await runLyingNetwork(1))
}, 60_000)

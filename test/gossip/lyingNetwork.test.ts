import process from 'node:process'
import { expect, it } from 'vitest'
import { runLyingNetwork } from './lyingNetwork.ts'

/** More in the long runs. */
const SEEDS = Number(process.env['ISONODE_LONG_COUNT'] ?? 3)

it(`${SEEDS} seeds: nodes with lying peers and partitions end with one head and the same transactions`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await runLyingNetwork(seed)
    expect(report, `seed ${seed}`).toMatchObject({ problem: undefined, wronged: [] })
  }
}, 3_600_000)

it('a seed replays a run exactly', async () => {
  expect(await runLyingNetwork(1)).toEqual(await runLyingNetwork(1))
}, 60_000)

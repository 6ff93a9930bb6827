import process from 'node:process'
import { expect, it } from 'vitest'
import { runPeerNetwork } from './peerNetwork.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 1)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

it(`signers with real connections agree after partitions (${SEEDS.length} seeds)`, async () => {
  for (const seed of SEEDS) {
    const report = await runPeerNetwork(seed)
    if (chosen !== undefined) console.log(report)
    expect(report, `SIM_SEED=${seed}`).toMatchObject({ problem: undefined })
  }
}, 3_600_000)

// slow: handshakes of an attacker with 10,000 identities
import process from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { ADDRESS_SHARE, type AddressShare } from '../../src/net/p2p/addressShare.ts'
import { type EclipseReport, NO_SHARE, runEclipse } from './eclipse.ts'

const chosen = process.env['SIM_SEED']
const isLong = process.env['ISONODE_LONG_COUNT'] !== undefined
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 1)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

beforeAll(async () => {
  await installNodeCrypto()
})

describe(`an attacker with 10,000 identities at four addresses (${SEEDS.length} seeds)`, () => {
  const run = async (seed: number, share: AddressShare, keepsNodes: boolean): Promise<EclipseReport> => {
    const report = await runEclipse({ seed, share, keepsNodes })
    if (chosen !== undefined) console.log(report)
    return report
  }

  it('takes less than half of the outbound places of a node that restarts', async () => {
    for (const seed of SEEDS) {
      const report = await run(seed, ADDRESS_SHARE, true)
      expect(report.hostile, `SIM_SEED=${seed}`).toBeLessThanOrEqual(4)
      expect(report.honest, `SIM_SEED=${seed}`).toBeGreaterThan(report.hostile)
      expect(report.leastPercent, `SIM_SEED=${seed}`).toBeGreaterThanOrEqual(50)
    }
  })

  // They show that the attack is strong enough, and take as long as the attack.
  if (isLong) {
    it('takes most of them without the limits per site: a planted fault', async () => {
      for (const seed of SEEDS) {
        const { honest, hostile } = await run(seed, NO_SHARE, true)
        expect(hostile, `SIM_SEED=${seed}`).toBeGreaterThan(honest)
      }
    })

    it('is the only one that the node finds without the kept nodes: another planted fault', async () => {
      for (const seed of SEEDS) expect((await run(seed, ADDRESS_SHARE, false)).honest, `SIM_SEED=${seed}`).toBe(0)
    })
  }
})

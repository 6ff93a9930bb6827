// slow: messages of 16 MiB
/** Each message of each protocol in hostile variants: what it costs is limited. */
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../adapters/server/crypto/crypto.ts'
import { onlyOnNode } from '../../../support/host/needs.ts'
import { agreementTargets } from './hostileAgreement.ts'
import { connectionTargets, snappyTargets } from './hostileConnections.ts'
import { HostileNode } from './hostileNode.ts'
import { excessive, measure, measureAll, type Row, type Target, tableOf } from './hostileTable.ts'

/** The long run replaces each part of each message; otherwise only whole messages of the newest version are replaced. */
const isLong = process.env['ISONODE_LONG_COUNT'] !== undefined
/** The exact limit is that of the long run, which has the machine for itself. */
const TOLERANCE = isLong ? 1 : 4

function check(rows: readonly Row[]): void {
  console.log(tableOf(rows))
  expect(excessive(rows, TOLERANCE)).toEqual([])
}

async function checkAll(targets: readonly Target[]): Promise<void> {
  const newest = targets.find(({ protocol }) => protocol.startsWith('eth/'))?.protocol
  const chosen = targets.filter(({ protocol }) => isLong || !protocol.startsWith('eth/') || protocol === newest)
  check(await measureAll(chosen, !isLong))
}

describe('hostile messages', onlyOnNode, () => {
  // As a node has it: hashing is most of the work of large messages.
  beforeAll(async () => {
    await installNodeCrypto()
  })

  it('of eth', async () => {
    const node = await HostileNode.open()
    await checkAll(await node.ethTargets())
  }, 900_000)

  it('of IBFT 2.0 and QBFT', async () => {
    await checkAll(await agreementTargets())
  }, 300_000)

  it('of snap', async () => {
    const node = await HostileNode.open()
    await checkAll(node.snapTargets())
  }, 300_000)

  it('of RLPx and discovery', async () => {
    await checkAll(connectionTargets())
  }, 300_000)

  it('of snappy', async () => {
    const rows: Row[] = []
    for (const { target, shape, payload } of snappyTargets()) rows.push(await measure(target, shape, payload))
    check(rows)
  }, 60_000)
})

// slow: messages of 16 MiB
/** Each message of each protocol in hostile variants: what it costs is limited. */
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../adapters/server/crypto/crypto.ts'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { rlpDecode, rlpListPrefix } from '../../../../src/base/primitives/rlp.ts'
import { recoverSigner } from '../../../../src/consensus/bft/hashes.ts'
import { onlyOnNode } from '../../../support/host/needs.ts'
import { agreementTargets } from './hostileAgreement.ts'
import { connectionTargets, snappyTargets } from './hostileConnections.ts'
import { HostileNode } from './hostileNode.ts'
import { isExcessive, manyItems, measure, measureAll, type Row, type Target, tableOf } from './hostileTable.ts'

/** The long run replaces each part of each message; otherwise only whole messages of the newest version are replaced. */
const isLong = process.env['ISONODE_LONG_COUNT'] !== undefined
/** The exact limit is that of the long run, which has the machine for itself. */
const TOLERANCE = isLong ? 1 : 10

/** As a node keeps a message while it works on it. */
const kept: unknown[] = []
/** Much more work than the exact limit allows, on a fast machine too. */
const SEALS = 3_000
const SEAL_BYTES = 65

/** Receivers that do too much, and messages that show it. */
const COSTLY: readonly [fault: string, payload: Uint8Array, receive: (payload: Uint8Array) => void][] = [
  [
    'a list is decoded before its items are counted',
    concatBytes(rlpListPrefix(1_200_000), new Uint8Array(1_200_000).fill(1)),
    (payload) => kept.push(rlpDecode(payload)),
  ],
  [
    'seals are recovered before they are counted',
    new KeySigner(new Uint8Array(32).fill(1)).sign(new Uint8Array(32)).signature,
    (signature) => {
      const seal = new Uint8Array(SEAL_BYTES)
      seal.set(signature)
      for (let i = 0; i < SEALS; i++) recoverSigner(new Uint8Array(32).fill(i), seal)
    },
  ],
]
function check(rows: readonly Row[]): void {
  console.log(tableOf(rows))
  expect(rows.filter((row) => isExcessive(row, TOLERANCE))).toEqual([])
}

async function checkAll(targets: readonly Target[]): Promise<void> {
  const newest = targets.find(({ protocol }) => protocol.startsWith('eth/'))?.protocol
  const chosen = targets.filter(({ protocol }) => isLong || !protocol.startsWith('eth/') || protocol === newest)
  check(await measureAll(chosen, !isLong, TOLERANCE))
}

describe('hostile messages', onlyOnNode, () => {
  // As a node has it: hashing is most of the work of large messages.
  beforeAll(async () => {
    await installNodeCrypto()
  })

  // Without these, a limit that measures nothing would not be noticed.
  it.each(COSTLY)('are noticed when %s', async (shape, payload, receive) => {
    const open = async () => () => {
      receive(payload)
      return 'open'
    }
    const row = await measure({ protocol: 'a fault', message: 'any', open }, shape, payload, 1)
    // Each later measurement collects garbage first, which takes longer while millions of items are kept.
    kept.length = 0
    expect(isExcessive(row, 1)).toBe(true)
  })

  it('of eth', async () => {
    const node = await HostileNode.open()
    await checkAll(await node.ethTargets())
  }, 900_000)

  it('of IBFT 2.0 and QBFT', async () => {
    await checkAll(await agreementTargets())
  }, 300_000)

  it('of IBFT 2.0 and QBFT with many items in a part', async () => {
    const rows: Row[] = []
    for (const target of await agreementTargets()) {
      for (const { shape, payload } of manyItems(target)) rows.push(await measure(target, shape, payload, TOLERANCE))
    }
    check(rows)
  })

  it('of snap', async () => {
    const node = await HostileNode.open()
    await checkAll(node.snapTargets())
  }, 300_000)

  it('of RLPx and discovery', async () => {
    await checkAll(connectionTargets())
  }, 300_000)

  it('of snappy', async () => {
    const rows: Row[] = []
    for (const { target, shape, payload } of snappyTargets())
      rows.push(await measure(target, shape, payload, TOLERANCE))
    check(rows)
  }, 60_000)
})

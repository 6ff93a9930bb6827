/** Four validators agree on a block over connections of the two capabilities. */
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { parseGenesisFile } from '../../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../../src/config/options.ts'
import type { BftProtocol } from '../../../../src/consensus/bft/messages/packets.ts'
import { BftWire } from '../../../../src/net/protocols/bftWire.ts'
import { createNode, type IsoNode } from '../../../../src/node/node.ts'
import { settingsOf } from '../../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { addressOf, SIGNERS } from '../../../support/chains/bftHeaders.ts'
import { TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { testRandom, testTimers } from '../../../support/host/testPorts.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { bftGenesis } from '../../../support/nodes/bftNode.ts'
import { until } from '../../../support/rpc/webSocketClient.ts'

const VALIDATORS = 4
const CLOCK: Clock = { now: () => Date.UTC(2030, 0, 1), monotonic: () => performance.now() }

describe.each<[BftProtocol, object]>([
  ['ibft2', { ibft2: { blockperiodseconds: 1, requesttimeoutseconds: 10 } }],
  ['qbft', { qbft: { blockperiodseconds: 1, requesttimeoutseconds: 10 } }],
])('%s', (protocol, config) => {
  it('agrees on one block', async () => {
    const text = bftGenesis(config, VALIDATORS)
    const wires = Array.from({ length: VALIDATORS }, () => new BftWire())
    const codes = new Set<number>()
    connectAll(wires, protocol, codes)
    const nodes: IsoNode[] = []
    for (const [i, bftNetwork] of wires.entries()) {
      const ports = { clock: CLOCK, timers: testTimers, random: testRandom, yieldToHost: testYield }
      const signer = SIGNERS[i]
      if (signer === undefined) throw new Error('no key')
      const host = { ...ports, store: new MemoryStore(), logger: silentLogger, senders: TEST_SENDERS, platform: 'test' }
      const settings = settingsOf(defaultOptions(false), false)
      nodes.push(await createNode({ ...host, signer, bftNetwork }, { genesis: parseGenesisFile(text), text }, settings))
    }
    for (const node of nodes) await node.goOnline()
    await until(() => nodes.every(({ chain }) => chain.head.header.number >= 1n))
    const heads = nodes.map(({ chain }) => bytesToHex(chain.canonicalHash(1) as Uint8Array))
    expect(new Set(heads).size).toBe(1)
    expect([...codes].sort((a, b) => a - b)).toEqual(protocol === 'ibft2' ? [0, 1, 2] : [0x12, 0x13, 0x14])
    for (const node of nodes) await node.close()
  })
})

/** Each node knows the others by the address of their key; packets arrive later, in order. */
function connectAll(wires: readonly BftWire[], protocol: BftProtocol, codes: Set<number>): void {
  for (const [from, wire] of wires.entries()) {
    for (const [to, other] of wires.entries()) {
      if (from === to) continue
      wire.add({
        id: `to ${to}`,
        address: addressOf(to),
        protocols: new Set([protocol]),
        send(packet) {
          codes.add(packet.code)
          queueMicrotask(() => other.receive(`to ${from}`, packet))
        },
        sawHeight() {},
        charge() {},
        refuse: (reason) => expect.unreachable(reason),
      })
    }
  }
}

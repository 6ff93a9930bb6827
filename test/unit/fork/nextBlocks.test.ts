/** Slots of system contracts that the next blocks of a fork will need. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { nextChain, openFork } from '../../../src/node/fork/openFork.ts'
import { toForkSettings } from '../../../src/node/settings/forkSettings.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'

const open = closedAfterEach()
const closes: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

async function openForkedNode(): Promise<{ node: OpenedNode; transport: NodeTransport }> {
  const remote = await open()
  await remote.rpc('anvil_mine')
  const transport = new NodeTransport(remote.rpc)
  const options: NodeOptions = { ...defaultOptions(true), 'fork-url': ['http://remote.test'] }
  const ports = { clock: TEST_CLOCK, timers: testTimers, random: testRandom, logger: silentLogger, sources: [] }
  const opened = await openFork(toForkSettings(options), options, { ...ports, openTransport: () => transport })
  const { store, residency, fork, genesis, close } = nextChain(opened)
  closes.push(close)
  const host = { clock: TEST_CLOCK, ...(residency && { residency }), ...(fork && { fork }) }
  const node = await open(options, store, host, JSON.parse(genesis.text) as Record<string, unknown>)
  return { node, transport }
}

/** Makes blocks one by one, and lets the node do what it does between them. */
async function mine({ rpc }: OpenedNode, blocks: number): Promise<number> {
  for (let i = 0; i < blocks; i++) {
    await rpc('evm_mine')
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  return Number(await rpc('eth_blockNumber'))
}

it('are fetched before a block waits for them', async () => {
  const { node, transport } = await openForkedNode()
  await mine(node, 1)
  let isMining = false
  // A block that waited would never end.
  transport.lie = async (_method, _params, result) => {
    while (isMining) await turn()
    return result
  }
  transport.reset()
  for (let block = 0; block < 40; block++) {
    isMining = true
    await node.rpc('evm_mine')
    isMining = false
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  // The windows grow from 8 to 16, 32 and 64 blocks.
  expect(transport.requests).toBeGreaterThan(1)
})

it('are fetched by the block that needs them when the remote failed before', async () => {
  const { node, transport } = await openForkedNode()
  const head = await mine(node, 3)
  transport.lie = () => {
    throw Object.assign(new Error('internal error'), { code: -32603 })
  }
  expect(await mine(node, 4)).toBe(head + 4)
  transport.lie = undefined
  expect(await mine(node, 20)).toBe(head + 24)
})

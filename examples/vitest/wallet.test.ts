import { type ListeningNode, startNode } from 'isonode'
import {
  createPublicClient,
  createTestClient,
  custom,
  type Hex,
  http,
  parseEther,
  publicActions,
  walletActions,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

const FRIEND = '0x00000000000000000000000000000000000000aa'

function connect(node: ListeningNode) {
  // The node itself is the transport: no request leaves the process.
  const client = createTestClient({ mode: 'anvil', transport: custom(node) })
  return client.extend(publicActions).extend(walletActions)
}

let node: ListeningNode
let client: ReturnType<typeof connect>
let snapshot: Hex

beforeAll(async () => {
  // Each node has its own chain and port, so test files can run side by side.
  node = await startNode()
  client = connect(node)
})
afterAll(() => node.close())

// Every test sees the same state.
beforeEach(async () => {
  snapshot = await client.snapshot()
})
afterEach(() => client.revert({ id: snapshot }))

it('sends ether', async () => {
  const [account] = await client.getAddresses()
  const hash = await client.sendTransaction({ account, chain: null, to: FRIEND, value: parseEther('1') })
  const { status, blockNumber } = await client.waitForTransactionReceipt({ hash })
  expect({ status, blockNumber }).toEqual({ status: 'success', blockNumber: 1n })
  expect(await client.getBalance({ address: FRIEND })).toBe(parseEther('1'))
})

it('begins from the snapshot', async () => {
  expect(await client.getBlockNumber()).toBe(0n)
  expect(await client.getBalance({ address: FRIEND })).toBe(0n)
})

it('moves the clock', async () => {
  const { timestamp } = await client.getBlock()
  await client.increaseTime({ seconds: 3600 })
  await client.mine({ blocks: 1 })
  expect((await client.getBlock()).timestamp - timestamp).toBeGreaterThanOrEqual(3600n)
})

it('sends as any account', async () => {
  await client.setBalance({ address: FRIEND, value: parseEther('2') })
  await client.impersonateAccount({ address: FRIEND })
  const [to] = await client.getAddresses()
  await client.sendTransaction({ account: FRIEND, chain: null, to, value: 1n })
  expect(await client.getTransactionCount({ address: FRIEND })).toBe(1)
})

it('notifies of new blocks and serves other programs', async () => {
  const head = new Promise((resolve) => node.on('newHeads', resolve))
  await createTestClient({ mode: 'anvil', transport: http(node.url) }).mine({ blocks: 1 })
  expect(await head).toMatchObject({ number: '0x1' })
  expect(await createPublicClient({ transport: http(node.url) }).getBlockNumber()).toBe(1n)
})

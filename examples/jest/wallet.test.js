const { createTestClient, http, parseEther, publicActions, walletActions } = require('viem')

const FRIEND = '0x00000000000000000000000000000000000000bb'

const client = createTestClient({ mode: 'anvil', transport: http(process.env.RPC_URL) })
  .extend(publicActions)
  .extend(walletActions)

let snapshot

// Every test sees the same state.
beforeEach(async () => {
  snapshot = await client.snapshot()
})
afterEach(() => client.revert({ id: snapshot }))

test('sends ether', async () => {
  const [account] = await client.getAddresses()
  const hash = await client.sendTransaction({ account, chain: null, to: FRIEND, value: parseEther('1') })
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  expect(await client.getBalance({ address: FRIEND })).toBe(parseEther('1'))
})

test('begins from the snapshot', async () => {
  expect(await client.getBalance({ address: FRIEND })).toBe(0n)
})

test('reports why a call failed', async () => {
  // Reverts with the 4 bytes 0xdeadbeef.
  const call = client.call({ data: '0x63deadbeef5f526004601cfd' })
  await expect(call).rejects.toThrow('execution reverted')
})

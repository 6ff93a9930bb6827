/** viem on the dev chain, over HTTP and WebSocket: contracts, their errors and events, watching and batching. */
import {
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  getContract,
  type Hash,
  type Hex,
  http,
  type Log,
  maxUint256,
  publicActions,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEV_CHAIN_ID, DEV_HOSTS, type DevNode, sendUntil, startDevNode } from '../../support/nodes/devNode.ts'
import {
  connect,
  type DevClient,
  deployToken,
  devAccount,
  devChain,
  disconnect,
  TOKEN,
  TOKEN_SUPPLY,
  TRANSPORT_KINDS,
  transferToken,
} from '../../support/rpc/viemClient.ts'

const NOBODY = '0x1234567890123456789012345678901234567890'
/** Returns the word 42. */
const RETURNS_42: Hex = '0x602a60005260206000f3'

describe.each(DEV_HOSTS)('viem on %s', (host) => {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode(host)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  describe.each(TRANSPORT_KINDS)('over %s', (kind) => {
    let client: DevClient
    let address: Hex
    const sender = kind === 'http' ? 0 : 1
    const other = devAccount(2 + sender).address

    beforeAll(async () => {
      client = connect(kind, node, sender)
      address = await deployToken(client)
    })
    afterAll(() => disconnect(client))

    const transfer = (value: bigint, more: object = {}): Promise<Hash> =>
      transferToken(client, address, other, value, more)

    it('deploys, transfers and reads', async () => {
      expect(await client.getChainId()).toBe(DEV_CHAIN_ID)
      const token = getContract({ abi: TOKEN, address, client })
      const before = await token.read.balanceOf([other])
      const hash = await token.write.transfer([other, 5n])
      if (host === 'anvil') await client.waitForTransactionReceipt({ hash })
      const receipt = await client.getTransactionReceipt({ hash })
      expect(receipt).toMatchObject({ status: 'success', to: address, from: client.account.address.toLowerCase() })
      expect(receipt.logs).toHaveLength(1)
      expect(await token.read.balanceOf([other])).toBe(before + 5n)
      expect(await client.getTransactionConfirmations({ hash })).toBe(1n)
      expect((await client.getCode({ address }))?.length).toBeGreaterThan(1000)
      const { transactions } = await client.getBlock({ blockNumber: receipt.blockNumber })
      expect(transactions).toEqual([hash])
    })

    it('decodes custom errors, panics and reasons', async () => {
      const simulate = (functionName: string, args: unknown[]): Promise<unknown> =>
        client.simulateContract({ abi: TOKEN, address, functionName, args } as never)
      expect((await revertOf(simulate('transfer', [other, maxUint256]))).data).toMatchObject({
        errorName: 'InsufficientBalance',
        args: [client.account.address, expect.any(BigInt), maxUint256],
      })
      expect((await revertOf(simulate('failAssert', []))).data?.args).toEqual([0x01n])
      expect((await revertOf(simulate('divide', [1n, 0n]))).data?.args).toEqual([0x12n])
      expect((await revertOf(simulate('at', [0n]))).data?.args).toEqual([0x32n])
      expect((await revertOf(simulate('transferFrom', [other, NOBODY, 1n]))).reason).toBe('allowance too low')
      // Without a simulation, the gas estimate fails in the same way.
      expect((await revertOf(transfer(maxUint256))).data?.errorName).toBe('InsufficientBalance')
    })

    it('mines failing transactions if the gas limit is given', async () => {
      const hash = await transfer(maxUint256, { gas: 100_000n })
      const receipt = await client.waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('reverted')
      expect(receipt.logs).toEqual([])
    })

    it('reads events by filter and by query', async () => {
      const fromBlock = (await client.getBlockNumber()) + 1n
      const filter = await client.createContractEventFilter({ abi: TOKEN, address, eventName: 'Transfer' })
      const noFilter = await client.createContractEventFilter({ abi: TOKEN, address, eventName: 'Approval' })
      const blocks = await client.createBlockFilter()
      const pending = await client.createPendingTransactionFilter()
      const hashes = [await transfer(1n), await transfer(2n)]
      const changes = await client.getFilterChanges({ filter })
      expect(changes.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
      expect(changes.map(({ args }) => args)).toEqual([
        { from: client.account.address, to: other, value: 1n },
        { from: client.account.address, to: other, value: 2n },
      ])
      expect(await client.getFilterChanges({ filter })).toEqual([])
      expect(await client.getFilterChanges({ filter: noFilter })).toEqual([])
      // A filter without a first block starts at the newest block.
      expect(await client.getFilterLogs({ filter })).toEqual([changes[1]])
      expect(await client.getFilterChanges({ filter: blocks })).toHaveLength(2)
      expect(await client.getFilterChanges({ filter: pending })).toEqual(hashes)
      for (const used of [filter, noFilter, blocks, pending]) {
        expect(await client.uninstallFilter({ filter: used as never })).toBe(true)
      }
      const logs = await client.getContractEvents({ abi: TOKEN, address, eventName: 'Transfer', fromBlock })
      expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
      const [log] = await client.getLogs({ address, blockHash: changes[0]?.blockHash as Hash })
      expect(log).toMatchObject({ address, logIndex: 0, transactionIndex: 0, removed: false })
    })

    it('watches events, blocks and pending transactions', async () => {
      const first = await client.getBlockNumber()
      const events = firstOf<Log[]>((onLogs, onError) =>
        client.watchContractEvent({ abi: TOKEN, address, eventName: 'Transfer', onLogs, onError }),
      )
      const blocks = firstOf<{ readonly number: bigint; readonly hash: Hash }>((found, onError) =>
        client.watchBlocks({ onBlock: (block) => block.number > first && found(block), onError }),
      )
      const numbers = firstOf<bigint>((found, onError) =>
        client.watchBlockNumber({ onBlockNumber: (number) => number > first && found(number), onError }),
      )
      const pending = firstOf<Hash[]>((onTransactions, onError) =>
        client.watchPendingTransactions({ onTransactions, onError }),
      )
      const watchers = [events, blocks, numbers, pending]
      try {
        const reported = Promise.all([events.value, blocks.value, numbers.value, pending.value])
        const [[logs, block, number, hashes], sent] = await sendUntil(reported, () => transfer(1n))
        expect(sent).toContain(logs[0]?.transactionHash)
        expect(await client.getBlock({ blockNumber: block.number })).toMatchObject({ hash: block.hash })
        expect(number).toBeGreaterThan(first)
        expect(sent).toContain(hashes[0])
      } finally {
        for (const { stop } of watchers) stop()
      }
    })

    it('calls with overrides, gets proofs and access lists', async () => {
      const { data } = await client.call({ to: NOBODY, stateOverride: [{ address: NOBODY, code: RETURNS_42 }] })
      expect(data).toBe(toHex(42, { size: 32 }))
      const { accessList } = await client.createAccessList({ to: address, data: '0x18160ddd' })
      expect(accessList.map((entry) => entry.address.toLowerCase())).toEqual([address.toLowerCase()])
      const { storageProof } = await client.getProof({ address, storageKeys: [toHex(0, { size: 32 })] })
      expect(storageProof[0]?.value).toBe(TOKEN_SUPPLY)
      expect(await client.getStorageAt({ address, slot: '0x0' })).toBe(toHex(TOKEN_SUPPLY, { size: 32 }))
      const { results } = await client.simulateCalls({
        account: client.account,
        calls: [
          { abi: TOKEN, to: address, functionName: 'transfer', args: [other, 3n] },
          { abi: TOKEN, to: address, functionName: 'divide', args: [1n, 0n] },
        ],
      })
      expect(results.map(({ status }) => status)).toEqual(['success', 'failure'])
    })
  })

  it('sends batches of requests', async () => {
    const batched = createWalletClient({ chain: devChain, transport: http(node.http, { batch: true }) }).extend(
      publicActions,
    )
    const [number, id, balance, block] = await Promise.all([
      batched.getBlockNumber(),
      batched.getChainId(),
      batched.getBalance({ address: devAccount(0).address }),
      batched.getBlock(),
    ])
    expect([id, block.number]).toEqual([DEV_CHAIN_ID, number])
    expect(balance).toBeGreaterThan(0n)
    await expect(Promise.all([batched.getBlock({ blockNumber: 10n ** 9n }), batched.getBlockNumber()])).rejects.toThrow(
      'could not be found',
    )
  })
})

/** Resolves with the first report of a watcher. */
function firstOf<T>(watch: (found: (value: T) => void, failed: (error: Error) => void) => () => void): {
  readonly value: Promise<T>
  readonly stop: () => void
} {
  let stop = (): void => {}
  const value = new Promise<T>((resolve, reject) => {
    stop = watch(resolve, reject)
  })
  return { value, stop: () => stop() }
}

/** The contract's error within an error thrown by viem. */
async function revertOf(call: Promise<unknown>): Promise<ContractFunctionRevertedError> {
  const error = await call.then(
    () => new Error('did not revert'),
    (thrown: Error) => thrown,
  )
  const revert = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (!(revert instanceof ContractFunctionRevertedError)) throw error
  return revert
}

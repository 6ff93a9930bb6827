/**
 * Transactions sent by viem to the dev chain, over HTTP and WebSocket: every type of transaction, nonces, replacements,
 * fees.
 */
import {
  createWalletClient,
  type Hash,
  type Hex,
  http,
  parseEther,
  parseGwei,
  type ReplacementReturnType,
  recoverMessageAddress,
  stringToHex,
  toBlobs,
  toHex,
  verifyTypedData,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEV_CHAIN_ID, DEV_HOSTS, type DevNode, startDevNode } from '../../support/nodes/devNode.ts'
import {
  connect,
  type DevClient,
  deployToken,
  devAccount,
  devAccounts,
  devChain,
  disconnect,
  TOKEN,
  TRANSPORT_KINDS,
  transferToken,
  transportOf,
} from '../../support/rpc/viemClient.ts'
import { loadKzg } from '../../support/rpc/viemKzg.ts'

const NOBODY = '0x1234567890123456789012345678901234567890'

describe.each(DEV_HOSTS)('transactions of viem on %s', (host) => {
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

    it('sends every type of transaction', async () => {
      const mined = async (hash: Hash, type: string): Promise<void> => {
        const receipt = await client.waitForTransactionReceipt({ hash })
        expect(receipt).toMatchObject({ status: 'success', type })
        const transaction = await client.getTransaction({ hash })
        expect(transaction).toMatchObject({ type, blockNumber: receipt.blockNumber, chainId: DEV_CHAIN_ID })
      }
      const to = NOBODY
      await mined(await client.sendTransaction({ to, value: 1n, type: 'legacy' }), 'legacy')
      const accessList = [{ address, storageKeys: [toHex(1, { size: 32 })] }]
      await mined(
        await client.sendTransaction({ to, gasPrice: parseGwei('3'), accessList, type: 'eip2930' }),
        'eip2930',
      )
      await mined(await client.sendTransaction({ to, value: 1n }), 'eip1559')
      const authorization = await client.signAuthorization({ contractAddress: address, executor: 'self' })
      const delegated = await client.sendTransaction({ authorizationList: [authorization], to })
      await mined(delegated, 'eip7702')
      expect(await client.getCode({ address: client.account.address })).toBe(`0xef0100${address.slice(2)}`)
      const restored = await client.signAuthorization({
        contractAddress: '0x0000000000000000000000000000000000000000',
        executor: 'self',
      })
      await mined(await client.sendTransaction({ authorizationList: [restored], to }), 'eip7702')
      expect(await client.getCode({ address: client.account.address })).toBeUndefined()
    })

    it('sends and waits in one request', async () => {
      const receipt = await client.sendTransactionSync({ to: NOBODY, value: 1n })
      expect(receipt).toMatchObject({ status: 'success', from: client.account.address.toLowerCase() })
      expect(await client.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt)
    })

    it('fills nonce gaps', async () => {
      const nonce = await client.getTransactionCount({ address: client.account.address })
      const later = await client.sendTransaction({ to: NOBODY, value: 1n, nonce: nonce + 1 })
      expect(await client.getTransaction({ hash: later })).toMatchObject({ blockNumber: null, nonce: nonce + 1 })
      await expect(client.getTransactionReceipt({ hash: later })).rejects.toThrow('could not be found')
      expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 1 })
      // A request for the next nonce returns the missing one.
      expect(await client.getTransactionCount({ address: client.account.address, blockTag: 'pending' })).toBe(nonce)
      const sooner = await client.sendTransaction({ to: NOBODY, value: 1n, nonce })
      const receipts = await Promise.all(
        [sooner, later].map((hash) => client.waitForTransactionReceipt({ hash, timeout: 30_000 })),
      )
      expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
      expect(await client.getTransactionCount({ address: client.account.address })).toBe(nonce + 2)
      expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    })

    it('replaces a pending transaction by one with higher fees', async () => {
      const replaced: ReplacementReturnType[] = []
      await client.setAutomine(false)
      try {
        const nonce = await client.getTransactionCount({ address: client.account.address })
        const send = (fee: string, value = 1n): Promise<Hash> =>
          client.sendTransaction({
            to: NOBODY,
            value,
            nonce,
            maxFeePerGas: parseGwei(fee),
            maxPriorityFeePerGas: parseGwei(fee),
          })
        const first = await send('10')
        expect(await client.getTransaction({ hash: first })).toMatchObject({ blockNumber: null, blockHash: null })
        expect(await client.getTransactionCount({ address: client.account.address, blockTag: 'pending' })).toBe(
          nonce + 1,
        )
        // anvil accepts any increase.
        if (host !== 'anvil') await expect(send('10.9', 2n)).rejects.toThrow('replacement transaction underpriced')
        await expect(send('10')).rejects.toThrow(/already known|already imported/i)
        let hasSeen = (): void => {}
        const seen = new Promise<void>((resolve) => {
          hasSeen = resolve
        })
        const observer = connect(kind, node, sender, (method) => method === 'eth_getTransactionByHash' && hasSeen())
        const waiting = observer.waitForTransactionReceipt({
          hash: first,
          onReplaced: (response) => replaced.push(response),
          timeout: 30_000,
        })
        await seen
        const second = await send('20', 2n)
        const dropped = client.getTransaction({ hash: first })
        await expect(dropped).rejects.toThrow('could not be found')
        await client.mine({ blocks: 1 })
        expect(await waiting).toMatchObject({ transactionHash: second, status: 'success' })
        expect(replaced).toMatchObject([{ reason: 'replaced', transaction: { hash: second } }])
      } finally {
        await client.setAutomine(true)
      }
      await expect(client.sendTransaction({ to: NOBODY, nonce: 0 })).rejects.toThrow(/nonce too low|lower than/i)
    })

    it('reads the pool', async () => {
      await client.setAutomine(false)
      try {
        const { address: from } = client.account
        const nonce = await client.getTransactionCount({ address: from })
        const hash = await client.sendTransaction({ to: NOBODY, value: 7n, nonce })
        await client.sendTransaction({ to: NOBODY, value: 8n, nonce: nonce + 2 })
        expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 1 })
        const { pending, queued } = await client.getTxpoolContent()
        const ofSender = Object.entries(pending).find(([key]) => key.toLowerCase() === from.toLowerCase())?.[1]
        expect(ofSender?.[nonce]).toMatchObject({ hash, value: '0x7' })
        expect(Object.values(queued).flatMap((entries) => Object.keys(entries))).toEqual([String(nonce + 2)])
        const inspected = Object.values((await client.inspectTxpool()).pending).map((entries) => entries[nonce])
        expect(inspected[0]?.toLowerCase()).toMatch(new RegExp(`^${NOBODY}: 7 wei \\+ \\d+ (?:gas )?[×x] \\d+`))
        await client.mine({ blocks: 1 })
        await client.sendTransaction({ to: NOBODY, nonce: nonce + 1 })
        await client.mine({ blocks: 1 })
        expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
      } finally {
        await client.setAutomine(true)
      }
    })

    it('estimates fees and gas', async () => {
      const { baseFeePerGas } = await client.getBlock()
      const fees = await client.estimateFeesPerGas()
      expect(fees.maxFeePerGas).toBeGreaterThan(baseFeePerGas as bigint)
      expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(fees.maxPriorityFeePerGas)
      expect(await client.estimateMaxPriorityFeePerGas()).toBeGreaterThan(0n)
      expect((await client.estimateFeesPerGas({ chain: devChain, type: 'legacy' })).gasPrice).toBeGreaterThan(0n)
      expect(await client.getGasPrice()).toBeGreaterThan(0n)
      expect(await client.getBlobBaseFee()).toBeGreaterThan(0n)
      expect(await client.estimateGas({ to: NOBODY, value: 1n })).toBe(21_000n)
      const gas = await client.estimateContractGas({
        abi: TOKEN,
        address,
        functionName: 'transfer',
        args: [other, 1n],
      })
      const receipt = await client.waitForTransactionReceipt({ hash: await transfer(1n, { gas }) })
      expect(receipt.status).toBe('success')
      expect(receipt.gasUsed).toBeLessThanOrEqual(gas)
      const history = await client.getFeeHistory({ blockCount: 3, rewardPercentiles: [50] })
      expect(history.baseFeePerGas).toHaveLength(4)
    })

    it('uses the accounts of the node', async () => {
      const signer = createWalletClient({
        account: devAccount(5).address,
        chain: devChain,
        transport: transportOf(kind, node),
      })
      const addresses = await createWalletClient({ transport: http(node.http) }).getAddresses()
      for (const { address: known } of devAccounts) expect(addresses).toContain(known)
      const hash = await signer.sendTransaction({ to: NOBODY, value: parseEther('1') })
      const { from, status } = await client.waitForTransactionReceipt({ hash })
      expect({ from, status }).toEqual({ from: signer.account.address.toLowerCase(), status: 'success' })
      const message = 'hello'
      const signature = await signer.signMessage({ message })
      expect(await recoverMessageAddress({ message, signature })).toBe(signer.account.address)
      expect(signature).toBe(await devAccount(5).signMessage({ message }))
      const typed = {
        domain: { name: 'Token', version: '1', chainId: DEV_CHAIN_ID, verifyingContract: address },
        types: {
          Order: [
            { name: 'maker', type: 'address' },
            { name: 'amounts', type: 'uint256[]' },
          ],
        },
        primaryType: 'Order',
        message: { maker: other, amounts: [1n, 2n] },
      } as const
      const typedSignature = await signer.signTypedData(typed)
      expect(await verifyTypedData({ ...typed, address: signer.account.address, signature: typedSignature })).toBe(true)
      const signed = await signer.signTransaction({
        to: NOBODY,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: parseGwei('5'),
        maxPriorityFeePerGas: 1n,
        nonce: await client.getTransactionCount({ address: signer.account.address }),
        type: 'eip1559',
      })
      const raw = typeof signed === 'string' ? signed : (signed as { raw: Hex }).raw
      const { status: sent } = await client.waitForTransactionReceipt({
        hash: await client.sendRawTransaction({ serializedTransaction: raw as Hex }),
      })
      expect(sent).toBe('success')
    })
  })

  it('sends blobs', async () => {
    const client = connect('http', node, 8)
    const hash = await client.sendTransaction({
      blobs: toBlobs({ data: stringToHex('blob') }),
      kzg: await loadKzg(),
      maxFeePerBlobGas: parseGwei('30'),
      to: NOBODY,
    })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', type: 'eip4844', blobGasUsed: 131_072n })
    expect((await client.getTransaction({ hash })).blobVersionedHashes).toHaveLength(1)
    expect((await client.getBlock({ blockHash: receipt.blockHash })).blobGasUsed).toBe(131_072n)
  })
})

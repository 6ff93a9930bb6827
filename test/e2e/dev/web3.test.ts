/** web3.js 4 on the dev chain, over HTTP and WebSocket. */

import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Contract, type ContractAbi, type EventLog, Web3, WebSocketProvider } from 'web3'
import { compileContract } from '../../support/evm/solidity.ts'
import {
  DEV_CHAIN_ID,
  DEV_HOSTS,
  DEV_MNEMONIC,
  type DevNode,
  sendUntil,
  startDevNode,
} from '../../support/nodes/devNode.ts'

type Kind = 'http' | 'ws'

const KINDS: readonly Kind[] = ['http', 'ws']
const SUPPLY = 1_000_000n
const NOBODY = '0x1234567890123456789012345678901234567890'
const keyOf = (addressIndex: number): string =>
  toHex(mnemonicToAccount(DEV_MNEMONIC, { addressIndex }).getHdKey().privateKey as Uint8Array)

type Token = Contract<ContractAbi>
type Method = ReturnType<NonNullable<Token['methods'][string]>>

async function deploy(web3: Web3, from: string): Promise<Token> {
  const { abi, bytecode } = compileContract('Token')
  const contract: Token = new web3.eth.Contract(abi as ContractAbi)
  return contract.deploy({ data: bytecode, arguments: [SUPPLY] as never }).send({ from })
}

describe.each(DEV_HOSTS)('web3.js on %s', (host) => {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode(host)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  describe.each(KINDS)('over %s', (kind) => {
    let web3: Web3
    let token: Token
    let from: string
    let other: string

    beforeAll(async () => {
      web3 = new Web3(kind === 'http' ? node.http : new WebSocketProvider(node.ws, {}, { autoReconnect: false }))
      web3.config.transactionPollingInterval = 25
      web3.config.handleRevert = true
      const accounts = await web3.eth.getAccounts()
      ;[from, other] = accounts.slice(kind === 'http' ? 0 : 2) as [string, string]
      token = await deploy(web3, from)
    })
    afterAll(() => {
      if (kind === 'ws') web3.provider?.disconnect()
    })

    const method = (name: string, ...args: unknown[]): Method =>
      (token.methods[name] as (...all: unknown[]) => Method)(...args)
    const transfer = (value: bigint) => method('transfer', other, value).send({ from })

    const pastEvents = (name: string, options: object): Promise<(string | EventLog)[]> =>
      token.getPastEvents(name as never, options as never)

    it('deploys, transfers and reads', async () => {
      expect(await web3.eth.getChainId()).toBe(BigInt(DEV_CHAIN_ID))
      expect(token.options.address).toMatch(/^0x/)
      const before: bigint = await method('balanceOf', other).call()
      const receipt = await transfer(5n)
      expect(receipt).toMatchObject({ status: 1n, from: from.toLowerCase() })
      expect(receipt.events?.['Transfer']?.returnValues).toMatchObject({ from, to: other, value: 5n })
      expect(await method('balanceOf', other).call()).toBe(before + 5n)
    })

    it('decodes custom errors and reasons', async () => {
      await expect(method('transfer', other, SUPPLY * 2n).call({ from })).rejects.toMatchObject({
        cause: {
          errorName: 'InsufficientBalance',
          errorArgs: { owner: from, needed: SUPPLY * 2n },
        },
      })
      await expect(method('transferFrom', other, NOBODY, 1n).call({ from })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('allowance too low') },
      })
      await expect(method('transferFrom', other, NOBODY, 1n).send({ from })).rejects.toMatchObject({
        reason: expect.stringContaining('allowance too low'),
      })
    })

    it('reads past events', async () => {
      const { transactionHash, blockNumber } = await transfer(2n)
      const events = await pastEvents('Transfer', { fromBlock: blockNumber, filter: { to: other } })
      expect(events).toMatchObject([{ transactionHash, event: 'Transfer', returnValues: { value: 2n } }])
      expect(await pastEvents('Approval', { fromBlock: 'earliest' })).toEqual([])
    })

    it('sends signed transactions', async () => {
      const account = web3.eth.accounts.privateKeyToAccount(keyOf(7))
      const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1n }
      const nonce = await web3.eth.getTransactionCount(account.address)
      const { rawTransaction, transactionHash } = await account.signTransaction({
        to: NOBODY,
        value: 1n,
        gas: 21_000n,
        chainId: DEV_CHAIN_ID,
        nonce,
        ...fees,
      })
      const events: string[] = []
      const sending = web3.eth.sendSignedTransaction(rawTransaction)
      sending.on('transactionHash', (hash) => {
        events.push(`hash ${hash}`)
      })
      sending.on('receipt', () => {
        events.push('receipt')
      })
      const receipt = await sending
      expect(receipt).toMatchObject({ status: 1n, transactionHash, type: 2n })
      expect(events).toEqual([`hash ${transactionHash}`, 'receipt'])
    })

    it('estimates, signs with accounts of the node and reads blocks', async () => {
      expect(await web3.eth.estimateGas({ from, to: NOBODY, value: 1n })).toBe(21_000n)
      expect(await web3.eth.getGasPrice()).toBeGreaterThan(0n)
      expect((await web3.eth.calculateFeeData()).maxFeePerGas).toBeGreaterThan(0n)
      const signature = (await web3.eth.sign(web3.utils.utf8ToHex('hello'), from)) as string
      expect(web3.eth.accounts.recover('hello', signature)).toBe(from)
      const { status, blockNumber } = await web3.eth.sendTransaction({ from, to: NOBODY, value: 1n })
      expect(status).toBe(1n)
      expect((await web3.eth.getBlock(blockNumber, true)).transactions).toHaveLength(1)
    })

    it('sends batches', async () => {
      const batch = new web3.BatchRequest()
      const number = batch.add({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
      const id = batch.add({ jsonrpc: '2.0', id: 2, method: 'eth_chainId', params: [] })
      await batch.execute()
      expect(BigInt((await number) as unknown as string)).toBeGreaterThan(0n)
      expect(await id).toBe(web3.utils.toHex(DEV_CHAIN_ID))
    })

    const withSubscriptions = kind === 'ws' ? [kind] : []
    it.each(withSubscriptions)('subscribes to events, heads, logs and pending transactions', async () => {
      const event = token.events['Transfer']?.({ filter: { to: other } })
      const heads = await web3.eth.subscribe('newHeads')
      const logs = await web3.eth.subscribe('logs', { address: token.options.address as string })
      const pending = await web3.eth.subscribe('pendingTransactions')
      const reported = Promise.all([
        new Promise<{ transactionHash?: unknown; returnValues: unknown }>((resolve) => event?.on('data', resolve)),
        new Promise<{ number?: unknown }>((resolve) => heads.on('data', resolve)),
        new Promise<{ transactionHash?: unknown }>((resolve) => logs.on('data', resolve as never)),
        new Promise<string>((resolve) => pending.on('data', resolve)),
      ])
      const [[transferred, head, log, hash], sent] = await sendUntil(reported, () => transfer(1n))
      const hashes = sent.map(({ transactionHash }) => transactionHash)
      expect(hashes).toContain(transferred.transactionHash)
      expect(transferred.returnValues).toMatchObject({ from, to: other, value: 1n })
      expect(hashes).toContain(log.transactionHash)
      expect(hashes).toContain(hash)
      expect(sent.map(({ blockNumber }) => blockNumber)).toContain(BigInt(head.number as number))
      await web3.eth.clearSubscriptions()
    })
  })
})

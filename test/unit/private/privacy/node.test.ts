import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { rlpDecode } from '../../../../src/base/primitives/rlp.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../../src/types/blockCodec.ts'
import type { OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import type { FakeEnclave } from '../../../support/private/fakeEnclave.ts'
import {
  COUNTER_CODE,
  connectedEnclaves,
  ENCLAVE_KEYS,
  openPrivateNode,
  type PrivateFields,
  SENDER,
  signPrivate,
} from '../../../support/private/privateNode.ts'

const [A, B, C] = ENCLAVE_KEYS as [string, string, string]
/** The third account of the dev chain. */
const OTHER_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

interface Receipt {
  readonly contractAddress: string
  readonly privacyGroupId: string
  readonly status: string
  readonly logs: readonly unknown[]
}

const opened: OpenedNode[] = []

async function open(...args: Parameters<typeof openPrivateNode>): Promise<OpenedNode> {
  const node = await openPrivateNode(...args)
  opened.push(node)
  return node
}

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

const send = ({ rpc }: OpenedNode, fields: Omit<PrivateFields, 'privateFrom'>): Promise<string> =>
  rpc('eea_sendRawTransaction', signPrivate({ privateFrom: A, ...fields }))

const receiptOf = ({ rpc }: OpenedNode, hash: string): Promise<Receipt> => rpc('priv_getTransactionReceipt', hash)

/** Imports the blocks of one node into another. */
async function copyBlocks(from: OpenedNode, to: OpenedNode): Promise<void> {
  for (const block of [...from.node.chain.exportBlocks({})].slice(1)) {
    await to.node.chain.import(decodeBlock(rlpDecode(block)))
  }
}

async function deploy(node: OpenedNode, to: readonly string[]): Promise<Receipt> {
  return receiptOf(node, await send(node, { nonce: 0, to, data: COUNTER_CODE }))
}

describe('a node with private transactions', () => {
  it('runs them for the members of their group only', async () => {
    const [a, b, c] = connectedEnclaves(3)
    const store = new MemoryStore()
    const first = await open({ enclave: a as never, kv: store })
    const { contractAddress, privacyGroupId, status } = await deploy(first, [B])
    expect(status).toBe('0x1')
    const marker = await send(first, { nonce: 1, to: [B], contract: contractAddress, data: word(42) })
    expect(await receiptOf(first, marker)).toMatchObject({ status: '0x1', logs: [{ data: word(42), logIndex: '0x0' }] })
    expect(await first.rpc('priv_call', privacyGroupId, { to: contractAddress, data: '0x' }, 'latest')).toBe(word(42))

    // The other nodes import the same blocks.
    const blocks = [...first.node.chain.exportBlocks({})]
    const follow = async (enclave: unknown): Promise<OpenedNode> => {
      const node = await open({ enclave: enclave as never })
      for (const block of blocks.slice(1)) await node.node.chain.import(decodeBlock(rlpDecode(block)))
      expect(await node.rpc('eth_blockNumber')).toBe('0x2')
      return node
    }
    const second = await follow(b)
    const third = await follow(c)
    const root = (node: OpenedNode) => node.rpc('priv_debugGetStateRoot', privacyGroupId, 'latest')
    expect(await root(second)).toBe(await root(first))
    expect(await second.rpc('priv_call', privacyGroupId, { to: contractAddress, data: '0x' }, 'latest')).toBe(word(42))
    await expect(root(third)).rejects.toMatchObject({ code: -50100 })
    expect(await third.rpc('priv_getTransactionReceipt', marker)).toBeNull()
    expect(await third.rpc('priv_getPrivateTransaction', marker)).toBeNull()
    expect(await third.rpc('priv_getLogs', privacyGroupId, {})).toEqual([])
    expect(await third.rpc('priv_getCode', privacyGroupId, contractAddress, 'latest')).toBeNull()
    expect(await third.rpc('priv_getTransactionCount', SENDER, privacyGroupId)).toBe('0x0')
  })

  it('shows nothing private by public methods', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await open({ enclave: enclave as never })
    const filter = await node.rpc('eth_newFilter', { fromBlock: '0x0' })
    const { contractAddress, privacyGroupId } = await deploy(node, [B])
    const marker = await send(node, { nonce: 1, to: [B], contract: contractAddress, data: word(0xabcdef) })
    const answers = [
      await node.rpc('eth_getTransactionByHash', marker),
      await node.rpc('eth_getTransactionReceipt', marker),
      await node.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
      await node.rpc('eth_getFilterLogs', filter),
      await node.rpc('eth_getFilterChanges', filter),
      await node.rpc('eth_getCode', contractAddress, 'latest'),
      await node.rpc('eth_getStorageAt', contractAddress, '0x0', 'latest'),
      await node.rpc('debug_traceTransaction', marker),
      await node.rpc('trace_transaction', marker),
      await node.rpc('eth_getProof', contractAddress, ['0x0'], 'latest'),
      await node.rpc('debug_accountRange', 'latest', 0, word(0), 100),
    ]
    const text = JSON.stringify(answers)
    expect(text).not.toContain('abcdef')
    expect(text).not.toContain(COUNTER_CODE.slice(30, 80))
    expect(await node.rpc('eth_getCode', contractAddress, 'latest')).toBe('0x')
    const id = await node.rpc('priv_newFilter', privacyGroupId, {})
    await expect(node.rpc('eth_getFilterLogs', id)).rejects.toMatchObject({ message: /not found/i })
    await expect(node.rpc('priv_getFilterLogs', privacyGroupId, filter)).rejects.toMatchObject({
      message: /not found/i,
    })
  })

  it('logs no content', async () => {
    const [enclave] = connectedEnclaves(2)
    const lines: string[] = []
    const write = (message: string, properties?: unknown): void => {
      lines.push(`${message} ${JSON.stringify(properties)}`)
    }
    const logger = { trace: write, debug: write, info: write, warn: write, error: write, child: () => logger }
    const node = await open({ enclave: enclave as never, host: { logger } })
    const { contractAddress } = await deploy(node, [B])
    await send(node, { nonce: 1, to: [B], contract: contractAddress, data: word(0xabcdef) })
    await expect(send(node, { nonce: 0, to: [B] })).rejects.toMatchObject({ message: /nonce/i })
    for (const secret of ['abcdef', contractAddress, A, COUNTER_CODE.slice(30, 80)]) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([])
    }
  })

  it('warns once when its enclave has lost what it has sent', async () => {
    const [enclave] = connectedEnclaves(2) as [FakeEnclave]
    const first = await open({ enclave })
    const { contractAddress } = await deploy(first, [B])
    await send(first, { nonce: 1, to: [B], contract: contractAddress, data: word(1) })
    const warningsOf = async (markerKey?: string): Promise<string[]> => {
      const warnings: string[] = []
      const warn = (message: string): number => warnings.push(message)
      const logger = { ...silentLogger, warn, child: () => logger }
      const [empty] = connectedEnclaves(2) as [FakeEnclave]
      await copyBlocks(first, await open({ enclave: empty, host: { logger }, ...(markerKey && { markerKey }) }))
      return warnings.filter((message) => message.includes('lost'))
    }
    expect(await warningsOf()).toHaveLength(1)
    expect(await warningsOf(OTHER_KEY)).toEqual([])
  })

  it('follows a reorganisation, and keeps nothing twice', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await open({ enclave: enclave as never })
    const { contractAddress, privacyGroupId } = await deploy(node, [B])
    const value = (): Promise<string> =>
      node.rpc('priv_call', privacyGroupId, { to: contractAddress, data: '0x' }, 'latest')
    await send(node, { nonce: 1, to: [B], contract: contractAddress, data: word(1) })
    const before = await node.rpc('priv_debugGetStateRoot', privacyGroupId, 'latest')
    const filter = await node.rpc('priv_newFilter', privacyGroupId, {})
    await send(node, { nonce: 2, to: [B], contract: contractAddress, data: word(2) })
    expect(await value()).toBe(word(2))
    await node.rpc('debug_setHead', '0x2')
    expect(await value()).toBe(word(1))
    expect(await node.rpc('priv_debugGetStateRoot', privacyGroupId, 'latest')).toBe(before)
    expect(await node.rpc('priv_getTransactionCount', SENDER, privacyGroupId)).toBe('0x2')
    expect(await node.rpc('priv_getLogs', privacyGroupId, {})).toHaveLength(1)
    const changes = await node.rpc<{ removed: boolean }[]>('priv_getFilterChanges', privacyGroupId, filter)
    expect(changes.map(({ removed }) => removed)).toEqual([false, true])
    await send(node, { nonce: 2, to: [B], contract: contractAddress, data: word(3) })
    expect(await value()).toBe(word(3))
  })

  it('executes the markers of a replaced branch again, on the other one', async () => {
    const [a, b] = connectedEnclaves(2) as [FakeEnclave, FakeEnclave]
    const options = { 'tx-pool-limit-by-account-percentage': 0.001 }
    const first = await open({ enclave: a, options })
    const second = await open({ enclave: b, options, markerKey: OTHER_KEY })
    const { contractAddress: contract, privacyGroupId: id } = await deploy(first, [B])
    await copyBlocks(first, second)
    // More markers than the pool accepts from one account.
    const markers: string[] = []
    for (let nonce = 1; nonce <= 7; nonce++) {
      markers.push(await send(first, { nonce, to: [B], contract, data: word(nonce) }))
    }
    // The same account through the other node: these two values count, and two of the first node do not.
    for (let nonce = 1; nonce <= 2; nonce++) {
      const raw = signPrivate({ privateFrom: B, nonce, to: [A], contract, data: word(100 + nonce) })
      await second.rpc('eea_sendRawTransaction', raw)
    }
    await copyBlocks(second, first)
    await first.node.chain.setHead(second.node.chain.head.hash)
    await first.rpc('evm_mine')
    await copyBlocks(first, second)
    await second.node.chain.setHead(first.node.chain.head.hash)
    for (const node of [first, second]) {
      const receipts = await Promise.all(markers.map((marker) => receiptOf(node, marker)))
      expect(receipts.map(({ status }) => status)).toEqual(['0x2', '0x2', ...Array(5).fill('0x1')])
      expect(await node.rpc('priv_getTransactionCount', SENDER, id)).toBe('0x8')
      const logs = await node.rpc<{ data: string }[]>('priv_getLogs', id, { fromBlock: '0x0' })
      expect(logs.map(({ data }) => Number(data))).toEqual([101, 102, 3, 4, 5, 6, 7])
    }
    const root = (node: OpenedNode) => node.rpc('priv_debugGetStateRoot', id, 'latest')
    expect(await root(first)).toBe(await root(second))
  })

  it('keeps its states over a restart', async () => {
    const [enclave] = connectedEnclaves(2)
    const kv = new MemoryStore()
    const first = await open({ enclave: enclave as never, kv })
    const { contractAddress, privacyGroupId } = await deploy(first, [B])
    await send(first, { nonce: 1, to: [B], contract: contractAddress, data: word(9) })
    await first.node.close()
    opened.pop()
    const again = await open({ enclave: enclave as never, kv })
    expect(await again.rpc('priv_call', privacyGroupId, { to: contractAddress, data: '0x' }, 'latest')).toBe(word(9))
    const marker = await send(again, { nonce: 2, to: [B], contract: contractAddress, data: word(10) })
    expect(await receiptOf(again, marker)).toMatchObject({ status: '0x1' })
  })

  it('rejects a replayed marker without an effect', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await open({ enclave: enclave as never })
    const { contractAddress, privacyGroupId } = await deploy(node, [B])
    const raw = signPrivate({ privateFrom: A, nonce: 1, to: [B], contract: contractAddress, data: word(1) })
    const key = await node.rpc<string>('priv_distributeRawTransaction', raw)
    const marker = { from: SENDER, to: `0x${'00'.repeat(19)}7e`, gas: '0x186a0', data: key }
    const once = await node.rpc<string>('eth_sendTransaction', marker)
    const twice = await node.rpc<string>('eth_sendTransaction', marker)
    expect((await receiptOf(node, once)).status).toBe('0x1')
    expect((await receiptOf(node, twice)).status).toBe('0x2')
    expect(await node.rpc('priv_getTransactionCount', SENDER, privacyGroupId)).toBe('0x2')
  })

  it('goes on past markers that lead nowhere', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await open({ enclave: enclave as never })
    for (const data of [word(1), '0x', '0x1234', `${word(1)}${word(2).slice(2)}`]) {
      const marker = { from: SENDER, to: `0x${'00'.repeat(19)}7e`, gas: '0x186a0', data }
      const hash = await node.rpc<string>('eth_sendTransaction', marker)
      expect(await node.rpc('priv_getTransactionReceipt', hash)).toBeNull()
    }
  })

  it('waits for an enclave that is away, and keeps its peers', async () => {
    const [enclave, other] = connectedEnclaves(2)
    const first = await open({ enclave: enclave as never })
    const { privacyGroupId } = await deploy(first, [B])
    const [, block] = [...first.node.chain.exportBlocks({})]
    const second = await open({ enclave: other as never })
    if (other !== undefined) other.trouble = new Error('refused')
    let isDone = false
    const importing = second.node.chain.import(decodeBlock(rlpDecode(block as Uint8Array)))
    void importing.then(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isDone).toBe(false)
    expect(second.node.chain.badBlocks()).toEqual([])
    if (other !== undefined) other.trouble = undefined
    expect(await importing).toMatchObject({ kind: 'imported' })
    expect(await second.rpc('priv_debugGetStateRoot', privacyGroupId, 'latest')).toBe(
      await first.rpc('priv_debugGetStateRoot', privacyGroupId, 'latest'),
    )
  })

  it('names the failures of an enclave that answers without a key', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await open({ enclave: enclave as never })
    if (enclave !== undefined) enclave.trouble = { status: 200, body: '{}' }
    for (const to of [[B], C]) {
      const raw = signPrivate({ privateFrom: A, nonce: 0, to, data: COUNTER_CODE })
      await expect(node.rpc('eea_sendRawTransaction', raw)).rejects.toMatchObject({
        code: -50100,
        message: 'Unable to decode the private signed raw transaction',
      })
      await expect(node.rpc('priv_distributeRawTransaction', raw)).rejects.toMatchObject({
        code: -50100,
        message: 'Error communicating with enclave',
      })
    }
    await expect(node.rpc('priv_createPrivacyGroup', { addresses: [A] })).rejects.toMatchObject({ code: -50100 })
  })

  it('stops while it waits', async () => {
    const [enclave, other] = connectedEnclaves(2)
    const first = await open({ enclave: enclave as never })
    await deploy(first, [B])
    const [, block] = [...first.node.chain.exportBlocks({})]
    const second = await open({ enclave: other as never })
    if (other !== undefined) other.trouble = { status: 500, body: 'trouble' }
    const importing = second.node.chain.import(decodeBlock(rlpDecode(block as Uint8Array)))
    const outcome = expect(importing).rejects.toMatchObject({ code: 'STOPPED' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await second.node.close()
    opened.pop()
    await outcome
  })

  it('separates the members of a group from the others', async () => {
    const [enclave] = connectedEnclaves(3)
    const node = await open({ enclave: enclave as never })
    const pair = await deploy(node, [B])
    const three = await receiptOf(node, await send(node, { nonce: 0, to: [B, C], data: COUNTER_CODE }))
    expect(pair.privacyGroupId).not.toBe(three.privacyGroupId)
    expect(await node.rpc('priv_getCode', pair.privacyGroupId, three.contractAddress, 'latest')).toBeNull()
  })
})

describe('a node without private transactions', () => {
  it('says so', async () => {
    const { openDevNode } = await import('../../../support/nodes/devNodeInMemory.ts')
    const node = await openDevNode({ 'rpc-http-api': ['ALL'] })
    opened.push(node)
    for (const method of [
      'priv_call',
      'priv_getTransactionReceipt',
      'eea_sendRawTransaction',
      'priv_createPrivacyGroup',
    ]) {
      await expect(node.rpc(method)).rejects.toMatchObject({ code: -50100, message: 'Privacy is not enabled' })
    }
  })
})

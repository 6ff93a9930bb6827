import { describe, expect, test } from 'vitest'
import type { Timers } from '../../../../src/base/ports/timers.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { encodeNumber } from '../../../../src/chain/blockRecord.ts'
import { CalledFunctions } from '../../../../src/node/calledFunctions.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { createAddress } from '../../../../src/types/address.ts'
import { compileContract } from '../../../support/evm/solidity.ts'
import { unavailable } from '../../../support/mirror/memoryObjects.ts'
import { type MirroredNode, openMirroredNode, word } from '../../../support/mirror/mirroredNode.ts'

const RECIPIENT = `0x${'77'.repeat(20)}`

async function transfer({ rpc }: MirroredNode, value = 5): Promise<string> {
  const [from] = await rpc<string[]>('eth_accounts')
  return rpc('eth_sendTransaction', { from, to: RECIPIENT, value: `0x${value.toString(16)}` })
}

/** Deploys a token whose supply belongs to the first account. */
async function deployToken({ rpc }: MirroredNode): Promise<{ readonly token: string; readonly owner: string }> {
  const [owner = ''] = await rpc<string[]>('eth_accounts')
  const { bytecode } = compileContract('Token')
  const nonce = BigInt(await rpc<string>('eth_getTransactionCount', owner, 'latest'))
  await rpc('eth_sendTransaction', { from: owner, data: `${bytecode}${word(1000n)}`, gas: '0x1e8480' })
  return { token: bytesToHex(createAddress(hexToBytes(owner), nonce)), owner }
}

const balanceOf = (token: string, account: string) => [{ to: token, data: `0x70a08231${word(account)}` }, 'latest']

describe('a replica', () => {
  test('answers as the node that publishes, at each manifest, also after reorganisations and merges', async () => {
    const writer = await openMirroredNode()
    const replica = await writer.openReplica()
    const compare = async (): Promise<void> => {
      await writer.publish()
      await replica.poll()
      const number = await writer.rpc<string>('eth_blockNumber')
      const block = await writer.rpc<{ hash: string; transactions: string[] }>('eth_getBlockByNumber', number, false)
      const questions: [string, ...unknown[]][] = [
        ['eth_blockNumber'],
        ['eth_chainId'],
        ['eth_getBlockByNumber', 'latest', true],
        ['eth_getBlockByHash', block.hash, false],
        ['eth_getBlockReceipts', number],
        ['eth_getBalance', RECIPIENT, 'latest'],
        ['eth_getLogs', { fromBlock: '0x0' }],
        ['eth_getProof', RECIPIENT, [], 'latest'],
        ['eth_getBlockByNumber', 'finalized', false],
        ['eth_feeHistory', '0x4', 'latest', []],
        ['debug_traceBlockByNumber', number],
        ...block.transactions.map((hash): [string, string] => ['eth_getTransactionReceipt', hash]),
      ]
      for (const question of questions) {
        const answer = await replica.rpc(...question).catch((error: Error) => error.message)
        const expected = await writer.rpc(...question).catch((error: Error) => error.message)
        if (question[1] !== 'finalized') expect(answer, question[0]).toEqual(expected)
      }
    }
    await compare()
    await transfer(writer)
    await compare()
    await deployToken(writer)
    await compare()
    const snapshot = await writer.rpc('evm_snapshot')
    await transfer(writer, 6)
    await transfer(writer, 7)
    await compare()
    await writer.rpc('evm_revert', snapshot)
    await writer.publisher.merge()
    await transfer(writer, 8)
    await compare()
    await replica.close()
    await writer.node.close()
  })

  test('answers a batch, a trace and GraphQL at one manifest, whatever is published meanwhile', async () => {
    const writer = await openMirroredNode()
    await transfer(writer)
    await writer.publish()
    const replica = await writer.openReplica()
    const call = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })
    const batch = replica.ask([
      call(1, 'eth_blockNumber'),
      call(2, 'eth_getBalance', RECIPIENT, 'latest'),
      call(3, 'eth_getLogs', { fromBlock: '0x0' }),
      call(4, 'eth_getBlockByNumber', 'latest', true),
      call(5, 'eth_getBalance', RECIPIENT, 'latest'),
      call(6, 'eth_blockNumber'),
    ])
    await transfer(writer)
    await writer.publish()
    await replica.poll()
    expect(await batch).toMatchObject([
      { result: '0x1' },
      { result: '0x5' },
      { result: [] },
      { result: { number: '0x1' } },
      { result: '0x5' },
      { result: '0x1' },
    ])
    expect(await replica.rpc('eth_getBalance', RECIPIENT, 'latest')).toBe('0xa')
    const query = `{ block { number account(address: "${RECIPIENT}") { balance } } }`
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request('http://localhost/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    const response = await replica.node.endpoints.get('graphql').fetch(request)
    expect(await response.json()).toEqual({ data: { block: { number: 2, account: { balance: '0xa' } } } })
    await replica.close()
    await writer.node.close()
  })

  test('tells filters of new blocks, and of those that a reorganisation replaced', async () => {
    const writer = await openMirroredNode()
    const replica = await writer.openReplica()
    const filter = await replica.rpc('eth_newBlockFilter')
    await transfer(writer)
    await writer.publish()
    await replica.poll()
    const { hash } = await writer.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await replica.rpc('eth_getFilterChanges', filter)).toEqual([hash])
    await replica.close()
    await writer.node.close()
  })

  test('looks for newer manifests at intervals, and goes on when the store is well again', async () => {
    const writer = await openMirroredNode()
    const replica = await writer.openReplica()
    await transfer(writer)
    await writer.publish()
    writer.objects.readFault = unavailable
    writer.time.advance(1000)
    await replica.poll()
    expect(replica.mirror.status).toMatchObject({ manifest: 1, lastFailure: expect.stringMatching(/store is down/) })
    expect(await replica.rpc('eth_blockNumber')).toBe('0x0')
    writer.objects.readFault = undefined
    writer.time.advance(1000)
    await replica.poll()
    expect(replica.mirror.status).toMatchObject({ manifest: 2, lastFailure: undefined })
    expect(await replica.rpc('eth_blockNumber')).toBe('0x1')
    await replica.close()
    await writer.node.close()
  })

  test('answers nothing wrong while the store is damaged, and names the object', async () => {
    const writer = await openMirroredNode(0)
    await transfer(writer)
    await writer.publish()
    await writer.publisher.merge()
    writer.objects.readFault = ({ name }, bytes) =>
      name.startsWith('segments/') ? bytes?.map((byte) => byte ^ 1) : bytes
    await expect(writer.openReplica()).rejects.toThrow(/^segments\/[0-9a-f]{64} of the mirror is damaged/)
    writer.objects.readFault = undefined
    const replica = await writer.openReplica()
    expect(await replica.rpc('eth_getBalance', RECIPIENT, 'latest')).toBe('0x5')
    await replica.close()
    await writer.node.close()
  })

  test('is not ready once the mirror is too old, and may refuse to name the head', async () => {
    const writer = await openMirroredNode()
    await transfer(writer)
    await writer.publish()
    const [serving, refusing] = [await writer.openReplica(), await writer.openReplica({ whenStale: 'refuse' })]
    const { hash } = await writer.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    const readiness = async () =>
      (await serving.node.fetch(new Request('http://localhost/readiness?minPeers=0'))).text()
    expect(await readiness()).toContain('UP')
    writer.time.advance(61_000)
    await Promise.all([serving.poll(), refusing.poll()])
    expect(await readiness()).toContain('the newest manifest of the mirror, 2, is 61 s old')
    expect(await serving.rpc('eth_blockNumber')).toBe('0x1')
    await expect(refusing.rpc('eth_blockNumber')).rejects.toThrow('the newest manifest of the mirror, 2, is 61 s old')
    expect(await refusing.rpc('eth_getBlockByHash', hash, false)).toMatchObject({ hash })
    await writer.publisher.publish({})
    await Promise.all([serving.poll(), refusing.poll()])
    expect(await readiness()).toContain('UP')
    expect(await refusing.rpc('eth_blockNumber')).toBe('0x1')
    await Promise.all([serving.close(), refusing.close()])
    await writer.node.close()
  })

  test('passes transactions on, and shows them until they are published', async () => {
    const writer = await openMirroredNode()
    const raw = await signedTransfer(writer)
    const refusing = { request: async () => Promise.reject(new NodeError({ code: 'FORK_UNAVAILABLE' }, 'down')) }
    const upstream = { request: (method: string, params: readonly unknown[]) => writer.rpc(method, ...params) }
    const replica = await writer.openReplica({}, { upstream })
    const cut = await writer.openReplica({}, { upstream: refusing })
    await expect(cut.rpc('eth_sendRawTransaction', raw)).rejects.toThrow('the node of --mirror-upstream')
    await expect(cut.rpc('eth_sendRawTransaction', '0x01')).rejects.toMatchObject({ code: -32602 })
    const hash = await replica.rpc('eth_sendRawTransaction', raw)
    expect(await replica.rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: null })
    expect(await replica.rpc('eth_getTransactionReceipt', hash)).toBeNull()
    await writer.publish()
    await replica.poll()
    expect(await replica.rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: '0x1' })
    expect(await replica.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    const reader = await writer.openReplica()
    await expect(reader.rpc('eth_sendRawTransaction', raw)).rejects.toThrow('read-only')
    await Promise.all([replica.close(), cut.close(), reader.close()])
    await writer.node.close()
  })

  test('looks only when asked without an interval, and then has no timer', async () => {
    const writer = await openMirroredNode()
    const scheduled: number[] = []
    const timers: Timers = {
      schedule(delayMs, callback) {
        scheduled.push(delayMs)
        return writer.time.schedule(delayMs, callback)
      },
    }
    const replica = await writer.openReplica({ pollMs: undefined }, { timers })
    await transfer(writer)
    await writer.publish()
    await replica.poll()
    expect(replica.mirror.status.head.number).toBe(1)
    expect(scheduled).toEqual([])
    await replica.close()
    await writer.node.close()
  })

  test('reads a call that nobody has made in three waves, and then none', async () => {
    const writer = await openMirroredNode(0)
    const { token, owner } = await deployToken(writer)
    for (let i = 0; i < 20; i++) await transfer(writer)
    await writer.publish()
    await writer.publisher.merge()
    writer.objects.resetCounts()
    const replica = await writer.openReplica()
    expect(writer.objects.waves).toBeLessThanOrEqual(5)
    // Loads the indexes, but nothing of the token.
    for (let i = 0; i < 3; i++) await replica.rpc('eth_getBalance', RECIPIENT, 'latest')
    writer.objects.resetCounts()
    expect(BigInt(await replica.rpc<string>('eth_call', ...balanceOf(token, owner)))).toBe(1000n)
    expect(writer.objects.waves).toBeLessThanOrEqual(3)
    writer.objects.resetCounts()
    expect(BigInt(await replica.rpc<string>('eth_call', ...balanceOf(token, owner)))).toBe(1000n)
    expect(writer.objects.waves).toBe(0)
    await replica.close()
    await writer.node.close()
  })

  test('names the first block that the mirror has whole, for what it has left out', async () => {
    const writer = await openMirroredNode()
    const hashes: string[] = []
    for (let i = 0; i < 4; i++) hashes.push(await transfer(writer))
    await writer.publish()
    const { chain } = writer.node
    const left = [0, 1, 2].flatMap((number) => {
      const hash = chain.headerByNumber(number)?.hash as Uint8Array
      return [keys.body, keys.receipts, keys.senders].map((keyOf) => ({ key: keyOf(number, hash), value: undefined }))
    })
    await writer.publisher.commit([...left, { key: keys.meta('historyFrom'), value: encodeNumber(3) }])
    const replica = await writer.openReplica()
    const message = expect.stringMatching(/^the database has no \w+ of block [12]: it has those from block 3 on$/)
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x2', true],
      ['eth_getBlockByNumber', '0x2', false],
      ['eth_getTransactionByHash', hashes[1]],
      ['eth_getTransactionReceipt', hashes[1]],
      ['eth_getBlockReceipts', '0x1'],
      ['debug_traceBlockByNumber', '0x2'],
      ['debug_getRawBlock', '0x2'],
    ] as const) {
      const answer = await replica.ask({ jsonrpc: '2.0', id: 1, method, params })
      expect(answer, method).toMatchObject({ error: { code: 4444, message } })
    }
    expect(await replica.rpc('eth_getBalance', RECIPIENT, '0x2')).toBe('0xa')
    expect(await replica.rpc('eth_getBlockByNumber', '0x3', true)).toMatchObject({ number: '0x3' })
    expect(await replica.rpc('eth_getTransactionReceipt', hashes[2])).toMatchObject({ blockNumber: '0x3' })
    await replica.close()
    await writer.node.close()
  })

  test('reads a call that clients of the publisher make in two waves', async () => {
    const calls = new CalledFunctions()
    const writer = await openMirroredNode(0, undefined, {
      mirror: { status: undefined, noteCall: (...parts) => calls.note(...parts) },
    })
    const { token, owner } = await deployToken(writer)
    for (let i = 0; i < 20; i++) await transfer(writer)
    for (const holder of [RECIPIENT, token]) {
      await writer.rpc('eth_call', ...balanceOf(token, holder))
      await writer.store.commit([{ key: keys.meta('callTable'), value: await calls.table(writer.store) }])
    }
    await writer.publish()
    await writer.publisher.merge()
    const replica = await writer.openReplica()
    for (let i = 0; i < 3; i++) await replica.rpc('eth_getBalance', RECIPIENT, 'latest')
    writer.objects.resetCounts()
    expect(BigInt(await replica.rpc<string>('eth_call', ...balanceOf(token, owner)))).toBe(1000n)
    expect(writer.objects.waves).toBeLessThanOrEqual(2)
    await replica.close()
    await writer.node.close()
  })
})

async function signedTransfer({ rpc }: MirroredNode): Promise<string> {
  const [from] = await rpc<string[]>('eth_accounts')
  const fees = { gas: '0x5208', gasPrice: '0x77359400', nonce: '0x0', chainId: await rpc('eth_chainId') }
  const signed = await rpc<{ raw: string } | string>('eth_signTransaction', {
    from,
    to: RECIPIENT,
    value: '0x9',
    ...fees,
  })
  return typeof signed === 'string' ? signed : signed.raw
}

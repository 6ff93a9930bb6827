import { afterEach, describe, expect, it } from 'vitest'
import { toBase64 } from '../../../../src/base/primitives/base64.ts'
import { rlpDecode } from '../../../../src/base/primitives/rlp.ts'
import { decodeBlock } from '../../../../src/types/blockCodec.ts'
import type { OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import type { FakeEnclave } from '../../../support/private/fakeEnclave.ts'
import { adding, LOCK, PROXY, removing } from '../../../support/private/flexibleGroup.ts'
import {
  COUNTER_CODE,
  connectedEnclaves,
  ENCLAVE_KEYS,
  openPrivateNode,
  type PrivateFields,
  signPrivate,
} from '../../../support/private/privateNode.ts'

const [A, B, C] = ENCLAVE_KEYS as [string, string, string]
const GROUP = toBase64(new Uint8Array(32).fill(0x42))
const word = (value: number): string => value.toString(16).padStart(64, '0')

const opened: OpenedNode[] = []

async function open(enclave: FakeEnclave): Promise<OpenedNode> {
  const node = await openPrivateNode({ enclave, isFlexible: true })
  opened.push(node)
  return node
}

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

const send = ({ rpc }: OpenedNode, fields: Omit<PrivateFields, 'privateFrom' | 'to'>): Promise<string> =>
  rpc('eea_sendRawTransaction', signPrivate({ privateFrom: A, to: GROUP, ...fields }))

async function statusOf(node: OpenedNode, marker: string): Promise<string> {
  return (await node.rpc<{ status: string }>('priv_getTransactionReceipt', marker)).status
}

/** Passes the blocks that the second node lacks. */
async function follow(leader: OpenedNode, follower: OpenedNode): Promise<void> {
  const blocks = [...leader.node.chain.exportBlocks({})].slice(1 + Number(follower.node.chain.head.header.number))
  for (const block of blocks) {
    expect(await follower.node.chain.import(decodeBlock(rlpDecode(block)))).toMatchObject({ kind: 'imported' })
  }
}

const root = ({ rpc }: OpenedNode, block = 'latest'): Promise<string> => rpc('priv_debugGetStateRoot', GROUP, block)

describe('a flexible group', () => {
  it('has the history for a member that is added late, and ends for one that is removed', async () => {
    const enclaves = connectedEnclaves(3) as [FakeEnclave, FakeEnclave, FakeEnclave]
    const [a, b, c] = (await Promise.all(enclaves.map(open))) as [OpenedNode, OpenedNode, OpenedNode]
    const create = await send(a, { nonce: 0, contract: PROXY, data: adding(A, B) })
    expect(await statusOf(a, create)).toBe('0x1')
    const deploy = await send(a, { nonce: 1, data: COUNTER_CODE })
    const { contractAddress } = await a.rpc<{ contractAddress: string }>('priv_getTransactionReceipt', deploy)
    const set = (nonce: number, value: number): Promise<string> =>
      send(a, { nonce, contract: contractAddress, data: `0x${word(value)}` })
    await set(2, 7)
    // Without a lock, no member can be added.
    const early = await send(a, { nonce: 3, contract: PROXY, data: adding(C) })
    expect(await statusOf(a, early)).toBe('0x0')
    await send(a, { nonce: 3, contract: PROXY, data: LOCK })
    const locked = await set(4, 8)
    expect(await statusOf(a, locked)).toBe('0x0')
    const add = await send(a, { nonce: 4, contract: PROXY, data: adding(C) })
    expect(await statusOf(a, add)).toBe('0x1')
    await set(5, 9)
    for (const node of [b, c]) await follow(a, node)
    for (const block of ['0x1', '0x2', '0x3', '0x4', 'latest']) {
      expect([await root(b, block), await root(c, block)], block).toEqual([await root(a, block), await root(a, block)])
    }
    expect(await c.rpc('priv_getTransactionReceipt', deploy)).toMatchObject({ contractAddress, status: '0x1' })
    expect(await c.rpc('privx_findFlexiblePrivacyGroup', [C])).toMatchObject([{ members: [A, B, C] }])

    const remove = await send(a, { nonce: 6, contract: PROXY, data: removing(B) })
    expect(await statusOf(a, remove)).toBe('0x1')
    await set(7, 10)
    for (const node of [b, c]) await follow(a, node)
    expect(await root(c)).toBe(await root(a))
    expect(await root(b)).not.toBe(await root(a))
    const call = ({ rpc }: OpenedNode) => rpc('priv_call', GROUP, { to: contractAddress, data: '0x' }, 'latest')
    expect([await call(a), await call(b), await call(c)]).toEqual([`0x${word(10)}`, `0x${word(9)}`, `0x${word(10)}`])
    await expect(
      b.rpc(
        'eea_sendRawTransaction',
        signPrivate({ privateFrom: B, to: GROUP, nonce: 7, contract: PROXY, data: LOCK }),
      ),
    ).rejects.toMatchObject({ code: -50100 })
  }, 60_000)
})

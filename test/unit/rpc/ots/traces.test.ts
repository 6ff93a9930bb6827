import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { createAddress } from '../../../../src/types/address.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import {
  at,
  CALLCODE,
  callTo,
  code,
  createFrom,
  DELEGATECALL,
  returnBytes,
  revertWith,
  SELFDESTRUCT,
  STATICCALL,
} from '../../tracing/geth/programs.ts'

interface Entry {
  readonly type: string
  readonly depth: number
  readonly from: string
  readonly to: string
  readonly value: string | null
  readonly input: string
  readonly output: string
}

const FROM = ALICE.address.toLowerCase()
const PAID = at(0x3000)
const UNKNOWN = `0x${'77'.repeat(32)}`

describe("traces in Otterscan's form", () => {
  let node: OpenedNode
  let answering: string
  let reverting: string
  let dying: string

  const operations = (hash: string): Promise<object[]> => node.rpc('ots_getInternalOperations', hash)
  const trace = (hash: string): Promise<Entry[]> => node.rpc('ots_traceTransaction', hash)
  const error = (hash: string): Promise<string> => node.rpc('ots_getTransactionError', hash)

  beforeAll(async () => {
    node = await openDevNode()
    answering = await deploy(node, code(returnBytes('0xaabb')).code)
    reverting = await deploy(node, code(callTo(PAID, { value: 1n }), revertWith('0x0a0b0c0d')).code)
    dying = await deploy(node, code(BigInt(at(0x4000)), SELFDESTRUCT).code)
  })

  afterAll(() => node.node.close())

  it('lists calls in the order in which they began, with depth and output', async () => {
    const inner = await deploy(node, code(callTo(answering, { input: '0x0102' })).code)
    const kinds = [STATICCALL, DELEGATECALL, CALLCODE].flatMap((kind) => callTo(answering, { kind }))
    const outer = await deploy(node, code(callTo(inner, { value: 2n }), kinds, callTo(at(4))).code)
    const hash = await send(node, { to: outer, value: '0x9', data: '0xfe' })
    expect(await trace(hash)).toEqual([
      { type: 'CALL', depth: 0, from: FROM, to: outer, value: '0x9', input: '0xfe', output: '0x' },
      { type: 'CALL', depth: 1, from: outer, to: inner, value: '0x2', input: '0x', output: '0x' },
      { type: 'CALL', depth: 2, from: inner, to: answering, value: '0x0', input: '0x0102', output: '0xaabb' },
      { type: 'STATICCALL', depth: 1, from: outer, to: answering, value: null, input: '0x', output: '0xaabb' },
      { type: 'DELEGATECALL', depth: 1, from: outer, to: answering, value: null, input: '0x', output: '0xaabb' },
      { type: 'CALLCODE', depth: 1, from: outer, to: answering, value: '0x0', input: '0x', output: '0xaabb' },
    ])
    expect(await operations(hash)).toEqual([{ type: 0, from: outer, to: inner, value: '0x2' }])
  })

  it('lists creations and self-destructs', async () => {
    const init = [...returnBytes('0x00')]
    const factory = await deploy(node, code(createFrom(init, { value: 3n }), createFrom(init, { salt: 7n })).code)
    const hash = await send(node, { to: factory, value: '0x3' })
    const created = bytesToHex(createAddress(hexToBytes(factory), 1n))
    const entries = await trace(hash)
    expect(entries.map(({ type, depth, value }) => [type, depth, value])).toEqual([
      ['CALL', 0, '0x3'],
      ['CREATE', 1, '0x3'],
      ['CREATE2', 1, '0x0'],
    ])
    expect(entries[1]).toMatchObject({ from: factory, to: created, output: '0x00' })
    const created2 = entries[2]?.to
    expect(await operations(hash)).toEqual([
      { type: 2, from: factory, to: created, value: '0x3' },
      { type: 3, from: factory, to: created2, value: '0x0' },
    ])

    const death = await send(node, { to: dying, value: '0x5' })
    expect((await trace(death))[1]).toEqual({
      type: 'SELFDESTRUCT',
      depth: 1,
      from: dying,
      to: at(0x4000),
      value: '0x5',
      input: '0x',
      output: '0x',
    })
    expect(await operations(death)).toEqual([{ type: 1, from: dying, to: at(0x4000), value: '0x5' }])
  })

  it('names the creation by a transaction, which is no internal operation', async () => {
    const hash = await send(node, { data: bytesToHex(code(returnBytes('0x00')).code) })
    const [entry] = await trace(hash)
    const { contractAddress } = await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    expect(entry).toMatchObject({ type: 'CREATE', depth: 0, from: FROM, to: contractAddress, output: '0x00' })
    expect(await operations(hash)).toEqual([])
  })

  it('leaves out operations that a failure undid, but not the calls', async () => {
    const caught = await deploy(node, code(callTo(reverting, { value: 4n }), callTo(PAID, { value: 1n })).code)
    const hash = await send(node, { to: caught, value: '0x9' })
    expect(await operations(hash)).toEqual([{ type: 0, from: caught, to: PAID, value: '0x1' }])
    expect((await trace(hash)).map(({ to, output }) => [to, output])).toEqual([
      [caught, '0x'],
      [reverting, '0x0a0b0c0d'],
      [PAID, '0x'],
      [PAID, '0x'],
    ])
    const failed = await send(node, { to: reverting, value: '0x9' })
    expect(await operations(failed)).toEqual([])
    expect(await trace(failed)).toHaveLength(2)
  })

  it('has the revert data of a failed transaction', async () => {
    expect(await error(await send(node, { to: reverting, value: '0x1' }))).toBe('0x0a0b0c0d')
    expect(await error(await send(node, { to: answering }))).toBe('0x')
    const looping = await deploy(node, code(0x5b, 0n, 0x56).code)
    expect(await error(await send(node, { to: looping }))).toBe('0x')
  })

  it('traces one of several transactions of a block', async () => {
    await node.rpc('evm_setAutomine', false)
    const hashes = [
      await send(node, { to: answering }),
      await send(node, { to: reverting, value: '0x1' }),
      await send(node, { to: BOB.address, value: '0x1' }),
    ] as const
    await node.rpc('evm_mine')
    await node.rpc('evm_setAutomine', true)
    expect((await trace(hashes[0])).map(({ to }) => to)).toEqual([answering])
    expect((await trace(hashes[2])).map(({ to }) => to)).toEqual([BOB.address.toLowerCase()])
    expect(await error(hashes[1])).toBe('0x0a0b0c0d')
    expect(await error(hashes[2])).toBe('0x')
  })

  it('refuses transactions that do not exist', async () => {
    for (const ask of [operations, trace, error]) await expect(ask(UNKNOWN)).rejects.toThrow('transaction not found')
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import {
  MAX_CHAIN_EXPORTS,
  MAX_TRANSFER_PIECE_BYTES,
  TRANSFER_ANSWER_MS,
  TRANSFER_IDLE_MS,
} from '../../../src/base/limits/limits.ts'
import { ChainTransfers } from '../../../src/rpc/dump/chainTransfers.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { testRandom } from '../../support/host/testPorts.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

interface Piece {
  readonly id: string
  readonly index: number
  readonly data: string
  readonly isLast: boolean
}

const CODE = `0x00${'11'.repeat(10_000)}`
const opened: OpenedNode[] = []

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

async function open(time = new FakeTime(0)): Promise<OpenedNode & { readonly time: FakeTime }> {
  const node = await openDevNode({}, undefined, { timers: time })
  opened.push(node)
  return { ...node, time }
}

/** A chain whose dump has several pieces. */
async function openLarge(): Promise<OpenedNode> {
  const node = await open()
  for (let account = 0x10; account < 0x30; account++) {
    await node.rpc('anvil_setCode', `0x${account.toString(16).padStart(40, '0')}`, CODE)
  }
  await node.rpc('evm_mine')
  return node
}

async function exported({ rpc }: OpenedNode): Promise<Piece[]> {
  const pieces = [await rpc<Piece>('isonode_export')]
  for (let last = pieces[0]; last?.isLast === false; last = pieces.at(-1)) {
    pieces.push(await rpc<Piece>('isonode_export', last.id, last.index + 1))
  }
  return pieces
}

const unknown = { code: -32000, message: expect.stringMatching(/^unknown transfer of a chain: /) }

describe('isonode_export', () => {
  it('gives a dump in pieces, the last one again when it is asked for', async () => {
    const node = await openLarge()
    const pieces = await exported(node)
    expect(pieces.length).toBeGreaterThan(2)
    const again = await node.rpc<Piece>('isonode_export')
    expect(again.data).toBe(pieces[0]?.data)
    expect(await node.rpc('isonode_export', again.id, 0)).toEqual(again)
    const next = await node.rpc('isonode_export', again.id, 1)
    expect(await node.rpc('isonode_export', again.id, 1)).toEqual(next)
    await expect(node.rpc('isonode_export', again.id, 0)).rejects.toMatchObject(unknown)
    await expect(node.rpc('isonode_export', again.id, 3)).rejects.toMatchObject(unknown)
  })

  it('ends the oldest export when there are too many, and refuses what it does not know', async () => {
    const { rpc } = await openLarge()
    const [oldest, second] = [await rpc<Piece>('isonode_export'), await rpc<Piece>('isonode_export')]
    for (let more = 1; more < MAX_CHAIN_EXPORTS; more++) await rpc('isonode_export')
    await expect(rpc('isonode_export', oldest.id, 1)).rejects.toMatchObject(unknown)
    expect(await rpc('isonode_export', second.id, 1)).toMatchObject({ index: 1 })
    await expect(rpc('isonode_export', second.id)).rejects.toMatchObject({ code: -32602 })
    await expect(rpc('isonode_export', '0x12', 1)).rejects.toMatchObject({ code: -32602 })
    await expect(rpc('isonode_export', second.id, -1)).rejects.toMatchObject({ code: -32602 })
  })
})

describe('isonode_import', () => {
  it('takes the pieces, and the last one again when its answer was lost', async () => {
    const from = await openLarge()
    const to = await open()
    let id: string[] = []
    for (const { index, data, isLast } of await exported(from)) {
      const send = () => to.rpc<{ id: string; isLoaded: boolean }>('isonode_import', index, data, isLast, ...id)
      const answer = await send()
      id = [answer.id]
      expect(answer.isLoaded).toBe(isLast)
      if (index > 0) expect(await send()).toEqual(answer)
    }
    const head = (node: OpenedNode) => node.rpc('eth_getBlockByNumber', 'latest', false)
    expect(await head(to)).toEqual(await head(from))
  })

  it('fails when its next piece is late, and the chain goes on', async () => {
    const [first, second] = await exported(await openLarge())
    const { rpc, time } = await open()
    const { id } = await rpc<Piece>('isonode_import', 0, first?.data, false)
    const mined = rpc('evm_mine')
    time.advance(TRANSFER_IDLE_MS)
    await mined
    await expect(rpc('isonode_import', 1, second?.data, false, id)).rejects.toMatchObject({ code: -32602 })
    expect(await rpc('eth_blockNumber')).toBe('0x1')
  })

  it('ends when another import begins', async () => {
    const pieces = await exported(await openLarge())
    const { rpc } = await open()
    const first = await rpc<Piece>('isonode_import', 0, pieces[0]?.data, false)
    const second = await rpc<Piece>('isonode_import', 0, pieces[0]?.data, false)
    await expect(rpc('isonode_import', 1, pieces[1]?.data, false, first.id)).rejects.toMatchObject(unknown)
    for (const { index, data, isLast } of pieces.slice(1)) await rpc('isonode_import', index, data, isLast, second.id)
    expect(await rpc('eth_blockNumber')).toBe('0x1')
  })

  it('answers in time while a long chain is loaded, and again when it is', async () => {
    const time = new FakeTime(0)
    let store = (): void => {}
    const isStored = new Promise<void>((resolve) => {
      store = resolve
    })
    const load = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const _ of source);
      await isStored
    }
    const dump = () => Promise.reject(new Error('unused'))
    const transfers = new ChainTransfers({ dump, load, timers: time, random: testRandom })
    const last = { id: undefined, index: 0, data: new Uint8Array(1), isLast: true }
    const early = transfers.accept(last)
    time.advance(TRANSFER_ANSWER_MS)
    const { id, isLoaded } = await early
    expect(isLoaded).toBe(false)
    store()
    expect(await transfers.accept({ ...last, id })).toEqual({ id, isLoaded: true })
  })

  it('refuses pieces that are too large, unknown or left out', async () => {
    const { rpc } = await open()
    const large = `0x${'00'.repeat(MAX_TRANSFER_PIECE_BYTES + 1)}`
    await expect(rpc('isonode_import', 0, large, false)).rejects.toMatchObject({ code: -32602 })
    await expect(rpc('isonode_import', 1, '0x', true, `0x${'00'.repeat(16)}`)).rejects.toMatchObject(unknown)
    await expect(rpc('isonode_import', 1, '0x', true)).rejects.toMatchObject(unknown)
    await expect(rpc('isonode_import', 0, '0x', true)).rejects.toMatchObject({ code: -32602 })
    await rpc('evm_mine')
  })
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { garbageCollector } from '../../support/host/garbageCollector.ts'
import { openDevChain, sealBlocks } from '../../support/nodes/devChain.ts'

const MIB = 1024 * 1024
const BLOCKS = 100

const collect = garbageCollector()

/** Bun frees some buffers only in a later turn, so the lowest of several readings counts. */
const READINGS = 10

async function bufferBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < READINGS; i++) {
    collect()
    least = Math.min(least, process.memoryUsage().arrayBuffers)
    await nextTurn()
  }
  return least
}

/** The block as a part of a message or of a file. */
function withinMessage(rlp: Uint8Array): Uint8Array {
  const message = new Uint8Array(MIB)
  message.set(rlp)
  return message.subarray(0, rlp.length)
}

it.each<[string, (chain: Chain, block: PreparedBlock) => Promise<readonly { readonly kind: string }[]>]>([
  ['imported', (chain, block) => chain.importRun([block])],
  ['inserted', (chain, block) => chain.insert([{ prepared: block, receipts: [] }])],
])('headers of %s blocks do not keep the messages in memory from which they were decoded', async (kind, add) => {
  const source = await openDevChain()
  await sealBlocks(source, new Array(BLOCKS).fill({}))
  const chain = await openDevChain()
  const before = await bufferBytes()
  for (const exported of source.exportBlocks({ startBlock: 1 })) {
    const rlp = withinMessage(exported)
    const [prepared] = await prepareBlocks([encodedBlock(decodeBlock(rlp), chain.consensus, rlp)], TEST_SENDERS)
    expect(await add(chain, prepared as PreparedBlock)).toMatchObject([{ kind }])
  }
  // Memory of an EVM is counted, too.
  expect((await bufferBytes()) - before).toBeLessThan((BLOCKS * MIB) / 4)
  expect(chain.headerByHash(source.head.hash)).toMatchObject({ header: source.head.header })
})

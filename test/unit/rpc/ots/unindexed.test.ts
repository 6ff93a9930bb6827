// slow: hundreds of blocks
/** Searches in a database whose index of accounts is not built yet: blocks without it are examined one by one. */
import { expect, it } from 'vitest'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../../src/chain/termIndex/section.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { unindexedStore } from '../../../support/chains/unindexedStore.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { BOB } from '../../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, callTo, code } from '../../tracing/geth/programs.ts'

const CALLED = at(0x3000)

const open = closedAfterEach()

it('is complete before the index is built, while it is built, and afterwards', async () => {
  const kv = new MemoryStore()
  const first = await open({}, kv)
  const caller = await deploy(first, code(callTo(CALLED)).code)
  await send(first, { to: caller })
  for (let i = 0; i < SECTION_BLOCKS + SECTION_DEPTH; i++) await send(first, { to: BOB.address, gas: '0x5208' })
  await send(first, { to: caller })
  const answers = ({ rpc }: OpenedNode): Promise<unknown[]> =>
    Promise.all([
      rpc('ots_searchTransactionsBefore', CALLED, 0, 25),
      rpc('ots_searchTransactionsAfter', CALLED, 0, 25),
      rpc('ots_getContractCreator', caller),
    ])
  const indexed = await answers(first)
  expect(indexed).toMatchObject([{ txs: { length: 2 }, lastPage: true }, { txs: { length: 2 } }, {}])

  const older = unindexedStore(kv)
  let isHeld = true
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // The build is the only work that yields while the node opens.
  const opened = await open({}, older, { yieldToHost: () => (isHeld ? held : Promise.resolve()) })
  isHeld = false
  expect(older.get(keys.termSection(0))).toBeUndefined()
  expect(await answers(opened)).toEqual(indexed)
  release()
  await eventually(() => expect(older.get(keys.termSection(0))).toBeDefined())
  expect(await answers(opened)).toEqual(indexed)
})

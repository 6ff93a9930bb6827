import { expect, it } from 'vitest'
import { encodeNumber } from '../../../../src/chain/blockRecord.ts'
import { SPENT_TERMS } from '../../../../src/chain/termIndex/indexColumn.ts'
import { firstPosition } from '../../../../src/chain/termIndex/sectionBuilder.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'

it('does not look for terms below the first block of a fork', () => {
  const first = 20_000_000
  const hash = new Uint8Array(32).fill(1)
  const kv = new MemoryStore()
  kv.commit([
    { key: keys.meta('genesisHash'), value: hash },
    { key: keys.numberByHash(hash), value: encodeNumber(first) },
    ...firstPosition(first),
  ])
  expect(SPENT_TERMS.rewrite(kv, undefined)).toEqual({ mutations: [], position: undefined, progress: 1 })
})

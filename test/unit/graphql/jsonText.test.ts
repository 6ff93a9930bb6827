/** JSON text of answers. */
import { describe, expect, it } from 'vitest'
import { TimeSlicer } from '../../../src/base/ports/yieldToHost.ts'
import { jsonText, slicedJsonText } from '../../../src/graphql/jsonText.ts'

const answer = {
  errors: undefined,
  data: { blocks: [{ number: 1, logs: [{ topics: ['0x"\n', null] }] }, null], text: 'ä', none: null, yes: true },
}

describe('the text', () => {
  it('is that of JSON.stringify, also in parts', async () => {
    let yields = 0
    const slicer = new TimeSlicer({ clock: { monotonic: () => 0 }, yieldToHost: async () => void yields++, sliceMs: 0 })
    expect(jsonText(answer)).toBe(JSON.stringify(answer))
    expect(await slicedJsonText(answer, slicer)).toBe(JSON.stringify(answer))
    expect(yields).toBeGreaterThan(3)
  })

  it('has all digits of large integers', async () => {
    const value = { data: { block: { gas: 2n ** 64n - 1n, list: [1n, 'a', undefined] }, none: undefined } }
    expect(jsonText(value)).toBe('{"data":{"block":{"gas":18446744073709551615,"list":[1,"a",null]}}}')
  })
})

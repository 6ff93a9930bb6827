import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSimpleBatch, readSimpleRequest } from '../../../src/rpc/simpleRequest.ts'

const METHODS = new Map(['a', 'eth_chainId'].map((name) => [name, { name }]))

describe('requests in the form that most clients use', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', '1', []],
    ['{"jsonrpc":"2.0","id":0,"method":"eth_chainId","params":[]}', '0', []],
    [
      '{"method":"eth_chainId","params":["0x1",true,false,null,""],"id":"a b"}',
      '"a b"',
      ['0x1', true, false, null, ''],
    ],
    ['{"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": ["a", "b"]}', '1', ['a', 'b']],
    [
      '{"id":1,"method":"eth_chainId","params":[{"to":"0x1", "strict": true,"to":null},"latest"]}',
      '1',
      [{ to: null, strict: true }, 'latest'],
    ],
  ])('are read: %s', (text, id, params) => {
    const request = { id, method: 'eth_chainId', params }
    expect(readSimpleRequest(text)).toMatchObject(request)
    expect(readSimpleBatch(`[${text},${text}]`, METHODS)).toMatchObject([request, request])
  })

  it.each([
    '',
    '{',
    '{}',
    '[]',
    '{"id":1}',
    '{"method":"a"}',
    '{"id":1,"method":"a"',
    '{"id":1,"method":"a"}x',
    '{"id":1,"method":"a",}',
    '{"id":01,"method":"a"}',
    '{"id":1.0,"method":"a"}',
    '{"id":-1,"method":"a"}',
    '{"id":1234567890123456,"method":"a"}',
    '{"id":1,"id":1,"method":"a"}',
    '{"id":1,"method":"\\u0061"}',
    '{"id":1,"method":"\n"}',
    '{"id":"é","method":"a"}',
    '{"id":null,"method":"a"}',
    '{"jsonrpc":"1.0","id":1,"method":"a"}',
    '{"id":1,"method":"a","params":[1]}',
    '{"id":1,"method":"a","params":[nul]}',
    '{"id":1,"method":"a","params":["a",]}',
    '{"id":1,"method":"a","params":["a" "b"]}',
    '{"id":1,"method":"a","params":[{}]}',
    '{"id":1,"method":"a","params":[{"a":1}]}',
    '{"id":1,"method":"a","params":[{"a":"b",}]}',
    '{"id":1,"method":"a","params":[{"a","b"}]}',
    '{"id":1,"method":"a","params":[{"a":{"b":"c"}}]}',
    '{"id":1,"method":"a","params":[{"__proto__":"b"}]}',
    '{"id":1,"method":"a","params":[{"a":"b"]}',
    '{"id":1,"method":"a","params":["a"',
    '{"id":1,"method":"a","params":{}}',
    '{"id":1,"method":"a","params":null}',
    '{"id":1,"method":"a","x":1}',
    '{"id":1 ,"method":"a"}',
    '{"id":1;"method":"a"}',
  ])('are otherwise parsed by the general parser: %s', (text) => {
    expect(readSimpleRequest(text)).toBeUndefined()
    expect(readSimpleBatch(`[{"id":1,"method":"a"},${text}]`, METHODS)).toBeUndefined()
  })

  it.each([
    '[]',
    '[',
    '[{"id":1,"method":"a"}',
    '[{"id":1,"method":"a"},]',
    '[{"id":1,"method":"a"}{"id":1,"method":"a"}]',
    '[{"id":1,"method":"a"}]]',
    '[{"id":1,"method":"a"}] ',
    '[{"id":1,"method":"unknown"}]',
    `[{"id":1,"method":"a","params":["${'0'.repeat(40_000)}"]}]`,
  ])('are parsed by the general parser in other batches: %s', (text) => {
    expect(readSimpleBatch(text, METHODS)).toBeUndefined()
  })

  it('have the name of the method in a batch, not a part of its text', () => {
    const name = ['eth', 'aMethodWithALongName'].join('_')
    const text = `[{"id":1,"method":"${name}"}]`
    expect(readSimpleBatch(text, new Map([[name, { name: 'the name' }]]))).toMatchObject([{ method: 'the name' }])
  })

  it('mean the same as JSON', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ', ', ':', ': ', ' ', '"', '\\', '0', '1', '12', '-', '.', 'true', 'null', 'false'],
      ...['"id":', '"method":', '"params":', '"jsonrpc":', '"2.0"', '"a"', '"b c"', '[]', '["x"]', '["x",null]', 'é'],
      ...['{"a":"b"}', '[{"a":"b", "c":null}]', '"a":', '"__proto__":'],
    )
    const wellFormed = fc
      .uniqueArray(
        fc.tuple(
          fc.constantFrom('id', 'method', 'params', 'jsonrpc'),
          fc.constantFrom('1', '"a"', '[]', '["x", true]', '[{"a":"b","c": false},"x"]', '[{"a":1}]', '"2.0"', '01'),
        ),
        { selector: ([key]) => key },
      )
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`)
    const text = fc.oneof(
      wellFormed,
      fc.array(piece, { maxLength: 14 }).map((pieces) => `{${pieces.join('')}`),
    )
    const property = fc.property(text, (source) => {
      const read = readSimpleRequest(source)
      if (read === undefined) return
      const { id, method, params } = JSON.parse(source)
      const request = { id: JSON.stringify(id), method, params: params ?? [] }
      expect(read).toEqual({ ...request, end: source.length })
      const methods = new Map([[method, { name: method }]])
      expect(readSimpleBatch(`[${source}, ${source}]`, methods)).toMatchObject([request, request])
    })
    fc.assert(property, { numRuns: 3000, seed: 11 })
  })
})

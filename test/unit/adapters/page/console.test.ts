import { describe, expect, it } from 'vitest'
import { castRpc, curlRequests, viemRequest } from '../../../../adapters/page/views/console/copyRequest.ts'
import { readDocument } from '../../../../adapters/page/views/console/document.ts'
import { readParameters, readValue } from '../../../../adapters/page/views/console/parameters.ts'
import { closedAfterEach } from '../../../support/nodes/devNodeInMemory.ts'

const DOCUMENT = {
  methods: [
    {
      name: 'b_call',
      summary: 'Calls.',
      tags: [{ name: 'B' }],
      params: [
        { name: 'call', required: true, schema: { $ref: '#/components/schemas/Call' } },
        { name: 'block', schema: { anyOf: [{ $ref: '#/components/schemas/Tag' }, { type: 'integer' }] } },
        { name: 'isFull', schema: { type: 'boolean' } },
        { name: 'passphrase', schema: { type: 'string' } },
      ],
      result: { name: 'output', schema: { type: 'array', items: { $ref: '#/components/schemas/Tag' } } },
      errors: [{ $ref: '#/components/errors/FAILED' }],
    },
    { name: 'a_first', params: [] },
  ],
  components: {
    schemas: {
      Call: { title: 'Call', type: 'object', properties: { from: {}, to: {} } },
      Tag: { title: 'Tag', type: 'string', enum: ['latest', 'pending'] },
      Endless: { $ref: '#/components/schemas/Endless' },
    },
    errors: { FAILED: { code: -32000, message: 'failed' } },
  },
}

const openDevNode = closedAfterEach()

describe('the document of methods', () => {
  it('gives methods by name with their parameters', () => {
    const [first, call] = readDocument(DOCUMENT)
    expect(first?.name).toBe('a_first')
    expect(call).toMatchObject({ group: 'B', result: 'array of Tag', errors: [{ code: -32000, message: 'failed' }] })
    const [object, block, isFull, passphrase] = call?.parameters ?? []
    expect(object).toMatchObject({ isRequired: true, form: 'Call, an object of from, to', isSecret: false })
    expect([...(block?.types ?? [])]).toEqual(['string', 'integer'])
    expect(isFull?.choices).toEqual(['true', 'false'])
    expect(passphrase?.isSecret).toBe(true)
  })

  it.each([
    undefined,
    null,
    [],
    {},
    { methods: {} },
    { methods: [null, 5, { name: 7 }] },
    {
      methods: [{ name: 'x', params: [{ schema: { $ref: '#/components/schemas/Endless' } }] }],
      ...DOCUMENT.components,
    },
    { methods: [{ name: 'x', params: [{ schema: { $ref: '#/components/__proto__/constructor' } }] }], components: {} },
    { methods: [{ name: 'x', params: 'none', errors: 3, tags: 1, result: [] }] },
  ])('survives one of another form: %j', (document) => {
    expect(Array.isArray(readDocument(document))).toBe(true)
  })

  it('ends with schemas that contain themselves', () => {
    const Tree = { type: 'array', items: { $ref: '#/components/schemas/Tree' } }
    const methods = [{ name: 'x', params: [{ name: 'tree', schema: { $ref: '#/components/schemas/Tree' } }] }]
    const [method] = readDocument({ methods, components: { schemas: { Tree } } })
    expect(method?.parameters[0]?.form).toContain('array of array of')
  })

  it('reads that of the node', async () => {
    const node = await openDevNode()
    const methods = readDocument(await node.rpc('rpc.discover'))
    expect(methods.length).toBeGreaterThan(100)
    for (const { name, summary, parameters } of methods) {
      expect(summary, name).not.toBe('')
      for (const parameter of parameters) expect(parameter.name, name).not.toBe('')
    }
    const secrets = methods.flatMap(({ name, parameters }) =>
      parameters.filter(({ isSecret }) => isSecret).map((parameter) => `${name} ${parameter.name}`),
    )
    expect(secrets).toContain('personal_importRawKey privateKey')
  })
})

describe('parameters', () => {
  const parameters = readDocument(DOCUMENT).at(-1)?.parameters ?? []

  it('are left out at the end, and null in between', () => {
    const texts = new Map([
      ['call', '{"to":"0x1"}'],
      ['isFull', 'true'],
    ])
    expect(readParameters(parameters, texts)).toEqual({ params: [{ to: '0x1' }, null, true] })
  })

  it('have errors by name', () => {
    const outcome = readParameters(parameters, new Map([['block', '{']]))
    expect(outcome).toEqual({
      errors: new Map([
        ['call', 'This parameter is required.'],
        ['block', expect.stringContaining('Not valid JSON')],
      ]),
    })
  })

  it.each([
    ['latest', ['string'], 'latest'],
    ['12', ['string'], '12'],
    ['12', ['integer', 'string'], 12],
    ['true', ['boolean'], true],
    ['true', ['string'], 'true'],
    ['null', ['null', 'string'], null],
    ['"a"', ['string'], 'a'],
    ['[1]', ['array'], [1]],
    ['0xff', [], '0xff'],
  ])('read %s as one of %j', (text, types, value) => expect(readValue(text, new Set(types))).toEqual(value))
})

describe('copies', () => {
  const request = { method: 'eth_call', params: [{ data: "it's" }, 'latest'] }

  it('are safe in a shell', () => {
    expect(castRpc('http://a/', request)).toBe(
      `cast rpc --rpc-url http://a/ --raw eth_call '[{"data":"it'\\''s"},"latest"]'`,
    )
    expect(curlRequests('http://a/', [request])).toContain(`"params":[{"data":"it'\\''s"},"latest"]}'`)
  })

  it('of a batch are one request', () => {
    expect(curlRequests('http://a/', [request, request])).toMatch(/-d '\[\{"jsonrpc":"2\.0","id":1,.*"id":2,/)
  })

  it('for viem are code', () => {
    expect(viemRequest('http://a/', request)).toContain(
      `client.request({ method: 'eth_call', params: [{"data":"it's"},"latest"] })`,
    )
  })
})

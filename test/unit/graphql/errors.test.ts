/** Errors in the words of graphql-java (profile `besu`) and in plain ones (profile `geth`). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { type GraphqlAnswer, graphql } from '../../support/nodes/graphqlNode.ts'

const nodes = new Map<string, OpenedNode>()
beforeAll(async () => {
  for (const profile of ['besu', 'geth'] as const) nodes.set(profile, await openDevNode({ 'rpc-profile': profile }))
})
afterAll(async () => {
  for (const { node } of nodes.values()) await node.close()
})

const ask = (
  query: string,
  profile: 'besu' | 'geth' = 'besu',
  variables?: Record<string, unknown>,
): Promise<GraphqlAnswer> => graphql(nodes.get(profile) as OpenedNode, query, variables)

describe('profile besu', () => {
  it.each([
    [
      '{ block { foo } }',
      "Validation error (FieldUndefined@[block/foo]) : Field 'foo' in type 'Block' is undefined",
      1,
      11,
    ],
    [
      '{ pending { account { balance } } }',
      "Validation error (MissingFieldArgument@[pending/account]) : Missing field argument 'address'",
      1,
      13,
    ],
    [
      '{block (hash : "c8df") {number } }',
      "Validation error (WrongType@[block]) : argument 'hash' with value 'StringValue{value='c8df'}' is not a valid 'Bytes32' - Bytes32 value 'c8df' is not prefixed with 0x",
      1,
      16,
    ],
    [
      '{block{call(data:{to:"0x6295ee1b4f6dd65047762f924ecd367c17eabf8f", data:"12a7"}){data}}}',
      "Validation error (WrongType@[block/call]) : argument 'data.data' with value 'StringValue{value='12a7'}' is not a valid 'Bytes' - Bytes value '12a7' is not prefixed with 0x",
      1,
      73,
    ],
  ])('validation: %s', async (query, message, line, column) => {
    expect(await ask(query)).toEqual({
      status: 400,
      errors: [{ message, locations: [{ line, column }], extensions: { classification: 'ValidationError' } }],
    })
  })

  it.each([
    ['', "Invalid Syntax : offending token '<EOF>' at line 1 column 1", 1, 1],
    ['{ block {', "Invalid Syntax : offending token '<EOF>' at line 1 column 10", 1, 10],
    ['{\n  block ]', "Invalid Syntax : offending token ']' at line 2 column 9", 2, 9],
    ['blocks', "Invalid Syntax : offending token 'blocks' at line 1 column 1", 1, 1],
  ])('syntax: %j', async (query, message, line, column) => {
    expect(await ask(query)).toEqual({
      status: 400,
      errors: [{ message, locations: [{ line, column }], extensions: { classification: 'InvalidSyntax' } }],
    })
  })

  it('of a field, with its number', async () => {
    const answer = await ask('{ block(number: 1, hash: "0x01") { number } }')
    expect(answer).toEqual({
      status: 400,
      errors: [
        {
          message: 'Exception while fetching data (/block) : Invalid params',
          locations: [{ line: 1, column: 3 }],
          path: ['block'],
          extensions: { errorCode: -32602, errorMessage: 'Invalid params', classification: 'DataFetchingException' },
        },
      ],
      data: { block: null },
    })
    expect(Object.keys(answer.errors?.[0] ?? {})).toEqual(['message', 'locations', 'path', 'extensions'])
  })

  it('of a field without a number', async () => {
    const { errors } = await ask('{ block(number: 33) { number } }')
    expect(errors).toEqual([
      {
        message: 'Exception while fetching data (/block) : Block number 33 was not found',
        locations: [{ line: 1, column: 3 }],
        path: ['block'],
        extensions: { classification: 'DataFetchingException' },
      },
    ])
  })

  it('of variables', async () => {
    const query = 'query($n: Long!) { block(number: $n) { number } }'
    for (const variables of [undefined, { n: 'x' }, { n: 1.5 }, { n: {} }, { n: '0x8000000000000000' }]) {
      const { status, data, errors } = await ask(query, 'besu', variables)
      expect([status, data, errors?.[0]?.extensions]).toEqual([400, undefined, { classification: 'ValidationError' }])
    }
    for (const n of [0, '0', '0x0']) expect((await ask(query, 'besu', { n })).status).toBe(200)
  })

  it('of operations', async () => {
    expect((await ask('query a { chainID } query b { chainID }')).status).toBe(400)
    expect((await ask('subscription { chainID }')).status).toBe(400)
  })
})

describe('profile geth', () => {
  it('has plain messages', async () => {
    const message = async (query: string) => (await ask(query, 'geth')).errors?.[0]?.message
    expect(await message('{ block { foo } }')).toBe('Cannot query field "foo" on type "Block".')
    expect(await message('{ block {')).toBe('Syntax Error: Expected Name, found <EOF>.')
    expect(await message('{ block(number: 33) { number } }')).toBe('Block number 33 was not found')
    expect(await message('{ blocks(from: 2, to: 1) { number } }')).toBe('blocks: 2 to 1 is not a range')
  })
})

describe('scalars', () => {
  it.each([
    ['account(address: "0x12") { balance }', 'is not 20 bytes long'],
    [`account(address: "0x${'1'.repeat(39)}") { balance }`, 'is not 20 bytes long'],
    ['account(address: 5) { balance }', 'is not a string'],
    [`transaction(hash: "0x${'11'.repeat(33)}") { hash }`, 'is longer than 32 bytes'],
    ['transaction(hash: "0xzz") { hash }', 'is not hex'],
    ['block(number: 1.5) { hash }', 'neither text nor an integer'],
    ['block(number: "1e3") { hash }', 'is not an integer'],
    ['block(number: 9223372036854775808) { hash }', 'is not in range'],
    ['block { call(data: { value: -1 }) { data } }', 'is not in range'],
    [`block { call(data: { value: "${'f'.repeat(65)}" }) { data } }`, 'is not hex'],
  ])('refuse %s', async (field, reason) => {
    const { status, errors } = await ask(`{ ${field} }`, 'geth')
    expect([status, errors?.length]).toEqual([400, 1])
    expect(errors?.[0]?.message).toContain(reason)
  })

  it('accept short words, odd digits, decimal and hex numbers', async () => {
    const { status } = await ask(
      `{ transaction(hash: "0x1") { hash } block(number: "0X0") { call(data: { value: "0", gas: "100000", gasPrice: 0, data: "0x1" }) { status } } }`,
      'geth',
    )
    expect(status).toBe(200)
  })
})

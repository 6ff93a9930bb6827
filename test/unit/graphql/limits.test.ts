// slow: large queries
/** Documents that cost more than their length suggests are refused before they are validated or executed. */
import { getIntrospectionQuery } from 'graphql'
import { afterAll, describe, expect, it } from 'vitest'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { graphql } from '../../support/nodes/graphqlNode.ts'

const opened = openDevNode()
afterAll(async () => (await opened).node.close())

const ask = async (query: string, variables?: Record<string, unknown>) =>
  graphql((await opened) satisfies OpenedNode, query, variables)

async function refusal(query: string): Promise<string> {
  const { status, data, errors = [] } = await ask(query)
  expect([status, data, errors.length]).toEqual([400, undefined, 1])
  return errors[0]?.message ?? ''
}

const repeated = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')

describe('cost', () => {
  it('counts every field; 200 are possible', async () => {
    const fields = (count: number): string => `{ ${repeated(count, () => 'chainID')} }`
    expect((await ask(fields(200))).status).toBe(200)
    expect(await refusal(fields(201))).toBe('maximum query complexity exceeded 201 > 200')
  })

  it('adds 100 for the block of a transaction', async () => {
    const block = '{ block { transactions { block { hash } } } }'
    expect((await ask(block)).status).toBe(200)
    const twice = '{ block { transactions { block { transactions { block { hash } } } } } }'
    expect(await refusal(twice)).toBe('maximum query complexity exceeded 206 > 200')
  })

  it('counts fragments as often as they are used', async () => {
    const doubled = repeated(60, (i) => `fragment f${i} on Block { ...f${i + 1} ...f${i + 1} }`)
    const query = `${doubled} fragment f60 on Block { number } { block { ...f0 } }`
    expect(await refusal(query)).toMatch(/^maximum query complexity exceeded 11529215\d+ > 200$/)
  })

  it('has the error of an aborted execution', async () => {
    const { errors } = await ask(`{ ${repeated(300, () => 'chainID')} }`)
    expect(errors).toEqual([
      {
        message: 'maximum query complexity exceeded 300 > 200',
        extensions: { classification: 'ExecutionAborted' },
      },
    ])
  })
})

describe('introspection', () => {
  it('of the whole schema is allowed', async () => {
    for (const options of [{}, { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true }]) {
      expect((await ask(getIntrospectionQuery(options))).status).toBe(200)
    }
  })

  it('that multiplies types by fields is refused', async () => {
    const nested = (alias: string): string => `${alias}: __schema { types { fields { type { fields { name } } } } }`
    expect(await refusal(`{ ${['a', 'b', 'c'].map(nested).join(' ')} }`)).toMatch(/complexity exceeded 6\d\d > 500/)
    const deep = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'
    expect(await refusal(deep)).toContain('introspection depth exceeded')
  })
})

describe('shape', () => {
  it('aliases: 100 are possible', async () => {
    const aliases = (count: number): string => `{ ${repeated(count, (i) => `a${i}: chainID`)} }`
    expect((await ask(aliases(100))).status).toBe(200)
    expect(await refusal(aliases(101))).toBe('maximum query number of aliases exceeded 101 > 100')
    expect(await refusal(aliases(10_000))).toBe('maximum query number of tokens exceeded 2501 > 2500')
  })

  it('depth: 32 levels are possible, also through fragments', async () => {
    const levels = (count: number): string => `${'{ parent '.repeat(count - 1)}{ number }${' }'.repeat(count - 1)}`
    expect((await ask(`{ block ${levels(31)} }`)).status).toBe(200)
    expect(await refusal(`{ block ${levels(32)} }`)).toBe('maximum query depth exceeded 33 > 32')
    const fragments = `fragment a on Block ${levels(20)} { block { parent { ...a } } other: block ${levels(10)} }`
    expect((await ask(fragments)).status).toBe(200)
  })

  it('brackets that would exhaust the parser', async () => {
    expect(await refusal('{block{parent'.repeat(100_000))).toBe('maximum query depth exceeded 65 > 64')
    expect(await refusal(`{ logs(filter: ${'['.repeat(1_000_000)}`)).toBe('maximum query depth exceeded 65 > 64')
  })

  it('brackets in texts and comments are no nesting', async () => {
    const query = `# ${'{'.repeat(200)}\n{ block(hash: "${'{'.repeat(200)}") { number } }`
    expect((await ask(query)).errors?.[0]?.message).toContain('not prefixed with 0x')
    const block = `{ block(hash: """${'{'.repeat(200)} \\""" ""${'['.repeat(200)}""") { number } }`
    expect((await ask(block)).errors?.[0]?.message).toContain('not prefixed with 0x')
    expect((await ask(`"${'{'.repeat(100)}`)).errors?.[0]?.extensions['classification']).toBe('InvalidSyntax')
  })

  it('tokens: 2,500 are possible, of every kind', async () => {
    const addresses = (count: number): string => repeated(count, () => `"0x${'00'.repeat(20)}",\t#"{[(\n`)
    const logs = (count: number): string => `{ logs(filter: { addresses: [${addresses(count)}] }) { index } }`
    const others = 16
    expect((await ask(logs(2500 - others))).status).toBe(200)
    expect(await refusal(logs(2501 - others))).toContain('2501 > 2500')
    // The parser splits this word.
    expect(await refusal(`{ ${'...a'.repeat(2500)} }`)).toContain('2500 tokens')
    for (const text of ['a:b', '$', '!', '"x"', '"""x"""', '-1', 'é', '@a']) {
      expect(await refusal(`{ ${repeated(2600, () => text)} }`)).toContain('tokens')
    }
  })

  it('length: characters beyond 288 Ki, whatever they are', async () => {
    const padded = (length: number, pad: string): string => `{ chainID }${pad.repeat(length - 11)}`
    for (const pad of [' ', ',', '\n']) {
      expect((await ask(padded(294_912, pad))).status).toBe(200)
      expect(await refusal(padded(294_913, pad))).toBe('maximum query length exceeded 294913 > 294912')
    }
    expect(await refusal(`{ chainID } #${'x'.repeat(4_000_000)}`)).toContain('maximum query length')
    expect(await refusal(`{ block(hash: "${'x'.repeat(4_000_000)}") { number } }`)).toContain('maximum query length')
  })

  it('selections of all operations together', async () => {
    const operations = `query a { ${repeated(251, () => 'chainID')} } query b { ${repeated(250, () => 'chainID')} }`
    expect(await refusal(operations)).toBe('maximum query size exceeded 501 > 500')
  })

  it.each<[string, (count: number) => string]>([
    ['variables', (count) => `query(${repeated(count - 1, (i) => `$v${i}: Long`)}) { chainID }`],
    ['arguments', (count) => `{ block(${repeated(count - 1, (i) => `a${i}: 1`)}) { number } }`],
    ['fields of objects', (count) => `{ logs(filter: { ${repeated(count - 2, (i) => `a${i}: 1`)} }) { index } }`],
    ['directives', (count) => `{ chainID ${repeated(count - 1, () => '@skip')} }`],
  ])('%s are limited before each rule visits them', async (_, document) => {
    expect(await refusal(document(251))).toBe('maximum query number of definitions and arguments exceeded 251 > 250')
    expect(JSON.stringify((await ask(document(250))).errors ?? '')).not.toContain('exceeded')
  })

  it.each<[string, (count: number) => string]>([
    ['operations', (count) => repeated(count, (i) => `query q${i} { chainID }`)],
    ['fragments', (count) => `{ chainID } ${repeated(count - 1, (i) => `fragment f${i} on Block { number }`)}`],
  ])('%s: 64 are possible', async (_, document) => {
    expect(await refusal(document(65))).toBe('maximum query number of definitions exceeded 65 > 64')
    expect(JSON.stringify((await ask(document(64))).errors ?? '')).not.toContain('exceeded')
  })

  it('fragments that contain themselves', async () => {
    const cycle = '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'
    expect(await refusal(cycle)).toContain('Cannot spread fragment "a" within itself')
    expect(await refusal('{ ...a } fragment a on Query { chainID ...a }')).toContain('within itself')
  })
})

describe('variables', () => {
  it('of invalid values have few errors', async () => {
    const query = 'query($list: [Address!]) { logs(filter: { addresses: $list }) { index } }'
    const { status, data, errors = [] } = await ask(query, { list: Array.from({ length: 50_000 }, () => 'x') })
    expect([status, data]).toEqual([400, undefined])
    expect(errors.length).toBeLessThanOrEqual(100)
  })
})

describe('blocks', () => {
  it('of one list are limited', async () => {
    const node = await opened
    await node.rpc('hardhat_mine', '0x401')
    const { data, errors } = await ask('{ blocks(from: 0) { number } }')
    expect(data).toBeNull()
    expect(errors?.[0]).toMatchObject({
      message: 'blocks: expected at most 1024, got 1026',
      extensions: { errorCode: -32005 },
    })
    expect((await ask('{ blocks(from: 1, to: 1024) { number } }')).data.blocks).toHaveLength(1024)
  })

  it('with too many bytes or values end the request', async () => {
    const aliases = (field: string): string =>
      `{ blocks(from: 1, to: 1024) { ${repeated(90, (i) => `a${i}: ${field}`)} } }`
    expect((await ask(aliases('number'))).status).toBe(200)
    expect(await refusal(aliases('logsBloom'))).toBe('the answer has more than 16777216 characters of bytes')
    const parents = repeated(99, (i) => `a${i}: parent { number }`)
    expect(await refusal(`{ blocks(from: 1, to: 1024) { ${parents} } }`)).toBe('the answer has more than 200000 values')
  })
})

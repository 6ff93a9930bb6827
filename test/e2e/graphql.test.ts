/** GraphQL of the program: options, urql as a client, refusals of the start. */
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { type ProgramRuntime, RUNTIMES, runCommand, startNode } from '../support/nodes/program.ts'

async function start(runtime: ProgramRuntime, ...options: string[]) {
  const node = await startNode(['--ephemeral', '--graphql-http-enabled', '--graphql-http-port=0', ...options], {
    runtime,
  })
  const [url = ''] = /http:\/\/[\d.]+:\d+\/graphql/.exec(node.output()) ?? []
  return { node, url }
}

describe.each(RUNTIMES)('the program on %s', (runtime) => {
  it('serves urql', async () => {
    const { node, url } = await start(runtime)
    const client = new Client({ url, exchanges: [cacheExchange, fetchExchange], preferGetMethod: false })
    const block = await client.query('query($n: Long!) { block(number: $n) { number hash } }', { n: 0 }).toPromise()
    expect(block.error).toBeUndefined()
    expect(block.data.block).toMatchObject({ number: 0 })
    const byGet = new Client({ url, exchanges: [fetchExchange], preferGetMethod: 'force' })
    expect((await byGet.query('{ chainID }', {}).toPromise()).data).toEqual({ chainID: '0x7a69' })
    const failed = await client.query('{ block(number: 7) { number } }', {}).toPromise()
    expect(failed.error?.graphQLErrors[0]).toMatchObject({ message: 'Block number 7 was not found', path: ['block'] })
    expect((await node.stop()).code).toBe(0)
  })
})

it("names refused fields in the words of Besu's library", async () => {
  const { node, url } = await start('node', '--rpc-profile=besu')
  const body = JSON.stringify({ query: '{ block(number: 0) { account { balance } } }' })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(await answer.json()).toMatchObject({
    errors: [{ message: "Validation error (MissingFieldArgument@[block/account]) : Missing field argument 'address'" }],
  })
  await node.stop()
})

describe('options', () => {
  it('GraphQL is off by default', async () => {
    const node = await startNode(['--ephemeral'], {})
    expect(node.output()).not.toContain('GraphQL')
    await node.stop()
  })

  it('a port in use ends the start with one line', async () => {
    const { node, url } = await start('node')
    const { port } = new URL(url)
    const { code, stderr } = await runCommand([
      '--ephemeral',
      '--rpc-http-port=0',
      '--graphql-http-enabled',
      `--graphql-http-port=${port}`,
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${port} on 127.0.0.1 is in use`)])
    await node.stop()
  })

  it('without the main option have a warning', async () => {
    const node = await startNode(['--ephemeral', '--graphql-http-port=0'], {})
    await eventually(() => expect(node.output()).toContain('will have no effect unless --graphql-http-enabled'))
    await node.stop()
  })
})

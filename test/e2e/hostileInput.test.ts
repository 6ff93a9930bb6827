/** Malformed input over a real socket: the envelope answers with its codes, and the process keeps serving. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningNode, startNode } from '../support/nodes/program.ts'

let node: RunningNode
beforeAll(async () => {
  node = await startNode(['--ephemeral', '--rpc-profile=besu'])
})
afterAll(async () => {
  expect(await node.rpc('eth_blockNumber')).toBe('0x0')
  const { code, stderr } = await node.stop()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

interface Reply {
  readonly status: number
  readonly body: string
}

async function post(body: string | Uint8Array): Promise<Reply> {
  const response = await fetch(node.url, { method: 'POST', body: body as BodyInit })
  return { status: response.status, body: await response.text() }
}

const errorCode = ({ body }: Reply): number | undefined => JSON.parse(body).error?.code
const request = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

describe('a body that is not a request', () => {
  it.each([
    ['nothing', '', 400, -32700],
    ['broken JSON', '{"jsonrpc":"2.0","id":1,"method":', 400, -32700],
    ['two values', '{} {}', 400, -32700],
    ['a scalar', '5', 400, -32700],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00, 0x80), 400, -32700],
    ['an empty batch', '[]', 400, -32600],
    ['no method', '{"id":1}', 400, -32600],
    ['params that are a number', '{"id":1,"method":"eth_blockNumber","params":5}', 400, -32600],
    ['an unknown method', request('eth_nonsense', '[]'), 200, -32601],
    ['deep nesting', request('eth_call', '['.repeat(100_000) + ']'.repeat(100_000)), 400, -32700],
    ['nesting without an end', '['.repeat(1_000_000), 400, -32700],
    ['a number without an end', request('eth_getBlockByNumber', `[${'9'.repeat(100_000)}]`), 400, -32700],
    ['a batch that is too long', `[${Array(1025).fill('{}').join(',')}]`, 200, -32005],
  ])('%s', async (_what, body, status, code) => {
    const reply = await post(body)
    expect([reply.status, errorCode(reply)]).toEqual([status, code])
  })

  it('is refused beyond 5 MiB, with or without a declared length', async () => {
    expect((await post('x'.repeat(6 * 1024 * 1024))).status).toBe(413)
    const chunk = new Uint8Array(1024 * 1024).fill(32)
    let left = 7
    const stream = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    })
    const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
    expect((await fetch(node.url, init)).status).toBe(413)
  })
})

describe('parameters of the wrong type', () => {
  const address = '"0x00000000000000000000000000000000000000aa"'
  it.each([
    ['eth_getBalance', '[5,"latest"]'],
    ['eth_getBalance', '["0x1g","latest"]'],
    ['eth_getBalance', `["0x${'f'.repeat(1_000_000)}","latest"]`],
    ['eth_getBalance', `[${address},{}]`],
    ['eth_getBalance', `[${address},"0x${'f'.repeat(100_000)}"]`],
    ['eth_getBalance', `[${address},["latest"]]`],
    ['eth_getStorageAt', `[${address},"0x1${'0'.repeat(64)}","latest"]`],
    ['eth_getBlockByNumber', '["0x-1",true]'],
    ['eth_getBlockByHash', '["0x12",true]'],
    ['eth_call', '["latest","latest"]'],
    ['eth_call', `[{"to":${address},"gas":"0x1${'0'.repeat(64)}"},"latest"]`],
    ['eth_call', `[{"to":${address},"data":"0x123"},"latest"]`],
    ['eth_call', `[{"to":${address},"value":-1},"latest"]`],
    ['eth_feeHistory', '["0xffffffffffff","latest",[]]'],
    ['eth_feeHistory', '["0x0","latest",[]]'],
    ['eth_getLogs', '[{"fromBlock":"0x0","toBlock":"latest","topics":"x"}]'],
    ['eth_getLogs', '[5]'],
  ])('%s %#', async (method, params) => {
    const reply = await post(request(method, params))
    expect([reply.status, errorCode(reply)]).toEqual([200, -32602])
  })
})

describe('a connection that is cut', () => {
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(node.url)
      const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.destroy()))
      socket.once('close', () => resolve())
      socket.once('error', reject)
    })

  it('affects no other client', async () => {
    for (const text of [
      '',
      '\u0000\u0001\u0002',
      'POST / HTTP/1.1\r\n',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"jsonrpc"',
      `POST / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
    ]) {
      await send(text)
    }
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
  })
})

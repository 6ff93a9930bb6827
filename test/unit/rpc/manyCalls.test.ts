import process from 'node:process'
import { expect, it } from 'vitest'
import { MAX_EXECUTION_MEMORY_BYTES } from '../../../src/base/limits/limits.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { SocketPort } from '../../../src/http/socketPort.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { testYield } from '../../support/host/testYield.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const COUNT = 256
/**
 * More than 1 for the process itself and for memory that is not collected yet; Deno collects memories of WebAssembly later.
 * Without a bound, the calls would take nine times the limit.
 */
const MOST_FACTOR = 'Deno' in globalThis ? 2 : 1.5
const TARGET = `0x${'77'.repeat(20)}`
/** Takes 2 MiB in each of about 9 frames, then loops. */
const GREEDY = evmCode(
  '1 2097152 MSTORE8 GAS 20000000 LT 21 JUMPI JUMPDEST 17 JUMP JUMPDEST 0 0 0 0 ADDRESS GAS STATICCALL 17 JUMP',
)

it('bounds the memory of all calls of one WebSocket, and answers each of them', async () => {
  const { node, rpc } = await openDevNode({ 'rpc-call-timeout-ms': 1500 })
  await rpc('eth_call', { to: TARGET }, 'latest')
  const sent: { id: number; error?: { message: string } }[] = []
  const port: SocketPort = {
    send: (text: string) => void sent.push(JSON.parse(text)),
    bufferedAmount: () => 0,
    pause: () => {},
    resume: () => {},
    close: () => {},
    terminate: () => {},
  }
  const session = node.endpoints.get('webSocket').open(port, undefined)
  const call = { to: TARGET, gas: '0x5f5e100' }
  const overrides = { [TARGET]: { code: bytesToHex(GREEDY) } }
  const before = process.memoryUsage().rss
  let most = 0
  for (let id = 0; id < COUNT; id++) {
    session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_call', params: [call, 'latest', overrides] }))
  }
  while (sent.length < COUNT) {
    most = Math.max(most, process.memoryUsage().rss - before)
    await testYield()
  }
  const messages = new Set(sent.map(({ error }) => error?.message.replace(/\d+ms/, '…')))
  // A slow machine reaches the deadlines before the bound, a fast one the end of the gas before the deadlines.
  for (const message of messages) {
    expect(message).toMatch(/^out of gas$|^execution aborted \((out of memory|timeout = …)\)$/)
  }
  expect(most).toBeLessThan(MOST_FACTOR * MAX_EXECUTION_MEMORY_BYTES)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(COUNT)
  expect(await rpc('eth_call', { to: TARGET }, 'latest', { [TARGET]: { code: '0x602a60005260206000f3' } })).toMatch(
    /2a$/,
  )
}, 60_000)

/** WebSockets of the program: the ports that serve them, and the shutdown. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { devGenesis } from '../../src/config/devGenesis.ts'
import { fileWith } from '../support/host/commandChecks.ts'
import { eventually } from '../support/host/eventually.ts'
import { RUNTIMES, type RunningNode, startNode } from '../support/nodes/program.ts'
import { WebSocketClient } from '../support/rpc/webSocketClient.ts'

const WEBSOCKET = /WebSocket\s+ws:\/\/\S+:(\d+)/

/** Takes a port, as soon as no other program has it. */
function occupy(port: number): Promise<() => void> {
  return eventually(async () => {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    return () => server.close()
  })
}

describe.each(RUNTIMES)('the program on %s', (runtime) => {
  const clients: WebSocketClient[] = []
  afterAll(() => {
    for (const { socket } of clients) socket.terminate()
  })

  const start = (...args: string[]): Promise<RunningNode> => startNode(['--ephemeral', ...args], { runtime })
  const httpPort = (node: RunningNode): number => Number(new URL(node.url).port)
  const webSocketPort = (node: RunningNode): number => Number(WEBSOCKET.exec(node.output())?.[1])
  const connect = (port: number): WebSocketClient => {
    const client = new WebSocketClient(port)
    clients.push(client)
    return client
  }

  it('serves the dev chain on both ports with every API group, and ends promptly', async () => {
    const node = await start()
    expect(webSocketPort(node)).not.toBe(httpPort(node))
    const open = [connect(httpPort(node)), connect(webSocketPort(node))]
    for (const client of open) {
      expect(await client.ask('eth_chainId')).toBe('0x7a69')
      expect(await client.ask('rpc_modules')).toHaveProperty('debug')
    }
    expect(await node.rpc('net_services')).toMatchObject({ ws: { host: '127.0.0.1', port: `${webSocketPort(node)}` } })
    const started = Date.now()
    expect(await node.stop()).toMatchObject({ code: 0, stderr: '' })
    expect(Date.now() - started).toBeLessThan(4500)
    for (const client of open) expect(await client.closed()).toBe(1001)
  })

  it('uses only the HTTP port if its own is in use, unless that port was requested', async () => {
    const release = await occupy(8546)
    const node = await start('--rpc-ws-host=127.0.0.1')
    await eventually(() => expect(node.output()).toContain('port 8546 for WebSockets is in use'))
    expect(webSocketPort(node)).toBe(httpPort(node))
    expect(await connect(httpPort(node)).ask('eth_chainId')).toBe('0x7a69')
    await expect(start('--rpc-ws-port=8546')).rejects.toThrow('port 8546 on 127.0.0.1 is in use')
    await node.stop()
    release()
  })

  it('serves another chain only on request, with the requested groups', async () => {
    const genesis = `--genesis-file=${fileWith(JSON.stringify(devGenesis()))}`
    const [off, on] = await Promise.all([
      start(genesis),
      start(genesis, '--rpc-ws-enabled', '--rpc-ws-port=0', '--rpc-ws-api=ETH'),
    ])
    await eventually(() => expect(off.output()).toContain('off (--rpc-ws-enabled)'))
    await expect(connect(httpPort(off)).opened).rejects.toThrow()
    expect(Object.keys((await connect(webSocketPort(on)).ask('rpc_modules')) as object)).toEqual(['eth'])
    expect(Object.keys((await connect(httpPort(on)).ask('rpc_modules')) as object)).toEqual(['eth'])
    await Promise.all([off.stop(), on.stop()])
  })
})

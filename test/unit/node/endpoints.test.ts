import { describe, expect, it } from 'vitest'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

describe('the endpoints of a node', () => {
  it('have their own policies and API groups', async () => {
    const { node } = await openDevNode({ 'rpc-http-api': ['ETH', 'NET'], 'rpc-ws-api': ['ETH'] })
    const http = node.endpoints.get('http')
    const webSocket = node.endpoints.get('webSocket')
    expect([...http.groups].sort()).toEqual(['ETH', 'NET'])
    expect([...webSocket.groups]).toEqual(['ETH'])
    expect(http.policy).not.toBe(webSocket.policy)
    expect([...node.endpoints.keys()]).toEqual(['http', 'webSocket', 'graphql'])
  })

  it('agree about the network: the dev chain is ready without peers', async () => {
    const { node, rpc } = await openDevNode()
    expect(await rpc('net_listening')).toBe(true)
    expect(await rpc('net_peerCount')).toBe('0x0')
    const readiness = await node.fetch(new Request('http://localhost/readiness'))
    expect([readiness.status, await readiness.text()]).toEqual([200, '{"status":"UP"}'])
  })
})

describe('a node', () => {
  it('is running once it is created, and stopped when it is closed', async () => {
    const { node } = await openDevNode()
    expect(node.state).toBe('running')
    await Promise.all([node.close(), node.close()])
    expect(node.state).toBe('stopped')
  })
})

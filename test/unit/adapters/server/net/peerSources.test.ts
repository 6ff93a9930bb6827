import { describe, expect, it } from 'vitest'
import { withAddresses, withBootnodes } from '../../../../../adapters/server/net/peerSources.ts'
import { defaultOptions, type NodeOptions } from '../../../../../src/config/options.ts'

const ID = 'ab'.repeat(64)
const LIST = 'enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE@nodes.example.org'
const enode = (host: string): string => `enode://${ID}@${host}:30303`

async function sources(options: Partial<NodeOptions>, discovery: object = {}, isDev = false) {
  const given = { ...defaultOptions(false), 'genesis-file': 'genesis.json', ...options }
  const chosen = { text: JSON.stringify({ config: { discovery } }), isDev } as Parameters<typeof withBootnodes>[1]
  const { bootnodes, 'discovery-dns-url': list } = await withBootnodes(given, chosen)
  return { bootnodes, list }
}

describe('boot nodes', () => {
  it('are those of the genesis file, unless the options name others', async () => {
    const discovery = { bootnodes: [enode('10.0.0.1')], dns: LIST }
    expect(await sources({}, discovery)).toEqual({ bootnodes: [enode('10.0.0.1')], list: LIST })
    expect(await sources({ bootnodes: [] }, discovery)).toEqual({ bootnodes: [], list: LIST })
    const other = { bootnodes: [enode('10.0.0.2')], 'discovery-dns-url': `${LIST}.com` }
    expect(await sources(other, discovery)).toEqual({ bootnodes: other.bootnodes, list: `${LIST}.com` })
    expect(await sources({})).toEqual({ bootnodes: undefined, list: undefined })
    expect(await sources({}, discovery, true)).toEqual({ bootnodes: [], list: undefined })
  })

  it('of the genesis file are checked', async () => {
    await expect(sources({}, { bootnodes: ['foo'] })).rejects.toThrow(/discovery.bootnodes: 'foo': .*not an enode URL/)
    await expect(sources({}, { dns: 'foo' })).rejects.toThrow(/discovery.dns: 'foo'/)
    await expect(sources({}, { bootnodes: [enode('localhost')] })).rejects.toThrow('--Xdns-enabled allows host names')
  })
})

describe('host names with --Xdns-enabled', () => {
  const options = { 'Xdns-enabled': true }

  it('are resolved', async () => {
    const loopback = /^enode:\/\/[0-9a-f]+@(?:127\.0\.0\.1|\[::1\]):30303$/
    expect(await withAddresses(enode('localhost'), options)).toMatch(loopback)
    const { bootnodes } = await sources({ ...options, bootnodes: [enode('localhost'), enode('10.0.0.1')] })
    expect(bootnodes).toEqual([expect.stringMatching(loopback), enode('10.0.0.1')])
    expect(await withAddresses(enode('localhost'), { 'Xdns-enabled': false })).toBe(enode('localhost'))
  })

  it('without an address are named', async () => {
    await expect(withAddresses(enode('nowhere.invalid'), options)).rejects.toMatchObject({
      code: 'UNKNOWN_HOST',
      message: expect.stringContaining("the host name 'nowhere.invalid' of an enode URL has no address"),
    })
  })
})

import { describe, expect, it } from 'vitest'
import { parseGenesisDiscovery } from '../../../src/config/genesisDiscovery.ts'

const parse = (discovery: unknown) => parseGenesisDiscovery(JSON.stringify({ config: { discovery } }))

describe('the section discovery of a genesis file', () => {
  it('names boot nodes and a DNS list', () => {
    expect(parse({ BootNodes: ['enode://a'], DNS: 'enrtree://b' })).toEqual({
      bootnodes: ['enode://a'],
      list: 'enrtree://b',
    })
    for (const text of ['{}', '{"config":{}}', '{"config":{"discovery":{}}}']) {
      expect(parseGenesisDiscovery(text)).toEqual({ bootnodes: undefined, list: undefined })
    }
  })

  it.each([
    [{ bootnodes: 'enode://a' }, 'discovery.bootnodes must be an array of enode URLs'],
    [{ bootnodes: [7] }, 'discovery.bootnodes must be an array of enode URLs'],
    [{ dns: ['enrtree://b'] }, 'discovery.dns must be a string'],
    ['enode://a', 'discovery must be an object'],
  ])('is refused: %j', (section, message) => {
    expect(() => parse(section)).toThrow(message)
  })
})

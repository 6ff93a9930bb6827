import { describe, expect, it } from 'vitest'
import { decompressedKey } from '../../../../src/base/primitives/secp256k1.ts'
import { PUBLIC_NODES } from '../../../../src/config/networks/publicNodes.ts'
import type { NodeOptions } from '../../../../src/config/options.ts'
import { parseListUrl } from '../../../../src/net/p2p/discovery/dns/entries.ts'
import { parseEnode } from '../../../../src/net/p2p/enode.ts'
import { networkSettings } from '../../../../src/node/settings/networkSettings.ts'

const BASE = {
  'max-peers': 25,
  'p2p-peer-lower-bound': 25,
  'banned-node-ids': [],
  'required-blocks': [],
  'discovery-enabled': true,
} as unknown as NodeOptions

const discovery = (options: Partial<NodeOptions>) => networkSettings({ ...BASE, ...options }).discovery

describe('the nodes by which peers are found', () => {
  it('are those of a public network by default', () => {
    const classic = discovery({ network: 'CLASSIC' })
    expect([classic?.bootnodes.length, classic?.lists]).toEqual([3, [PUBLIC_NODES.CLASSIC?.list]])
    expect(discovery({ network: 'CLASSIC', 'discovery-enabled': false })).toBeUndefined()
    expect(discovery({ network: 'CLASSIC', 'genesis-file': 'g.json' })).toEqual({ bootnodes: [], lists: [] })
    expect(discovery({ network: 'DEV' })).toEqual({ bootnodes: [], lists: [] })
  })

  it('are those of the options otherwise', () => {
    const url = `enode://${'ab'.repeat(64)}@10.0.0.7:30303`
    const list = PUBLIC_NODES.MORDOR?.list as string
    expect(discovery({ network: 'MAINNET', bootnodes: [url] })).toEqual({ bootnodes: [parseEnode(url)], lists: [] })
    expect(discovery({ network: 'MAINNET', bootnodes: [] })).toEqual({ bootnodes: [], lists: [] })
    expect(discovery({ bootnodes: [url], 'discovery-dns-url': list })?.lists).toEqual([list])
  })

  it('have valid addresses', () => {
    for (const { bootnodes, list } of Object.values(PUBLIC_NODES)) {
      expect(decompressedKey(parseListUrl(list).publicKey)).toBeDefined()
      for (const url of bootnodes) expect(parseEnode(url).port).toBeGreaterThan(0)
    }
  })
})

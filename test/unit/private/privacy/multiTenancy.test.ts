import { readFileSync } from 'node:fs'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import { openAccess } from '../../../../src/http/access/endpointAccess.ts'
import type { IsoNode } from '../../../../src/node/node.ts'
import { needsData } from '../../../support/host/needsData.ts'
import { openGenesisNode } from '../../../support/nodes/genesisNode.ts'
import { FakeEnclave } from '../../../support/private/fakeEnclave.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'
import { importFile } from '../../../support/recorded/recordedChains.ts'
import { replyText } from '../../../support/rpc/replyText.ts'

interface Exchange {
  readonly token: string
  readonly claims: Record<string, unknown> | string | null
  readonly method: string
  readonly params: readonly unknown[]
  readonly statusCode: number
  readonly response: unknown
}

const FOLDER = 'besu/privacy'
const data = (name: string): string => recordedPath(FOLDER, name)

describe('multi-tenancy', needsData(`${FOLDER}/multi-tenancy.json`), () => {
  async function open(): Promise<{
    node: IsoNode
    token: (claims: Exchange['claims']) => Promise<string | undefined>
  }> {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const clock = { now: () => Date.UTC(2030, 0, 1), monotonic: () => performance.now() }
    const source = {
      credentials: undefined,
      publicKey: await exportSPKI(publicKey),
      algorithm: 'RS256',
      openMethods: [],
    }
    const http = await openAccess(source as never, { clock, matches: async () => false })
    const node = await openGenesisNode(
      readFileSync(data('genesis.json'), 'utf8'),
      {
        'rpc-http-api': ['ALL'],
        'rpc-profile': 'besu',
        'min-gas-price': 0n,
        'revert-reason-enabled': true,
        'rpc-http-authentication-enabled': true,
        'network-id': 2027n,
      } as never,
      {
        access: { http, webSocket: http },
        clock,
        loadReferenceEvm,
        privacy: {
          transport: FakeEnclave.read(data('enclave-a.json')),
          users: { kind: 'tenants' },
          markerKey: undefined,
          isFlexible: false,
        },
      },
    )
    const report = await importFile(node.chain, [new Uint8Array(readFileSync(data('blocks.bin')))])
    expect(report.end).toEqual({ kind: 'done' })
    const token = async (claims: Exchange['claims']): Promise<string | undefined> => {
      if (claims === null) return undefined
      if (typeof claims === 'string') return `Bearer ${claims}`
      const { exp = 4_000_000_000, permissions = ['*:*'], ...rest } = claims
      const jwt = new SignJWT({ permissions, ...rest }).setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      return `Bearer ${await jwt.setExpirationTime(exp as number).sign(privateKey)}`
    }
    return { node, token }
  }

  it('answers as recorded', async () => {
    const { node, token } = await open()
    const { exchanges } = JSON.parse(readFileSync(data('multi-tenancy.json'), 'utf8')) as { exchanges: Exchange[] }
    const different: unknown[] = []
    for (const { token: name, claims, method, params, statusCode, response } of exchanges) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const authorization = await token(claims)
      const headers = {
        'content-type': 'application/json',
        host: 'localhost',
        ...(authorization === undefined ? {} : { authorization }),
      }
      const reply = await node.fetch(new Request('http://localhost/', { method: 'POST', headers, body }))
      const text = await reply.text()
      const found = text === '' ? undefined : JSON.parse(text)
      const isRandom = method === 'priv_newFilter' && statusCode === 200
      const answers = isRandom ? [typeof found?.result, 'string'] : [found, response]
      if (reply.status === statusCode && JSON.stringify(sorted(answers[0])) === JSON.stringify(sorted(answers[1])))
        continue
      different.push({ name, method, params, expected: [statusCode, response], found: [reply.status, found] })
    }
    expect(different).toEqual([])
    await node.close()
  }, 60_000)

  it("hides a tenant's filters from the others", async () => {
    const { node, token } = await open()
    const keys = JSON.parse(readFileSync(data('keys.json'), 'utf8')) as { enclave: Record<string, string> }
    const { groups } = JSON.parse(readFileSync(data('history.json'), 'utf8')) as { groups: Record<string, string> }
    const [a1, a2] = [keys.enclave['a1'] as string, keys.enclave['a2'] as string]
    const call = async (user: string, method: string, ...params: readonly unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const authorization = await token({ privacyPublicKey: user })
      const reply = await node.endpoints.get('http').exchange.handle({ body, authorization })
      return { status: reply.status, ...(JSON.parse(await replyText(reply)) as { result?: unknown; error?: unknown }) }
    }
    const { result: id } = await call(a1, 'priv_newFilter', groups['ab'], { fromBlock: '0x0' })
    // The group of both is known to both; the filter is of another one.
    for (const group of [groups['ab'], groups['legacy_aa2']]) {
      expect(await call(a2, 'priv_getFilterLogs', group, id)).not.toHaveProperty('result')
      expect(await call(a2, 'priv_getFilterChanges', group, id)).not.toHaveProperty('result')
      expect((await call(a2, 'priv_uninstallFilter', group, id)).result).not.toBe(true)
    }
    expect((await call(a1, 'priv_getFilterLogs', groups['ab'], id)).result).not.toEqual([])
    await node.close()
  }, 60_000)
})

/** Objects with their members in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}

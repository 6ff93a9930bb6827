import { describe, expect, it } from 'vitest'
import { scopeOf, workerOptions } from '../../../adapters/workers/environment.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'

const PUBLISHER = `0x${'ab'.repeat(20)}`

describe('the variables of the Worker', () => {
  it('have defaults, except for the publisher', () => {
    expect(workerOptions({ ISONODE_MIRROR_PUBLISHER: PUBLISHER })).toEqual({
      publisher: hexToBytes(PUBLISHER),
      groups: ['ETH', 'NET', 'WEB3', 'TRACE', 'DEBUG'],
      corsOrigins: [],
      profile: 'geth',
      readsPerRequest: 40,
      gasCap: 25_000_000n,
      maxLagMs: 60_000,
      whenStale: 'serve',
    })
  })

  it('are read', () => {
    const options = workerOptions({
      ISONODE_MIRROR_PUBLISHER: 'any',
      ISONODE_API: 'eth, Trace',
      ISONODE_RPC_HTTP_CORS_ORIGINS: 'https://a, https://b',
      ISONODE_RPC_PROFILE: 'besu',
      ISONODE_READS_PER_REQUEST: '900',
      ISONODE_RPC_CALL_GAS_CAP: '1000000000',
      ISONODE_MIRROR_MAX_LAG: '5',
      ISONODE_MIRROR_WHEN_STALE: 'refuse',
    })
    expect(options).toEqual({
      publisher: undefined,
      groups: ['ETH', 'TRACE'],
      corsOrigins: ['https://a', 'https://b'],
      profile: 'besu',
      readsPerRequest: 900,
      gasCap: 1_000_000_000n,
      maxLagMs: 5000,
      whenStale: 'refuse',
    })
    expect(scopeOf(options)).toBe('any ETH,TRACE besu 1000000000')
  })

  it.each([
    [{}, 'ISONODE_MIRROR_PUBLISHER: expected the address of the publisher, or any'],
    [{ ISONODE_MIRROR_PUBLISHER: '0x12' }, 'ISONODE_MIRROR_PUBLISHER: expected'],
    [{ ISONODE_MIRROR_PUBLISHER: 'any', ISONODE_API: 'ETH,ADMIN' }, 'ISONODE_API: expected some of ETH,NET,WEB3'],
    [{ ISONODE_MIRROR_PUBLISHER: 'any', ISONODE_RPC_PROFILE: 'x' }, 'ISONODE_RPC_PROFILE: expected geth or besu'],
    [
      { ISONODE_MIRROR_PUBLISHER: 'any', ISONODE_READS_PER_REQUEST: '0' },
      'ISONODE_READS_PER_REQUEST: expected a whole',
    ],
    [{ ISONODE_MIRROR_PUBLISHER: 'any', ISONODE_RPC_CALL_GAS_CAP: '-1' }, 'ISONODE_RPC_CALL_GAS_CAP: expected a whole'],
    [{ ISONODE_MIRROR_PUBLISHER: 'any', ISONODE_MIRROR_WHEN_STALE: '' }, 'expected serve or refuse'],
  ])('are refused by name: %j', (env, message) => {
    expect(() => workerOptions(env)).toThrow(message)
  })
})

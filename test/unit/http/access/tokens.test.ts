import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { type AccessSource, openAccess } from '../../../../src/http/access/endpointAccess.ts'
import type { TokenAlgorithm } from '../../../../src/http/access/tokens.ts'

const NOW = 1_700_000_000
const ALGORITHMS: readonly TokenAlgorithm[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512']
const pairs = new Map(
  await Promise.all(
    ALGORITHMS.map(async (name) => [name, await generateKeyPair(name, { extractable: true })] as const),
  ),
)
const pairOf = (name: TokenAlgorithm) => pairs.get(name) as NonNullable<ReturnType<typeof pairs.get>>

async function setUp(algorithm: TokenAlgorithm, source: Partial<AccessSource> = {}) {
  let now = NOW * 1000
  const publicKey = await exportSPKI(pairOf(algorithm).publicKey)
  const access = await openAccess(
    { credentials: undefined, publicKey, algorithm, openMethods: [], ...source },
    { clock: { now: () => now, monotonic: () => now }, matches: async (password) => password === 'secret' },
  )
  const caller = async (token: string) => access.authenticate(`Bearer ${token}`)
  return { access, publicKey, caller, at: (ms: number) => (now = ms) }
}

const sign = (algorithm: TokenAlgorithm, claims: Record<string, unknown>, key = pairOf(algorithm).privateKey) =>
  new SignJWT({ permissions: ['eth:*'], exp: NOW + 300, ...claims }).setProtectedHeader({ alg: algorithm }).sign(key)

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('tokens of an external key', () => {
  it.each(ALGORITHMS)('are verified with %s', async (algorithm) => {
    const { caller } = await setUp(algorithm)
    const { permits, claims } = await caller(await sign(algorithm, { username: 'alice', privacyPublicKey: 'k=' }))
    expect(claims).toEqual({ username: 'alice', privacyPublicKey: 'k=' })
    expect([permits('eth_call'), permits('net_version')]).toEqual([true, false])
  })

  it.each<[string, Record<string, unknown>]>([
    ['expired', { exp: NOW }],
    ['not valid yet', { nbf: NOW + 1 }],
    ['without exp', { exp: undefined }],
    ['with a text as exp', { exp: '9999999999' }],
  ])('%s make an anonymous caller', async (_name, claims) => {
    const { caller } = await setUp('RS256', { openMethods: ['net_version'] })
    const { permits, claims: none } = await caller(await sign('RS256', claims))
    expect([none, permits('eth_call'), permits('net_version')]).toEqual([undefined, false, true])
  })

  it('that are forged make an anonymous caller', async () => {
    const { caller, publicKey } = await setUp('RS256')
    const valid = await sign('RS256', {})
    const [head = '', body = '', signature = ''] = valid.split('.')
    const claims = { permissions: ['*:*'], exp: NOW + 300 }
    const hmacKey = new TextEncoder().encode(publicKey)
    const forged = [
      '',
      'x',
      `${head}.${body}.`,
      `${head}.${encoded(claims)}.${signature}`,
      `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
      `${encoded({ alg: 'none' })}.${encoded(claims)}.${signature}`,
      `${encoded({ alg: 'RS256', crit: ['x'] })}.${body}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(hmacKey),
      await sign('RS256', {}, (await generateKeyPair('RS256')).privateKey),
      await sign('ES256', {}),
      await sign('RS384', {}),
      `${valid} `,
    ]
    for (const token of forged) {
      const { permits, claims: none } = await caller(token)
      expect([none, permits('eth_call')], token).toEqual([undefined, false])
    }
    expect((await caller(valid)).permits('eth_call')).toBe(true)
  })

  it('that are known are recognised synchronously, until they expire', async () => {
    const { access, at } = await setUp('ES256')
    const header = `Bearer ${await sign('ES256', {})}`
    const first = access.authenticate(header)
    expect(first).toBeInstanceOf(Promise)
    const caller = await first
    expect(access.authenticate(header)).toBe(caller)
    at((NOW + 300) * 1000 - 1)
    expect(access.authenticate(header)).toBe(caller)
    at((NOW + 300) * 1000)
    expect((await access.authenticate(header)).claims).toBeUndefined()
    expect((await access.authenticate(header)).permits('eth_call')).toBe(false)
  })

  it('need their exact prefix', async () => {
    const { access } = await setUp('ES256')
    const token = await sign('ES256', {})
    for (const header of [undefined, token, `bearer ${token}`, `Basic ${token}`, `Bearer  ${token}`]) {
      expect((await access.authenticate(header)).claims, header).toBeUndefined()
    }
  })

  it.each<[string, unknown]>([
    ['a text', '*:*'],
    ['an object', { '*:*': true }],
    ['other values', [1, null, ['*:*']]],
    ['absent', undefined],
  ])('grant nothing when the permissions are %s', async (_name, permissions) => {
    const { caller } = await setUp('ES256')
    expect((await caller(await sign('ES256', { permissions }))).permits('eth_call')).toBe(false)
  })
})

describe('tokens of the login', () => {
  const credentials = `[Users.alice]
password = "$2a$10$wNQQxwB1/IbIH7O30xeu6.VxeJ2vZ5OnLzusvoanndqpCrrYDeX06"
permissions = ["net:version"]
privacyPublicKey = "k="
`
  const loggedIn = async (setUp: { access: Awaited<ReturnType<typeof openAccess>> }) => {
    const body = JSON.stringify({ username: 'alice', password: 'secret' })
    const reply = await setUp.access.login?.handle(body, 'a')
    return (JSON.parse(reply?.body ?? '') as { readonly token: string }).token
  }

  it('carry the claims of the user for five minutes', async () => {
    const service = await setUp('RS256', { credentials, publicKey: undefined })
    const token = await loggedIn(service)
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toEqual({
      permissions: ['net:version'],
      username: 'alice',
      privacyPublicKey: 'k=',
      iat: NOW,
      exp: NOW + 300,
    })
    const { permits, claims } = await service.caller(token)
    expect(claims).toEqual({ username: 'alice', privacyPublicKey: 'k=' })
    expect([permits('net_version'), permits('eth_call')]).toEqual([true, false])
  })

  it('are accepted beside those of an external key, but not by another endpoint', async () => {
    const both = await setUp('ES384', { credentials })
    const token = await loggedIn(both)
    expect((await both.caller(token)).claims?.username).toBe('alice')
    expect((await both.caller(await sign('ES384', { username: 'bob' }))).claims?.username).toBe('bob')
    const other = await setUp('ES384', { credentials })
    expect((await other.caller(token)).claims).toBeUndefined()
    expect((await setUp('ES384')).access.login).toBeUndefined()
  })
})

describe('a public key', () => {
  it.each<[string, TokenAlgorithm, TokenAlgorithm]>([
    ['of another type', 'ES256', 'RS256'],
    ['on another curve', 'ES256', 'ES384'],
  ])('%s is refused', async (_name, made, algorithm) => {
    const publicKey = await exportSPKI(pairOf(made).publicKey)
    await expect(setUp(algorithm, { publicKey })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`not a PEM public key for ${algorithm}`),
    })
  })

  it('must be PEM, and long enough', async () => {
    await expect(setUp('RS256', { publicKey: 'x' })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    const options = { modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) }
    const parameters = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', ...options }
    const short = (await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])) as CryptoKeyPair
    const publicKey = await exportSPKI(short.publicKey)
    await expect(setUp('RS256', { publicKey })).rejects.toMatchObject({
      message: 'the JWT public key has 1024 bits; 2048 are the minimum',
    })
  })

  it('decides alone whether a token is required before the body is read', async () => {
    expect((await setUp('ES256')).access.tokenRequired).toBe(true)
    expect((await setUp('ES256', { openMethods: ['net_version'] })).access.tokenRequired).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import type { User } from '../../../../src/http/access/credentials.ts'
import { Login } from '../../../../src/http/access/login.ts'

const ALICE: User = { name: 'alice', passwordHash: 'hash of secret', permissions: [], privacyPublicKey: undefined }

function setUp(compare?: (password: string, hash: string) => Promise<boolean>) {
  let now = 0
  const compared: string[] = []
  const login = new Login({
    users: new Map([['alice', ALICE]]),
    clock: { monotonic: () => now },
    matches: async (password, hash) => {
      compared.push(`${password} | ${hash}`)
      return compare === undefined ? hash === `hash of ${password}` : compare(password, hash)
    },
    issue: async ({ name }) => `token of ${name}`,
  })
  const attempt = (password: string, client = 'a', username = 'alice') =>
    login.handle(JSON.stringify({ username, password }), client)
  return { login, attempt, compared, pass: (ms: number) => (now += ms) }
}

describe('a login', () => {
  it('returns a token for the right password', async () => {
    const { attempt } = setUp()
    expect(await attempt('secret')).toEqual({ status: 200, body: '{"token":"token of alice"}' })
    expect(await attempt('wrong')).toEqual({ status: 401, body: '', refusedUser: 'alice' })
  })

  it('does the same work for unknown users, and refuses them even with the password of another one', async () => {
    const { attempt, compared, login } = setUp()
    expect(await attempt('secret', 'a', 'bob')).toEqual({ status: 401, body: '', refusedUser: 'bob' })
    expect((await attempt('secret', 'a', '__proto__')).status).toBe(401)
    expect(await login.handle('{}', 'a')).toEqual({ status: 401, body: '', refusedUser: '' })
    expect(compared).toEqual(['secret | hash of secret', 'secret | hash of secret', ' | hash of secret'])
  })

  it.each(['', 'x', '[]', '"x"', 'null', '5'])('refuses the body %j', async (body) => {
    expect(await setUp().login.handle(body, 'a')).toEqual({ status: 400, body: '' })
  })

  it('refuses passwords whose end bcrypt would ignore', async () => {
    const { attempt } = setUp(() => Promise.resolve(true))
    expect((await attempt('x'.repeat(72))).status).toBe(200)
    expect((await attempt('é'.repeat(37))).status).toBe(401)
  })

  it('bounds the failed attempts of a client within a minute', async () => {
    const { attempt, compared, pass } = setUp()
    for (let i = 0; i < 20; i++) expect((await attempt('secret')).status).toBe(200)
    const failed = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong')))
    expect(failed.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
    expect(compared).toHaveLength(30)
    pass(20_000)
    expect(await attempt('secret')).toEqual({ status: 429, body: '', retryAfter: 40, refusedUser: 'alice' })
    expect((await attempt('secret', 'b')).status).toBe(200)
    pass(40_000)
    expect((await attempt('secret')).status).toBe(200)
  })

  it('compares one password at a time, and refuses attempts beyond its queue', async () => {
    let running = 0
    let most = 0
    const { attempt } = setUp(async () => {
      running++
      most = Math.max(most, running)
      await Promise.resolve()
      running--
      return false
    })
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => attempt('x', `client ${i}`)))
    expect(most).toBe(1)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(32)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(8)
  })

  it('continues after a comparison that fails', async () => {
    let isBroken = true
    const { attempt } = setUp(async () => {
      if (isBroken) throw new Error('no thread')
      return true
    })
    await expect(attempt('x')).rejects.toThrow('no thread')
    isBroken = false
    expect((await attempt('x')).status).toBe(200)
  })
})

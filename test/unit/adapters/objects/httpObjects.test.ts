import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HttpObjects } from '../../../../adapters/shared/objects/httpObjects.ts'
import { type Answer, type Fault, ObjectServer } from '../../../support/mirror/objectServer.ts'
import { objectReaderContract, pattern } from './contract.ts'

let server: ObjectServer
beforeAll(async () => {
  server = await ObjectServer.start()
})
afterEach(() => {
  server.objects.clear()
  server.fault = undefined
})
afterAll(() => server.stop())

objectReaderContract('a web server', async (objects) => {
  for (const [name, bytes] of Object.entries(objects)) server.objects.set(`chain/${name}`, bytes)
  return new HttpObjects(`${server.origin}/chain`)
})

describe('HttpObjects', () => {
  const open = (): HttpObjects => new HttpObjects(`${server.origin}/secret-path/`)

  const faults: readonly (readonly [string, Answer | ReturnType<Fault>, string])[] = [
    ['ignores Range', { status: 200, body: pattern(100) }, 'the service ignores Range'],
    ['ignores Range and sends more', { status: 200, body: pattern(101) }, 'the answer has more than 100 bytes'],
    [
      'sends an HTML page',
      { status: 206, headers: { 'content-type': 'text/html; charset=utf-8', 'content-range': 'bytes 10-109/500' } },
      'the service answers with an HTML page',
    ],
    [
      'sends a shorter range than it says',
      { status: 206, headers: { 'content-range': 'bytes 10-109/500' }, body: pattern(99) },
      'the service sends another range than the one asked for',
    ],
    [
      'sends an earlier range',
      { status: 206, headers: { 'content-range': 'bytes 0-99/500' }, body: pattern(100) },
      'the service sends another range than the one asked for',
    ],
    [
      'sends a shorter range and says so',
      { status: 206, headers: { 'content-range': 'bytes 10-59/500' }, body: pattern(50) },
      'the service sends another range than the one asked for',
    ],
    [
      'does not say which range it sends',
      { status: 206, body: pattern(50) },
      'the service does not say which range it sends',
    ],
    [
      'compresses',
      { status: 206, headers: { 'content-range': 'bytes 10-109/500', 'content-encoding': 'identity' } },
      'the service compresses a range',
    ],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'the service redirects'],
    ['fails', { status: 500, body: 'secret-path' }, 'the service answers 500'],
    ['denies access', { status: 403 }, 'the service answers 403'],
    ['answers nonsense', { status: 207 }, 'the service answers 207'],
    ['sends a range beyond the end', { status: 416 }, 'the service answers 416'],
  ]

  it.each(faults)('refuses a service that %s', async (_, fault, reason) => {
    server.fault = () => fault
    const failure = await open()
      .get('segments/a', 10, 100)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'MIRROR_UNAVAILABLE', details: { object: 'segments/a' } })
    expect(String(failure)).toContain(`segments/a of ${server.origin} is not available: ${reason}`)
    expect(String(failure)).not.toContain('secret')
  })

  it('does not take a part for the whole', async () => {
    server.fault = () => ({ status: 206, headers: { 'content-range': 'bytes 0-9/50' }, body: pattern(10) })
    await expect(open().get('segments/a')).rejects.toThrow('nobody asked for one')
  })

  it('does not take a broken connection for the end of the object', async () => {
    server.objects.set('secret-path/a', pattern(100_000))
    server.fault = () => 'cut'
    await expect(open().get('a')).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE', details: { isTransient: true } })
    await expect(open().get('a', 0, 50_000)).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
  })

  it('passes on how long the service asks to wait', async () => {
    server.fault = () => ({ status: 503, headers: { 'retry-after': '7' } })
    await expect(open().get('a')).rejects.toMatchObject({ details: { isTransient: true, retryAfterMs: 7000 } })
    server.fault = () => ({ status: 429, headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() } })
    const failure = await open()
      .get('a')
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ details: { retryAfterMs: expect.any(Number) } })
  })

  it('says when nobody listens', async () => {
    const stopped = await ObjectServer.start()
    const { origin } = stopped
    await stopped.stop()
    await expect(new HttpObjects(origin).get('a')).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      details: { isTransient: true },
    })
  })

  it('sends a token, and no credentials of the address', async () => {
    server.objects.set('a', pattern(1))
    const reader = new HttpObjects(server.origin, { token: 'bearer-secret' })
    await reader.get('a')
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer bearer-secret')
    server.fault = () => ({ status: 401 })
    const failure = await reader.get('a').catch((error: unknown) => String(error))
    expect(failure).toBe(`NodeError: a of ${server.origin} is not available: the service answers 401`)
  })

  it.each(['ftp://host/', 'nonsense', 'https://name:word@host/', 'https://host/?token=1', 'https://host/#a'])(
    'refuses the address %s',
    (url) => {
      expect(() => new HttpObjects(url)).toThrow('the address of a mirror')
    },
  )
})

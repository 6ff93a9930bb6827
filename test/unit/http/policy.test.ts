import { describe, expect, it } from 'vitest'
import { type Answer, HttpPolicy, type HttpPolicyOptions, type RequestFacts } from '../../../src/http/policy.ts'
import type { Refusal } from '../../../src/http/refusal.ts'

const FACTS: RequestFacts = {
  method: 'POST',
  path: '/',
  host: 'localhost:8545',
  origin: undefined,
  accept: undefined,
  authorization: undefined,
  contentLength: '10',
  requestedMethod: undefined,
  fetchSite: undefined,
}

function decide(facts: Partial<RequestFacts>, options?: HttpPolicyOptions) {
  const policy = new HttpPolicy(options)
  const first = policy.decide({ ...FACTS, ...facts })
  expect(policy.decide({ ...FACTS, ...facts })).toEqual(first)
  return first
}

const outcome = (facts: Partial<RequestFacts>, options?: HttpPolicyOptions) => {
  const decision = decide(facts, options)
  return decision.kind === 'answer' ? decision.status : decision.kind
}

describe('hosts', () => {
  it.each(['localhost', 'LocalHost:1', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:8545', '[0::1]:1'])(
    'lets %s in',
    (host) => {
      expect(outcome({ host })).toBe('rpc')
    },
  )

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost:',
    'localhost:x',
    'localhost:123456',
    'localhost:1:2',
    '::1',
    '::1:8545',
    '[::1',
    '[::2]:8545',
    '[localhost]',
    ' localhost',
  ])('keeps %j out', (host) => {
    expect(decide({ host })).toMatchObject({ status: 403, body: '{"message":"Host not authorized."}' })
  })

  it.each(['localhost, localhost', 'localhost, evil.example'])(
    'that come several times are a bad request: %s',
    (host) => {
      expect(decide({ host })).toMatchObject({ status: 400 })
      expect(decide({ host }, { hosts: ['*'] })).toMatchObject({ status: 400 })
    },
  )

  it('can be any, some, or none', () => {
    for (const any of ['*', 'all']) expect(outcome({ host: 'x:y:z' }, { hosts: [any] })).toBe('rpc')
    expect(outcome({ host: 'NODE.example' }, { hosts: ['node.EXAMPLE'] })).toBe('rpc')
    expect(outcome({ host: 'localhost' }, { hosts: ['node.example'] })).toBe(403)
    for (const name of ['fe80::1', '[fe80::1]', 'FE80:0::1']) {
      expect(outcome({ host: '[fe80::1]:8545' }, { hosts: [name] })).toBe('rpc')
      expect(outcome({ host: '[::1]:8545' }, { hosts: [name] })).toBe(403)
    }
    for (const hosts of [[], ['none']]) expect(outcome({ host: 'localhost' }, { hosts })).toBe(403)
  })

  it('are checked before everything else', () => {
    expect(outcome({ host: 'evil', path: '/nowhere', method: 'DELETE' })).toBe(403)
  })
})

describe('a refusal', () => {
  const texts = { welcome: (url: string) => `welcome to ${url}` }
  const refused = (facts: Partial<RequestFacts>, options: HttpPolicyOptions = {}) => {
    const refusals: Refusal[] = []
    const policy = new HttpPolicy({ ...options, texts, onRefused: (refusal) => refusals.push(refusal) })
    const { body } = policy.decide({ ...FACTS, ...facts }) as Answer
    return { ...refusals[0], body }
  }

  it('names the option that would allow the host', () => {
    expect(refused({ host: 'node.lan:8545' })).toEqual({
      kind: 'host',
      value: 'node.lan:8545',
      option: '--host-allowlist=localhost,127.0.0.1,::1,node.lan',
      body: '{"message":"Host not authorized.","hint":"The host node.lan:8545 is not allowed. To allow it, start the node with --host-allowlist=localhost,127.0.0.1,::1,node.lan"}',
    })
    expect(refused({ host: 'x' }, { hosts: ['none'] }).option).toBe('--host-allowlist=x')
    expect(refused({ host: '[FE80::1]:8545' }, { hosts: ['a'] }).option).toBe('--host-allowlist=a,fe80::1')
  })

  it('names no option for a host that no list can contain', () => {
    for (const host of ['::1:8545', 'a b', '$(id)']) {
      const { option, body } = refused({ host })
      expect(option).toBeUndefined()
      expect(JSON.parse(body)).toEqual({
        message: 'Host not authorized.',
        hint: `The host ${host} is not allowed. Expected a name or an IP address, with or without a port; IPv6 in brackets`,
      })
    }
    for (const host of [undefined, '']) {
      const { option, body } = refused({ host })
      expect(option).toBeUndefined()
      expect(body).toContain('A request without host is not allowed. Expected a Host header')
    }
  })

  it('names the option that would allow the origin', () => {
    const options = { corsOrigins: ['http://a'], originsOption: 'rpc-http-cors-origins' }
    const { option, body } = refused({ origin: 'https://remix.ethereum.org' }, options)
    expect(option).toBe("--rpc-http-cors-origins='http://a,https://remix\\.ethereum\\.org'")
    expect(body).toBe(
      `The origin https://remix.ethereum.org is not allowed. To allow it, start the node with ${option}`,
    )
    expect(refused({ origin: 'null' }, options).option).toBe('--rpc-http-cors-origins=http://a,null')
    const [, pattern = ''] = /='(.*)'$/.exec(option ?? '') ?? []
    const allowing = { corsOrigins: pattern.split(','), texts }
    expect(outcome({ origin: 'https://remix.ethereum.org' }, allowing)).toBe('rpc')
  })

  it('puts nothing from outside on a command line, and no control characters in the text', () => {
    for (const value of ["x';rm -rf ~;'", '$(id)', 'a b', 'x"', '\x1b[2J', 'a,b']) {
      const { option, body } = refused({ origin: value })
      expect(option).toBe("--cors-origins='*'")
      expect(body).not.toContain('\x1b')
    }
    expect(refused({ host: 'h'.repeat(5000) }).value).toHaveLength(101)
  })

  it("keeps Besu's answers without texts", () => {
    expect(decide({ host: 'x' })).toMatchObject({ body: '{"message":"Host not authorized."}' })
    expect(decide({ origin: 'x' })).toMatchObject({ body: 'Exception thrown handling RPC' })
  })
})

describe('a browser that opens the port', () => {
  const get = { method: 'GET', path: '/', contentLength: undefined }

  it('is shown what it is', () => {
    const texts = { welcome: (url: string) => `welcome to ${url}` }
    expect(decide(get, { texts })).toMatchObject({
      status: 200,
      body: 'welcome to http://localhost:8545',
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    })
    expect(decide({ ...get, host: '<b>' }, { texts, hosts: ['*'] })).toMatchObject({
      body: 'welcome to http://localhost',
    })
  })

  it('gets an empty 201 without texts, as from Besu', () => {
    expect(decide(get)).toMatchObject({ status: 201, body: '' })
  })
})

describe('origins', () => {
  const options = { corsOrigins: ['https://a\\.example', 'http://localhost:.*'] }

  it('are refused unless they are listed', () => {
    expect(decide({ origin: 'https://a.example' })).toMatchObject({
      status: 403,
      body: 'Exception thrown handling RPC',
    })
    expect(outcome({ origin: 'https://a.example' }, options)).toBe('rpc')
    expect(outcome({ origin: 'http://localhost:3000' }, options)).toBe('rpc')
    for (const origin of ['https://a.example.evil', 'xhttps://a.example', 'https://axexample', 'null', '']) {
      expect(outcome({ origin }, options)).toBe(403)
    }
    for (const any of ['*', 'all']) expect(outcome({ origin: 'null' }, { corsOrigins: [any] })).toBe('rpc')
  })

  it('are echoed', () => {
    expect(decide({ origin: 'https://a.example' }, options).headers).toEqual({
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': 'https://a.example',
      Vary: 'Origin',
    })
    expect(decide({}).headers).toEqual({ 'Content-Type': 'application/json' })
  })

  it('get an answer to a preflight request', () => {
    const preflight = { method: 'OPTIONS', requestedMethod: 'POST', contentLength: undefined }
    expect(decide({ ...preflight, origin: 'https://a.example' }, options)).toMatchObject({
      status: 204,
      headers: { 'Access-Control-Allow-Headers': '*,content-type', 'Access-Control-Allow-Origin': 'https://a.example' },
    })
    expect(decide({ ...preflight, origin: 'https://a.example' }, { ...options, acceptsTokens: true })).toMatchObject({
      headers: { 'Access-Control-Allow-Headers': '*,content-type,authorization' },
    })
    expect(outcome({ ...preflight, origin: 'https://b.example' }, options)).toBe(403)
    expect(outcome(preflight, options)).toBe(405)
    expect(outcome({ ...preflight, requestedMethod: undefined, origin: 'https://a.example' }, options)).toBe(405)
  })

  it('that are invalid patterns prevent the start with one clear line', () => {
    const message = 'graphql-http-cors-origins is not a regular expression: ('
    expect(() => new HttpPolicy({ corsOrigins: ['('], originsOption: 'graphql-http-cors-origins' })).toThrow(message)
  })
})

describe('the page of the node', () => {
  const page = { hasPage: true }
  const get = { method: 'GET', path: '/', contentLength: undefined }

  it('is for browsers only', () => {
    const texts = { welcome: () => 'welcome' }
    for (const accept of ['text/html', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
      expect(outcome({ ...get, accept }, { ...page, texts })).toBe('other')
      expect(outcome({ ...get, accept }, page)).toBe('other')
      expect(outcome({ ...get, accept }, { texts })).toBe(200)
    }
    for (const accept of [undefined, '*/*', 'application/json']) {
      expect(decide({ ...get, accept }, { ...page, texts })).toMatchObject({ status: 200, body: 'welcome' })
    }
    expect(outcome({ accept: 'text/html' }, page)).toBe(406)
  })

  it.each([
    ['localhost:8545', 'http://localhost:8545'],
    ['LocalHost:8545', 'http://localhost:8545'],
    ['localhost', 'https://localhost'],
    ['127.0.0.1:1', 'http://127.0.0.1:1'],
    ['[::1]:8545', 'http://[::1]:8545'],
  ])('at %s may call from %s, without headers for other origins', (host, origin) => {
    expect(decide({ host, origin }, page)).toEqual(decide({ host }))
    expect(outcome({ host, origin })).toBe(403)
    expect(new HttpPolicy(page).refuseUpgrade({ host, origin })).toBeUndefined()
    expect(new HttpPolicy().refuseUpgrade({ host, origin })).toMatchObject({ status: 403 })
    expect(decide({ host, origin }, { ...page, corsOrigins: ['*'] })).toEqual(decide({ host }))
  })

  it.each([
    ['localhost:8545', 'http://localhost:8546'],
    ['localhost:8545', 'http://127.0.0.1:8545'],
    ['localhost:8545', 'http://localhost'],
    ['localhost:8545', 'null'],
    ['localhost:8545', ''],
    ['localhost:8545', 'localhost:8545'],
    ['localhost:8545', 'ws://localhost:8545'],
    ['localhost:8545', 'http://localhost:8545.evil.example'],
    ['localhost:8545', 'http://evil.example/http://localhost:8545'],
    ['localhost:8545', 'HTTP://localhost:8545'],
    ['evil.example:8545', 'http://evil.example:8545'],
    ['localhost:8545, evil.example', 'http://localhost:8545, evil.example'],
  ])('at %s lets no call in from %j', (host, origin) => {
    const policy = new HttpPolicy(page)
    expect(policy.decide({ ...FACTS, host: 'localhost:8545', origin: 'http://localhost:8545' }).kind).toBe('rpc')
    for (const answer of [policy.decide({ ...FACTS, host, origin }), policy.refuseUpgrade({ host, origin })]) {
      expect([400, 403]).toContain((answer as Answer).status)
    }
  })

  it('has the scheme of TLS where the node serves TLS', () => {
    const options = { ...page, isSecure: true }
    expect(outcome({ origin: 'https://localhost:8545' }, options)).toBe('rpc')
    expect(outcome({ origin: 'http://localhost:8545' }, options)).toBe(403)
  })

  it('has no name that another site could have, where any host is accepted', () => {
    const any = { ...page, hosts: ['*'] }
    for (const host of ['localhost:8545', '192.168.1.2:8545', '[fe80::1]:8545']) {
      expect(outcome({ host, origin: `http://${host}` }, any)).toBe('rpc')
    }
    for (const host of ['evil.example', 'localhost.evil.example:8545', 'x:y:z', '1.2.3.4.evil.example']) {
      expect(outcome({ host, origin: `http://${host}` }, any)).toBe(403)
    }
    const known = { ...page, hosts: ['node.example'] }
    expect(outcome({ host: 'node.example', origin: 'https://node.example' }, known)).toBe('rpc')
    const routed = { ...any, areHostsRouted: true }
    expect(outcome({ host: 'node.example', origin: 'https://node.example' }, routed)).toBe('rpc')
    expect(outcome({ host: 'node.example', origin: 'https://other.example' }, routed)).toBe(403)
  })
})

describe('routes', () => {
  it.each([
    ['GET', '/', 201],
    ['HEAD', '/', 405],
    ['PUT', '/', 405],
    ['GET', '/liveness', 'liveness'],
    ['POST', '/liveness', 405],
    ['GET', '/readiness', 'readiness'],
    ['DELETE', '/readiness', 405],
    ['POST', '/login', 'login'],
    ['GET', '/login', 405],
    ['GET', '/foo', 'other'],
    ['POST', '//', 'other'],
  ])('%s %s', (method, path, expected) => {
    expect(outcome({ method, path })).toBe(expected)
  })

  it('name the allowed methods', () => {
    expect(decide({ method: 'PUT' })).toMatchObject({ headers: { Allow: 'GET, POST' } })
  })
})

describe('the RPC route', () => {
  it.each([
    [undefined, 'rpc'],
    ['', 'rpc'],
    ['*/*', 'rpc'],
    ['application/json', 'rpc'],
    ['text/html, application/json;q=0.9', 'rpc'],
    ['Application/*; q=0.1', 'rpc'],
    ['text/html,*/*;q=0.8', 'rpc'],
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['application/json ; q=0.000', 406],
  ])('with Accept %j', (accept, expected) => {
    expect(outcome({ accept })).toBe(expected)
  })

  it('bounds the body', () => {
    expect(outcome({ contentLength: String(5 * 1024 * 1024) })).toBe('rpc')
    expect(outcome({ contentLength: String(5 * 1024 * 1024 + 1) })).toBe(413)
    expect(outcome({ contentLength: undefined })).toBe('rpc')
    expect(outcome({ contentLength: '11' }, { maxBodyBytes: 10 })).toBe(413)
    expect(outcome({ contentLength: '11', path: '/login' }, { maxBodyBytes: 10 })).toBe(413)
  })

  it('requires a token if no method is allowed without one', () => {
    expect(decide({}, { tokenRequired: true })).toMatchObject({
      status: 401,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-40100,"message":"Unauthorized"}}',
    })
    expect(outcome({ authorization: 'Bearer x' }, { tokenRequired: true })).toBe('rpc')
    expect(outcome({ authorization: 'Basic x' }, { tokenRequired: true })).toBe(401)
  })
})

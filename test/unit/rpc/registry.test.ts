import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { ERROR_TABLE } from '../../../src/rpc/errorTable.ts'
import { invoke } from '../../../src/rpc/invoke.ts'
import {
  API_GROUPS,
  type ApiGroup,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  result,
} from '../../../src/rpc/method.ts'
import { CORE_METHODS } from '../../../src/rpc/methods/core.ts'
import { deferredMethods } from '../../../src/rpc/methods/deferred.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { METHODS } from '../../../src/rpc/methods/index.ts'
import { rpcMethods } from '../../../src/rpc/methods/rpc/index.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { specificationPath } from '../../support/recorded/conformance.ts'
import { anything, testMethods, uint } from '../../support/rpc/rpcService.ts'

const method = (name: string, group: ApiGroup, more: object = {}): MethodDefinition<unknown> =>
  defineMethod({
    name,
    group,
    summary: `About ${name}.`,
    params: [param('from', uint, 'From.'), optional('to', uint, 'To.')],
    result: result('list', {
      ...anything,
      schema: { title: 'List', type: 'array', items: { oneOf: [uint.schema, { title: 'Uint', type: 'string' }] } },
    }),
    errors: ['BLOCK_NOT_FOUND', 'INVALID_PARAMS'],
    handler: () => [],
    ...more,
  })

const INFO = { title: 'node', version: '1.0.0' }

describe('the registry', () => {
  it('refuses duplicate names and unknown errors', () => {
    const twice = [method('eth_a', 'ETH'), method('eth_b', 'ETH', { aliases: ['eth_a'] })]
    expect(() => new MethodRegistry(twice)).toThrow('method eth_a is defined twice')
    const unknown = [method('eth_a', 'ETH', { errors: ['NO_SUCH'] })]
    expect(() => new MethodRegistry(unknown)).toThrow('method eth_a names the unknown error NO_SUCH')
  })

  it('serves the methods of the enabled groups, aliases, and subscriptions where there is a subscriber', () => {
    const registry = new MethodRegistry([
      ...rpcMethods,
      method('eth_a', 'ETH', { aliases: ['eth_b'] }),
      method('eth_subscribe', 'PRIV', { needsSubscriber: true }),
      method('plugins_reload', 'PLUGINS', { furtherGroups: ['ADMIN'] }),
      method('debug_hidden', 'DEBUG', { whenDisabled: 'not found' }),
      method('net_x', 'NET'),
    ] as MethodDefinition<unknown>[])
    const names = (groups: ApiGroup[], hasSubscriber?: boolean) =>
      [...registry.serve(groups, hasSubscriber).methods.keys()].sort()
    expect(names(['ETH'])).toEqual(['eth_a', 'eth_b', 'rpc.discover', 'rpc_modules'])
    expect(names(['NET'], true)).toEqual(['eth_subscribe', 'net_x', 'rpc.discover', 'rpc_modules'])
    expect(names(['ADMIN'])).toContain('plugins_reload')
    expect(names(['PLUGINS'])).toContain('plugins_reload')
    expect(names([])).toEqual([])
    expect([...registry.serve(['ETH', 'PERM', 'ADMIN']).groups]).toEqual(['ETH', 'PERM', 'ADMIN'])
    expect([...registry.serve(API_GROUPS).groups].sort()).toEqual(['ADMIN', 'DEBUG', 'ETH', 'NET', 'PLUGINS', 'PRIV'])
    expect(registry.serve(['NET']).refusal('eth_b').code).toBe('METHOD_NOT_ENABLED')
    expect(registry.serve(['ETH']).refusal('engine_getPayloadV1').code).toBe('METHOD_NOT_ENABLED')
    expect(registry.serve(['ETH']).refusal('debug_hidden').code).toBe('METHOD_NOT_FOUND')
    expect(registry.serve(['ETH']).refusal('eth_z').code).toBe('METHOD_NOT_FOUND')
  })

  it('serves no method of an absent group, but knows its name', () => {
    const methods = [...rpcMethods, method('qbft_a', 'QBFT'), method('eth_a', 'ETH')] as MethodDefinition<unknown>[]
    const registry = new MethodRegistry(methods, ['QBFT'])
    const served = registry.serve(API_GROUPS)
    expect([...served.methods.keys()].sort()).toEqual(['eth_a', 'rpc.discover', 'rpc_modules'])
    expect([...served.groups]).toEqual(['ETH'])
    expect(registry.hasMethods('QBFT')).toBe(false)
    expect(JSON.stringify(registry.openRpc(new Set(API_GROUPS), INFO))).not.toContain('qbft_a')
    expect(served.refusal('qbft_a').code).toBe('METHOD_NOT_ENABLED')
    expect(registry.isKnown('qbft_a')).toBe(true)
  })

  it('serves the methods that a page loads when they are called, like all others', async () => {
    const loadTracing = vi.fn(async () => {})
    const whole = new MethodRegistry<never>([...METHODS, ...devMethods])
    const loadContracts = vi.fn(async () => {})
    const further = deferredMethods({ isDev: true, loadTracing, loadContracts })
    const deferred = new MethodRegistry<never>(CORE_METHODS, [], further)
    for (const groups of [API_GROUPS, ['ETH', 'DEBUG'], ['PRIV', 'TXPOOL'], []] as const) {
      for (const hasSubscriber of [true, false]) {
        const expected = whole.serve(groups, hasSubscriber)
        const served = deferred.serve(groups, hasSubscriber)
        expect(served.groups).toEqual(expected.groups)
        for (const name of whole.serve(API_GROUPS, true).methods.keys()) {
          if (!served.methods.has(name)) await served.load(name)
          expect(served.methods.get(name)).toBe(expected.methods.get(name))
          if (!served.methods.has(name)) expect(served.refusal(name).code).toBe(expected.refusal(name).code)
        }
      }
    }
    // debug_*, trace_*, ots_* and isonode_*
    expect(loadTracing).toHaveBeenCalledTimes(4)
    expect(loadContracts).toHaveBeenCalledTimes(1)
    await deferred.loadAll()
    const documents = [whole, deferred].map((registry) => registry.openRpc(new Set(API_GROUPS), INFO))
    expect(documents[1]).toEqual(documents[0])
  })

  it('loads the code of a method once, and again after a failure', async () => {
    let attempts = 0
    const load = async () => {
      attempts++
      if (attempts === 1) throw new TypeError('no connection')
      return [method('late_a', 'DEBUG')]
    }
    const registry = new MethodRegistry(rpcMethods, [], [{ prefixes: ['late_', 'older_'], groups: ['DEBUG'], load }])
    const served = registry.serve(['DEBUG'])
    expect(registry.hasMethods('DEBUG')).toBe(true)
    expect(served.load('eth_a')).toBeUndefined()
    await expect(served.load('late_a')).rejects.toMatchObject({
      code: 'METHOD_NOT_LOADED',
      message: 'the code of late_*, older_* cannot be loaded: no connection',
    })
    await Promise.all([served.load('late_a'), served.load('older_b')])
    expect([attempts, served.methods.has('late_a')]).toEqual([2, true])
    expect(served.load('late_b')).toBeUndefined()
    expect(served.refusal('late_b').code).toBe('METHOD_NOT_FOUND')
  })

  it('knows the errors of unsupported methods', () => {
    const { refusal } = new MethodRegistry([]).serve(['ETH'])
    expect(ERROR_TABLE.get(refusal('eth_sendTransaction').code)?.code).toBe(-32604)
  })

  const spec = specificationPath('methods.json')
  it('knows every name of the specification', () => {
    const names = (JSON.parse(readFileSync(spec, 'utf8')) as { method: string }[]).map((row) => row.method)
    const registry = new MethodRegistry(METHODS as readonly MethodDefinition<never>[])
    expect(names.filter((name) => !registry.isKnown(name))).toEqual([])
  })
})

describe('rpc_modules', () => {
  it('lists the groups of the endpoint', () => {
    const [rpcModules] = rpcMethods
    const call = new RpcRequestContext({ groups: new Set(['ETH', 'NET', 'WEB3'] as const) })
    const backend = { openRpc: () => ({}) }
    const modules = invoke(rpcModules as (typeof rpcMethods)[number], backend, [], call)
    expect(modules).toEqual({ eth: '1.0', net: '1.0', web3: '1.0' })
  })
})

interface OpenRpc {
  openrpc: string
  info: Record<string, unknown>
  methods: OpenRpcMethod[]
  components: { schemas: Record<string, object>; errors: Record<string, { code: number; message: string }> }
}
interface OpenRpcMethod {
  name: string
  paramStructure?: string
  params: { name: string; required?: boolean; schema: object }[]
  result: { name: string; schema: object }
  errors?: { $ref: string }[]
  tags?: { name: string }[]
}

/** The rules of the OpenRPC 1.3 meta schema that one of our documents could violate. */
function checkOpenRpc(document: OpenRpc): void {
  const allowed = (value: object, keys: string[]) =>
    expect(Object.keys(value).filter((key) => !keys.includes(key))).toEqual([])
  allowed(document, ['openrpc', 'info', 'methods', 'components', 'servers', 'externalDocs', '$schema'])
  expect(document.openrpc).toMatch(/^1\.3\.\d+$/)
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
  allowed(document.components, ['schemas', 'errors'])
  for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Za-z0-9.\-_]+$/)
  for (const error of Object.values(document.components.errors)) {
    allowed(error, ['code', 'message', 'data'])
    expect(Number.isInteger(error.code) && error.message.length > 0).toBe(true)
  }
  const names = document.methods.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const item of document.methods) {
    allowed(item, [
      'name',
      'summary',
      'description',
      'tags',
      'paramStructure',
      'params',
      'result',
      'errors',
      'deprecated',
    ])
    expect(['by-name', 'by-position', 'either']).toContain(item.paramStructure ?? 'either')
    expect(new Set(item.params.map(({ name }) => name)).size).toBe(item.params.length)
    const required = item.params.map((entry) => entry.required ?? false)
    expect(required, `${item.name}: required before optional`).toEqual([...required].sort().reverse())
    for (const descriptor of [...item.params, item.result]) {
      allowed(descriptor, ['name', 'summary', 'description', 'required', 'schema', 'deprecated'])
      expect(descriptor.name).toMatch(/\S/)
      expect(typeof descriptor.schema).toBe('object')
    }
    for (const error of item.errors ?? []) allowed(error, ['$ref'])
    for (const tag of item.tags ?? []) expect(tag.name).toMatch(/\S/)
  }
  for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    const target = (ref as string).split('/').slice(1)
    const found = target.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      document,
    )
    expect(found, ref).toBeDefined()
  }
}

describe('all methods of the node', () => {
  it('are described by a valid OpenRPC document', () => {
    const registry = new MethodRegistry(METHODS as readonly MethodDefinition<never>[])
    checkOpenRpc(registry.openRpc(new Set(API_GROUPS), INFO) as unknown as OpenRpc)
    // Named by the specification of private transactions, by Otterscan, or by this project, in groups of other names.
    const others = [
      'priv_getEeaTransactionCount',
      'privx_findFlexiblePrivacyGroup',
      'erigon_getHeaderByNumber',
      'isonode_callWitness',
    ]
    for (const { name, group } of METHODS) {
      if (group !== undefined && !others.includes(name))
        expect(name.startsWith(`${group.toLowerCase()}_`), name).toBe(true)
    }
  })
})

describe('rpc.discover', () => {
  const registry = new MethodRegistry([
    method('eth_a', 'ETH', { aliases: ['eth_b'] }),
    method('net_x', 'NET'),
    ...(rpcMethods as MethodDefinition<never>[]),
    ...(testMethods as MethodDefinition<never>[]),
  ] as MethodDefinition<never>[])

  it('is a valid OpenRPC document', () => {
    const document = registry.openRpc(new Set(['ETH', 'WEB3']), INFO) as unknown as OpenRpc
    checkOpenRpc(document)
    expect(document.methods.map(({ name }) => name)).toContain('eth_b')
    expect(document.methods.map(({ name }) => name)).not.toContain('net_x')
  })

  it('writes each schema once', () => {
    const document = registry.openRpc(new Set(['ETH', 'NET']), INFO) as unknown as OpenRpc
    const text = JSON.stringify(document)
    expect(text.split('"title":"Uint","type":"integer"')).toHaveLength(2)
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(['Uint', 'Uint2', 'List']))
    expect(document.components.schemas).toHaveProperty('List.items.oneOf', [
      { $ref: '#/components/schemas/Uint' },
      { $ref: '#/components/schemas/Uint2' },
    ])
  })

  it('is built once for a set of groups', () => {
    const groups = new Set(['ETH'] as const)
    expect(registry.openRpc(groups, INFO)).toBe(registry.openRpc(new Set(['ETH'] as const), INFO))
  })
})

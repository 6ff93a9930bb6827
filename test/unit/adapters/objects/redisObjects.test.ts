import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RedisObjects } from '../../../../adapters/server/objects/redisObjects.ts'
import { openRedis } from '../../../../adapters/server/objects/redisUrl.ts'
import type { ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { needsTool } from '../../../support/host/needs.ts'
import { cli, REDIS_SERVER, type RedisServers, startRedis } from '../../../support/mirror/redisServers.ts'
import { all, objectStoreContract, pattern } from './contract.ts'

let prefixes = 0

describe('RedisObjects', needsTool('redis-server', REDIS_SERVER), () => {
  let redis: RedisServers
  let cluster: RedisServers
  beforeAll(async () => {
    ;[redis, cluster] = await Promise.all([startRedis(), startRedis(3)])
  })
  afterAll(() => Promise.all([redis.stop(), cluster.stop()]))

  const open = (prefix: string, env = {}): Promise<ObjectStore> =>
    openRedis(new URL(`redis://127.0.0.1:${redis.ports[0]}/0?prefix=${prefix}`), env)
  const openCluster = (prefix: string): Promise<ObjectStore> => {
    const nodes = cluster.ports.slice(1).map((port) => `127.0.0.1:${port}`)
    return openRedis(new URL(`redis+cluster://127.0.0.1:${cluster.ports[0]}?prefix=${prefix}&nodes=${nodes}`), {})
  }

  objectStoreContract('Redis', async () => {
    const prefix = `chain-${prefixes++}:`
    return [await open(prefix), await open(prefix)]
  })

  objectStoreContract('a cluster of Redis', async () => {
    const prefix = `chain-${prefixes++}:`
    return [await openCluster(prefix), await openCluster(prefix)]
  })

  it('ignores what is not its own', async () => {
    const store = await open('mine:')
    await cli(redis.ports[0] as number, 'set', 'other:a', '1')
    await cli(redis.ports[0] as number, 'set', 'mine:NOT_A_NAME', '1')
    await store.create('a', pattern(1))
    expect(await all(store.list(''))).toEqual(['a'])
    await cli(redis.ports[0] as number, 'sadd', 'mine:set', '1')
    await expect(store.get('set')).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      message: expect.stringMatching(/^set of redis:\/\/127\.0\.0\.1:\d+ is not available: WRONGTYPE/),
    })
    await store.close()
  })

  it('never reads an object that appears meanwhile as an empty one', async () => {
    const client = new Redis({ port: redis.ports[0] as number })
    const store = new RedisObjects(client, 'redis', 'meanwhile:')
    const exists = client.exists.bind(client) as unknown as (key: string) => Promise<number>
    const afterCreation = async (key: string): Promise<number> => {
      await store.create('a', pattern(10))
      return exists(key)
    }
    client.exists = afterCreation as unknown as typeof client.exists
    expect(await store.get('a', 2, 3)).toEqual(pattern(10).slice(2, 5))
    expect(await store.get('a', 10, 3)).toEqual(new Uint8Array(0))
    await store.close()
  })

  it('says that the service is full, and goes on when it is not', async () => {
    const port = redis.ports[0] as number
    const store = await open('full:')
    await store.create('a', pattern(10))
    await cli(port, 'config', 'set', 'maxmemory', '1')
    await expect(store.create('b', pattern(10))).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      message: expect.stringContaining('is not available: OOM'),
      details: { isTransient: false },
    })
    expect(await store.get('a')).toEqual(pattern(10))
    await cli(port, 'config', 'set', 'maxmemory', '0')
    expect(await store.create('b', pattern(10))).toBe('created')
    await store.close()
  })

  it('goes on when the service is back', async () => {
    const store = await open('back:')
    await store.create('a', pattern(10))
    redis.kill(0)
    await expect(store.get('a')).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE', details: { isTransient: true } })
    await redis.restart(0)
    await eventually(async () => expect(await store.get('a')).toEqual(pattern(10)))
    await store.close()
  })

  it('has its password from the environment', async () => {
    const port = redis.ports[0] as number
    await cli(port, 'config', 'set', 'requirepass', 'secret')
    const store = await open('password:', { REDIS_PASSWORD: 'secret' })
    expect(await store.create('a', pattern(1))).toBe('created')
    const stranger = await open('password:')
    const failure = await stranger.get('a').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'MIRROR_UNAVAILABLE', message: expect.stringContaining('NOAUTH') })
    const liar = await open('password:', { REDIS_PASSWORD: 'guess' })
    const refused = await liar.get('a').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
    expect(String(refused)).not.toContain('guess')
    await cli(port, '-a', 'secret', 'config', 'set', 'requirepass', '')
    await Promise.all([store.close(), stranger.close(), liar.close()])
  })
})

describe('the address of Redis', () => {
  it.each([
    ['redis://name:secret@host/', 'contains a password'],
    ['redis://secret@host/', 'has no user'],
    ['redis://host/name', 'is a number'],
    ['redis:///0', 'the address of Redis is'],
    ['redis://host?prefix=a%20b', 'the prefix of Redis'],
    ['redis://host?nodes=a:1', 'does not know'],
    ['redis+cluster://host?nodes=a:b', 'the address of Redis is'],
  ])('is refused: %s', async (url, reason) => {
    const failure = await openRedis(new URL(url), {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(reason) })
    expect(String(failure)).not.toContain('secret')
  })
})

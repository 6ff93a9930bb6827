import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { openS3 } from '../../../../adapters/server/objects/s3Url.ts'
import type { ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { type ObjectRequest, ObjectServer, s3Error } from '../../../support/mirror/objectServer.ts'
import { all, objectStoreContract, pattern } from './contract.ts'

const server = await ObjectServer.start()
server.saysLength = false
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-s3-'))
afterEach(() => {
  server.objects.clear()
  server.requests.length = 0
  server.fault = undefined
  server.ignoresConditions = false
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret-of-the-key' }

function open(env: Readonly<Record<string, string>> = KEYS, at = 'bucket/chain'): ObjectStore {
  return openS3(new URL(`s3://${at}?region=eu-central-1&endpoint=${server.origin}`), env)
}

objectStoreContract('a bucket', async () => [open(), open()])

describe('S3Objects', () => {
  it('signs requests', async () => {
    await open({ ...KEYS, AWS_SESSION_TOKEN: 'token-of-the-session' }).get('a', 3, 5)
    const { url, headers } = server.requests[0] as ObjectRequest
    expect(headers['x-amz-security-token']).toBe('token-of-the-session')
    const signer = new AwsV4Signer({
      accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
      secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
      sessionToken: 'token-of-the-session',
      service: 's3',
      region: 'eu-central-1',
      url: url.href,
      headers: { range: 'bytes=3-7' },
      datetime: String(headers['x-amz-date']),
    })
    expect(headers.authorization).toBe((await signer.sign()).headers.get('authorization'))
    expect(headers.authorization).toContain('AKIDEXAMPLE')
  })

  it('reads credentials from a file again for each request', async () => {
    const file = path.join(folder, 'credentials')
    const store = open({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'chain' })
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      message: expect.stringContaining('a bucket needs AWS_ACCESS_KEY_ID'),
    })
    for (const id of ['FIRST', 'SECOND']) {
      const keys = `aws_access_key_id=${id}\n aws_secret_access_key = x\n`
      writeFileSync(file, `[default]\naws_access_key_id = OTHER\naws_secret_access_key = x\n[chain]\n${keys}`)
      await store.get('a')
      expect(server.requests.at(-1)?.headers.authorization).toContain(`Credential=${id}/`)
    }
  })

  it('does not publish to a service that overwrites objects', async () => {
    server.ignoresConditions = true
    await expect(open().create('manifests/1', pattern(1))).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      message: expect.stringContaining('the service overwrites objects'),
    })
    expect([...server.objects.keys()]).toEqual([])
    server.ignoresConditions = false
    const store = open()
    await store.create('manifests/1', pattern(1))
    await store.create('manifests/2', pattern(1))
    expect([...server.objects.keys()]).toEqual(['bucket/chain/manifests/1', 'bucket/chain/manifests/2'])
    expect(server.requests.filter(({ method }) => method === 'PUT').length).toBe(6)
  })

  it.each([
    [404, 'NoSuchBucket'],
    [403, 'AccessDenied'],
    [403, 'RequestTimeTooSkewed'],
    [400, 'ExpiredToken'],
    [503, 'SlowDown'],
    [507, 'InsufficientStorage'],
  ])('names the reason of an answer %s %s', async (status, code) => {
    server.fault = () => ({ status, body: s3Error(code) })
    const store = open()
    const expected = {
      code: 'MIRROR_UNAVAILABLE',
      message: `a of s3://bucket/chain/ is not available: the service answers ${status} ${code}`,
    }
    await expect(store.get('a')).rejects.toMatchObject(expected)
    await expect(store.put('a', pattern(1))).rejects.toMatchObject(expected)
    await expect(store.delete('a')).rejects.toMatchObject(expected)
    server.fault = ({ url }) => (url.pathname.includes('probe') ? undefined : { status, body: s3Error(code) })
    await expect(store.create('a', pattern(1))).rejects.toMatchObject(expected)
    server.fault = undefined
    expect(await store.create('a', pattern(1))).toBe('created')
  })

  it('refuses a list that is none', async () => {
    const names = async (): Promise<string[]> => all(open().list(''))
    const list = (inner: string): string => `<ListBucketResult>${inner}</ListBucketResult>`
    for (const [body, reason] of [
      ['<html></html>', 'the service answers 200'],
      [list('<IsTruncated>true</IsTruncated>'), 'without its end'],
      [list('<Key>chain/b</Key><Key>chain/a</Key>'), 'out of order'],
      [list('x'.repeat(3_000_000)), 'more than'],
    ] as const) {
      server.fault = () => ({ status: 200, body })
      await expect(names()).rejects.toThrow(reason)
    }
    server.fault = () => ({ status: 200, body: list('<Key>other/a</Key><Key>chain/a_b</Key><Key>chain/c</Key>') })
    expect(await names()).toEqual(['c'])
  })

  it.each([
    ['s3://bucket:80/', 'the address of a bucket'],
    ['s3://Bucket_1/', 'the address of a bucket'],
    ['s3://bucket/a b', 'the prefix of a bucket'],
    ['s3://bucket/?region=a.b', 'the region of a bucket'],
    ['s3://bucket/?endpoint=ftp://host', 'the endpoint of a bucket'],
    ['s3://bucket/?endpoint=https://host/path', 'the endpoint of a bucket'],
    ['s3://bucket/?secret=1', 'has an option that s3:// does not know'],
    ['s3://bucket/?region=a&region=b', 'the option region twice'],
    ['s3://name:secret@bucket/', 'contains a password'],
  ])('refuses the address %s', (url, reason) => {
    expect(() => openS3(new URL(url), KEYS)).toThrow(reason)
  })
})

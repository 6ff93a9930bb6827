/**
 * `s3://bucket/prefix?endpoint=https://host&region=auto`, with the credentials that the tools of AWS use.
 * @module
 */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { isObjectName } from '../../shared/objects/names.ts'
import { type S3Bucket, type S3Credentials, S3Objects } from '../../shared/objects/s3Objects.ts'
import type { ObjectsEnvironment } from './openObjects.ts'
import { optionsOf } from './urlOptions.ts'

export function openS3(url: URL, env: ObjectsEnvironment): S3Objects {
  return new S3Objects(bucketOf(url, env), () => credentialsOf(env))
}

function bucketOf(url: URL, env: ObjectsEnvironment): S3Bucket {
  const { endpoint, region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1' } = optionsOf(url, [
    'endpoint',
    'region',
  ])
  if (!/^[a-z0-9-]{1,63}$/.test(region)) throw invalid('the region of a bucket is a word such as eu-central-1 or auto')
  const bucket = url.host
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw invalid('the address of a bucket is s3://bucket/prefix, without a port')
  }
  const folder = url.pathname.replace(/^\/|\/$/g, '')
  if (folder !== '' && !isObjectName(folder)) {
    throw invalid('the prefix of a bucket has lower-case letters, digits, ".", "-" and "/" only')
  }
  return {
    bucket,
    region,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint: endpointOf(endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? `https://s3.${region}.amazonaws.com`),
  }
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.pathname === '/'
  if (!isOrigin || url.search !== '') throw invalid('the endpoint of a bucket is https://host, with nothing behind it')
  return url.origin
}

/** @throws {Error} when there are none */
async function credentialsOf(env: ObjectsEnvironment): Promise<S3Credentials> {
  const inEnvironment = credentialsIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  })
  if (inEnvironment !== undefined) return inEnvironment
  // The file is read for each request, because other programs renew credentials in it.
  const file = env['AWS_SHARED_CREDENTIALS_FILE'] ?? path.join(env['HOME'] ?? homedir(), '.aws', 'credentials')
  const text = await readFile(file, 'utf8').catch(() => '')
  const profile = env['AWS_PROFILE'] ?? 'default'
  const found = credentialsIn(sectionOf(text, profile))
  if (found !== undefined) return found
  throw new Error(
    'a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile of the file of ' +
      'AWS_SHARED_CREDENTIALS_FILE, which AWS_PROFILE names',
  )
}

function credentialsIn(values: Readonly<Record<string, string | undefined>>): S3Credentials | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token: token } = values
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) }
}

/** Assignments of a section of an INI file. */
function sectionOf(text: string, section: string): Record<string, string> {
  const values: Record<string, string> = {}
  let isWithin = false
  for (const line of text.split('\n')) {
    const heading = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1]
    if (heading !== undefined) isWithin = heading === section
    const [, key, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (isWithin && key !== undefined && value !== undefined) values[key] = value
  }
  return values
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}

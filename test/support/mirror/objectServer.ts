/** A service of objects in memory: files with ranges, and the part of S3 that a mirror needs. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const MAX_KEYS = 5
/** Beginning of the token that continues a list. */
const TOKEN = 'after+/='

/** Pages of other origins may read. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'range',
  'access-control-expose-headers': 'content-range, content-length',
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

export interface ObjectRequest {
  readonly method: string
  /** Path and query. */
  readonly url: URL
  readonly headers: IncomingMessage['headers']
}

/** @returns an answer instead of the proper one; undefined: the proper one; 'hang': none; 'cut': a part of the proper one */
export type Fault = (request: ObjectRequest) => Answer | 'hang' | 'cut' | undefined

export class ObjectServer {
  readonly objects: Map<string, Uint8Array> = new Map()
  readonly requests: ObjectRequest[] = []
  fault: Fault | undefined
  /** Whether it overwrites objects in spite of `If-None-Match`, as old services do. */
  ignoresConditions = false
  /** Whether a refused range says how long the object is. */
  saysLength = true
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response))
  }

  static async start(): Promise<ObjectServer> {
    const service = new ObjectServer()
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  /** Without a slash at its end. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const url = new URL(incoming.url ?? '/', this.origin)
    const request = { method: incoming.method ?? 'GET', url, headers: incoming.headers }
    this.requests.push(request)
    const fault = this.fault?.(request)
    if (fault === 'hang') return
    const proper = (): Answer => this.#answer(request, new Uint8Array(Buffer.concat(chunks)))
    const { status, headers = {}, body = '' } = fault === undefined || fault === 'cut' ? proper() : fault
    const bytes = Buffer.from(body)
    response.writeHead(status, { ...CORS, ...headers, 'content-length': bytes.length })
    if (fault !== 'cut') response.end(bytes)
    else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }

  #answer({ method, url, headers }: ObjectRequest, body: Uint8Array): Answer {
    const name = decodeURIComponent(url.pathname.slice(1))
    if (method === 'OPTIONS') return { status: 204 }
    if (method === 'GET' && url.searchParams.get('list-type') === '2') return this.#list(name, url.searchParams)
    if (method === 'PUT') {
      const isRefused = headers['if-none-match'] === '*' && this.objects.has(name) && !this.ignoresConditions
      if (isRefused) return { status: 412, body: s3Error('PreconditionFailed') }
      this.objects.set(name, body)
      return { status: 200 }
    }
    if (method === 'DELETE') {
      this.objects.delete(name)
      return { status: 204 }
    }
    const object = this.objects.get(name)
    if (object === undefined) return { status: 404, body: s3Error('NoSuchKey') }
    return ranged(object, headers.range, this.saysLength)
  }

  #list(bucket: string, query: URLSearchParams): Answer {
    const after = query.get('continuation-token')?.slice(TOKEN.length) ?? query.get('start-after') ?? ''
    const base = bucket === '' || bucket.endsWith('/') ? bucket : `${bucket}/`
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(base))
      .map((key) => key.slice(base.length))
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .sort()
    const page = keys.slice(0, Math.min(Number(query.get('max-keys') ?? MAX_KEYS), MAX_KEYS))
    const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')
    const isTruncated = page.length < keys.length
    const next = isTruncated ? `<NextContinuationToken>${TOKEN}${page.at(-1)}</NextContinuationToken>` : ''
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}</ListBucketResult>`,
    }
  }
}

export function s3Error(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Some message</Message></Error>`
}

function ranged(object: Uint8Array, header: string | undefined, saysLength: boolean): Answer {
  const headers = { 'content-type': 'application/octet-stream' }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined) return { status: 200, headers, body: object }
  const start = Number(first)
  if (start >= object.length) {
    return { status: 416, headers: saysLength ? { 'content-range': `bytes */${object.length}` } : {} }
  }
  const end = Math.min(last === '' ? Number.POSITIVE_INFINITY : Number(last) + 1, object.length)
  const range = `bytes ${start}-${end - 1}/${object.length}`
  return { status: 206, headers: { ...headers, 'content-range': range }, body: object.subarray(start, end) }
}

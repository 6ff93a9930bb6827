/**
 * A recording as an HTTP archive, which other tools read. Secrets are masked.
 * @module
 */
import type { RecordedCall, Recording } from '../../../src/replay/recording.ts'
import { withoutSecrets } from '../../../src/replay/secrets.ts'

const JSON_TYPE = 'application/json'

/** @returns the text of a file @see http://www.softwareishard.com/blog/har-12-spec/ */
export function writeHar({ calls }: Recording, version: string): string {
  const entries = calls.map((call, i) => entryOf(withoutSecrets(call), i))
  return `${JSON.stringify({ log: { version: '1.2', creator: { name: 'isonode', version }, entries } }, null, 1)}\n`
}

function entryOf(call: RecordedCall, id: number): object {
  const { method, params, result, error, at, durationMs = 0, transport, provider } = call
  const request = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const response = JSON.stringify(
    error === undefined ? { jsonrpc: '2.0', id, result: result ?? null } : { jsonrpc: '2.0', id, error },
  )
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headers: [], headersSize: -1 }
  return {
    startedDateTime: new Date(at).toISOString(),
    time: durationMs,
    request: {
      ...common,
      method: 'POST',
      url: transport === 'http' ? provider : `wallet:${encodeURIComponent(provider)}`,
      queryString: [],
      postData: { mimeType: JSON_TYPE, text: request },
      bodySize: request.length,
    },
    response: {
      ...common,
      status: 200,
      statusText: 'OK',
      content: { size: response.length, mimeType: JSON_TYPE, text: response },
      redirectURL: '',
      bodySize: response.length,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment: method,
  }
}

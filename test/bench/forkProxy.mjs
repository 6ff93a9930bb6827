/** A slow way to a remote, which counts what passes, and can hide methods. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const METHOD_NOT_FOUND = -32601
/** Shorter answers are not compressed. */
const COMPRESSED_BYTES = 500

/**
 * Answers are compressed for clients that accept it, as by hosted nodes.
 * @param port of the remote
 * @param isHidden whether the remote lacks a method
 */
export async function openProxy({ port, latencyMs, isHidden = () => false, compresses = true }) {
  const traffic = { requests: 0, bytes: 0 }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    traffic.requests++
    await delay(latencyMs)
    const answer = Buffer.from(await forward(port, text, isHidden))
    const accepts = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    const isCompressed = compresses && accepts && answer.length >= COMPRESSED_BYTES
    const body = isCompressed ? gzipSync(answer) : answer
    traffic.bytes += body.length
    response.setHeader('content-type', 'application/json')
    if (isCompressed) response.setHeader('content-encoding', 'gzip')
    response.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** @returns requests, bytes of the answers on the wire, and time of some work */
    async measured(work) {
      const before = { ...traffic }
      const begin = performance.now()
      const result = await work()
      const ms = performance.now() - begin
      return { requests: traffic.requests - before.requests, bytes: traffic.bytes - before.bytes, ms, result }
    },
    close: () => server.close(),
  }
}

async function forward(port, text, isHidden) {
  const calls = JSON.parse(text)
  const list = Array.isArray(calls) ? calls : [calls]
  if (!list.some(({ method }) => isHidden(method))) return post(port, text)
  const error = { code: METHOD_NOT_FOUND, message: 'the method does not exist' }
  const one = async (call) =>
    isHidden(call.method) ? { jsonrpc: '2.0', id: call.id, error } : JSON.parse(await post(port, JSON.stringify(call)))
  const answers = await Promise.all(list.map(one))
  return JSON.stringify(Array.isArray(calls) ? answers : answers[0])
}

async function post(port, body) {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).text()
}

/** A cell of a table. */
export function cell({ requests, bytes, ms }) {
  const kilobytes = (bytes / 1000).toFixed(1)
  return `${requests} request${requests === 1 ? '' : 's'}, ${kilobytes} kB, ${Math.round(ms).toLocaleString('en')} ms`
}

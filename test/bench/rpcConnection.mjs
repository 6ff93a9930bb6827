/**
 * JSON-RPC over one kept-open socket, one call at a time. It has less overhead per call than node:http, so the
 * measurement shows the server.
 */
import { createConnection } from 'node:net'

const END_OF_HEAD = Buffer.from('\r\n\r\n')

export class RpcConnection {
  #port
  #socket
  #received = Buffer.alloc(0)
  #waiting

  constructor(port) {
    this.#port = port
  }

  /** Rejects when the server cannot be reached. */
  connect() {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ port: this.#port, host: '127.0.0.1', noDelay: true })
      this.#socket = socket
      socket.once('connect', resolve)
      socket.on('data', (chunk) => this.#read(chunk))
      socket.on('error', reject)
      socket.on('error', (error) => this.#fail(error))
      socket.on('close', () => this.#fail(new Error('the connection was closed')))
    })
  }

  /** Returns the result; rejects with the JSON-RPC error or the error of the connection. */
  async call(method, params = []) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\nContent-Type: application/json\r\nContent-Length: `
    if (this.#socket.destroyed) throw new Error('the connection is closed')
    const text = await new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
    const { result, error } = JSON.parse(text)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  close() {
    this.#socket?.destroy()
  }

  #fail(error) {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #read(chunk) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const body = completeBody(this.#received)
    if (body === undefined) return
    this.#received = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(body)
  }
}

/** The body of an HTTP/1.1 answer once it is complete. */
function completeBody(answer) {
  const end = answer.indexOf(END_OF_HEAD)
  if (end < 0) return undefined
  const head = answer.toString('latin1', 0, end)
  const start = end + END_OF_HEAD.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) return chunkedBody(answer, start)
  return answer.length < start + Number(length) ? undefined : answer.toString('utf8', start)
}

function chunkedBody(answer, start) {
  const parts = []
  for (let at = start; ; ) {
    const lineEnd = answer.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const from = lineEnd + 2
    const to = from + Number.parseInt(answer.toString('latin1', at, lineEnd), 16)
    if (answer.length < to + 2) return undefined
    if (to === from) return Buffer.concat(parts).toString()
    parts.push(answer.subarray(from, to))
    at = to + 2
  }
}

/** A node with processes that answer its clients, and connections of which the test knows that they are separate. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type RunningNode, startNode, temporaryDirectory } from './program.ts'

/** A connection that stays open; a node gives neighbouring ones to different processes. */
export class KeptConnection {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** Of this side; undefined before the first request. */
  port: number | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** @returns the answer, parsed */
  post<T>(body: unknown, path = '/'): Promise<T> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const call = request(new URL(path, this.#url), { agent: this.#agent, method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve(JSON.parse(text) as T))
      })
      call.on('error', reject)
      call.on('socket', (socket) => {
        const note = (): void => {
          this.port = socket.localPort
        }
        if (socket.connecting) socket.once('connect', note)
        else note()
      })
      call.end(JSON.stringify(body))
    })
  }

  async ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const answer = await this.post<{ result: T; error?: { message: string } }>({
      jsonrpc: '2.0',
      id: 1,
      method,
      params,
    })
    if (answer.error !== undefined) throw new Error(answer.error.message)
    return answer.result
  }

  close(): void {
    this.#agent.destroy()
  }
}

export async function startWithWorkers(count: number, ...options: readonly string[]): Promise<RunningNode> {
  return startNode([`--data-path=${temporaryDirectory()}`, `--rpc-http-workers=${count}`, ...options])
}

/** Processes that a process has started (Linux). */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** Columns of /proc/net/tcp. */
const [LOCAL, REMOTE, INODE] = [1, 2, 9]

/** Ports of the clients whose connections a process has (Linux). */
export function clientPortsOf(pid: number, url: string): ReadonlySet<number> {
  const port = Number(new URL(url).port)
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((file) => socketOf(`/proc/${pid}/fd/${file}`)))
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split(/\s+/))
  const held = rows.filter((row) => portOf(row[LOCAL]) === port && sockets.has(row[INODE]))
  return new Set(held.map((row) => portOf(row[REMOTE])))
}

/** @returns the inode of a descriptor that is a socket */
function socketOf(file: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(file))?.[1]
  } catch {
    // It was closed meanwhile.
    return undefined
  }
}

const portOf = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16)

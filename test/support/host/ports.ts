/**
 * Free ports for programs that need to know them before they start. They are below those that systems give to programs which
 * ask for any port, so that they are still free at the start.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'

const FIRST_PORT = 20_000
const LAST_PORT = 30_000
/** Each process begins at another one. */
let nextPort = FIRST_PORT + ((process.pid * 97) % (LAST_PORT - FIRST_PORT))

/** @returns a port that no test of this process had before */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort
    nextPort = port < LAST_PORT ? port + 1 : FIRST_PORT
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}

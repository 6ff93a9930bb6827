/**
 * JSON-RPC over a Unix socket, or a named pipe on Windows: JSON values back to back in, one line for each answer and
 * notification out. Only the owner of the process may connect.
 * @module
 */
import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { IPC_CLOSE_TIMEOUT_MS, MAX_IPC_CONNECTIONS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { RpcSession } from '../../../src/http/rpcSession.ts'
import type { SocketPort } from '../../../src/http/socketPort.ts'
import type { IpcEndpoint } from '../../../src/node/endpoints.ts'
import { JsonValueSplitter } from '../../../src/rpc/connection/jsonValueSplitter.ts'

export interface IpcServer {
  /** Absolute. */
  readonly path: string
  close(): Promise<void>
}

export interface IpcServerOptions {
  readonly endpoint: Pick<IpcEndpoint, 'open' | 'maxMessageBytes'>
  /** Absolute. */
  readonly path: string
  readonly logger: Logger
  /** Number of simultaneous connections; further ones are closed immediately. */
  readonly maxConnections?: number
  readonly closeTimeoutMs?: number
}

const IS_WINDOWS = process.platform === 'win32'
const PIPE_FOLDER = '\\\\.\\pipe\\'
/** The shortest room for a path among the systems, without its final zero byte (macOS; Linux has 4 more). */
const MAX_PATH_BYTES = 103
const OWNER_ONLY = 0o600
const PEER = { client: 'ipc' }

/**
 * The place of a socket: a name without a folder is in the data directory.
 * @param directory of the data; undefined: the chain is in memory
 */
export function socketPath(given: string, directory: string | undefined): string {
  if (IS_WINDOWS) return /^\\\\[.?]\\pipe\\/i.test(given) ? given : PIPE_FOLDER + path.win32.basename(given)
  return path.basename(given) === given ? path.join(directory ?? os.tmpdir(), given) : path.resolve(given)
}

/** @throws {NodeError} LISTEN_FAILED, which names the path */
export async function serveIpc(options: IpcServerOptions): Promise<IpcServer> {
  const sockets = new Map<Socket, RpcSession>()
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, options, sockets))
  const remove = await listen(server, options.path)
  server.on('error', (error) => options.logger.warn('cannot accept a connection', { error }))
  return {
    path: options.path,
    close: async () => {
      remove()
      await closeAll(server, sockets, options.closeTimeoutMs ?? IPC_CLOSE_TIMEOUT_MS)
    },
  }
}

function accept(socket: Socket, options: IpcServerOptions, sockets: Map<Socket, RpcSession>): void {
  socket.on('error', ignore)
  if (sockets.size >= (options.maxConnections ?? MAX_IPC_CONNECTIONS)) {
    socket.destroy()
    return
  }
  const { open, maxMessageBytes } = options.endpoint
  const session = open(socketPort(socket))
  sockets.set(socket, session)
  const splitter = new JsonValueSplitter(maxMessageBytes)
  socket.on('data', (bytes: Buffer) => {
    const failure = splitter.push(bytes, (value) => session.receive(value))
    if (failure !== undefined) session.refuse(failure === 'garbage' ? 'PARSE_ERROR' : 'REQUEST_TOO_LARGE')
  })
  socket.on('end', () => session.finish())
  socket.once('close', () => {
    sockets.delete(socket)
    session.closed()
  })
}

function socketPort(socket: Socket): SocketPort {
  return {
    peer: PEER,
    send: (text) => void socket.write(`${text}\n`),
    sendFragment: (bytes, isLast, onSent) => {
      socket.write(bytes, isLast ? undefined : () => onSent())
      if (isLast) socket.write('\n', () => onSent())
    },
    bufferedAmount: () => socket.writableLength,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      // Read and drop the peer's remaining bytes, so that the end of its side is seen.
      socket.resume()
      socket.end()
      const timer = setTimeout(() => socket.destroy(), IPC_CLOSE_TIMEOUT_MS)
      socket.once('close', () => clearTimeout(timer))
    },
    terminate: () => socket.destroy(),
  }
}

async function closeAll(server: Server, sockets: Map<Socket, RpcSession>, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sockets.values()) session.close(0, '')
  const timer = setTimeout(() => {
    for (const socket of sockets.keys()) socket.destroy()
  }, timeoutMs)
  await closed
  clearTimeout(timer)
}

/** @returns a function that removes the socket */
async function listen(server: Server, target: string): Promise<() => void> {
  if (IS_WINDOWS) {
    await bind(server, target, target)
    return ignore
  }
  const bytes = Buffer.byteLength(target)
  if (bytes > MAX_PATH_BYTES)
    throw listenFailed(target, `the path has ${bytes} bytes; a socket has at most ${MAX_PATH_BYTES}`)
  await checkFree(target)
  const folder = privateFolder(target)
  try {
    // Nobody else can reach the socket before it has its permissions.
    const hidden = path.join(folder, 's')
    await bind(server, hidden, target)
    chmodSync(hidden, OWNER_ONLY)
    renameSync(hidden, target)
  } catch (error) {
    server.close()
    throw error instanceof NodeError ? error : listenFailed(target, messageOf(error), error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { ino, dev } = lstatSync(target)
  return () => removeSocket(target, ino, dev)
}

function privateFolder(target: string): string {
  try {
    return mkdtempSync(path.join(path.dirname(target), '.i'))
  } catch (error) {
    throw listenFailed(target, messageOf(error), error)
  }
}

function bind(server: Server, place: string, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? inUse(target) : listenFailed(target, error.message, error)),
    )
    server.listen(place, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

/** A socket whose process has ended may be replaced; nothing else. */
async function checkFree(target: string): Promise<void> {
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw listenFailed(target, 'there is a file that is not a socket')
  if (await isServed(target)) throw inUse(target)
}

function isServed(target: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(target)
    const end = (isServing: boolean): void => {
      socket.destroy()
      resolve(isServing)
    }
    socket.once('connect', () => end(true))
    // A server that refuses the permission or has a full queue is one all the same.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

/** Leaves a socket that another process has put in the place. */
function removeSocket(target: string, ino: number, dev: number): void {
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (found?.ino === ino && found.dev === dev) unlinkSync(target)
}

function inUse(target: string): NodeError {
  return listenFailed(target, 'another process serves this socket')
}

function listenFailed(target: string, reason: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'LISTEN_FAILED' }, `cannot listen on ${target}: ${reason}`, { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function ignore(): void {}

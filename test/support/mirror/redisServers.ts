/** Redis servers of Debian, if they are installed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../host/eventually.ts'
import { freePorts } from '../host/ports.ts'

export const REDIS_SERVER: string | undefined = installed('redis-server')

export interface RedisServers {
  readonly ports: readonly number[]
  /** Ends a server at once. */
  kill(index: number): void
  /** Starts it again on its port, with what it has on disk. */
  restart(index: number): Promise<void>
  stop(): Promise<void>
}

/** @param count of servers; several are one cluster */
export async function startRedis(count = 1): Promise<RedisServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-redis-'))
  const ports = await freePorts(count)
  const start = async (port: number): Promise<ChildProcess> => {
    const cluster = count > 1 ? ['--cluster-enabled', 'yes', '--cluster-config-file', `${port}.conf`] : []
    const files = ['--dir', folder, '--dbfilename', `${port}.rdb`, '--appendfilename', `${port}.aof`]
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes']
    const durable = ['--appendfsync', 'always', '--appenddirname', `${port}`]
    const child = spawn(REDIS_SERVER ?? '', [...options, ...durable, ...files, ...cluster], { stdio: 'ignore' })
    await eventually(() => cli(port, 'ping'), 10)
    return child
  }
  const children = await Promise.all(ports.map(start))
  if (count > 1) {
    const addresses = ports.map((port) => `127.0.0.1:${port}`)
    await cli(ports[0] as number, '--cluster', 'create', ...addresses, '--cluster-yes')
    await eventually(async () => {
      for (const port of ports) {
        if (!(await cli(port, 'cluster', 'info')).includes('cluster_state:ok')) throw new Error('not ready')
      }
    }, 50)
  }
  return {
    ports,
    kill: (index) => void children[index]?.kill('SIGKILL'),
    restart: async (index) => {
      children[index] = await start(ports[index] as number)
    },
    stop: async () => {
      const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
      const running = children.filter((child) => child.exitCode === null && child.signalCode === null)
      for (const child of running) child.kill('SIGKILL')
      await Promise.all(ended.filter((_, i) => running.includes(children[i] as ChildProcess)))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A command of a server. */
export async function cli(port: number, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-cli', ['-p', String(port), ...args])
  return stdout
}

function installed(program: string): string | undefined {
  const files = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, program))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The node as a separate program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answers, askUrl, expected, REPOSITORY, RUNTIME_CHAINS } from './chains.ts'

export interface RunningNode {
  readonly url: string
  /** The output so far. */
  readonly output: () => string
  signal(name: NodeJS.Signals): void
  /** @returns the exit code */
  stop(): Promise<number | null>
}

const LISTENING = /(?:JSON-RPC\s+|"http":\{"url":")(http:\/\/[^\s"]+)/
const START_TIMEOUT_MS = 60_000

/** Starts the program and waits until it serves HTTP. */
export function startNode([command = '', ...args]: readonly string[]): Promise<RunningNode> {
  const child = spawn(command, args, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return exited
  }
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  }
  const rest = { output: () => printed, signal: (name: NodeJS.Signals) => void child.kill(name), stop }
  return listening(child, exited).then(
    (url) => ({ url, ...rest }),
    async (error) => {
      child.kill('SIGKILL')
      throw error
    },
  )
}

function listening(child: ChildProcess, exited: Promise<number | null>): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${child.spawnargs.join(' ')} ${reason}:\n${output}`))
    const timer = setTimeout(() => fail('does not serve'), START_TIMEOUT_MS)
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const url = LISTENING.exec(output)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => fail(error.message))
    exited.then((code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
  })
}

/**
 * Tests that every runtime must pass as a program.
 * @param command runs `mod.ts`, without the node's options
 */
export function describeProgram(runtime: string, command: readonly string[]): void {
  describe(`mod.ts on ${runtime}`, () => {
    let directory = ''
    beforeAll(() => {
      directory = mkdtempSync(path.join(tmpdir(), 'isonode-runtime-'))
    })
    afterAll(() => rmSync(directory, { recursive: true, force: true }))

    it('runs the dev chain', async () => {
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0'])
      try {
        const ask = askUrl(node.url)
        expect(await ask('eth_chainId', [])).toBe('0x7a69')
        expect(await ask('eth_blockNumber', [])).toBe('0x0')
        expect(await ask('eth_getBalance', ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'])).toBe(
          '0x21e19e0c9bab2400000',
        )
        expect(await ask('web3_clientVersion', [])).toContain(`/${runtime}-v`)
      } finally {
        expect(await node.stop()).toBe(0)
      }
    })

    it('handles signals: SIGHUP changes the log level, SIGTERM stops it', async () => {
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0', '--logging-format=json'])
      node.signal('SIGHUP')
      await vi.waitFor(() => expect(node.output()).toContain('"message":"the log level has changed"'), 10_000)
      expect(await node.stop()).toBe(0)
      const lines = node.output().trimEnd().split('\n')
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'INFO', category: 'isonode' })
      expect(lines.at(-1)).toContain('"message":"stopped"')
    })

    it.each(RUNTIME_CHAINS)('imports $name, serves it, and still has it after a restart', async (chain) => {
      const data = path.join(directory, path.basename(chain.name))
      const options = [`--genesis-file=${chain.genesisFile}`, `--data-path=${data}`]
      const http = ['--rpc-http-enabled', '--rpc-http-port=0']
      const runs = [
        [...options, ...http, 'blocks', 'import', `--from=${chain.blocksFile}`, '--run'],
        [...options, ...http],
      ]
      for (const run of runs) {
        const node = await startNode([...command, ...run])
        try {
          expect(await answers(chain, askUrl(node.url))).toEqual(expected(chain))
        } finally {
          expect(await node.stop()).toBe(0)
        }
      }
    })
  })
}

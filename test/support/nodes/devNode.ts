/** Dev chains for tests of clients and tools: the built program on each runtime, or another node for comparison. */
import { type ChildProcess, spawn } from 'node:child_process'
import { vi } from 'vitest'
import { atEndOfFile } from '../rpc/endOfFile.ts'
import { type ProgramRuntime, RUNTIMES, startNode } from './program.ts'

/** The addresses of a dev chain, which is all that a client may depend on. */
export interface DevTarget {
  readonly http: string
  readonly ws: string
}

export interface DevNode extends DevTarget {
  /** Stops the node. @returns its exit code, or null when a signal ended it */
  stop(): Promise<number | null>
}

/** A runtime of the program, or the anvil binary, which distinguishes faults of a test from faults of the node. */
export type DevHost = ProgramRuntime | 'anvil'

const ANVIL = process.env['ISONODE_TEST_ANVIL']
const START_TIMEOUT_MS = 20_000
const REPORT_TIMEOUT_MS = 30_000

export const DEV_HOSTS: readonly DevHost[] = ANVIL !== undefined ? ['anvil'] : RUNTIMES

export const DEV_CHAIN_ID = 31337

/** Its accounts are funded with 10,000 ETH each, in order of derivation. */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk'

/**
 * Sends repeatedly until the effect has been reported: clients do not show when their subscription or filter is active,
 * and earlier effects are not reported.
 * @returns the report, and the results of all sends
 */
export async function sendUntil<T, S>(reported: Promise<T>, send: () => Promise<S>): Promise<[T, S[]]> {
  const sent: S[] = []
  let settled = false
  const settle = (): void => {
    settled = true
  }
  reported.then(settle, settle)
  await vi.waitFor(
    async () => {
      sent.push(await send())
      if (!settled) throw new Error(`nothing was reported of ${sent.length} that were sent`)
    },
    { timeout: REPORT_TIMEOUT_MS, interval: 30 },
  )
  return [await reported, sent]
}

/** Starts a dev chain in memory on free ports. */
export async function startDevNode(host: DevHost): Promise<DevNode> {
  if (host === 'anvil') return startAnvil()
  const node = await startNode(['--ephemeral', '--rpc-ws-port=0'], { runtime: host })
  const ws = await waitForMatch(node.output, /ws:\/\/[^\s/]+:\d+/)
  return { http: node.url, ws, stop: async () => (await node.stop()).code }
}

async function waitForMatch(output: () => string, pattern: RegExp): Promise<string> {
  return vi.waitFor(
    () => {
      const match = pattern.exec(output())
      if (match === null) throw new Error(`no ${pattern.source} in: ${output()}`)
      return match[0]
    },
    { timeout: START_TIMEOUT_MS, interval: 5 },
  )
}

const anvils = new Set<ChildProcess>()

atEndOfFile(() => {
  for (const child of anvils) child.kill('SIGKILL')
})

async function startAnvil(): Promise<DevNode> {
  const options = ['--port=0', `--chain-id=${DEV_CHAIN_ID}`, '--hardfork=osaka']
  const child = spawn(ANVIL as string, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  anvils.add(child)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  const address = (await waitForMatch(() => printed, /Listening on \S+/)).slice('Listening on '.length)
  const stop = (): Promise<number | null> =>
    new Promise((resolve) => {
      child.once('close', (code) => {
        anvils.delete(child)
        resolve(code)
      })
      child.kill('SIGTERM')
    })
  return { http: `http://${address}`, ws: `ws://${address}`, stop }
}

/** Runs the marked blocks of a Markdown page in a temporary project, with the tools of the project in the path. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, type TestOptions, vi } from 'vitest'
import { createGuideProject, hardhatOf } from './guideProject.ts'
import { type HardhatVersion, hardhatPackages } from './hardhat.ts'
import { needsTool } from './needs.ts'
import { freePort } from './ports.ts'
import { foundryTool } from './tools.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
/** Validators that start one after the other may need several rounds, each twice as long as the one before. */
const STEP_LIMIT_MS = 180_000
const START_LIMIT_MS = 60_000
const LOG_LIMIT_MS = 30_000

export interface Block {
  readonly language: string
  /**
   * The mark after the language: `file=NAME`, `start` or `stop` of a node (`start=NAME` when the page has several), `run`,
   * `output` of the last script, `log` of a node, or `skip: REASON` for a block that is not run. Times and hashes of a log
   * may differ.
   */
  readonly mark: string
  readonly text: string
}

const MARK = /^(file=\S+|start(=\w+)?|stop(=\w+)?|run|output|log(=\w+)?|skip: \S.*)$/

/** Ports that options or URLs name; the page gets free ones in their place. */
const PORT = /(?<=port["']?\s*[=:]\s*|(?:127\.0\.0\.1|localhost|\[::1\]):)\d{4,5}\b/g
/** Ports that a node uses without being told, and the variables that set them. */
const DEFAULT_PORTS = {
  ISONODE_RPC_HTTP_PORT: '8545',
  ISONODE_GRAPHQL_HTTP_PORT: '8547',
  ISONODE_METRICS_PORT: '9545',
  ISONODE_P2P_PORT: '30303',
} as const

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language, mark, text]) => ({
    language: language as string,
    mark: mark as string,
    text: text as string,
  }))
}

/** @returns the first lines of the blocks that have no valid mark */
export function unmarkedBlocks(markdown: string): string[] {
  return blocksOf(markdown)
    .filter(({ mark }) => !MARK.test(mark))
    .map(({ language, mark, text }) => `${language} ${mark}: ${text.split('\n')[0]}`)
}

/** Options of a test that runs the page. */
export function neededTools(markdown: string): TestOptions {
  const uses = (word: string): boolean =>
    blocksOf(markdown).some(({ mark, text }) => mark === 'run' && text.includes(word))
  return {
    ...(uses('cast ') ? needsTool('cast', foundryTool('cast')) : {}),
    ...(uses('npx hardhat') ? neededHardhat(hardhatOf(markdown)) : {}),
  }
}

const neededHardhat = (version: HardhatVersion): TestOptions =>
  needsTool(`Hardhat ${version}`, hardhatPackages(version))

/** Executes the blocks in order. The ports of the page are free ports here. */
export async function runGuide(markdown: string): Promise<void> {
  const folder = createGuideProject(markdown)
  const ports = await portsOf(markdown)
  const variables = Object.entries(DEFAULT_PORTS).flatMap(([variable, port]) =>
    ports.has(port) ? [[variable, ports.get(port)]] : [],
  )
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
    ISONODE_RPC_WS_PORT: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    ...Object.fromEntries(variables),
  }
  const nodes = new Map<string, StartedNode>()
  let printed = ''
  try {
    for (const block of blocksOf(markdown)) {
      const text = block.text.replaceAll(PORT, (port) => ports.get(port) ?? port)
      const [role, name = ''] = block.mark.split('=')
      if (role === 'file') writeProjectFile(path.join(folder, name), text)
      else if (role === 'start') {
        await stop(nodes.get(name))
        const node = startNode(text, folder, env)
        nodes.set(name, node)
        await listening(node, servedPort(text) ?? (ports.get('8545') as string))
      } else if (role === 'stop') await stop(nodes.get(name))
      else if (role === 'run') printed = await runScript(text, folder, env)
      else if (role === 'output') expectLines(printed, text)
      else if (role === 'log') await expectLog(nodes.get(name), text)
    }
  } finally {
    await Promise.all([...nodes.values()].map(stop))
  }
}

async function portsOf(markdown: string): Promise<Map<string, string>> {
  const named = new Set([DEFAULT_PORTS.ISONODE_RPC_HTTP_PORT, ...[...markdown.matchAll(PORT)].map(([port]) => port)])
  const ports = new Map<string, string>()
  for (const port of named) ports.set(port, String(await freePort()))
  return ports
}

/** The port of JSON-RPC, or of an enclave that is a program, if the command names it. */
function servedPort(command: string): string | undefined {
  return command.match(/--(?:rpc-http-port|port|rest-port)=(\d+)/)?.[1]
}

function writeProjectFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function runScript(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env, timeout: STEP_LIMIT_MS })
  const printed = outputOf(child)
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve(printed())
      else reject(new Error(`ended with ${code}:\n${script}\n${printed()}`))
    })
  })
}

interface StartedNode {
  readonly child: ChildProcess
  readonly log: () => string
}

function startNode(command: string, cwd: string, env: NodeJS.ProcessEnv): StartedNode {
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  return { child, log: outputOf(child) }
}

function outputOf(child: ChildProcess): () => string {
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  return () => printed
}

async function listening({ child, log }: StartedNode, port: string): Promise<void> {
  for (const limit = performance.now() + START_LIMIT_MS; performance.now() < limit; await delay(50)) {
    if (child.exitCode !== null) break
    if (await accepts(port)) return
  }
  throw new Error(`the node did not start:\n${log()}`)
}

function accepts(port: string): Promise<boolean> {
  const socket = connect(Number(port), '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}

async function stop(node: StartedNode | undefined): Promise<void> {
  if (node === undefined || node.child.exitCode !== null) return
  const ended = new Promise((resolve) => node.child.once('close', resolve))
  node.child.kill('SIGTERM')
  await ended
}

/** Waits for the lines: a node prints its log a moment after the answer. */
async function expectLog(node: StartedNode | undefined, text: string): Promise<void> {
  await vi.waitFor(() => expectLines(masked(node?.log() ?? ''), masked(text)), LOG_LIMIT_MS)
}

function masked(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[\d.,]+ ms/g, 'N ms')
    .replaceAll(/0x[0-9a-f]{64}/g, 'HASH')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
}

/** Every line of the page occurs in the output, in this order. */
function expectLines(printed: string, expected: string): void {
  let rest = printed
  for (const line of expected.split('\n').map((text) => text.trim())) {
    if (line === '' || line.endsWith('…')) continue
    expect(rest, `the line "${line}"`).toContain(line)
    rest = rest.slice(rest.indexOf(line) + line.length)
  }
}

export function readPage(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

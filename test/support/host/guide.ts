/** Runs the marked blocks of a Markdown page in a temporary project, with the tools of the project in the path. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, type TestOptions, vi } from 'vitest'
import { temporaryDirectory } from '../nodes/program.ts'
import { needsTool } from './needs.ts'
import { foundryTool, installedTools } from './tools.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const STEP_LIMIT_MS = 60_000
const START_LIMIT_MS = 20_000
const LOG_LIMIT_MS = 10_000

interface Block {
  /**
   * The words after the three backquotes: a language, then `file=NAME`, `start` or `stop` (a node), `run`, `output` (of the
   * last script) or `log` (of the node). Times and hashes of a log may differ.
   */
  readonly language: string
  readonly role: string
  readonly text: string
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language, role, text]) => ({
    language: language as string,
    role: role as string,
    text: text as string,
  }))
}

/** Options of a test that runs the page. */
export function neededTools(markdown: string): TestOptions {
  const uses = (word: string): boolean =>
    blocksOf(markdown).some(({ role, text }) => role === 'run' && text.includes(word))
  return {
    ...(uses('cast ') ? needsTool('cast', foundryTool('cast')) : {}),
    ...(uses('npx hardhat') ? needsTool('Hardhat', installedTools('hardhat/node_modules')) : {}),
  }
}

/** Ports of other servers than JSON-RPC, and the variables that set them. */
const OTHER_PORTS = { '8547': 'ISONODE_GRAPHQL_HTTP_PORT', '9545': 'ISONODE_METRICS_PORT' } as const

/** Executes the blocks in order. The ports of the page are free ports here. */
export async function runGuide(markdown: string): Promise<void> {
  const [http, folder] = [String(await freePort()), project(markdown)]
  const env = {
    ...process.env,
    PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
    ISONODE_RPC_HTTP_PORT: http,
    ISONODE_RPC_WS_PORT: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  } as NodeJS.ProcessEnv
  const ports = new Map([['8545', http]])
  for (const [port, variable] of Object.entries(OTHER_PORTS)) {
    if (!markdown.includes(port)) continue
    ports.set(port, String(await freePort()))
    env[variable] = ports.get(port)
  }
  let node: StartedNode | undefined
  let printed = ''
  try {
    for (const block of blocksOf(markdown)) {
      const text = block.text.replaceAll(/8545|8547|9545/g, (port) => ports.get(port) ?? port)
      const [role, file] = block.role.split('=')
      if (role === 'file') {
        const target = path.join(folder, file as string)
        mkdirSync(path.dirname(target), { recursive: true })
        writeFileSync(target, text)
      } else if (role === 'start') {
        await stop(node)
        node = startNode(text, folder, env)
        await answered(node, http)
      } else if (role === 'stop') {
        await stop(node)
        node = undefined
      } else if (role === 'run') printed = await runScript(text, folder, env)
      else if (role === 'output') expectLines(printed, text)
      else if (role === 'log') await expectLog(node, text)
    }
  } finally {
    await stop(node)
  }
}

/** A folder with the programs and packages that the page uses. */
function project(markdown: string): string {
  const folder = temporaryDirectory()
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  for (const tool of ['cast', 'forge']) {
    const program = foundryTool(tool)
    if (program !== undefined) symlinkSync(program, path.join(bin, tool))
  }
  const hardhat = installedTools('hardhat/node_modules')
  const isHardhat = markdown.includes('npx hardhat') && hardhat !== undefined
  const modules = path.join(folder, 'node_modules')
  writeFileSync(path.join(folder, 'package.json'), isHardhat ? '{}' : '{ "type": "module" }')
  if (isHardhat) symlinkSync(hardhat, modules)
  else {
    mkdirSync(modules)
    symlinkSync(ROOT, path.join(modules, 'isonode'))
    for (const name of ['viem', 'vitest']) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  }
  const npx = [
    '#!/bin/sh',
    'program=$1; shift',
    'case $program in',
    `isonode) exec "${process.execPath}" "${ROOT}/dist/server.js" "$@" ;;`,
    `hardhat) exec "${process.execPath}" "${modules}/hardhat/internal/cli/cli.js" "$@" ;;`,
    `vitest) exec "${process.execPath}" "${modules}/vitest/vitest.mjs" "$@" ;;`,
    '*) echo "$program is not available in this test" >&2; exit 1 ;;',
    'esac',
    '',
  ]
  writeFileSync(path.join(bin, 'npx'), npx.join('\n'))
  chmodSync(path.join(bin, 'npx'), 0o755)
  return folder
}

function runScript(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env, timeout: STEP_LIMIT_MS })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve(printed)
      else reject(new Error(`ended with ${code}:\n${script}\n${printed}`))
    })
  })
}

interface StartedNode {
  readonly child: ChildProcess
  readonly log: () => string
}

function startNode(command: string, cwd: string, env: NodeJS.ProcessEnv): StartedNode {
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  return { child, log: () => printed }
}

async function answered({ child, log }: StartedNode, port: string): Promise<void> {
  for (const limit = performance.now() + START_LIMIT_MS; performance.now() < limit; await delay(50)) {
    if (child.exitCode !== null) break
    const answer = await fetch(`http://127.0.0.1:${port}/liveness`).catch(() => undefined)
    if (answer?.ok === true) return
  }
  throw new Error(`the node did not start:\n${log()}`)
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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export function readPage(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

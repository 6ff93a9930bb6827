/** Everything that answers for a chain: the program on each runtime, and what reads the mirror that it publishes. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import type { BrowserNode } from '../../../adapters/browser/browser.ts'
import { bunBinary, denoBinary } from '../../support/host/binaries.mjs'
import { eventually } from '../../support/host/eventually.ts'
import { ObjectServer } from '../../support/mirror/objectServer.ts'
import type { Answer, Send } from '../../support/recorded/recordedCases.ts'
import type * as entry from './browserEntry.ts'
import type { Bundle } from './bundle.ts'
import { JSON_POST, REPOSITORY } from './chains.ts'
import { servePage } from './pageServer.ts'
import { type RunningNode, startNode } from './program.ts'
import { startWorker, type WorkerStore } from './worker.ts'

declare global {
  var isonode: typeof entry
  var mirrored: BrowserNode
}

export interface Answering {
  readonly rpc: Send
  /** undefined: not offered */
  readonly graphql: Send | undefined
  close(): Promise<unknown>
}

export interface AnsweredChain {
  readonly genesisFile: string
  readonly blocksFile: string
  /** Further options of the node. */
  readonly options: readonly string[]
}

/** A published mirror, as its readers need it. */
export interface PublishedMirror {
  readonly folder: string
  readonly publisher: string
  readonly objects: ReadonlyMap<string, Uint8Array>
}

const SERVER = [process.execPath, path.join(REPOSITORY, 'dist/server.js')] as const
const COMMANDS = {
  Node: SERVER,
  Deno: [denoBinary(), 'run', '-A', '--node-modules-dir=manual', '--no-lock', 'mod.ts'],
  Bun: [bunBinary(), 'run', 'mod.ts'],
} as const
const SERVED = [
  '--rpc-http-enabled',
  '--rpc-http-port=0',
  '--graphql-http-enabled',
  '--graphql-http-port=0',
  '--rpc-http-api=ETH,NET,WEB3,DEBUG,TRACE',
  '--rpc-profile=besu',
]
const OWN_HOST = 'https://chain.example/'

/** Imports the chain on a runtime, and serves it. */
export async function openProgram(
  runtime: keyof typeof COMMANDS,
  chain: AnsweredChain,
  directory: string,
): Promise<Answering> {
  const importing = ['blocks', 'import', `--from=${chain.blocksFile}`, '--skip-pow-validation-enabled', '--run']
  const options = [`--data-path=${directory}`, '--p2p-enabled=false', ...SERVED]
  return serving([...COMMANDS[runtime], ...chainOptions(chain), ...options, ...importing])
}

/** Publishes the database of a stopped node. */
export async function publish(chain: AnsweredChain, directory: string, home: string): Promise<PublishedMirror> {
  const folder = mkdtempSync(path.join(home, 'mirror-'))
  const [command, ...args] = SERVER
  const push = ['mirror', 'push', `--to=${pathToFileURL(folder).href}`]
  await promisify(execFile)(command, [...args, ...chainOptions(chain), `--data-path=${directory}`, ...push])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const objects = new Map(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      return [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file)] as const
    }),
  )
  const { publisher } = JSON.parse(readFileSync(path.join(folder, 'mirror.json'), 'utf8')) as { publisher: string }
  return { folder, publisher, objects }
}

export function openReplica({ folder, publisher }: PublishedMirror): Promise<Answering> {
  const from = [`--mirror-from=${pathToFileURL(folder).href}`, `--mirror-publisher=${publisher}`]
  return serving([...SERVER, ...from, ...SERVED])
}

/** @param worker its bundle */
export async function openWorker(
  worker: Bundle,
  kind: WorkerStore,
  { publisher, objects }: PublishedMirror,
): Promise<Answering> {
  const bindings = { ISONODE_MIRROR_PUBLISHER: publisher, ISONODE_RPC_PROFILE: 'besu' }
  const miniflare = await startWorker(worker, objects, { kind, bindings })
  const at = (url: string) => (body: string) =>
    answerOf(miniflare.dispatchFetch(url, { ...JSON_POST, body }) as unknown as Promise<TextResponse>)
  return { rpc: at(OWN_HOST), graphql: at(`${OWN_HOST}graphql`), close: () => miniflare.dispose() }
}

/** A page that reads the files of a web server. */
export async function openPage(browser: Browser, library: Bundle, mirror: PublishedMirror): Promise<Answering> {
  const server = await servePage(library, "globalThis.isonode = await import('/browserEntry.js')")
  const files = await ObjectServer.start()
  for (const [name, bytes] of mirror.objects) files.objects.set(name, bytes)
  const page = await browser.newPage()
  await page.goto(server.url)
  await page.waitForFunction(() => 'isonode' in globalThis)
  await page.evaluate(
    async ([address, publisher]) => {
      globalThis.mirrored = await isonode.createBrowserNode({ mirror: address, publisher })
    },
    [`${files.origin}/`, mirror.publisher] as const,
  )
  const rpc = (text: string): Promise<Answer> =>
    page.evaluate(async (body) => {
      const response = await mirrored.fetch(new Request('https://any.example/', { method: 'POST', body }))
      return { status: response.status, body: await response.text() }
    }, text)
  const close = async (): Promise<void> => {
    await page.close()
    server.close()
    await files.stop()
  }
  return { rpc, graphql: undefined, close }
}

function chainOptions({ genesisFile, options }: AnsweredChain): string[] {
  return [`--genesis-file=${genesisFile}`, ...options]
}

async function serving(command: readonly string[]): Promise<Answering> {
  const node: RunningNode = await startNode(command)
  const graphql = await eventually(() => {
    const [url] = /http:\/\/\S+\/graphql/.exec(node.output()) ?? []
    if (url === undefined) throw new Error(`no GraphQL: ${node.output()}`)
    return url
  })
  const at = (url: string) => (body: string) => answerOf(fetch(url, { ...JSON_POST, body }))
  return { rpc: at(node.url), graphql: at(graphql), close: () => node.stop() }
}

type TextResponse = Pick<Response, 'status' | 'text'>

async function answerOf(response: Promise<TextResponse>): Promise<Answer> {
  const answered = await response
  return { status: answered.status, body: await answered.text() }
}

/**
 * The lines of failing transactions, beside those that the stack traces of Hardhat 2 name: the first line of the node's own stack
 * trace, and the line at which the debugger opens.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { deployMatrix, matrixSources } from '../support/debug/failingMatrix.ts'
import type { CompiledProject } from '../support/evm/solidity.ts'
import { type HardhatProject, hardhatPackages, hardhatProject } from '../support/host/hardhat.ts'
import { needsTool } from '../support/host/needs.ts'
import { deployFailures, failingSources, SENDER } from '../support/nodes/failures.ts'
import { type RunningNode, startNode } from '../support/nodes/program.ts'
import { longCount } from './count.ts'

const FIXTURE = path.resolve(import.meta.dirname, '../fixtures/hardhat')
const NO_NODE = 'http://127.0.0.1:1'
const GAS = '0x200000'
/** Failures whose lines differ, and why. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  lowLevelSilent: "neither the call nor its caller's require has data; the node names the call, which failed first",
  unknownSelector: 'the code that dispatches calls has no line in the debugger; Hardhat names the contract',
  noReceive: 'as unknownSelector',
}

/** `file.sol:line` by each tool; undefined: it names none. */
interface Lines {
  readonly hardhat: string | undefined
  readonly stackTrace: string | undefined
  readonly debugger: string | undefined
}

describe('failing lines', needsTool('Hardhat 2', hardhatPackages(2)), () => {
  it("are those of Hardhat's stack traces", async () => {
    const project = await compiledProject()
    const node = await startNode(['--ephemeral', `--abi=${path.join(project.folder, 'artifacts')}`])
    const lines = await linesOf(project, node)
    await node.stop()
    const different = [...lines].filter(([, each]) => new Set(Object.values(each)).size > 1)
    console.info(`${lines.size} failing transactions, ${different.length} with different lines`)
    expect(lines.size).toBeGreaterThanOrEqual(Math.min(300, longCount))
    expect(different.filter(([name]) => DIFFERENCES[name] === undefined)).toEqual([])
  })
})

async function compiledProject(): Promise<HardhatProject> {
  const project = hardhatProject(2, [])
  for (const name of ['hardhat.config.cjs', 'scripts']) {
    cpSync(path.join(FIXTURE, name), path.join(project.folder, name), { recursive: true })
  }
  mkdirSync(path.join(project.folder, 'contracts'))
  for (const [file, text] of Object.entries({ ...failingSources(), ...matrixSources() })) {
    writeFileSync(path.join(project.folder, file), text)
  }
  await project.hardhat(NO_NODE, ['compile'])
  return project
}

/** Sends the same transactions to the node and to Hardhat's network. @returns the lines by the names of the failures */
async function linesOf(project: HardhatProject, node: RunningNode): Promise<ReadonlyMap<string, Lines>> {
  const requests: unknown[] = []
  const rpc = <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    if (method === 'eth_sendTransaction') requests.push(params[0])
    return node.rpc<T>(method, params)
  }
  const compiled = buildOf(project)
  const calls = new Map([...(await deployFailures(rpc, compiled)), ...(await deployMatrix(rpc, compiled))])
  // Its sender has no key.
  calls.delete('variableInitialiser')
  const own = new Map<string, Omit<Lines, 'hardhat'>>()
  const creations = requests.length
  for (const [name, call] of [...calls].slice(0, longCount)) {
    const request = { from: SENDER, gas: GAS, ...call }
    const hash = await rpc('eth_sendTransaction', request)
    own.set(name, { stackTrace: await tracedLine(node, request), debugger: await openedLine(node, hash) })
  }
  const theirs = (await hardhatLines(project, requests)).slice(creations)
  return new Map([...own].map(([name, lines], i) => [name, { hardhat: theirs[i], ...lines }]))
}

/** The innermost lines in Hardhat's own network, one for each request. */
async function hardhatLines(project: HardhatProject, requests: readonly unknown[]): Promise<(string | undefined)[]> {
  const [REQUESTS, ANSWERS] = [path.join(project.folder, 'requests'), path.join(project.folder, 'answers')]
  const env = { REQUESTS, ANSWERS, RPC_URL: NO_NODE }
  writeFileSync(REQUESTS, JSON.stringify(requests))
  await project.hardhat(NO_NODE, ['run', 'scripts/failingLines.cjs'], { env })
  const answers = JSON.parse(readFileSync(ANSWERS, 'utf8')) as readonly (readonly string[])[]
  return answers.map(([innermost]) => innermost)
}

async function tracedLine(node: RunningNode, call: object): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call] })
  const headers = { 'Content-Type': 'application/json' }
  const answer = (await (await fetch(node.url, { method: 'POST', headers, body })).json()) as {
    readonly error?: { readonly stackTrace?: readonly string[] }
  }
  return /\((.*\.sol:\d+):\d+\)$/.exec(answer.error?.stackTrace?.[0] ?? '')?.[1]
}

/** As the page opens its debugger. */
async function openedLine(node: RunningNode, hash: unknown): Promise<string | undefined> {
  const options = { from: 'end', direction: 'backward', where: { failure: true } }
  const found = await node.rpc<{ readonly index: number } | null>('debug_findStep', [hash, options])
  const moment = await node.rpc<{ readonly source: { readonly path: string; readonly line: number } | null } | null>(
    'isonode_debugView',
    [hash, found?.index ?? 0],
  )
  return moment?.source ? `${moment.source.path}:${moment.source.line}` : undefined
}

function buildOf({ folder }: HardhatProject): Pick<CompiledProject, 'output'> {
  const artifacts = path.join(folder, 'artifacts/contracts/Failures.sol')
  const { buildInfo } = JSON.parse(readFileSync(path.join(artifacts, 'Failures.dbg.json'), 'utf8')) as {
    readonly buildInfo: string
  }
  return JSON.parse(readFileSync(path.join(artifacts, buildInfo), 'utf8')) as CompiledProject
}

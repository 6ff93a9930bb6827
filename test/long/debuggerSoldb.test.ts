/**
 * Variables that the debugger knows beside those that soldb knows, on the contracts and messages of debuggerTruth.test.ts.
 * `cargo install soldb --version 0.4.4 --root .cache/soldb` installs it, or ISONODE_SOLDB names its program. Its counts are generous:
 * a list counts as known if only its length is shown, and its values are not verified. ISONODE_LONG_COUNT is the number of types.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import type { Probe } from '../support/debug/instrument.ts'
import { instrumentedProject, type Tally, truthOf } from '../support/debug/truth.ts'
import { type TypeContract, typeContracts } from '../support/debug/typeContracts.ts'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, startNode } from '../support/nodes/program.ts'
import { longCount } from './count.ts'

const SOLDB = path.resolve(process.env['ISONODE_SOLDB'] ?? '.cache/soldb/bin/soldb')
const GAS = '0xf00000'
const MAX_OUTPUT = 2 ** 30
const ROLES = ['state', 'parameter', 'result', 'local'] as const

type Counts = Record<Probe['role'], Tally>

interface Pipeline {
  readonly name: string
  readonly settings: object
  readonly programs: readonly string[]
}

const PIPELINES: readonly Pipeline[] = [
  { name: 'legacy', settings: {}, programs: [] },
  {
    name: 'IR',
    settings: { viaIR: true, experimental: true, debug: { debugInfo: ['ethdebug', 'ast-id', 'location'] } },
    programs: ['evm.bytecode.ethdebug', 'evm.deployedBytecode.ethdebug'],
  },
]

describe.each(PIPELINES)(
  'beside soldb, with the $name code generator',
  needsTool('soldb', existsSync(SOLDB)),
  (pipeline) => {
    const contracts = typeContracts()
      .filter(({ needsIR }) => pipeline.name === 'IR' || !needsIR)
      .slice(0, longCount)
    const totals = { isonode: noCounts(), soldb: noCounts() }
    let node: RunningNode
    beforeAll(async () => {
      node = await startNode(['--ephemeral'])
    })
    afterAll(async () => {
      await node?.stop()
    })

    it.each(contracts)('as many variables are known with the type $type', async (contract) => {
      const { ours, theirs } = await compare(node, contract, pipeline)
      for (const role of ROLES) {
        expect(ours[role].known).toBeGreaterThanOrEqual(theirs[role].known)
        expect(ours[role].known + ours[role].unknown).toBe(theirs[role].known + theirs[role].unknown)
        add(totals.isonode[role], ours[role])
        add(totals.soldb[role], theirs[role])
      }
      console.info(pipeline.name, JSON.stringify(totals))
    })
  },
)

async function compare(node: RunningNode, contract: TypeContract, { settings, programs }: Pipeline) {
  const { source, call } = contract
  const probes: Probe[] = []
  let storage: ReadonlyMap<string, Uint8Array> = new Map()
  const truth = await truthOf(source, 'Types', {
    calls: [call],
    settings,
    onCreated: (created) => {
      storage = created
    },
    onProbe: (probe) => probes.push(probe),
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-soldb-'))
  try {
    const code = writeArtifacts(folder, source, settings, programs)
    const address = freshAddress()
    const hash = await send(node, address, { code, storage, data: call })
    const theirs = noCounts()
    const moments = askSoldb(node.url, hash, `${address}:Types:${folder}`, probes.length)
    for (const [i, { role, name }] of probes.entries()) {
      const isKnown = moments[i]?.has(`${role === 'state' ? 'state' : 'local'} ${name}`)
      theirs[role][isKnown ? 'known' : 'unknown']++
    }
    return { ours: truth.byRole, theirs }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let lastAddress = 0xc0de00n

/** No contract finds the storage of another one. */
function freshAddress(): string {
  lastAddress++
  return `0x${lastAddress.toString(16).padStart(40, '0')}`
}

/** @returns the hash of the transaction to the code with its storage, which may be larger than a creation allows */
async function send(
  node: RunningNode,
  address: string,
  {
    code,
    storage,
    data,
  }: { readonly code: string; readonly storage: ReadonlyMap<string, Uint8Array>; readonly data: string },
): Promise<string> {
  await node.rpc('anvil_setCode', [address, `0x${code}`])
  const [from] = await node.rpc<string[]>('eth_accounts')
  for (const [slot, value] of storage) await node.rpc('anvil_setStorageAt', [address, `0x${slot}`, bytesToHex(value)])
  return await node.rpc<string>('eth_sendTransaction', [{ from, to: address, data, gas: GAS }])
}

/** @returns the names of what soldb knows at each event of a transaction */
function askSoldb(url: string, hash: string, artifacts: string, count: number): ReadonlySet<string>[] {
  const commands = ['break op LOG1', ...Array.from({ length: count }, () => ['continue', 'vars']).flat(), 'quit']
  const args = ['trace', hash, '--rpc', url, '--backend', 'replay', '-e', artifacts, '-i', '--json']
  const options = { encoding: 'utf8', input: commands.join('\n'), maxBuffer: MAX_OUTPUT } as const
  const { stdout, stderr, status } = spawnSync(SOLDB, args, options)
  if (status !== 0) throw new Error(`soldb ended with ${status}: ${stderr}`)
  const answers = stdout.split('\n').filter((line) => line.startsWith('{"kind":"variables"'))
  expect(answers.length).toBe(count)
  return answers.map((line) => namesIn(JSON.parse(line)))
}

interface SoldbVariable {
  readonly name: string
  readonly status: string
}

interface SoldbVariables {
  readonly locals: readonly SoldbVariable[]
  readonly state: { readonly variables?: readonly SoldbVariable[] }
}

function namesIn({ locals, state }: SoldbVariables): Set<string> {
  const known = (place: string, list: readonly SoldbVariable[]): string[] =>
    list.filter(({ status }) => status === 'decoded').map(({ name }) => `${place} ${name}`)
  return new Set([...known('local', locals), ...known('state', state.variables ?? [])])
}

/** Writes what the command line of solc writes for soldb. @returns the code */
function writeArtifacts(folder: string, source: string, settings: object, programs: readonly string[]): string {
  const { input, output } = instrumentedProject(source, settings, programs).project
  const file = output.sources['Test.sol']
  const contract = output.contracts['Test.sol']?.['Types']
  if (file === undefined || contract === undefined) throw new Error('the contract was not compiled')
  const { abi, evm, storageLayout } = contract
  const write = (name: string, content: unknown): void =>
    writeFileSync(path.join(folder, name), JSON.stringify(content))
  writeFileSync(path.join(folder, 'Test.sol'), input.sources['Test.sol']?.content ?? '')
  if (programs.length > 0) {
    const compilation = { compiler: { name: 'solc', version: '' }, sources: [{ id: file.id, path: 'Test.sol' }] }
    write('ethdebug_resources.json', { compilation })
    write('Types_ethdebug.json', evm.bytecode.ethdebug)
    write('Types_ethdebug-runtime.json', evm.deployedBytecode.ethdebug)
    write('Types_storage.json', storageLayout)
    write('Types.abi', abi)
  } else {
    const combined = {
      abi,
      bin: evm.bytecode.object,
      'bin-runtime': evm.deployedBytecode.object,
      srcmap: evm.bytecode.sourceMap,
      'srcmap-runtime': evm.deployedBytecode.sourceMap,
      'storage-layout': storageLayout,
    }
    write('combined.json', { contracts: { 'Test.sol:Types': combined }, sourceList: ['Test.sol'], version: '' })
  }
  return evm.deployedBytecode.object
}

function noCounts(): Counts {
  const none = (): Tally => ({ known: 0, unknown: 0 })
  return { state: none(), parameter: none(), result: none(), local: none() }
}

function add(total: Tally, { known, unknown }: Tally): void {
  total.known += known
  total.unknown += unknown
}

/**
 * Nodes that execute a block by `eth_simulateV1` on the block below it, whose state is the allocation. The results that can
 * be compared are gas and logs bloom. The time is that of the whole process for one request.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { bytesToHex, quantity } from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import type { Block } from '../../../../src/types/block.ts'
import { transactionSender } from '../../../../src/types/transactionCodec.ts'
import type { SetBlock } from '../../../support/recorded/publicSets.ts'
import { connected, cpuMs } from '../../measuredNode.mjs'
import { RpcConnection } from '../../rpcConnection.mjs'
import { hexAlloc, hexTransaction, hexWithdrawal } from '../hexForms.ts'
import type { Measured, Target } from '../target.ts'

/** The system tells the time of a process in steps of 10 ms. */
const SAMPLE_MS = 300
/** Time of a node before it is measured, in which V8 compiles what it needs. */
const WARM_UP_MS = 2000
const BLOCK_KEYS = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
const LATER_KEYS: readonly (readonly [fork: ForkName, key: string])[] = [
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['arrowGlacier', 'arrowGlacierBlock'],
  ['grayGlacier', 'grayGlacierBlock'],
  ['paris', 'terminalTotalDifficulty'],
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
]

/** anvil counts the gas of blocks of Berlin by other rules. */
const FIRST_SIMULATED = LATER_KEYS.findIndex(([fork]) => fork === 'london')

interface SimulatedBlock {
  readonly gasUsed: string
  readonly logsBloom?: string
}

abstract class SimulateTarget implements Target {
  abstract readonly name: string
  abstract start(): Promise<string | undefined>
  /** @param genesisFile a genesis block just below the executed one */
  protected abstract command(
    genesisFile: string,
    fork: ForkName,
    parent: { number: bigint; timestamp: bigint },
  ): string[]
  protected abstract readonly port: number
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'isonode-simulate-'))
  readonly #isRepeated: boolean
  #child: ChildProcess | undefined
  #rpc: RpcConnection | undefined
  #payload: unknown
  #isWarm = false

  constructor(isRepeated: boolean) {
    this.#isRepeated = isRepeated
  }

  /** @returns why the program cannot execute the block */
  protected refuses(_block: Block): string | undefined {
    return undefined
  }

  async open(set: SetBlock): Promise<string | undefined> {
    await this.#end()
    const { block, config } = set
    const fork = config.rulesAt(block.header).name
    const at = LATER_KEYS.findIndex(([name]) => name === fork)
    if (at < FIRST_SIMULATED) return `not simulated under the rules of ${fork}`
    const reason = this.refuses(block)
    if (reason !== undefined) return reason
    if (set.readsAncestors || set.setup.length > 0) return 'needs blocks before the simulated one'
    const parent = { number: block.header.number - 1n, timestamp: block.header.timestamp - 1n }
    const genesisFile = path.join(this.#folder, 'genesis.json')
    writeFileSync(genesisFile, JSON.stringify(genesisOf(set, at, parent)))
    // The node closes a connection that stays idle, so everything that takes time comes first.
    this.#payload = payloadOf(block)
    const [program, ...args] = this.command(genesisFile, fork, parent) as [string, ...string[]]
    this.#child = spawn(program, args, { stdio: 'ignore' })
    this.#rpc = new RpcConnection(this.port)
    await connected(this.#rpc)
    this.#isWarm = false
    return undefined
  }

  async measure(): Promise<Measured> {
    if (this.#isRepeated && !this.#isWarm) await this.#repeat(WARM_UP_MS)
    this.#isWarm = true
    return this.#repeat(SAMPLE_MS)
  }

  async stop(): Promise<void> {
    await this.#end()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Sends the request until it has used this time. */
  async #repeat(sampleMs: number): Promise<Measured> {
    const pid = this.#child?.pid as number
    const before = cpuMs(pid)
    for (let runs = 1; ; runs++) {
      const blocks = (await this.#rpc?.call('eth_simulateV1', [this.#payload, 'latest'])) as SimulatedBlock[]
      const usedMs = cpuMs(pid) - before
      if (this.#isRepeated && usedMs < sampleMs) continue
      const { gasUsed, logsBloom } = blocks.at(-1) as SimulatedBlock
      const result = { gasUsed: Number(gasUsed), ...(logsBloom === undefined ? {} : { logsBloom }) }
      return { result, cpuMs: usedMs / runs }
    }
  }

  async #end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

export class AnvilTarget extends SimulateTarget {
  readonly name = 'anvil'
  protected readonly port = 18753
  readonly #program: string

  constructor(program: string, isRepeated: boolean) {
    super(isRepeated)
    this.#program = program
  }

  async start(): Promise<string | undefined> {
    return existsSync(this.#program) ? undefined : `anvil is absent at ${this.#program}: name it by --anvil`
  }

  protected override refuses({ transactions }: Block): string | undefined {
    const isCreation = transactions.some(({ to }) => to === undefined)
    return isCreation ? 'eth_simulateV1 of anvil refuses contract creations' : undefined
  }

  protected command(genesisFile: string, fork: ForkName, parent: { number: bigint; timestamp: bigint }): string[] {
    const chain = ['--init', genesisFile, '--hardfork', fork.toLowerCase(), '--chain-id', '1']
    const start = ['--number', String(parent.number), '--timestamp', String(parent.timestamp)]
    return [this.#program, '--silent', '--port', String(this.port), '--no-mining', ...chain, ...start]
  }
}

export class IsonodeRpcTarget extends SimulateTarget {
  readonly name = 'isonode-rpc'
  protected readonly port = 18754
  readonly #program: string
  readonly #evm: string

  /** @param program of a build */
  constructor(program: string, evm: string, isRepeated: boolean) {
    super(isRepeated)
    this.#program = program
    this.#evm = evm
  }

  async start(): Promise<string | undefined> {
    return existsSync(this.#program) ? undefined : 'it needs npm run build'
  }

  protected command(genesisFile: string): string[] {
    const options = [
      '--dev',
      '--ephemeral',
      '--logging=OFF',
      '--rpc-ws-enabled=false',
      '--no-mining',
      `--evm=${this.#evm}`,
    ]
    return [
      process.execPath,
      this.#program,
      ...options,
      `--genesis-file=${genesisFile}`,
      `--rpc-http-port=${this.port}`,
    ]
  }
}

/** @param forkAt index of the fork in {@link LATER_KEYS} */
function genesisOf(
  { alloc, block: { header } }: SetBlock,
  forkAt: number,
  parent: { readonly number: bigint; readonly timestamp: bigint },
): unknown {
  const forks = [...BLOCK_KEYS.map((name) => `${name}Block`), ...LATER_KEYS.slice(0, forkAt + 1).map(([, key]) => key)]
  return {
    config: { chainId: 1, ...Object.fromEntries(forks.map((key) => [key, 0])) },
    number: quantity(parent.number),
    timestamp: quantity(parent.timestamp),
    gasLimit: quantity(header.gasLimit),
    difficulty: '0x0',
    baseFeePerGas: quantity(header.baseFeePerGas ?? 0n),
    coinbase: bytesToHex(header.beneficiary),
    nonce: '0x0',
    extraData: '0x',
    mixHash: bytesToHex(new Uint8Array(32)),
    alloc: hexAlloc(alloc),
  }
}

function payloadOf({ header, transactions, withdrawals }: Block): unknown {
  const calls = transactions.map((transaction) => ({
    from: bytesToHex(transactionSender(transaction) as Uint8Array),
    ...hexTransaction(transaction),
  }))
  const blockOverrides = {
    number: quantity(header.number),
    time: quantity(header.timestamp),
    gasLimit: quantity(header.gasLimit),
    feeRecipient: bytesToHex(header.beneficiary),
    prevRandao: bytesToHex(header.mixHash),
    ...(header.baseFeePerGas === undefined ? {} : { baseFeePerGas: quantity(header.baseFeePerGas) }),
    ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(hexWithdrawal) }),
  }
  return { blockStateCalls: [{ blockOverrides, calls }], validation: true }
}

/**
 * geth's `evm t8n`, which loads an allocation, executes transactions and tells the results. Its time is that of the whole
 * process less that of a process with the same allocation and no transactions.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bytesToHex, quantity } from '../../../../src/base/primitives/bytes.ts'
import { rlpListOfEncoded } from '../../../../src/base/primitives/rlp.ts'
import type { Block } from '../../../../src/types/block.ts'
import { transactionItem } from '../../../../src/types/blockCodec.ts'
import { encodeTransaction } from '../../../../src/types/transactionCodec.ts'
import type { SetBlock } from '../../../support/recorded/publicSets.ts'
import type { SetResult } from '../../../support/recorded/setExecution.ts'
import { FORK_NAMES } from '../forkNames.ts'
import { hexAlloc, hexWithdrawal } from '../hexForms.ts'
import { timed } from '../processTime.ts'
import type { Measured, Target } from '../target.ts'

const FORKS = { ...FORK_NAMES, arrowGlacier: 'ArrowGlacier', grayGlacier: 'GrayGlacier', paris: 'Merge' }

export class GethTarget implements Target {
  readonly name = 'geth'
  readonly #program: string
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'isonode-t8n-'))
  #options: readonly string[] = []

  /** @param program geth's `evm` */
  constructor(program: string) {
    this.#program = program
  }

  async start(): Promise<string | undefined> {
    const { exitCode } = await timed(this.#program, ['--version']).catch(() => ({ exitCode: 1 }))
    return exitCode === 0
      ? undefined
      : `geth's program evm is absent at ${this.#program}: build it and name it by --geth`
  }

  async open(set: SetBlock): Promise<string | undefined> {
    this.#write('alloc.json', hexAlloc(set.alloc))
    this.#write('none.rlp', '0xc0')
    for (const block of set.setup) {
      this.#prepare(set, block)
      await this.#run('txs.rlp', 'alloc.json')
    }
    return this.#prepare(set, set.block)
  }

  #prepare({ config, ancestors }: SetBlock, block: Block): string | undefined {
    const rules = config.rulesAt(block.header)
    const fork = FORKS[rules.name]
    if (fork === undefined) return `geth has no rules of ${rules.name}`
    this.#write('env.json', environmentOf(block, ancestors))
    const transactions = block.transactions.map((transaction) => transactionItem(encodeTransaction(transaction)))
    this.#write('txs.rlp', bytesToHex(rlpListOfEncoded(transactions)))
    const reward = rules.blockReward === 0n ? -1n : rules.blockReward
    this.#options = [`--state.fork=${fork}`, `--state.chainid=${config.chainId}`, `--state.reward=${reward}`]
    return undefined
  }

  async measure(): Promise<Measured> {
    const idleMs = await this.#run('none.rlp', '')
    const cpuMs = await this.#run('txs.rlp', '')
    const answer = JSON.parse(readFileSync(path.join(this.#folder, 'result.json'), 'utf8')) as Record<string, unknown>
    if (answer['rejected'] !== undefined) throw new Error(`geth rejects ${JSON.stringify(answer['rejected'])}`)
    const { receiptsRoot, logsBloom, stateRoot } = answer as unknown as SetResult
    const result = { gasUsed: Number(answer['gasUsed']), receiptsRoot, logsBloom, stateRoot }
    return { result, cpuMs: Math.max(cpuMs - idleMs, 0) }
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** @returns milliseconds of processor time */
  async #run(transactions: string, outputAlloc: string): Promise<number> {
    const file = (name: string): string => path.join(this.#folder, name)
    const inputs = [
      `--input.alloc=${file('alloc.json')}`,
      `--input.env=${file('env.json')}`,
      `--input.txs=${file(transactions)}`,
    ]
    const outputs = [`--output.basedir=${this.#folder}`, '--output.result=result.json', `--output.alloc=${outputAlloc}`]
    const args = ['t8n', ...inputs, ...outputs, ...this.#options]
    const { exitCode, cpuMs, stderr } = await timed(this.#program, args, { GOMAXPROCS: '1' })
    if (exitCode !== 0) throw new Error(`evm t8n: ${stderr}`)
    return cpuMs
  }

  #write(name: string, value: unknown): void {
    writeFileSync(path.join(this.#folder, name), JSON.stringify(value))
  }
}

function environmentOf({ header, withdrawals }: Block, ancestors: SetBlock['ancestors']): Record<string, unknown> {
  const isProofOfStake = header.difficulty === 0n
  return {
    currentCoinbase: bytesToHex(header.beneficiary),
    currentDifficulty: quantity(header.difficulty),
    ...(isProofOfStake ? { currentRandom: bytesToHex(header.mixHash) } : {}),
    currentGasLimit: quantity(header.gasLimit),
    currentNumber: quantity(header.number),
    currentTimestamp: quantity(header.timestamp),
    ...(header.baseFeePerGas === undefined ? {} : { currentBaseFee: quantity(header.baseFeePerGas) }),
    ...(header.excessBlobGas === undefined ? {} : { currentExcessBlobGas: quantity(header.excessBlobGas) }),
    ...(header.parentBeaconBlockRoot === undefined
      ? {}
      : { parentBeaconBlockRoot: bytesToHex(header.parentBeaconBlockRoot) }),
    ...(withdrawals === undefined
      ? {}
      : {
          withdrawals: withdrawals.map(hexWithdrawal),
        }),
    blockHashes: Object.fromEntries([...ancestors].map(([number, hash]) => [quantity(number), bytesToHex(hash)])),
  }
}

/**
 * revme's `btest`, which executes blockchain tests and compares gas and receipts. It is given the senders, and computes no
 * state root. Its time is that of a file with the same test several times, less that of a file without the block.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bytesToHex, quantity } from '../../../../src/base/primitives/bytes.ts'
import type { Block, Header } from '../../../../src/types/block.ts'
import { hashHeader } from '../../../../src/types/headerCodec.ts'
import type { Transaction } from '../../../../src/types/transaction.ts'
import { transactionSender } from '../../../../src/types/transactionCodec.ts'
import type { SetBlock } from '../../../support/recorded/publicSets.ts'
import { FORK_NAMES } from '../forkNames.ts'
import { hexAlloc, hexTransaction, hexWithdrawal } from '../hexForms.ts'
import { timed } from '../processTime.ts'
import type { Measured, Target } from '../target.ts'

const REPETITIONS = 5

export class RevmeTarget implements Target {
  readonly name = 'revme'
  readonly #program: string
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'isonode-revme-'))
  #gasUsed = 0n

  constructor(program: string) {
    this.#program = program
  }

  async start(): Promise<string | undefined> {
    const { exitCode } = await timed(this.#program, ['--help']).catch(() => ({ exitCode: 1 }))
    return exitCode === 0
      ? undefined
      : `revme is absent at ${this.#program}: cargo install revme, and name it by --revme`
  }

  async open(set: SetBlock): Promise<string | undefined> {
    const { block, setup, expected } = set
    const fork = FORK_NAMES[set.config.rulesAt(block.header).name]
    if (fork === undefined) return 'revme does not have its rules'
    if (set.readsAncestors) return "revme's tests have no hashes for BLOCKHASH"
    if (expected.gasUsed === undefined) return "revme's tests need results that are known in advance"
    this.#gasUsed = expected.gasUsed
    this.#write('idle.json', testOf(set, fork, setup))
    this.#write('blocks.json', testOf(set, fork, [...setup, block]))
    return undefined
  }

  async measure(): Promise<Measured> {
    const idleMs = await this.#run('idle.json')
    const cpuMs = await this.#run('blocks.json')
    return { result: { gasUsed: Number(this.#gasUsed) }, cpuMs: Math.max(cpuMs - idleMs, 0) / REPETITIONS }
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** @returns milliseconds of processor time @throws {Error} when gas or receipts differ */
  async #run(file: string): Promise<number> {
    const args = ['btest', '--omit-progress', path.join(this.#folder, file)]
    const { exitCode, stdout, stderr, cpuMs } = await timed(this.#program, args)
    const isPassed = exitCode === 0 && stdout.includes(`Passed:  ${REPETITIONS}`) && !stderr.includes('Skipping')
    if (!isPassed) throw new Error(`revme btest: ${stderr}`)
    return cpuMs
  }

  #write(name: string, test: unknown): void {
    const tests = Array.from({ length: REPETITIONS }, (_, i) => [`run ${i}`, test] as const)
    writeFileSync(path.join(this.#folder, name), JSON.stringify(Object.fromEntries(tests)))
  }
}

function testOf({ alloc, block }: SetBlock, network: string, blocks: readonly Block[]): unknown {
  const first = blocks[0] ?? block
  // revme takes the excess of blob gas and the hash of the parent from the block before.
  const genesis = {
    ...headerOf(first.header),
    number: quantity(first.header.number - 1n),
    hash: bytesToHex(first.header.parentHash),
  }
  return {
    network,
    genesisBlockHeader: genesis,
    pre: hexAlloc(alloc),
    lastblockhash: genesis.hash,
    blocks: blocks.map(({ header, transactions, withdrawals }) => ({
      rlp: '0x',
      blockHeader: headerOf(header),
      transactions: transactions.map(transactionOf),
      ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(hexWithdrawal) }),
    })),
  }
}

function headerOf(header: Header): Record<string, string> & { hash: string } {
  const optional: Partial<Record<string, bigint | Uint8Array>> = {
    baseFeePerGas: header.baseFeePerGas,
    withdrawalsRoot: header.withdrawalsRoot,
    blobGasUsed: header.blobGasUsed,
    excessBlobGas: header.excessBlobGas,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot,
    requestsHash: header.requestsHash,
  }
  const present = Object.entries(optional).filter(
    (entry): entry is [string, bigint | Uint8Array] => entry[1] !== undefined,
  )
  return {
    bloom: bytesToHex(header.logsBloom),
    coinbase: bytesToHex(header.beneficiary),
    difficulty: quantity(header.difficulty),
    extraData: bytesToHex(header.extraData),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    hash: bytesToHex(hashHeader(header)),
    mixHash: bytesToHex(header.mixHash),
    nonce: bytesToHex(header.nonce),
    number: quantity(header.number),
    parentHash: bytesToHex(header.parentHash),
    receiptTrie: bytesToHex(header.receiptsRoot),
    stateRoot: bytesToHex(header.stateRoot),
    timestamp: quantity(header.timestamp),
    transactionsTrie: bytesToHex(header.transactionsRoot),
    uncleHash: bytesToHex(header.ommersHash),
    ...Object.fromEntries(
      present.map(([name, value]) => [name, typeof value === 'bigint' ? quantity(value) : bytesToHex(value)]),
    ),
  }
}

function transactionOf(transaction: Transaction): Record<string, unknown> {
  const { gas, input, ...fields } = hexTransaction(transaction)
  const sender = bytesToHex(transactionSender(transaction) as Uint8Array)
  return { ...fields, gasLimit: gas, data: input, sender, r: '0x0', s: '0x0', v: '0x0' }
}

/** Requests to a verified provider whose remote changes one thing in one of its answers. */
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { evmCode } from '../evm/evmCode.ts'
import { Random } from '../host/random.ts'
import { openDevNode } from '../nodes/devNodeInMemory.ts'
import { changedAnswers } from './changedAnswers.ts'
import { NodeTransport } from './nodeTransport.ts'
import { openVerified } from './verified.ts'

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const CODE = evmCode('5 SLOAD 6 SLOAD ADD CALLER BALANCE ADD 0 MSTORE 1 7 SSTORE 9 32 0 LOG1 32 0 RETURN')
const slot = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

type Request = readonly [method: string, ...params: unknown[]]

export interface LyingRemote {
  readonly transport: NodeTransport
  readonly evmModule: WebAssembly.Module
  readonly requests: readonly Request[]
  readonly headHash: string
  close(): Promise<void>
}

export async function openLyingRemote(): Promise<LyingRemote> {
  const { rpc, node } = await openDevNode()
  await rpc('hardhat_setCode', CONTRACT, bytesToHex(CODE))
  for (const n of [5, 6]) await rpc('hardhat_setStorageAt', CONTRACT, slot(n), slot(n * 1000))
  const sent: string[] = []
  for (const to of [CONTRACT, BOB, CONTRACT]) {
    sent.push(await rpc<string>('eth_sendTransaction', { from: ALICE, to, value: '0x5', gas: '0x20000' }))
  }
  const head = await rpc<{ hash: string; number: string }>('eth_getBlockByNumber', 'latest', false)
  const call = { from: ALICE, to: CONTRACT, gas: '0x30000' }
  return {
    transport: new NodeTransport(rpc),
    evmModule: await compileNativeModule(),
    headHash: head.hash,
    requests: [
      ['eth_getBalance', ALICE, 'latest'],
      ['eth_getBalance', `0x${'e'.repeat(40)}`, 'latest'],
      ['eth_getTransactionCount', ALICE, '0x3'],
      ['eth_getCode', CONTRACT, 'latest'],
      ['eth_getStorageAt', CONTRACT, slot(5), 'latest'],
      ['eth_getProof', CONTRACT, [slot(5), slot(8)], 'latest'],
      ['eth_call', call, 'latest'],
      ['eth_estimateGas', call, 'latest'],
      ['eth_createAccessList', call, 'latest'],
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', '0x2', false],
      ['eth_getBlockByHash', head.hash, false],
      ['eth_getTransactionByHash', sent[0]],
      ['eth_getTransactionReceipt', sent[0]],
      ['eth_getTransactionByBlockNumberAndIndex', '0x4', '0x0'],
      ['eth_getBlockReceipts', 'latest'],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest' }],
      ['eth_feeHistory', '0x2', 'latest', [50]],
    ],
    close: () => node.close(),
  }
}

export interface LieReport {
  /** Lies that changed an answer. */
  readonly believed: string[]
  /** Refusals that do not say what is wrong. */
  readonly unnamed: string[]
  readonly refused: number
  /** Lies about what nobody reads. */
  readonly ignored: number
}

const NAMED = /^(?:PROOF_INVALID|HEAD_UNTRUSTED|FORK_[A-Z_]+)$/

/** Methods that the remote lacks, so that other ones are asked. */
const HIDDEN = [[], ['isonode_callWitness'], ['isonode_callWitness', 'eth_createAccessList']]

/** A request with its true answer, and what the remote is asked for it. */
interface Subject {
  readonly request: Request
  readonly hidden: readonly string[]
  readonly truth: unknown
  /** Each method with the number of its requests. */
  readonly asked: ReadonlyMap<string, number>
}

/** Each request is made by a new provider, whose remote lies once. */
export async function checkLies(
  remote: LyingRemote,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<LieReport> {
  const random = new Random(seed)
  const report = { believed: [], unnamed: [], refused: 0, ignored: 0 }
  const subjects = await subjectsOf(remote)
  for (let done = 0; done < count; ) {
    for (const subject of subjects) {
      for (const method of subject.asked.keys()) {
        await lieAbout(method, subject, remote, random, report)
        done++
      }
    }
  }
  return report
}

async function subjectsOf(remote: LyingRemote): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const request of remote.requests) {
    for (const hidden of HIDDEN) {
      remote.transport.hidden = new Set(hidden)
      const truth = await ask(remote, request)
      const asked = new Map<string, number>()
      for (const method of remote.transport.methods) {
        if (!hidden.includes(method)) asked.set(method, (asked.get(method) ?? 0) + 1)
      }
      subjects.push({ request, hidden, truth, asked })
    }
  }
  return subjects
}

async function lieAbout(
  method: string,
  { request, hidden, truth, asked }: Subject,
  remote: LyingRemote,
  random: Random,
  report: { believed: string[]; unnamed: string[]; refused: number; ignored: number },
): Promise<void> {
  const { transport } = remote
  transport.hidden = new Set(hidden)
  let path = ''
  let skips = random.below(asked.get(method) as number)
  transport.lie = (name, _, result) => {
    if (name !== method || path !== '' || skips-- > 0) return result
    const changes = [...changedAnswers(result, random, 1 + random.below(200))]
    const last = changes.at(-1)
    path = last?.path || 'all'
    return last?.answer ?? result
  }
  const what = (): string => `${request[0]}: ${path} of ${method}`
  try {
    const answer = await ask(remote, request)
    if (JSON.stringify(answer) === JSON.stringify(truth)) report.ignored++
    else report.believed.push(`${what()}: ${JSON.stringify(answer)?.slice(0, 300)}`)
  } catch (error) {
    if (isNodeError(error) && NAMED.test(error.code)) report.refused++
    else report.unnamed.push(`${what()}: ${error instanceof Error ? error.stack : error}`)
  } finally {
    transport.lie = undefined
  }
}

async function ask({ transport, headHash, evmModule }: LyingRemote, [method, ...params]: Request): Promise<unknown> {
  const provider = await openVerified(transport, { genesis: devGenesis(), trust: { hash: headHash } }, { evmModule })
  transport.reset()
  try {
    return await provider.request(method, params)
  } finally {
    await provider.close()
  }
}

/**
 * Threads that run the project's precompiles, each with another variant; this file is also their body.
 *
 * - `wasm`: portable, over fields in WebAssembly
 * - `bigint`: portable, without compiling WebAssembly
 * - `installed`: with Node's faster implementations; only those that differ from `wasm`
 * - `tiny`: key recovery with tiny-secp256k1
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { toHex } from './bytes.mjs'

export const FAILED = 'failed'
/** A call takes milliseconds. */
const PATIENCE_MS = 60_000

/** A thread and its unanswered calls. */
export class Subject {
  #pending = new Map()
  #worker
  #next = 0

  constructor(way, worker, names) {
    this.way = way
    this.names = new Set(names)
    this.#worker = worker
    worker.on('message', ({ number, answer }) => {
      const { settle, timer } = this.#pending.get(number)
      clearTimeout(timer)
      this.#pending.delete(number)
      settle(answer)
    })
    worker.on('error', (error) => {
      throw error
    })
  }

  /** The output in hex digits, or `failed`, or an error description. */
  run(name, input) {
    const number = this.#next++
    return new Promise((settle) => {
      // The thread answers in order, so the first unanswered call is the one that hangs.
      const timer = setTimeout(() => settle('no answer'), PATIENCE_MS)
      this.#pending.set(number, { settle, timer })
      this.#worker.postMessage({ number, name, input })
    })
  }

  close() {
    return this.#worker.terminate()
  }
}

/** @returns undefined when this host lacks the variant */
export async function startSubject(way, dist) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { way, dist } })
  const names = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  if (names.length > 0) return new Subject(way, worker, names)
  await worker.terminate()
  return undefined
}

const ALL = 'all'
const WAYS = {
  async wasm(load) {
    await installRecovery(load, async () =>
      (await load('adapters/shared/montgomerySecp256k1')).montgomerySecp256k1.load(),
    )
    return ALL
  },
  async bigint() {
    WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError('forbidden'))
    return ALL
  },
  async installed(load) {
    const installed = (await load('adapters/server/crypto/precompiles')).installNodePrecompiles()
    const { loadNativeSecp256k1 } = await load('adapters/server/crypto/nativeSecp256k1')
    return [...installed, ...(await installRecovery(load, loadNativeSecp256k1))]
  },
  async tiny(load) {
    const { tinySecp256k1 } = await load('adapters/shared/tinySecp256k1')
    return installRecovery(load, async () => tinySecp256k1(await import('tiny-secp256k1')))
  },
}

async function installRecovery(load, candidate) {
  const { installSecp256k1 } = await load('src/base/primitives/secp256k1')
  let found
  try {
    found = await candidate()
  } catch {
    return []
  }
  installSecp256k1(found)
  return ['ECREC']
}

async function serve({ way, dist }) {
  const load = (module) => import(pathToFileURL(path.join(dist, `${module}.js`)).href)
  const ran = await WAYS[way](load)
  const [{ activePrecompiles }, { forkRules }, { implementationOf, loadPrecompile }] = await Promise.all(
    ['src/evm/precompiles/addresses', 'src/config/forks', 'src/evm/precompiles/implementations'].map(load),
  )
  const names = ran === ALL ? activePrecompiles(forkRules('osaka')).map(({ name }) => name) : ran
  await Promise.all(names.map(loadPrecompile))
  parentPort.on('message', ({ number, name, input }) => {
    parentPort.postMessage({ number, answer: answerOf(() => within(input, (view) => implementationOf(name)(view))) })
  })
  parentPort.postMessage(names)
}

/** Passes the input as part of a larger buffer, as an EVM does, and checks that it stays unchanged. */
function within(input, run) {
  const margin = 1 + (input.length % 13)
  const memory = new Uint8Array(input.length + 2 * margin).fill(0xff)
  memory.set(input, margin)
  const before = memory.slice()
  const output = run(memory.subarray(margin, margin + input.length))
  if (Buffer.compare(memory, before) !== 0) throw new Error('the input was changed')
  memory.fill(0xee)
  return output
}

function answerOf(run) {
  try {
    const output = run()
    return output === undefined ? FAILED : toHex(output)
  } catch (error) {
    return `threw ${error}`
  }
}

if (!isMainThread && workerData?.way in WAYS) await serve(workerData)

/** The build of the program: nodes that run through a later build, and the stored code of V8. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'

const REPOSITORY = path.resolve(import.meta.dirname, '../..')
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** In the repository, so that the bundle finds its packages. */
const CACHE = path.join(REPOSITORY, 'node_modules/.cache')

let dist = ''

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true })
  dist = mkdtempSync(path.join(CACHE, 'build-test-'))
  build('first')
})
afterAll(() => rmSync(dist, { recursive: true, force: true }))

function build(label: string): void {
  const args = ['adapters/server/build/build.mjs', '--dist', dist, '--label', label]
  execFileSync(process.execPath, args, { cwd: REPOSITORY, stdio: ['ignore', 'ignore', 'inherit'] })
}

function builds(): string[] {
  return readdirSync(dist).filter((name) => name.startsWith('build-'))
}

function currentBuild(): string {
  const name = /build-[0-9a-f]+/.exec(readFileSync(path.join(dist, 'server.js'), 'utf8'))?.[0]
  return path.join(dist, name ?? 'missing')
}

function codeFiles(): string[] {
  return readdirSync(currentBuild()).filter((name) => name.startsWith('code-'))
}

function storedFile(): string {
  return path.join(currentBuild(), codeFiles()[0] as string)
}

/** In the file of the code: the number of processes that stored it after work (adapters/server/build/storedCode.ts). */
const CONTRIBUTORS_AT = 32

/** The stored code of the program has more; that of a module of Node has less. */
const LEAST_PROGRAM_BYTES = 500_000

interface Started {
  /** All that it has printed. */
  output(): string
  request(method: string, params: readonly unknown[]): Promise<unknown>
  stop(): Promise<number | null>
}

/** @param flags of Node */
async function startBuilt(flags: readonly string[] = []): Promise<Started> {
  const options = ['--rpc-http-port=0', '--rpc-ws-enabled=false', `--data-path=${path.join(dist, 'data')}`]
  const child = spawn(process.execPath, [...flags, path.join(dist, 'server.js'), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
      if (match !== null) resolve(match[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exit.then(() => reject(new Error(output)))
  })
  return {
    output: () => output,
    async request(method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return ((await response.json()) as { result?: unknown }).result
    },
    stop() {
      child.kill('SIGTERM')
      return exit
    },
  }
}

it('keeps signals that arrive while the program is loaded: the kernel discards those to process 1 otherwise', () => {
  const folder = mkdtempSync(path.join(CACHE, 'signals-'))
  try {
    const server = readFileSync(path.join(dist, 'server.js'), 'utf8')
    const build = path.join(folder, path.basename(currentBuild()))
    mkdirSync(build)
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(path.join(folder, 'server.js'), server)
    const count = `console.log(['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name)).join())`
    writeFileSync(path.join(build, 'load.cjs'), `${count}; exports.program = { setHeapFlags() {}, runProgram() {} }`)
    expect(execFileSync(process.execPath, [path.join(folder, 'server.js')], { encoding: 'utf8' })).toBe('1,1,1\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a build', { timeout: 300_000 }, () => {
  it('does not disturb a running node, which loads the rest of its own build', async () => {
    const node = await startBuilt()
    const hash = await node.request('eth_sendTransaction', [{ from: SENDER, to: SENDER, value: '0x1' }])
    const before = currentBuild()
    build('second')
    expect(currentBuild()).not.toBe(before)
    expect(existsSync(before)).toBe(true)
    // The first trace starts a worker thread.
    const trace = await node.request('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    expect(trace).toMatchObject({ from: SENDER, to: SENDER })
    expect(await node.stop()).toBe(0)
  })

  it('keeps earlier builds out of the package', () => {
    const packed = builds().filter((name) => !existsSync(path.join(dist, name, '.npmignore')))
    expect(packed).toEqual([path.basename(currentBuild())])
  })

  it('is the same folder again when nothing has changed', () => {
    const before = builds()
    build('second')
    expect(builds()).toEqual(before)
  })
})

describe('the stored code', () => {
  it('is written by the first start and read by the next', async () => {
    const first = await startBuilt()
    await eventually(() => expect(codeFiles()).not.toEqual([]))
    expect(await first.stop()).toBe(0)
    const [file] = codeFiles()
    expect(file).toMatch(/^code-v[\d.]+-\w+\.bin$/)
    const stored = readFileSync(path.join(currentBuild(), file as string))
    const second = await startBuilt()
    // Longer than a start takes to write the code: a file that was accepted is not written again.
    await delay(4000)
    expect(await second.stop()).toBe(0)
    expect(readFileSync(path.join(currentBuild(), file as string)).equals(stored)).toBe(true)
  })

  it('is stored again by a process that has worked, and read by the next', async () => {
    const file = storedFile()
    expect(readFileSync(file)[CONTRIBUTORS_AT]).toBe(0)
    const node = await startBuilt()
    await eventually(async () => {
      await node.request('hardhat_mine', ['0x2710'])
      expect(readFileSync(file)[CONTRIBUTORS_AT]).not.toBe(0)
    })
    expect(await node.stop()).toBe(0)
    expect(readFileSync(file)[CONTRIBUTORS_AT]).toBe(1)
    const next = await startBuilt()
    expect(await next.request('eth_blockNumber', [])).toMatch(/^0x/)
    expect(await next.stop()).toBe(0)
  })

  it('is used by worker threads too, under the flags that a node sets later', async () => {
    // V8 prints each use of stored code. It refuses code that was stored without this flag.
    const flags = ['--profile-deserialization']
    rmSync(storedFile())
    const first = await startBuilt(flags)
    await eventually(() => expect(codeFiles()).not.toEqual([]))
    expect(await first.stop()).toBe(0)
    const node = await startBuilt(flags)
    await node.request('debug_traceCall', [{ from: SENDER, to: SENDER }, 'latest', {}])
    expect(await node.stop()).toBe(0)
    const sizes = [...node.output().matchAll(/Deserializing from (\d+) bytes/g)].map(([, bytes]) => Number(bytes))
    expect(sizes.filter((bytes) => bytes > LEAST_PROGRAM_BYTES)).toHaveLength(2)
  })

  it('is ignored and replaced when it is damaged', async () => {
    const file = storedFile()
    const stored = readFileSync(file)
    const damaged = Buffer.from(stored)
    damaged.fill(0, stored.length >> 1)
    writeFileSync(file, damaged)
    const node = await startBuilt()
    expect(await node.request('eth_blockNumber', [])).toMatch(/^0x/)
    await eventually(() => expect(readFileSync(file).equals(damaged)).toBe(false))
    expect(await node.stop()).toBe(0)
    expect(readFileSync(file).equals(damaged)).toBe(false)
  })

  it('is not needed', async () => {
    const [name] = codeFiles()
    // Nothing can be stored in the place of a folder that is not empty.
    const file = path.join(currentBuild(), name as string)
    rmSync(file)
    mkdirSync(path.join(file, 'full'), { recursive: true })
    const node = await startBuilt()
    expect(await node.request('eth_blockNumber', [])).toMatch(/^0x/)
    await delay(3500)
    expect(await node.request('eth_blockNumber', [])).toMatch(/^0x/)
    expect(await node.stop()).toBe(0)
    expect(readdirSync(currentBuild()).filter((entry) => /\.\d+$/.test(entry))).toEqual([])
  })
})

describe('the start on an old Node', () => {
  it('says which one is needed', () => {
    const old = path.join(dist, 'old.cjs')
    writeFileSync(
      old,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })",
    )
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', old, path.join(dist, 'server.js')], {
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'isonode needs Node 20.19 or newer; this is 18.20.8\n',
    })
  })

  it('does not fail at its syntax', async () => {
    const text = readFileSync(path.join(dist, 'server.js'), 'utf8')
    const [forOld, forNew] = await Promise.all(
      ['node12.22', 'esnext'].map((target) => transform(text, { format: 'esm', target })),
    )
    expect(forOld?.code).toBe(forNew?.code)
  })
})

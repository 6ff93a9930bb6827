// slow: compiled contracts
/** Stack traces of failures, from the artifacts of Hardhat and Foundry. Comments of the sources mark the lines. */
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../../src/activityLog/output.ts'
import { MAX_BUILD_FILE_BYTES } from '../../../src/base/limits/limits.ts'
import type { ArtifactFolder } from '../../../src/base/ports/artifactFolder.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { RequestError } from '../../../src/rpc/providerContract.ts'
import { eventually } from '../../support/host/eventually.ts'
import { folderOf, type RecordedActivity, recordActivity } from '../../support/nodes/activity.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import {
  compileFailures,
  deployFailures,
  type FailingCall,
  failingSources,
  foundryFiles,
  hardhat2Files,
  hardhat3Files,
  markedLines,
  SENDER,
} from '../../support/nodes/failures.ts'

const openNode = closedAfterEach()
const project = compileFailures()
const { fails, via } = markedLines(failingSources())
const utf8 = new TextEncoder()

interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly stackTrace?: readonly string[]
}

interface Setup extends OpenedNode {
  readonly activity: RecordedActivity
  readonly calls: ReadonlyMap<string, FailingCall>
  readonly clock: OpenedNode['clock'] & { ms: number }
  fail(name: string, method?: string): Promise<Failure>
}

/** Time stands still, unless a test moves it: all traces are within their budget. */
async function open(
  folder: ArtifactFolder,
  options: Partial<NodeOptions> = {},
  compiled = project,
  isOn = true,
): Promise<Setup> {
  const activity = recordActivity()
  activity.isOn = isOn
  const clock = { seconds: 1_800_000_000, ms: 0, now: () => 1_800_000_000_000, monotonic: () => clock.ms }
  const host = { activity: { output: activity.host.output, artifacts: [folder] }, clock }
  const node = await openNode(options, undefined, host)
  const calls = await deployFailures(node.rpc, compiled)
  await node.rpc('anvil_setBalance', '0x00000000000000000000000000000000000000bb', '0x4d')
  const fail = async (name: string, method = 'eth_call'): Promise<Failure> => {
    const call = { from: SENDER, ...(method === 'eth_call' ? { gas: '0x400000' } : {}), ...calls.get(name) }
    const answer = await node.rpc(method, call).catch((error: Failure) => error)
    if (typeof answer !== 'object') throw new TypeError(`${name} did not fail`)
    return answer as Failure
  }
  return { ...node, activity, clock, calls, fail }
}

const sources = new Map(Object.entries(failingSources()).map(([path, text]) => [path, utf8.encode(text)]))
const hardhat2 = (compiled = project) => folderOf(hardhat2Files(compiled), 'artifacts')
const hardhat3 = () => folderOf(hardhat3Files(project), 'artifacts')
const foundry = () => folderOf(foundryFiles(project), 'out', sources)

const isAt = (line: string | undefined, place: string): boolean => line?.includes(` (${place}:`) === true

/** Cases whose innermost line is not the marked one. */
async function wrongCases({ calls, fail }: Setup): Promise<string[]> {
  const wrong: string[] = []
  for (const name of calls.keys()) {
    const { stackTrace = [] } = await fail(name)
    const place = fails.get(name)
    const isRight = place === undefined ? stackTrace.length > 0 : isAt(stackTrace[0], place)
    if (!isRight) wrong.push(name)
  }
  return wrong
}

describe('the stack trace of a failure', () => {
  it('begins at the line that failed, and has the lines that led to it', async () => {
    const node = await open(hardhat2())
    expect(node.calls.size).toBeGreaterThan(60)
    expect(await wrongCases(node)).toEqual([])
    for (const [name, places] of via) {
      const { stackTrace = [] } = await node.fail(name)
      for (const place of places)
        expect(
          stackTrace.filter((line) => isAt(line, place)),
          name,
        ).not.toEqual([])
    }
  })

  it.each([
    ['Hardhat 3', hardhat3],
    ['Foundry', foundry],
  ])('is the same with the files of %s', async (_, folder) => {
    const [expected, node] = [await open(hardhat2()), await open(folder())]
    for (const name of ['twoContractsDeep', 'proxyOverflow', 'inheritedFunction', 'libraryExternal', 'newContract']) {
      const { stackTrace } = await node.fail(name)
      expect(stackTrace?.length).toBeGreaterThan(1)
      expect(stackTrace).toEqual((await expected.fail(name)).stackTrace)
    }
  })

  it.each([
    ['the optimiser', { optimizer: { enabled: true, runs: 200 } }, ['noContract']],
    ['the IR pipeline', { viaIR: true }, ['assembly']],
  ])('is right with %s, but for code that the compiler merges or does not map', async (_, settings, wrong) => {
    const compiled = compileFailures(settings)
    expect(await wrongCases(await open(hardhat2(compiled), {}, compiled))).toEqual(wrong)
  })

  it('has at least the called function with the optimiser and the IR pipeline', async () => {
    const compiled = compileFailures({ viaIR: true, optimizer: { enabled: true, runs: 200 } })
    const node = await open(hardhat2(compiled), {}, compiled)
    expect((await wrongCases(node)).length).toBeLessThanOrEqual(23)
    const { stackTrace } = await node.fail('underflow')
    expect(stackTrace).toEqual([expect.stringMatching(/^at Failures\.underflow \(contracts\/Failures\.sol:\d+:5\)$/)])
  })

  it('names internal functions, libraries, modifiers, constructors and functions of files', async () => {
    const node = await open(hardhat2())
    const functionsOf = async (name: string) =>
      (await node.fail(name)).stackTrace?.map((line) => line.replace(/ \(.*$/, '').replace('at ', ''))
    expect(await functionsOf('internalCall')).toEqual(['Failures._second', 'Failures._first', 'Failures.internalCall'])
    expect(await functionsOf('libraryInternal')).toEqual(['Checks.positive', 'Failures.libraryInternal'])
    expect(await functionsOf('libraryExternal')).toEqual(['Checks.small', 'Failures.libraryExternal'])
    expect(await functionsOf('freeFunction')).toEqual(['outside', 'Failures.freeFunction'])
    expect(await functionsOf('modifierRequire')).toEqual(['Base.onlyOwner', 'Failures.modifierRequire'])
    expect(await functionsOf('superCall')).toEqual(['Base.inherited', 'Failures.inherited'])
    expect(await functionsOf('newContract')).toEqual(['new Picky', 'Failures.newContract'])
    expect(await functionsOf('variableInitialiser')).toEqual(['Picky.check', 'new Picky'])
    expect(await functionsOf('proxyRequire')).toEqual(['Logic.bounded', 'Proxy.fallback'])
    expect(await functionsOf('recursion')).toEqual(Array(4).fill('Failures.recursive'))
  })
})

describe('an error', () => {
  it('keeps its data, which clients decode, beside the stack trace', async () => {
    const node = await open(hardhat2())
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction']) {
      const { code, message, data, stackTrace } = await node.fail('requireString', method)
      expect({ code, message }).toEqual({ code: 3, message: 'execution reverted: x is too small' })
      expect(data).toMatch(/^0x08c379a0/)
      expect(stackTrace).toEqual([
        expect.stringMatching(/^at Failures\.requireString \(contracts\/Failures\.sol:\d+:9\)$/),
      ])
    }
  })

  it('of a mined transaction has the stack trace in its data', async () => {
    const node = await open(hardhat2(), { 'fail-on-revert': true })
    const call = { from: SENDER, gas: '0x100000', ...node.calls.get('externalCustom') }
    const { data } = (await node.rpc('eth_sendTransaction', call).then(String, (error: Failure) => error)) as Failure
    expect(data).toEqual({
      message: expect.stringContaining('unrecognized custom error'),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      data: expect.stringMatching(/^0x/),
      stackTrace: [
        expect.stringMatching(/^at Target\.deny \(contracts\/Failures\.sol:/),
        expect.stringMatching(/^at Failures\.externalCustom \(contracts\/Failures\.sol:/),
      ],
    })
  })

  it('has a stack trace when nothing is logged, and in a batch', async () => {
    const node = await open(hardhat2(), {}, project, false)
    expect((await node.fail('assertion')).stackTrace?.[0]).toContain(fails.get('assertion'))
    const call = node.calls.get('pop')
    const body = JSON.stringify([{ jsonrpc: '2.0', id: 7, method: 'eth_call', params: [call, 'latest'] }])
    const reply = await node.node.endpoints.get('http').exchange.handle({ body })
    const [{ id, error }] = JSON.parse(reply.body as string)
    expect([id, error.stackTrace[0]]).toEqual([7, expect.stringContaining(`${fails.get('pop')}`)])
    expect(node.activity.reports.map(({ kind }) => kind)).not.toContain('call')
  })

  it('of the program that runs the node has it too', async () => {
    const node = await open(hardhat2())
    const provider = node.node.openProvider({})
    const params = [node.calls.get('assertion'), 'latest']
    const error = await provider.request<RequestError>('eth_call', params).catch((reason: RequestError) => reason)
    expect(error.stackTrace).toEqual([expect.stringContaining(`at Failures.assertion (${fails.get('assertion')}:`)])
  })

  it.each([
    ['without artifacts', folderOf(new Map())],
    [
      'with artifacts that have no source maps',
      folderOf(new Map([...hardhat2Files(project)].filter(([path]) => !/build-info|dbg/.test(path)))),
    ],
  ])('has none %s', async (_, folder) => {
    const node = await open(folder)
    const error = await node.fail('requireString')
    expect(error).not.toHaveProperty('stackTrace')
    expect(error.data).toMatch(/^0x08c379a0/)
  })

  it('has none when the time for traces is used up', async () => {
    const folder = folderOf(hardhat2Files(project))
    let node: Setup | undefined
    const slice: ArtifactFolder['slice'] = async (path, start, end) => {
      // Reading the build from its beginning takes long.
      if (node !== undefined && path.includes('build-info') && start === 0) node.clock.ms += 5_000
      return folder.slice(path, start, end)
    }
    node = await open({ ...folder, slice })
    expect((await node.fail('assertion')).stackTrace).toHaveLength(1)
    expect(await node.fail('overflow')).not.toHaveProperty('stackTrace')
    node.clock.ms += 20_000
    expect((await node.fail('overflow')).stackTrace).toHaveLength(1)
  })

  it('has it also for contracts that were compiled after the start', async () => {
    const files = new Map<string, string>()
    const node = await open(folderOf(files))
    expect(await node.fail('assertion')).not.toHaveProperty('stackTrace')
    for (const [path, text] of hardhat2Files(project)) files.set(path, text)
    node.clock.ms += 60_000
    expect((await node.fail('assertion')).stackTrace?.[0]).toContain(fails.get('assertion'))
  })
})

describe('the log', () => {
  const printed = async ({ activity }: Setup, pattern: RegExp): Promise<string> => {
    let text = ''
    await eventually(() => {
      text += `${activity.take()}\n`
      expect(text).toMatch(pattern)
    })
    return text
  }

  const tracedReport = (node: Setup): Promise<Report> =>
    eventually(() => {
      const found = node.activity.reports.find((each) => each.record()['stackTrace'] !== undefined)
      if (found === undefined) throw new Error('no report has a stack trace')
      return found
    })

  it('shows the stack of a call and of a transaction, with the arguments of called functions', async () => {
    const node = await open(hardhat2())
    await node.fail('twoContractsDeep')
    const lines =
      /failed {8}Denied\(caller: 0x\w+, code: 5\)\n {4}at Target\.deny\(5\) \(contracts\/Failures\.sol:17:16\)\n {4}at Target\.forward\(0x\w+\) \(contracts\/Failures\.sol:25:9\)\n {4}at Failures\.twoContractsDeep\(\) \(contracts\/Failures\.sol:\d+:9\)\n/
    await printed(node, lines)
    const { to, data } = node.calls.get('internalCall') as FailingCall
    await node.rpc('eth_sendTransaction', { from: SENDER, to, data, gas: '0x100000' })
    await printed(
      node,
      /failed {8}Empty\(\)\n {4}at Failures\._second \(contracts.*\n {4}at Failures\._first \(contracts.*\n {4}at Failures\.internalCall\(2\) \(contracts/,
    )
  })

  it('shows ten lines of a long stack, and has all of them in its record', async () => {
    const node = await open(hardhat2())
    const { to, data } = node.calls.get('recursion') as FailingCall
    const deep: Hex = `${data.slice(0, 10) as Hex}${'0'.repeat(62)}28`
    await node.rpc('eth_call', { to, data: deep }, 'latest').catch(() => {})
    const report = await tracedReport(node)
    expect(report.text((_, text) => text)).toMatch(/( {4}at .*\n){10} {4}… \d+ more$/)
    expect(report.record()['stackTrace']).toHaveLength(41)
  })

  it.each([
    ['requireSilent', 'reverted without a reason'],
    [
      'noContract',
      'reverted without a reason: it called 0x00000000000000000000000000000000000000AA, which has no code',
    ],
    [
      'noContractAct',
      'reverted without a reason: it called 0x00000000000000000000000000000000000000AA, which has no code',
    ],
    ['wrongAnswer', /reverted without a reason: the answer of 0x\w+ \(0 bytes\) does not have the declared type/],
    ['notPayable', 'reverted without a reason: NoFallback.plain is not payable and was called with 1 wei'],
    ['noReceive', 'reverted without a reason: NoFallback has no receive function and no fallback function'],
    ['unknownSelector', 'NoFallback has no function with the selector 0x12345678 and no fallback function'],
    ['sendTooMuch', 'reverted without a reason (insufficient balance for transfer)'],
    ['outOfGas', 'reverted without a reason (out of gas)'],
    ['assertion', 'Panic(0x01): assert(false)'],
    ['element', 'Panic(0x32): out-of-bounds access of an array or bytesN'],
    ['requireError', 'Detailed(code: 1, reason: "small")'],
    ['requireString', 'Error("x is too small")'],
    ['invalid', 'invalid opcode'],
  ])('says why %s failed', async (name, reason) => {
    const node = await open(hardhat2())
    await node.fail(name)
    const record = (await tracedReport(node)).record()
    expect(record['failure']).toEqual(
      typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
    )
  })

  it('names the files that cannot be used, once', async () => {
    const changed = new Map([...sources, ['contracts/Failures.sol', utf8.encode('// changed')]])
    const node = await open(folderOf(foundryFiles(project), 'out', changed))
    expect(await node.fail('assertion')).not.toHaveProperty('stackTrace')
    const text = await printed(node, /warning {2}contracts\/Failures\.sol is not as it was compiled/)
    await node.fail('requireString')
    expect(text.match(/is not as it was compiled/g)).toHaveLength(1)
  })

  it.each<[string, (folder: ArtifactFolder) => ArtifactFolder, RegExp]>([
    [
      'a build that is too long',
      (folder) => ({
        ...folder,
        files: async (max) =>
          (await folder.files(max)).map((file) =>
            file.path.startsWith('build-info') ? { ...file, size: MAX_BUILD_FILE_BYTES + 1 } : file,
          ),
      }),
      /warning {2}artifacts\/build-info\/0123\.json is too long: failures in its contracts are shown without lines/,
    ],
    [
      'a build that is cut',
      (folder) => ({ ...folder, slice: async (_, start, end) => utf8.encode('{"input":').subarray(start, end) }),
      /warning {2}artifacts\/build-info\/0123\.json cannot be read: failures in its contracts are shown without lines/,
    ],
    [
      'no build',
      (folder) => ({
        ...folder,
        files: async (max) => (await folder.files(max)).filter(({ path }) => !path.startsWith('build-info')),
      }),
      /warning {2}artifacts has no build-info\/0123\.json: failures in its contracts are shown without lines/,
    ],
  ])('warns of %s', async (_, change, pattern) => {
    const node = await open(change(hardhat2()))
    expect(await node.fail('assertion')).not.toHaveProperty('stackTrace')
    await printed(node, pattern)
  })
})

it('is the same on the reference EVM', async () => {
  const node = await open(hardhat2(), { evm: 'reference' })
  for (const name of ['twoContractsDeep', 'proxyOverflow', 'modifierAfter', 'newContract', 'invalid', 'reentered']) {
    expect(isAt((await node.fail(name)).stackTrace?.[0], fails.get(name) ?? 'proxy'), name).toBe(true)
  }
})

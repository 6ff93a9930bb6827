/**
 * Files of contracts that lie, and data that fit no type: everything that the node does with them ends in time and without a fault.
 * ISONODE_LONG_COUNT is the number of cases; ISONODE_FUZZ_SEED is the first.
 */
import process from 'node:process'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { AbiLibrary } from '../../src/abi/abiLibrary.ts'
import type { Artifact } from '../../src/abi/artifact.ts'
import { ContractKnowledge } from '../../src/abi/contractKnowledge.ts'
import type { DebugKnowledge } from '../../src/abi/debug/debugContract.ts'
import { DebugRecorder } from '../../src/abi/debug/debugRecorder.ts'
import { debugView } from '../../src/abi/debug/debugView.ts'
import { LineCosts } from '../../src/abi/debug/lineCosts.ts'
import { framesAt } from '../../src/abi/debug/moment.ts'
import { WordOrigins } from '../../src/abi/debug/wordOrigins.ts'
import { decodedText } from '../../src/abi/decodedText.ts'
import { StorageDecoder } from '../../src/abi/layout/decodeStorage.ts'
import { Preimages } from '../../src/abi/layout/preimages.ts'
import { nameSlot } from '../../src/abi/layout/slotNames.ts'
import { decodeBudget } from '../../src/abi/layout/variable.ts'
import { type FailedCall, FailureRecorder } from '../../src/abi/source/failureRecorder.ts'
import { silentCause } from '../../src/abi/source/silentCause.ts'
import { callFrame, stackFrames } from '../../src/abi/source/stackTrace.ts'
import { hexToBytes } from '../../src/base/primitives/bytes.ts'
import { runMessage } from '../../src/evm/driver.ts'
import type { FrameView } from '../../src/evm/hooks.ts'
import { combineHooks } from '../../src/tracing/combineHooks.ts'
import { MemoryState } from '../support/chains/memoryState.ts'
import { damaged, damagedBytes, folderOfBytes } from '../support/debug/hostileFiles.ts'
import { CONTRACT, environmentOf, messageTo, testClock } from '../support/evm/evm.ts'
import { compileProject } from '../support/evm/solidity.ts'
import { loadTestEvm } from '../support/evm/testEvm.ts'
import { cpuTimeMs } from '../support/host/cpuTime.ts'
import { Random } from '../support/host/random.ts'
import { foundryFiles, hardhat2Files, hardhat3Files } from '../support/nodes/failures.ts'
import { longCount } from './count.ts'

const COUNT = Number.isFinite(longCount) ? longCount : 10_000
const FIRST_SEED = Number(process.env['ISONODE_FUZZ_SEED'] ?? 1)
const MAX_MS = 1_000
const ATTEMPTS = 3
/** A view is made of each of these steps. */
const VIEW_EVERY = 41
const MAX_VIEWS = 12
const NAME = 'Vault'
const SOURCE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
library Sums { function plus(uint256 a, uint256 b) internal pure returns (uint256 sum) { sum = a + b; } }
abstract contract Owned {
  address owner = msg.sender;
  modifier counted(uint256 by) { uint256 before = count; count = before + by; _; }
  uint256 count;
}
contract Vault is Owned {
  using Sums for uint256;
  type Price is uint128;
  enum Colour { Red, Green }
  struct Point { int64 x; string label; uint16[3] parts; }
  struct Entry { Point point; Price price; mapping(address => uint256) shares; }
  error TooLittle(uint256 available, Point wanted);
  event Moved(address indexed from, string indexed label, Point point, uint256[] numbers);
  uint8 small = 7; bool flag = true; Colour colour; bytes4 tag = 0x01020304;
  string text = "a text that is longer than one word of the storage"; bytes data = hex"0102";
  uint256[] numbers; uint16[7] packed; mapping(string => Entry) entries; mapping(address => Point[]) points;
  function move(string memory label, uint256[] calldata list, Point memory point, Colour to) external counted(list.length) returns (uint256 result) {
    uint256 sum; bytes32 hash = keccak256(bytes(label));
    for (uint256 i = 0; i < list.length; i++) { sum = sum.plus(list[i]); numbers.push(sum); }
    colour = to; entries[label].point = point; entries[label].price = Price.wrap(uint128(sum)); points[msg.sender].push(point);
    emit Moved(msg.sender, label, point, list);
    result = _check(sum, hash, point);
  }
  function _check(uint256 sum, bytes32 hash, Point memory point) private view returns (uint256) {
    if (uint256(hash) > 0 && sum > 5) revert TooLittle(numbers.length, point);
    return sum;
  }
}`

const project = compileProject({ 'contracts/Vault.sol': SOURCE }, { evmVersion: 'cancun' }, ['storageLayout'])
const vault = project.output.contracts['contracts/Vault.sol']?.[NAME]
if (vault === undefined) throw new Error('there is no contract')
const CODE = hexToBytes(`0x${vault.evm.deployedBytecode.object}`)
const POINT = { x: -5n, label: 'here', parts: [1, 2, 3] }
const DATA = encodeFunctionData({
  abi: vault.abi,
  functionName: 'move',
  args: ['label', [1n, 2n, 3n], POINT, 1],
}) as Hex
const KINDS = [hardhat2Files, hardhat3Files, foundryFiles].map((make) => make(project))

describe('files of contracts that lie', () => {
  it(`neither stop nor break what reads them, ${COUNT} cases`, async () => {
    const slow: string[] = []
    let found = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed++) {
      let leastMs = Number.POSITIVE_INFINITY
      let hasArtifact = false
      // A collection of garbage, or the compiler, may disturb some of several attempts.
      for (let attempt = 0; attempt < ATTEMPTS && leastMs > MAX_MS; attempt++) {
        const startMs = cpuTimeMs()
        hasArtifact = await tryCase(seed).catch((error: unknown) => {
          throw new Error(`seed ${seed}`, { cause: error })
        })
        leastMs = Math.min(leastMs, cpuTimeMs() - startMs)
      }
      if (hasArtifact) found++
      if (leastMs > MAX_MS) slow.push(`seed ${seed}: ${Math.round(leastMs)} ms`)
    }
    console.info(`${COUNT} cases, ${found} with a contract for the code`)
    expect(slow).toEqual([])
    expect(found).toBeGreaterThan(COUNT / 10)
  })
})

/** @returns whether the files have a contract for the code */
async function tryCase(seed: number): Promise<boolean> {
  const random = new Random(seed)
  const folder = folderOfBytes(hostileFiles(random))
  const library = new AbiLibrary({ folders: [folder], clock: testClock, yieldToHost: async () => {} })
  const known = new ContractKnowledge(library)
  await known.names.refresh()
  const artifact = known.names.ofCode(CODE)
  for (const each of library.index.artifacts) await known.details?.of(each, () => {})
  await known.debug?.load(library.index.artifacts)
  const unread: Artifact[] = []
  const knowledge = known.debug?.knowledge((each) => unread.push(each))
  if (knowledge !== undefined) await runs(known, knowledge, random)
  readLayouts(known, library.index.artifacts, random)
  decodes(known, library.index.artifacts, random)
  return artifact !== undefined
}

/** One of the files is damaged, or several of them. */
function hostileFiles(random: Random): ReadonlyMap<string, Uint8Array> {
  const files = [...random.pick(KINDS)].filter(([path]) => !/Owned|Sums/.test(path))
  const utf8 = new TextEncoder()
  const chosen = random.below(files.length)
  return new Map(
    files.map(([path, text], i) => {
      const isDamaged = i === chosen || random.chance(10)
      if (!isDamaged) return [path, utf8.encode(text)]
      return [
        path,
        random.chance(10) ? damagedBytes(text, random) : utf8.encode(JSON.stringify(damaged(JSON.parse(text), random))),
      ]
    }),
  )
}

/** The failing call, with the views of the debugger and the lines of the failure. */
async function runs(known: ContractKnowledge, knowledge: DebugKnowledge, random: Random): Promise<void> {
  const recorder = new DebugRecorder(knowledge)
  const costs = new LineCosts((frame) => recorder.codeAt(frame))
  const origins = new WordOrigins()
  const failures = new FailureRecorder({
    artifactOf: (code) => known.names.ofCode(code),
    mapOf: (artifact, isCreation, code) => known.sources?.mapOf(artifact, isCreation, code),
  })
  const word = random.bytes(32)
  let steps = 0
  const look = (frame: FrameView): void => {
    if (++steps % VIEW_EVERY !== 0 || steps > VIEW_EVERY * MAX_VIEWS) return
    const pushedBy = origins.origins(frame.stackSize)
    debugView({
      frames: framesAt(recorder, frame),
      preimages: recorder.preimages,
      slot: () => word,
      lines: costs.lines(),
      pushedBy,
    })
  }
  const state = new MemoryState()
  state.setCode(CONTRACT, CODE)
  state.beginTransaction()
  const message = messageTo(CONTRACT, { data: hexToBytes(DATA), gas: 10_000_000n })
  const hooks = combineHooks([{ step: look }, recorder.hooks, costs.hooks, origins.hooks, failures.hooks])
  const result = await runMessage(await loadTestEvm(testClock), message, environmentOf('cancun'), state, { hooks })
  expect(result.outcome).toBe('revert')
  for (const call of failures.failed) describeFailure(known, call)
}

function describeFailure({ sources, decoder }: ContractKnowledge, call: FailedCall): void {
  silentCause(call)
  const found = call.artifact && sources?.sourcesOf(call.artifact)
  if (found === undefined || found === 'unread') return
  stackFrames(call, found)
  callFrame(call, found)
  const error = decoder.error(call.output, call.artifact === undefined ? [] : [call.artifact])
  if (error !== undefined) decodedText(error)
}

function readLayouts({ debug }: ContractKnowledge, artifacts: readonly Artifact[], random: Random): void {
  const source = { read: () => random.bytes(32), entries: () => [{ key: random.bytes(32), slot: 5n }] }
  for (const artifact of artifacts) {
    const layout = debug?.of(artifact)?.layout
    if (layout === undefined) continue
    const decoder = new StorageDecoder(source, decodeBudget())
    for (const each of layout.variables)
      expect(decoder.variable(each.name, each.type, each).text.length).toBeLessThan(10_000)
    for (const slot of [0n, 3n, 2n ** 256n - 1n]) nameSlot(layout, slot, new Preimages())
  }
}

/** Data that begin as those of the contract. */
function decodes({ decoder }: ContractKnowledge, artifacts: readonly Artifact[], random: Random): void {
  for (const artifact of artifacts) {
    for (const { selector } of [...artifact.functions, ...artifact.errors].slice(0, 6)) {
      const data = hostileData(selector, random)
      for (const decoded of [decoder.call(data, [artifact]), decoder.error(data, [artifact])]) {
        if (decoded !== undefined) expect(decodedText(decoded).length).toBeLessThan(10_000)
      }
    }
    for (const { topic } of artifact.events.slice(0, 3)) {
      const topics = [hexToBytes(`0x${topic}`), ...Array.from({ length: random.below(4) }, () => random.bytes(32))]
      decoder.event(topics, hostileData('', random), [artifact])
    }
  }
}

/** Words with small offsets, and some with huge ones. */
function hostileData(selector: string, random: Random): Uint8Array {
  const data = new Uint8Array(selector.length / 2 + 32 * random.below(40) + random.below(32))
  data.set(hexToBytes(`0x${selector}`))
  for (let at = selector.length / 2 + 31; at < data.length; at += 32) {
    if (random.chance(15)) data.set(random.bytes(20), at - 31)
    data[at] = random.below(4) * 32
  }
  return data
}

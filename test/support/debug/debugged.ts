/** Runs compiled contracts with the recorder of the debugger. */
import { AbiIndex } from '../../../src/abi/abiIndex.ts'
import { type Artifact, readArtifact } from '../../../src/abi/artifact.ts'
import { DebugBuild } from '../../../src/abi/debug/debugBuild.ts'
import type { DebugCode, DebugKnowledge } from '../../../src/abi/debug/debugContract.ts'
import { DebugRecorder } from '../../../src/abi/debug/debugRecorder.ts'
import { type DebugView, debugView } from '../../../src/abi/debug/debugView.ts'
import { LineCosts } from '../../../src/abi/debug/lineCosts.ts'
import { framesAt } from '../../../src/abi/debug/moment.ts'
import { WordOrigins } from '../../../src/abi/debug/wordOrigins.ts'
import { SourceFile } from '../../../src/abi/source/sourceFile.ts'
import { SourceMap } from '../../../src/abi/source/sourceMap.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { runMessage } from '../../../src/evm/driver.ts'
import type { Evm, MessageResult } from '../../../src/evm/evm.ts'
import type { FrameView } from '../../../src/evm/hooks.ts'
import { combineHooks } from '../../../src/tracing/combineHooks.ts'
import { MemoryState } from '../chains/memoryState.ts'
import { environmentOf, messageTo, testClock } from '../evm/evm.ts'
import type { CompiledProject } from '../evm/solidity.ts'
import { loadTestEvm } from '../evm/testEvm.ts'

let evm: Promise<Evm> | undefined

export interface DebuggedOptions {
  /** Whether the layouts of the compiler are used, rather than those computed from the syntax trees. */
  readonly hasLayouts?: boolean
}

export class DebuggedProject {
  readonly knowledge: DebugKnowledge
  readonly #index: AbiIndex

  constructor({ input, output }: CompiledProject, { hasLayouts = true }: DebuggedOptions = {}) {
    const utf8 = new TextEncoder()
    const files = new Map(
      Object.entries(output.sources).map(([path, { id }]) => [
        id,
        new SourceFile(path, utf8.encode(input.sources[path]?.content)),
      ]),
    )
    const trees = Object.values(output.sources).map(({ ast }) => ast)
    const settings = (input as { readonly settings?: unknown }).settings
    const build = new DebugBuild({ files, trees, settings })
    const known = new Map<Artifact, (code: Uint8Array, isCreation: boolean) => DebugCode>()
    for (const [path, contracts] of Object.entries(output.contracts)) {
      for (const [contractName, contract] of Object.entries(contracts)) {
        const { abi, evm: code } = contract
        const outcome = readArtifact(JSON.stringify({ contractName, abi, ...code }), path)
        if (outcome.kind !== 'artifact') throw new Error(`${contractName} is no artifact`)
        const layouts = contract as { storageLayout?: unknown; transientStorageLayout?: unknown }
        const debugged = build.contract({
          name: contractName,
          file: output.sources[path]?.id,
          storageLayout: hasLayouts ? layouts.storageLayout : undefined,
          transientStorageLayout: hasLayouts ? layouts.transientStorageLayout : undefined,
        })
        const maps = new Map<boolean, DebugCode>()
        known.set(outcome.artifact, (bytes, isCreation) => {
          const text = (isCreation ? code.bytecode : code.deployedBytecode).sourceMap
          const made = maps.get(isCreation) ?? { contract: debugged, map: new SourceMap(text, bytes) }
          maps.set(isCreation, made)
          return made
        })
      }
    }
    this.#index = new AbiIndex([...known.keys()])
    this.knowledge = {
      codeOf: (code, isCreation) => {
        const artifact = isCreation ? this.#index.createdBy(code) : this.#index.contract(code)
        return artifact && known.get(artifact)?.(code, isCreation)
      },
    }
  }

  /**
   * Runs a message.
   * @param onStep called before each step with a function that makes the view of this moment
   */
  async run(
    state: MemoryState,
    to: Uint8Array | undefined,
    data: Uint8Array,
    onStep: (frame: FrameView, view: (hasLines?: boolean) => DebugView, index: number) => void,
  ): Promise<MessageResult> {
    evm ??= loadTestEvm(testClock)
    const recorder = new DebugRecorder(this.knowledge)
    const costs = new LineCosts((frame) => recorder.codeAt(frame))
    const origins = new WordOrigins()
    const before = state.fork()
    const viewAt = (frame: FrameView, hasLines = true): DebugView =>
      debugView({
        frames: framesAt(recorder, frame),
        preimages: recorder.preimages,
        slot: (address, slot, isTransient) =>
          recorder.storage.read(bytesToHex(address), bytesToHex(slot), isTransient) ??
          (isTransient ? new Uint8Array(32) : before.getStorage(address, slot)),
        lines: hasLines ? costs.lines() : [],
        pushedBy: origins.origins(frame.stackSize),
      })
    let index = 0
    const steps = { step: (frame: FrameView) => onStep(frame, (hasLines) => viewAt(frame, hasLines), index++) }
    const hooks = combineHooks([
      steps,
      recorder.hooks,
      costs.hooks,
      origins.hooks,
      { step: (frame) => origins.step(frame) },
    ])
    const environment = { ...environmentOf('osaka'), contractSizeLimit: 1_000_000 }
    state.beginTransaction()
    const message = messageTo(to, { data, gas: 1_000_000_000n })
    return runMessage(await evm, message, environment, state, { hooks })
  }
}

export function emptyState(): MemoryState {
  return new MemoryState()
}

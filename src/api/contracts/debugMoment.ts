/**
 * A moment of an execution in terms of its sources. The execution runs again up to the moment; which sources it needs is
 * known after a first run.
 * @module
 */
import type { Artifact } from '../../abi/artifact.ts'
import type { DebugKnowledge } from '../../abi/debug/debugContract.ts'
import { DebugRecorder } from '../../abi/debug/debugRecorder.ts'
import { type DebugView, debugView, type MomentParts } from '../../abi/debug/debugView.ts'
import { LineCosts } from '../../abi/debug/lineCosts.ts'
import { framesAt } from '../../abi/debug/moment.ts'
import { placeAt } from '../../abi/debug/runningFunctions.ts'
import type { SearchOrigin } from '../../abi/debug/sourceCondition.ts'
import { WordOrigins } from '../../abi/debug/wordOrigins.ts'
import { MAX_LINE_STEPS, MAX_ORIGIN_STEPS } from '../../base/limits/limits.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, ZERO_WORD } from '../../base/primitives/bytes.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { combineHooks } from '../../tracing/combineHooks.ts'
import type { TraceState } from '../../tracing/contract.ts'
import type { StepView } from '../../tracing/steps/contract.ts'
import type { StepRun } from '../../tracing/steps/stepRun.ts'
import type { ContractsAccess } from './access.ts'

export interface DebugBackend {
  readonly contracts: ContractsAccess
  readonly residency?: Residency | undefined
}

/** Runs whose contracts are all unknown first; each further one knows those of the run before. */
const MAX_RUNS = 3

/**
 * @param hasLines whether the costs of lines are wanted, for which each step is looked at; default: unless there are many
 * @returns undefined when the execution has no such step
 */
export async function debugMoment(
  backend: DebugBackend,
  run: StepRun,
  step: number,
  hasLines: boolean = step <= MAX_LINE_STEPS,
): Promise<DebugView | undefined> {
  const parts = await knowingly(backend, (knowledge) => momentParts(run, step, hasLines, knowledge))
  return parts && retryMisses(() => debugView(parts), backend.residency)
}

/** Repeats something that runs code until the contracts of the code have been read. */
export async function knowingly<T>(
  { contracts }: Pick<DebugBackend, 'contracts'>,
  execute: (knowledge: DebugKnowledge) => Promise<T>,
): Promise<T> {
  await contracts.ready()
  for (let runs = 1; ; runs++) {
    const unread = new Set<Artifact>()
    const { debug } = contracts.knowledge
    const knowledge = debug?.knowledge((artifact) => unread.add(artifact)) ?? { codeOf: () => undefined }
    const result = await execute(knowledge)
    if (unread.size === 0 || runs === MAX_RUNS) return result
    await contracts.debugged(unread)
  }
}

async function momentParts(
  run: StepRun,
  step: number,
  withLines: boolean,
  knowledge: DebugKnowledge,
): Promise<MomentParts | undefined> {
  const recorder = new DebugRecorder(knowledge)
  const origins = new WordOrigins()
  const costs = withLines ? new LineCosts((frame) => recorder.codeAt(frame)) : undefined
  const parts = [recorder.hooks, origins.hooks, ...(costs === undefined ? [] : [costs.hooks])]
  return run.at(
    step,
    ({ frame }, { before }) => ({
      frames: framesAt(recorder, frame),
      preimages: recorder.preimages,
      slot: slotReader(recorder, before),
      lines: costs?.lines(),
      pushedBy: origins.origins(frame.stackSize),
    }),
    combineHooks(parts),
    { from: step - MAX_ORIGIN_STEPS, step: (frame) => origins.step(frame) },
  )
}

/** The place and the depth of a step from which a search begins. */
export async function searchOrigin(
  run: StepRun,
  step: number,
  knowledge: DebugKnowledge,
): Promise<SearchOrigin | undefined> {
  const recorder = new DebugRecorder(knowledge)
  const look = ({ frame }: StepView): SearchOrigin => {
    const depth = recorder.open.reduce((sum, { inner }) => sum + 1 + inner.length, 0)
    const code = recorder.codeAt(frame)
    const positions = [frame.pc, ...(recorder.open.at(-1)?.inner ?? []).map(({ pc }) => pc).reverse()]
    const place = code && positions.map((pc) => placeAt(code, pc)).find((found) => found !== undefined)
    return { path: place?.path, line: place?.line, depth }
  }
  return run.at(step, look, recorder.hooks)
}

function slotReader({ storage }: DebugRecorder, before: TraceState): MomentParts['slot'] {
  return (address, slot, isTransient) =>
    storage.read(bytesToHex(address), bytesToHex(slot), isTransient) ??
    // Transient storage is empty before a transaction.
    (isTransient ? ZERO_WORD : before.getStorage(address, slot))
}

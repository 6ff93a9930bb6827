import { unexpectedValue } from '../../../../api/errors.ts'
import { MAX_STEPS } from '../../../../base/limits/limits.ts'
import { bytesToHex, quantity } from '../../../../base/primitives/bytes.ts'
import { described } from '../../../../base/primitives/printable.ts'
import type { StepWindow, WindowFrame, WindowRequest } from '../../../../tracing/steps/recording.ts'
import type { WindowStep } from '../../../../tracing/steps/stepTexts.ts'
import { boolean } from '../../../codecs/scalars.ts'
import { answerCodec, asObject, member, nullable, parameterCodec } from '../../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../../method.ts'
import { steppedTarget } from '../../support/traceSubjects.ts'
import { STEP_TARGET, type StepsBackend, stepAnswer, stepRunOf, stepTarget, targetErrors } from './target.ts'

const DEFAULT_COUNT = 100

/** The index of a step. No execution has 2^52. */
export const stepIndex: Codec<number> = parameterCodec({ title: 'Step', type: 'integer', minimum: 0 }, (value) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= 2 ** 52)
    throw unexpectedValue('the index of a step', described(value))
  return value
})

const count: Codec<number> = parameterCodec({ type: 'integer', minimum: 0, maximum: MAX_STEPS }, (value) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_STEPS)
    throw unexpectedValue(`an integer from 0 to ${MAX_STEPS}`, described(value))
  return value
})

const windowRequest: Codec<WindowRequest> = parameterCodec(
  {
    title: 'Steps',
    type: 'object',
    properties: {
      from: stepIndex.schema,
      count: count.schema,
      stack: boolean.schema,
      memory: boolean.schema,
      storage: boolean.schema,
    },
  },
  (value) => {
    const options = asObject(value, 'options')
    return {
      from: member(options, 'from', stepIndex) ?? 0,
      count: member(options, 'count', count) ?? DEFAULT_COUNT,
      showsStack: member(options, 'stack', boolean) ?? true,
      showsMemory: member(options, 'memory', boolean) ?? false,
      showsStorage: member(options, 'storage', boolean) ?? false,
    }
  },
)

const FIRST_STEPS: WindowRequest = windowRequest.parse({})

const stepWindow = nullable(
  answerCodec<StepWindow>(
    { title: 'Steps', type: 'object', required: ['from', 'steps', 'total', 'frames', 'failed'] },
    ({ from, steps, total, frames, isFailed }) => ({
      from,
      steps: steps.map(stepJson),
      total: total ?? null,
      frames: frames.map(frameJson),
      failed: isFailed ?? null,
    }),
  ),
)

function stepJson({ index, pc, op, gas, gasCost, depth, frame, ...step }: WindowStep): object {
  const { stack, memory, memorySize, returnData, storage, refund, error } = step
  return {
    index,
    pc,
    op,
    gas,
    gasCost,
    depth,
    frame,
    refund,
    ...(stack !== undefined && { stack }),
    ...(memory !== undefined && { memory, memorySize }),
    ...(returnData !== undefined && { returnData }),
    ...(storage !== undefined && { storage: { [storage[0]]: storage[1] } }),
    ...(error !== undefined && { error }),
  }
}

function frameJson({ id, parent, start, input, inputLength, firstStep, ...end }: WindowFrame): object {
  const { kind, address, target, caller, value, gas, runs } = start
  return {
    id,
    parent: parent ?? null,
    type: kind,
    address: bytesToHex(address),
    codeAddress: bytesToHex(target),
    caller: bytesToHex(caller),
    value: quantity(value),
    gas,
    input,
    inputSize: inputLength,
    firstStep: runs === 'code' ? firstStep : null,
    lastStep: end.lastStep ?? null,
    output: end.output ?? null,
    error: end.error ?? null,
  }
}

export const traceSteps: MethodDefinition<StepsBackend> = defineMethod({
  name: 'debug_traceSteps',
  group: 'DEBUG',
  answeredBy: 'any',
  summary:
    'Consecutive steps of a transaction or a call, and the calls to which they belong. Steps are numbered from 0 in the ' +
    'order of `debug_traceTransaction`. `total` and `failed` are null until an answer has reached the end.',
  params: [
    param('target', stepTarget, STEP_TARGET),
    optional(
      'options',
      windowRequest,
      `\`from\`: the first step, default 0. \`count\`: number of steps, default ${DEFAULT_COUNT}, at most ${MAX_STEPS}; an ` +
        'answer that would exceed 4 MiB has fewer. `stack`, default true; `memory`, with return data; `storage`: the ' +
        'slot that the step reads or writes, with its value afterwards.',
    ),
  ],
  isHeavy: true,
  subjectOf: steppedTarget,
  result: result('steps', stepWindow),
  errors: targetErrors,
  handler: (backend: StepsBackend, [target, request = FIRST_STEPS], context) => {
    const run = stepRunOf(backend, target, context)
    return run && stepAnswer(stepWindow, () => run.steps(request))
  },
})

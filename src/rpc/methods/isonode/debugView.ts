import type { DebugView } from '../../../abi/debug/debugView.ts'
import { type DebugBackend, debugMoment } from '../../../api/contracts/debugMoment.ts'
import { MAX_LINE_STEPS } from '../../../base/limits/limits.ts'
import { boolean } from '../../codecs/scalars.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import {
  STEP_TARGET,
  type StepsBackend,
  stepAnswer,
  stepRunOf,
  stepTarget,
  targetErrors,
} from '../debug/steps/target.ts'
import { stepIndex } from '../debug/steps/traceSteps.ts'

interface Backend extends StepsBackend, DebugBackend {}

type Answer = DebugView & { readonly step: number }

const view = nullable(
  answerCodec<Answer>(
    {
      title: 'Moment',
      type: 'object',
      required: [
        'step',
        'frame',
        'depth',
        'source',
        'functions',
        'state',
        'locals',
        'results',
        'lines',
        'pushedBy',
        'notes',
      ],
    },
    (answer) => answer,
  ),
)

export const debugViewMethod: MethodDefinition<Backend> = defineMethod({
  name: 'isonode_debugView',
  group: 'ISONODE',
  summary:
    'The state before a step of a transaction or a call, in terms of the sources of `--abi`: the place in the source, the ' +
    'functions that are running with their arguments (innermost first), state variables, parameters and local variables, ' +
    'results, gas and steps of each line so far (null when they are left out), and for each word of the stack the position of the instruction that pushed ' +
    'it. Uncertain values have `known: false`; `notes` says why. null when there is no such step.',
  params: [
    param('target', stepTarget, STEP_TARGET),
    param('step', stepIndex, 'As in `debug_traceSteps`.'),
    optional(
      'lines',
      boolean,
      `Whether to give the costs of lines, for which each step before is looked at; default: for the first ${MAX_LINE_STEPS} steps.`,
    ),
  ],
  result: result('view', view),
  errors: targetErrors,
  handler: (backend: Backend, [target, step, lines], context) => {
    const run = stepRunOf(backend, target, context)
    return (
      run &&
      stepAnswer(view, async () => {
        const found = await debugMoment(backend, run, step, lines)
        return found && { ...found, step }
      })
    )
  },
})

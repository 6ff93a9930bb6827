import { type DebugBackend, knowingly } from '../../../../api/contracts/debugMoment.ts'
import { unexpectedValue } from '../../../../api/errors.ts'
import { described } from '../../../../base/primitives/printable.ts'
import type { SearchBounds, StepCondition, StepPosition } from '../../../../tracing/steps/contract.ts'
import type { StepRun } from '../../../../tracing/steps/stepRun.ts'
import { GETH_OPCODE_NAMES } from '../../../../tracing/structLog/opcodes.ts'
import { answerCodec, asObject, isObject, member, nullable, parameterCodec } from '../../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../../method.ts'
import { steppedTarget } from '../../support/traceSubjects.ts'
import { needsSources, SOURCE_MEMBERS, type SourceMembers, sourceConditions, sourceMembers } from './sourceWhere.ts'
import { STEP_TARGET, type StepsBackend, stepAnswer, stepRunOf, stepTarget, targetErrors } from './target.ts'
import { stepIndex } from './traceSteps.ts'
import { type ConditionMaker, WHERE_MEMBERS, whereCodec } from './where.ts'

interface Backend extends StepsBackend, DebugBackend {}

type Direction = 'forward' | 'backward'

interface Search {
  /** undefined: before the first step, or after the last one */
  readonly from: number | undefined
  readonly direction: Direction
  readonly where: readonly ConditionMaker[]
  /** undefined: it needs no sources */
  readonly source: SourceMembers | undefined
}

const DIRECTIONS: readonly Direction[] = ['forward', 'backward']
const where = whereCodec([...WHERE_MEMBERS, ...SOURCE_MEMBERS])

const direction: Codec<Direction> = parameterCodec({ type: 'string', enum: DIRECTIONS }, (value) => {
  const found = DIRECTIONS.find((name) => name === value)
  if (found === undefined) throw unexpectedValue('"forward" or "backward"', described(value))
  return found
})

const search: Codec<Search> = parameterCodec(
  {
    title: 'Search',
    type: 'object',
    properties: {
      from: { oneOf: [stepIndex.schema, { type: 'string', enum: ['start', 'end'] }] },
      direction: direction.schema,
      where: where.schema,
    },
  },
  (value, profile) => {
    const fields = asObject(value, 'search')
    const way = member(fields, 'direction', direction) ?? 'forward'
    return {
      from: fromOf(fields['from'] ?? undefined, way),
      direction: way,
      where: member(fields, 'where', where, profile) ?? [],
      source: sourceMembers(fields['where']),
    }
  },
)

function fromOf(value: unknown, way: Direction): number | undefined {
  const open = way === 'forward' ? 'start' : 'end'
  if (value === undefined || value === open) return undefined
  if (typeof value === 'string') throw unexpectedValue(`a step or "${open}"`, described(value), 'search.from')
  return member({ from: value }, 'from', stepIndex)
}

const foundStep = nullable(
  answerCodec<StepPosition>(
    { title: 'Step', type: 'object', required: ['index', 'pc', 'op', 'depth', 'frame'] },
    ({ index, pc, opcode, depth, call }) => ({
      index,
      pc,
      op: GETH_OPCODE_NAMES[opcode],
      depth: depth + 1,
      frame: call,
    }),
  ),
)

export const findStep: MethodDefinition<Backend> = defineMethod({
  name: 'debug_findStep',
  group: 'DEBUG',
  answeredBy: 'any',
  summary:
    'The nearest step of a transaction or a call for which a condition holds, after or before a given step; null when ' +
    'there is none.',
  params: [
    param('target', stepTarget, STEP_TARGET),
    param(
      'search',
      search,
      '`from`: the step after or before which to search; absent: all steps. `direction`: `forward`, the default, or ' +
        '`backward`. `where`: conditions that must all hold: `op` and `pc`, each one or a list; `address` of the code; ' +
        '`depth`, a number or `min` and `max`, 1 for the outermost call; `call`, `log`, `write`, `revert`: true for a ' +
        'step that begins a call, logs, writes a slot, or ends a call by a failure; `failure`: true for the step where ' +
        'the failure of the whole execution began; `selector` of a call that begins; `slot` that is read or written; ' +
        '`topic` of a log. With sources: `line`, an object with `source` and `line`; `newLine`: true for another line than ' +
        'at `from`; `sameFunction`: true to leave out functions that the one at `from` calls; `maxFunctionDepth`, as ' +
        '`depth` of `isonode_debugView`; `function` that begins; `variable` of the state that is written.',
    ),
  ],
  isHeavy: true,
  // Worker threads have no sources.
  runsInPlace: ([, wanted]) => isObject(wanted) && needsSources(wanted['where']),
  subjectOf: steppedTarget,
  result: result('step', foundStep),
  errors: targetErrors,
  handler: (backend: Backend, [target, wanted], context) => {
    const run = stepRunOf(backend, target, context)
    return run && stepAnswer(foundStep, () => findIn(backend, run, wanted))
  },
})

async function findIn(
  backend: DebugBackend,
  run: StepRun,
  { from, direction: way, where: makers, source }: Search,
): Promise<StepPosition | undefined> {
  const bounds: SearchBounds =
    way === 'forward'
      ? { after: from ?? -1, before: undefined, takes: 'first' }
      : { after: -1, before: from, takes: 'last' }
  const search = async (further: readonly StepCondition[]): Promise<StepPosition | undefined> => {
    const made = await Promise.all(makers.map((make) => make({ run, from })))
    return run.find([...made.filter((condition) => condition !== undefined), ...further], bounds)
  }
  if (source === undefined) return search([])
  return knowingly(backend, async (knowledge) => search(await sourceConditions(source, { run, from }, knowledge)))
}

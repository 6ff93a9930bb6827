import { unexpectedValue } from '../../../api/errors.ts'
import { LOG_LEVELS, type LogLevelName, type LogLevels } from '../../../base/ports/logLevels.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { string } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'

interface Backend {
  readonly logLevels?: LogLevels | undefined
}

const level: Codec<LogLevelName> = parameterCodec({ title: 'LogLevel', type: 'string', enum: LOG_LEVELS }, (value) => {
  const level = LOG_LEVELS.find((name) => name === value)
  if (level === undefined) throw unexpectedValue(`one of ${LOG_LEVELS.join(', ')}`, described(value))
  return level
})

/** Values of other types are accepted, but no category has such a name. */
const categories: Codec<readonly string[]> = parameterCodec(
  { title: 'LogCategories', type: 'array', items: { type: 'string' } },
  (value) => {
    if (!Array.isArray(value)) throw unexpectedValue('an array of categories', described(value))
    return value.map(String)
  },
)

export const changeLogLevel: MethodDefinition<Backend> = defineMethod({
  name: 'admin_changeLogLevel',
  group: 'ADMIN',
  summary: 'Sets the level of the whole log, or of the named categories (`chain`, `rpc`, `http`, ...) and their parts.',
  params: [
    param('level', level, 'The new level.'),
    optional('logFilter', categories, 'Categories of the log, such as `chain` or `rpc`. Absent: the whole log.'),
  ],
  result: result('status', string),
  errors: ['METHOD_NOT_ENABLED', 'TOO_MANY_LOG_LEVELS'],
  handler: ({ logLevels }: Backend, [name, only]) => {
    if (logLevels === undefined) {
      throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'the program that runs the node determines the log level')
    }
    logLevels.set(name, only)
    return 'Success'
  },
})

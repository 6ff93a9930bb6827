import type { DatabaseInfo, DatabaseSpace } from '../../../base/ports/databaseInfo.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly database?: DatabaseInfo | undefined
}

interface DatabaseView extends DatabaseInfo {
  readonly space: DatabaseSpace | undefined
}

const bytes = { type: ['integer', 'null'], minimum: 0 }
const choice = { type: ['boolean', 'null'] }

const databaseObject = nullable(
  answerCodec<DatabaseView>(
    {
      title: 'Database',
      type: 'object',
      properties: {
        kind: { enum: ['memory', 'lmdb', 'indexeddb'] },
        durability: { enum: ['process', 'power', null] },
        usage: bytes,
        available: bytes,
        isPersisted: choice,
        isEvicted: choice,
      },
    },
    ({ kind, durability = null, isEvicted = null, space }) => ({
      kind,
      durability,
      usage: space?.usage ?? null,
      available: space?.available ?? null,
      isPersisted: space?.isPersisted ?? null,
      isEvicted,
    }),
  ),
)

export const database: MethodDefinition<Backend> = defineMethod({
  name: 'isonode_database',
  group: 'ISONODE',
  summary:
    'Where the chain is kept, what its blocks survive (the end of the program, or also a power failure), and the space in bytes. ' +
    'In a page, `usage` is that of the web site, `isPersisted` tells whether the browser promises to keep the database, and ' +
    '`isEvicted` whether it had removed the database when the node started. null: the host cannot tell, as for a new database.',
  params: [],
  result: result('database', databaseObject),
  handler: async ({ database: info }: Backend): Promise<DatabaseView | undefined> =>
    info && { ...info, space: await info.measure?.() },
})

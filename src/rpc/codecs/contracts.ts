/**
 * Parameters and answers of the methods that explain contracts.
 * @module
 */
import type { Decoded } from '../../abi/decoded.ts'
import type { ContractView, ListedContract, SourceView } from '../../api/contracts/contractViews.ts'
import type { DataKind, LogData } from '../../api/contracts/decodeData.ts'
import type { SummaryView } from '../../api/contracts/summaryView.ts'
import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import { described } from '../../base/primitives/printable.ts'
import { MAX_LOG_TOPICS } from '../../types/receipt.ts'
import type { Codec, JsonSchema } from '../method.ts'
import { data, hash32 } from './scalars.ts'
import { ADDRESS, BOOLEAN, BYTES, HASH, listOf, objectSchema, orNull } from './schemas.ts'
import { answerCodec, arrayOf, isObject, member, nullable, parameterCodec } from './support.ts'

const TEXT: JsonSchema = { type: 'string' }
const NUMBER: JsonSchema = { type: 'integer' }
const ABI: JsonSchema = { title: 'ABI', ...listOf({ type: 'object' }) }

const ARGUMENT = objectSchema(
  'Argument',
  {
    name: TEXT,
    type: TEXT,
    value: { description: 'decimal text, hex, text, boolean, list, or the hash of a topic' },
    indexed: { const: true },
    components: listOf({ type: 'object' }),
  },
  ['indexed', 'components'],
)
const DECODED = objectSchema('Decoded', {
  name: TEXT,
  signature: TEXT,
  selector: BYTES,
  args: listOf(ARGUMENT),
  contract: orNull(TEXT),
  certainty: { enum: ['contract', 'known', 'standard'] },
})

function same<T>(schema: JsonSchema): Codec<T> {
  return answerCodec(schema, (view) => view)
}

export const contractView: Codec<ContractView | undefined> = nullable(
  same(
    objectSchema('Contract', {
      id: HASH,
      name: TEXT,
      sourceName: orNull(TEXT),
      matchedBy: { enum: ['code', 'interface', 'selectors'] },
      implementation: orNull(ADDRESS),
      delegation: orNull(ADDRESS),
      abi: ABI,
      selectors: listOf(BYTES),
      hasSource: BOOLEAN,
      hasLayout: BOOLEAN,
      compiler: orNull(TEXT),
    }),
  ),
)

export const contractList: Codec<readonly ListedContract[]> = same(
  listOf(
    objectSchema('Listed contract', {
      id: HASH,
      name: TEXT,
      sourceName: orNull(TEXT),
      addresses: listOf(ADDRESS),
      hasSource: BOOLEAN,
    }),
  ),
)

const SOURCE = objectSchema('Source', { id: NUMBER, path: TEXT, content: orNull(TEXT) })

export const sourceView: Codec<SourceView | undefined> = nullable(
  same(
    objectSchema('Contract source', {
      id: HASH,
      name: TEXT,
      sourceName: orNull(TEXT),
      language: TEXT,
      compiler: orNull(TEXT),
      isOptimised: BOOLEAN,
      viaIR: BOOLEAN,
      abi: ABI,
      storageLayout: orNull({ type: 'object' }),
      sources: listOf(SOURCE),
      runtimeMap: orNull(TEXT),
      creationMap: orNull(TEXT),
    }),
  ),
)

export const decoded: Codec<Decoded | undefined> = nullable(same(DECODED))

const KINDS: readonly string[] = ['call', 'error', 'event', 'constructor']

export const dataKind: Codec<DataKind> = parameterCodec({ title: 'Kind of data', enum: KINDS }, (value) => {
  if (KINDS.includes(value as string)) return value as DataKind
  throw unexpectedValue(`one of ${KINDS.join(', ')}`, described(value), 'kind')
})

const topics = arrayOf(hash32)

/** Bytes, or the topics and the data of a log. */
export const encodedData: Codec<Uint8Array | LogData> = parameterCodec(
  {
    title: 'Encoded data',
    oneOf: [BYTES, objectSchema('Log', { topics: topics.schema, data: BYTES }, ['data'])],
  },
  (value) => {
    if (!isObject(value)) return data.parse(value)
    const given = member(value, 'topics', topics) ?? []
    if (given.length > MAX_LOG_TOPICS) throw invalidParams(`topics: a log has at most ${MAX_LOG_TOPICS}`)
    return { topics: given, data: member(value, 'data', data) ?? new Uint8Array(0) }
  },
)

const BEFORE_AFTER = objectSchema('Change', { before: BYTES, after: BYTES })
const PLACE = objectSchema('Place', { path: TEXT, line: NUMBER, column: NUMBER })

export const summary: Codec<SummaryView | undefined> = nullable(
  same(
    objectSchema('Summary', {
      status: { enum: ['success', 'failed', 'pending', 'queued'] },
      sentence: TEXT,
      contract: orNull(ADDRESS),
      contractName: orNull(TEXT),
      call: orNull(DECODED),
      error: orNull(DECODED),
      errorText: orNull(TEXT),
      failure: listOf(
        objectSchema('Failed function', {
          address: orNull(ADDRESS),
          contract: orNull(TEXT),
          function: orNull(TEXT),
          source: orNull(PLACE),
        }),
      ),
      logs: listOf(orNull(DECODED)),
      transfers: listOf(
        objectSchema(
          'Transfer',
          {
            standard: { enum: ['native', 'ERC20', 'ERC721', 'ERC1155'] },
            token: orNull(ADDRESS),
            from: ADDRESS,
            to: ADDRESS,
            amount: TEXT,
            tokenId: TEXT,
          },
          ['tokenId'],
        ),
      ),
      created: orNull(ADDRESS),
      console: listOf(TEXT),
      changes: listOf(
        objectSchema('Changed account', {
          address: ADDRESS,
          contract: orNull(TEXT),
          slots: listOf(
            objectSchema('Changed slot', {
              slot: HASH,
              before: HASH,
              after: HASH,
              variable: orNull(TEXT),
              type: orNull(TEXT),
              beforeText: orNull(TEXT),
              afterText: orNull(TEXT),
            }),
          ),
          balance: orNull(BEFORE_AFTER),
          nonce: orNull(BEFORE_AFTER),
          code: orNull(BEFORE_AFTER),
        }),
      ),
      waitsFor: orNull(TEXT),
      isCut: BOOLEAN,
    }),
  ),
)

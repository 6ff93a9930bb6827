import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { MAX_TRANSFER_PIECE_BYTES } from '../../../base/limits/limits.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { byteCount, described } from '../../../base/primitives/printable.ts'
import { boolean, data } from '../../codecs/scalars.ts'
import { answerCodec, parameterCodec } from '../../codecs/support.ts'
import type { ChainTransfers, ExportedPiece } from '../../dump/chainTransfers.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { hexBytes } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

interface TransferBackend extends DevBackend {
  readonly transfers?: (() => Promise<ChainTransfers>) | undefined
}

const ID = /^0x[\da-f]{32}$/

const transferId: Codec<string> = parameterCodec({ type: 'string', pattern: ID.source }, (value) => {
  if (typeof value === 'string' && ID.test(value)) return value
  throw unexpectedValue('the id of a transfer, 16 bytes', described(value))
})

const pieceIndex: Codec<number> = parameterCodec({ type: 'integer', minimum: 0 }, (value) => {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw unexpectedValue('the index of a piece, a number', described(value))
})

const pieceData: Codec<Uint8Array> = {
  ...hexBytes,
  parse: (value, profile) => {
    const bytes = hexBytes.parse(value, profile)
    if (bytes.length <= MAX_TRANSFER_PIECE_BYTES) return bytes
    throw unexpectedValue(`at most ${byteCount(MAX_TRANSFER_PIECE_BYTES)}`, byteCount(bytes.length))
  },
}

const exportedPiece = answerCodec<ExportedPiece>(
  {
    title: 'ExportedPiece',
    type: 'object',
    properties: { id: transferId.schema, index: pieceIndex.schema, data: data.schema, isLast: { type: 'boolean' } },
  },
  ({ data: bytes, ...piece }) => ({ ...piece, data: data.serialize(bytes) }),
)

const importedPiece = answerCodec<{ readonly id: string; readonly isLoaded: boolean }>(
  {
    title: 'ImportedPiece',
    type: 'object',
    properties: { id: transferId.schema, isLoaded: { type: 'boolean' } },
  },
  (answer) => answer,
)

const exportChain: MethodDefinition<TransferBackend> = defineMethod({
  name: 'isonode_export',
  group: 'DEV',
  summary:
    'A piece of a dump of the whole chain, with all states and changes: joined, the pieces are the file of `--dump-state`. Without ' +
    'parameters, an export begins; then its id and the next index follow, or the last index again when an answer was lost.',
  params: [
    optional('id', transferId, 'Id of the export.'),
    optional('index', pieceIndex, 'Index of the piece, beside an id.'),
  ],
  result: result('piece', exportedPiece),
  errors: ['CHAIN_MOVED', 'UNKNOWN_TRANSFER'],
  handler: async (backend: TransferBackend, [id, index]) => {
    const transfers = await transfersOf(backend)
    if (id === undefined) return transfers.begin()
    if (index !== undefined) return transfers.next(id, index)
    throw invalidParams('index: missing', { expected: 'the index of a piece', got: 'nothing', parameter: 'index' })
  },
})

const importChain: MethodDefinition<TransferBackend> = defineMethod({
  name: 'isonode_import',
  group: 'DEV',
  summary:
    'Takes a piece of a dump as of isonode_export, `--dump-state` or anvil_dumpState. Piece 0 without an id begins an import, whose ' +
    'id the others need; the last one replaces the whole chain, and is repeated until `isLoaded`. Until then, the chain makes no blocks, and nothing is ' +
    'changed when the dump is not valid or a piece is late by more than 30 seconds.',
  params: [
    param('index', pieceIndex, 'Index of the piece, from 0; the last one again when its answer was lost.'),
    param('data', pieceData, 'Bytes of the dump as hex, at most 1 MiB.'),
    param('isLast', boolean, 'Whether the dump ends with this piece.'),
    optional('id', transferId, 'Id of the import.'),
  ],
  result: result('piece', importedPiece),
  errors: ['INVALID_DUMP', 'UNKNOWN_TRANSFER'],
  handler: async (backend: TransferBackend, [index, bytes, isLast, id]) => {
    return (await transfersOf(backend)).accept({ id, index, data: bytes, isLast })
  },
})

/** @throws {NodeError} METHOD_NOT_ENABLED */
function transfersOf(backend: TransferBackend): Promise<ChainTransfers> {
  devChain(backend)
  if (backend.transfers !== undefined) return backend.transfers()
  throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'this node does not transfer its chain')
}

export const transferMethods: readonly MethodDefinition<TransferBackend>[] = [exportChain, importChain]

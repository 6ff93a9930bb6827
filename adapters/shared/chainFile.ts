/**
 * A whole dev chain as one file, over the methods of any node.
 * @module
 */
import { MAX_TRANSFER_PIECE_BYTES } from '../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import type { RequestFunction } from '../../src/rpc/providerContract.ts'

interface ExportedPiece {
  readonly id: string
  readonly index: number
  readonly data: string
  readonly isLast: boolean
}

interface ImportedPiece {
  readonly id: string
  readonly isLoaded: boolean
}

/** The file, in pieces that are asked for when the reader wants them. */
export function exportChain(request: RequestFunction): ReadableStream<Uint8Array> {
  let last: ExportedPiece | undefined
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const params = last === undefined ? [] : [last.id, last.index + 1]
      last = await request<ExportedPiece>('isonode_export', params)
      if (last.data !== '0x') controller.enqueue(hexToBytes(last.data))
      if (last.isLast) controller.close()
    },
  })
}

/** @throws {RequestError} when the file is not valid; nothing is changed then */
export async function importChain(
  request: RequestFunction,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  let index = 0
  let id: readonly string[] = []
  const send = async (data: Uint8Array, isLast: boolean): Promise<boolean> => {
    const piece = await request<ImportedPiece>('isonode_import', [index, bytesToHex(data), isLast, ...id])
    id = [piece.id]
    return piece.isLoaded
  }
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length; start += MAX_TRANSFER_PIECE_BYTES) {
      await send(bytes.subarray(start, start + MAX_TRANSFER_PIECE_BYTES), false)
      index++
    }
  }
  const end = new Uint8Array(0)
  // A long chain takes longer than one request.
  for (let isLoaded = false; !isLoaded; ) isLoaded = await send(end, true)
}

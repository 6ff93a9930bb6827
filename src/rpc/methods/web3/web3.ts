import { unexpectedValue } from '../../../api/errors.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import { hasHexPrefix } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { described } from '../../../base/primitives/printable.ts'
import { data, hash32, string } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  readonly node: NodeInfo
}

export const clientVersion: MethodDefinition<Backend> = defineMethod({
  name: 'web3_clientVersion',
  group: 'WEB3',
  summary: 'Name and version of the client.',
  params: [],
  result: result('version', string),
  handler: ({ node }: Backend) => node.clientVersion,
})

/** Hex with the mandatory prefix `0x`; an empty string means no bytes. */
const prefixedData = parameterCodec<Uint8Array>(data.schema, (value) => {
  if (typeof value === 'string' && value !== '' && !hasHexPrefix(value))
    throw unexpectedValue('hex with 0x', described(value), 'data')
  return data.parse(value)
})

export const sha3: MethodDefinition<unknown> = defineMethod({
  name: 'web3_sha3',
  group: 'WEB3',
  summary: 'Keccak-256 of bytes.',
  params: [param('data', prefixedData, 'Bytes in hex; the prefix `0x` is required, and an empty text means no bytes.')],
  exactParams: true,
  result: result('hash', hash32),
  handler: (_backend: unknown, [bytes]) => keccak256(bytes),
})

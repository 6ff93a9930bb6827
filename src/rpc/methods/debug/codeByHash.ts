import type { CodeSource } from '../../../state/contract.ts'
import { data, hash32, ignored } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'

interface CodeQuery {
  readonly states: CodeSource
}

export const codeByHash: MethodDefinition<CodeQuery> = defineMethod({
  name: 'debug_codeByHash',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Code of a contract, by its Keccak-256 hash; null when no stored contract has it.',
  params: [
    param('hash', hash32, 'Keccak-256 of the code, 32 bytes.'),
    optional('block', ignored, 'Ignored: code is kept, whatever the block.'),
  ],
  result: result('code', nullable(data)),
  handler: ({ states }: CodeQuery, [hash]): Uint8Array | undefined => states.code(hash),
})

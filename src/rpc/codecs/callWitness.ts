/**
 * The answer of isonode_callWitness.
 * @module
 */
import type { CallWitness } from '../../api/calls/callWitness.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { accessList } from './callObject.ts'
import { ACCESS_LIST, BYTES, listOf, objectSchema, UINT } from './schemas.ts'
import { answerCodec } from './support.ts'

export const callWitnessResult: Codec<CallWitness> = answerCodec(
  objectSchema(
    'Call witness',
    {
      output: BYTES,
      error: { type: 'string' },
      gasUsed: UINT,
      accessList: ACCESS_LIST,
      state: listOf(BYTES),
      codes: listOf(BYTES),
      headers: listOf(BYTES),
    },
    ['error'],
  ),
  ({ outcome, failure, reads, nodes, codes, headers }) => ({
    output: outcome.kind === 'executed' ? bytesToHex(outcome.result.output) : '0x',
    ...(failure === undefined ? {} : { error: failure.message }),
    gasUsed: quantity(outcome.kind === 'executed' ? outcome.gasUsed : 0n),
    accessList: accessList.serialize(reads.map(({ address, slots }) => ({ address, storageKeys: slots }))),
    state: nodes,
    codes,
    headers,
  }),
)

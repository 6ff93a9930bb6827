import { LATEST } from '../../../api/blockReference.ts'
import { type WitnessBackend, callWitness as witnessOf } from '../../../api/calls/callWitness.ts'
import { KNOWN_PART_BYTES, KnownParts } from '../../../state/knownParts.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { callWitnessResult } from '../../codecs/callWitness.ts'
import { data } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { CALL, STORED_CALL_BLOCK } from '../support/parameterTexts.ts'

const KNOWN =
  `The answer leaves out parts that the caller has. Each part is named by the first ${KNOWN_PART_BYTES} bytes of its Keccak-256 hash; ` +
  'the names follow one another. A part is a trie node, a code, a header, an address, or an address followed by a slot.'

export const callWitness: MethodDefinition<WitnessBackend> = defineMethod({
  name: 'isonode_callWitness',
  group: 'ETH',
  answeredBy: 'any',
  summary:
    'Output of a call with all trie nodes, codes and headers that prove it: whoever knows the hash of the block can run the ' +
    'call again. A call that fails has an `error`.',
  params: [
    param('call', genericTransaction, CALL),
    optional('block', blockNumberOrTagOrHash, STORED_CALL_BLOCK),
    optional('known', data, KNOWN),
  ],
  result: result('witness', callWitnessResult),
  errors: [...callErrors, 'RESPONSE_TOO_LARGE'],
  handler: (backend: WitnessBackend, [call, block, known], context) =>
    witnessOf(backend, call, block ?? LATEST, new KnownParts(known), context),
})

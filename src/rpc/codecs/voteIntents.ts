import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { VoteIntent } from '../../consensus/voteIntents.ts'
import type { Codec } from '../method.ts'
import { ADDRESS } from './schemas.ts'
import { answerCodec } from './support.ts'

/** An object of addresses: true adds a signer or validator, false removes it. */
export function voteIntents(title: string): Codec<readonly VoteIntent[]> {
  return answerCodec(
    { title, type: 'object', propertyNames: ADDRESS, additionalProperties: { type: 'boolean' } },
    (list) => Object.fromEntries(list.map(({ recipient, isAdd }) => [bytesToHex(recipient), isAdd])),
  )
}

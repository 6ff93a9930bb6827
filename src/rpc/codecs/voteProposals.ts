import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { VoteProposal } from '../../consensus/voteProposals.ts'
import type { Codec } from '../method.ts'
import { ADDRESS } from './schemas.ts'
import { answerCodec } from './support.ts'

/** An object of addresses: true adds a signer or validator, false removes it. */
export function voteProposals(title: string): Codec<readonly VoteProposal[]> {
  return answerCodec(
    { title, type: 'object', propertyNames: ADDRESS, additionalProperties: { type: 'boolean' } },
    (list) => Object.fromEntries(list.map(({ recipient, isAdd }) => [bytesToHex(recipient), isAdd])),
  )
}

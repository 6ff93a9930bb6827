import { NodeError } from '../../../base/primitives/errors.ts'
import { enclaveFailure } from '../../../private/privacy/enclaveClient.ts'
import type { SubmissionVerdict } from '../../../txpool/submission.ts'
import { rawPrivate } from '../../codecs/privacy.ts'
import { hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { SUBMISSION_ERRORS } from '../eth/sendRawTransaction.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf, userOf } from '../priv/backend.ts'
import { DISTRIBUTION_ERRORS } from '../priv/transactions.ts'
import { errorOfEnclave } from '../support/enclaveErrors.ts'
import { PRIVATE_TRANSACTION } from '../support/parameterTexts.ts'
import { acceptedHash } from '../support/submissionErrors.ts'

const TOO_LITTLE_GAS = 'PMT_FAILED_INTRINSIC_GAS_EXCEEDS_LIMIT'

export const sendRawTransaction: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'eea_sendRawTransaction',
  group: 'EEA',
  summary: 'Passes a signed private transaction to the members of its group and submits its marker.',
  params: [param('transaction', rawPrivate, PRIVATE_TRANSACTION)],
  result: result('markerHash', hash32),
  errors: [...new Set([...PRIVATE_ERRORS, ...DISTRIBUTION_ERRORS, ...SUBMISSION_ERRORS, TOO_LITTLE_GAS])],
  isServed: isPrivate,
  handler: (backend: PrivacyBackend, [raw], context) =>
    privacyOf(backend)
      .markers.submit(raw, userOf(backend, context))
      .then(markerHash, (error) => {
        if (enclaveFailure(error)?.kind !== 'keyless') throw errorOfEnclave(error)
        throw new NodeError({ code: 'DECODE_ERROR' }, (error as Error).message, { cause: error })
      }),
})

/** The marker has the gas of the private transaction. */
function markerHash(verdict: SubmissionVerdict): Uint8Array {
  if (verdict.kind === 'refused' && verdict.error.code === 'INTRINSIC_GAS_EXCEEDS_LIMIT') {
    throw new NodeError({ code: TOO_LITTLE_GAS }, verdict.error.message)
  }
  return acceptedHash(verdict)
}

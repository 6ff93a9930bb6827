import { NodeError } from '../../../base/primitives/errors.ts'
import { readGroupId } from '../../../private/privacy/privateLookup.ts'
import type { RequestContext } from '../../method.ts'
import { type PrivacyBackend, requireMember } from './backend.ts'

/**
 * The group that a parameter names, 32 bytes.
 * @param code of the error for another text
 * @throws {NodeError}
 */
export function groupIdOf(text: string, code = 'INTERNAL_ERROR'): Uint8Array {
  const groupId = readGroupId(text)
  if (groupId !== undefined) return groupId
  throw new NodeError({ code }, 'the privacy group id is not the Base64 of 32 bytes')
}

/** Like {@link groupIdOf}, for a caller who may see the group. @throws {NodeError} UNAUTHORIZED */
export async function visibleGroup(
  backend: PrivacyBackend,
  text: string,
  context: RequestContext,
): Promise<Uint8Array> {
  const groupId = groupIdOf(text)
  await requireMember(backend, groupId, context)
  return groupId
}

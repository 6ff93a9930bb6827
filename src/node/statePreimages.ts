import { NodeError } from '../base/primitives/errors.ts'
import { hasPreimages, preimageMutations, readMetadata } from '../storage/metadata.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { NodeHost } from './host.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/**
 * Whether the state of this database has preimages. They are useless unless all are there, so that a database without them
 * cannot get them later.
 * @throws {NodeError} INVALID_OPTION
 */
export async function choosePreimages(
  { store, residency }: Pick<NodeHost, 'store' | 'residency'>,
  { statePreimages: asked }: Pick<NodeSettings, 'statePreimages'>,
): Promise<boolean> {
  const found = await retryMisses(
    () => (readMetadata(store) === undefined ? undefined : { isOn: hasPreimages(store) }),
    residency,
  )
  if (found === undefined) return asked ?? true
  if (asked === true && !found.isOn) {
    const message = 'the database was created with --state-preimages=false: addresses and slots cannot be added later'
    throw new NodeError({ code: 'INVALID_OPTION' }, message)
  }
  const isOn = asked ?? found.isOn
  if (isOn !== found.isOn) await store.commit(preimageMutations(isOn))
  return isOn
}

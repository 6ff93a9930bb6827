import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { loadNodeKey } from './nodeKey.ts'

/**
 * Returns a signer for the key file of a data directory, which is created if missing.
 * @param directory undefined: a new key that is not stored
 * @param file replaces the directory's; must exist
 * @throws {NodeError} INVALID_NODE_KEY; the message never contains the key
 */
export function loadSigner(directory: string | undefined, file: string | undefined): Signer {
  const key = loadNodeKey(directory, file)
  const signer = new KeySigner(key)
  key.fill(0)
  return signer
}

import { KeySigner } from '../../src/ports/keySigner.ts'
import type { Signer } from '../../src/ports/signer.ts'
import { loadNodeKey } from './nodeKey.ts'

/**
 * The signer over the key file of a data directory, which is created when it is missing.
 * @param directory undefined: a new key that is not kept
 * @param file instead of the directory's; must exist
 * @throws {NodeError} INVALID_NODE_KEY; the message never holds the key
 */
export function loadSigner(directory: string | undefined, file: string | undefined): Signer {
  const key = loadNodeKey(directory, file)
  const signer = new KeySigner(key)
  key.fill(0)
  return signer
}

/**
 * Recovery of public keys with the secp256k1 field in WebAssembly, for hosts without a library.
 * @module
 */
import { createRecovery, SECP256K1_P } from '../../src/base/primitives/curves/secp256k1.ts'
import { wasmFields } from '../../src/base/primitives/curves/wasmField.ts'
import type { Secp256k1 } from '../../src/base/primitives/secp256k1.ts'
import type { Secp256k1Candidate } from './fastCrypto.ts'

/** Signs with the portable implementation. */
export const montgomerySecp256k1: Secp256k1Candidate = {
  name: 'montgomery',
  load: async (): Promise<Partial<Secp256k1>> => ({ recoverPublicKey: createRecovery(await wasmFields(SECP256K1_P)) }),
}

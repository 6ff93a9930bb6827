/**
 * Recovery of public keys that works everywhere.
 * @module
 */
import { portableFields } from './curves/field.ts'
import { createRecovery, SECP256K1_P } from './curves/secp256k1.ts'

type Recover = ReturnType<typeof createRecovery>

/** In a page, throws `ModuleNotLoaded` before {@link loadRecovery} (recovery.page.ts). */
export const recover: Recover = createRecovery(portableFields(SECP256K1_P))

/** Loads the code in a page, whose first calls recover nothing. */
export async function loadRecovery(): Promise<void> {}

import { secp256k1 } from '@noble/curves/secp256k1.js'

/** The curve with what signing and key agreement need. */
export type SigningCurve = typeof secp256k1

/** Call {@link loadSigningCurve} before. */
export const signingCurve = (): SigningCurve => secp256k1

/** Loads the curve in a page, whose node rarely signs. */
export async function loadSigningCurve(): Promise<void> {}

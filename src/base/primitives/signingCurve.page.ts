import type { SigningCurve } from './signingCurve.ts'

let curve: SigningCurve | undefined

export const signingCurve = (): SigningCurve => {
  if (curve === undefined) throw new Error('the signing curve is not loaded')
  return curve
}

export async function loadSigningCurve(): Promise<void> {
  curve ??= (await import('@noble/curves/secp256k1.js')).secp256k1
}

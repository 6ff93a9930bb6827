import type { PrecompileFunc } from '@ethereumjs/evm'
import { hexToBytes } from '../../base/primitives/bytes.ts'

type Verifier = { verifyProof(commitment: string, z: string, y: string, proof: string): boolean }

/** Loaded by the first call, because most chains never need it. */
async function loadVerifier(): Promise<Verifier> {
  const [{ KZG }, { VERIFICATION_SETUP }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('../../base/primitives/kzg/verificationSetup.ts'),
  ])
  return new KZG(VERIFICATION_SETUP)
}

/** BLS12-381's scalar field; z and y of the point evaluation must be below it (EIP-4844). */
const BLS_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

type Crypto = Parameters<PrecompileFunc>[0]['common']['customCrypto']

/** Loads the library and registers it with the package. */
export async function installKzg(customCrypto: Crypto): Promise<void> {
  if (customCrypto.kzg !== undefined) return
  const loaded = await loadVerifier()
  const verifyProof = (commitment: string, z: string, y: string, proof: string): boolean =>
    isScalar(z) && isScalar(y) && loaded.verifyProof(commitment, z, y, proof)
  customCrypto.kzg = { verifyProof } as NonNullable<Crypto['kzg']>
}

/** The point evaluation precompile with its library loaded on demand. */
export function lazyKzgPrecompile(precompile: PrecompileFunc): PrecompileFunc {
  let loading: Promise<void> | undefined
  return async (input) => {
    loading ??= installKzg(input.common.customCrypto)
    await loading
    return precompile(input)
  }
}

function isScalar(hex: string): boolean {
  return hexToBytes(hex).length === 32 && BigInt(hex) < BLS_MODULUS
}

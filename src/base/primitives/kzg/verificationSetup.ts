/**
 * The part of the trusted setup that verifies proofs. Only commitments and proofs of new blobs, which a node does not
 * compute, need the 4,096 points of the Lagrange form.
 * @module
 */
import { G2_SETUP } from './g2Setup.ts'

const FIELD_ELEMENTS_PER_BLOB = 4096
const G1_GENERATOR =
  '0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb ' +
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1'

interface VerificationSetup {
  readonly g1_lagrange: string[]
  readonly g2_monomial: string[]
  readonly encoding: 'fast_v1'
}

/**
 * In the form that micro-eth-signer takes, which reads only the number of the Lagrange points: the elements of a blob.
 */
export const VERIFICATION_SETUP: VerificationSetup = {
  g1_lagrange: new Array<string>(FIELD_ELEMENTS_PER_BLOB).fill(G1_GENERATOR),
  g2_monomial: [...G2_SETUP],
  encoding: 'fast_v1',
}

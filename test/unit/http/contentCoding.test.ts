import { expect, it } from 'vitest'
import { acceptedCoding } from '../../../src/http/contentCoding.ts'

it.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['deflate, gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, deflate', 'deflate'],
  ['gzip;q=0.2, deflate;q=0.8', 'deflate'],
  ['*', 'gzip'],
  ['*;q=0', undefined],
  ['gzip;q=0, *', 'deflate'],
  ['identity', undefined],
  ['br, zstd', undefined],
  ['gzip; q=1.0', 'gzip'],
  ['gzip;q=x', undefined],
  [',,;', undefined],
])('accepts %s: %s', (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding)
})
